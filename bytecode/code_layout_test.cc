// Functions and labels: what a Code chunk must be before anyone asks what its instructions do.
#include "bytecode/code_layout.h"

#include <catch2/catch.hpp>

#include "bytecode/test_assembler.h"
#include "bytecode/validate.h"

using namespace wb;

namespace {

void refused(Rule rule, const char* words, const char* source) {
  TestModule m(source);
  auto error = m.layout_error ? m.layout_error : validate(&m.unit);
  INFO(source);
  REQUIRE(error);
  INFO(error->message());
  CHECK(rule_name(error->rule) == rule_name(rule));
  CHECK(error->message().find(words) != std::string::npos);
}

}  // namespace

TEST_CASE("layout: a module without functions") {
  TestModule empty("");
  CHECK(!empty.layout_error);
  CHECK(!validate(&empty.unit));
  refused(Rule::bad_function, "code outside any function", "return");
  refused(Rule::bad_function, "code outside any function", "L1: line 0");
  refused(Rule::bad_function, "code outside any function", "return\n function f/0\n if_end");
}

TEST_CASE("layout: labels that are not placed, or not there") {
  refused(Rule::bad_entry, "call of label 77 with 0", "function f/0\n call_only 0, L77");
  refused(Rule::bad_entry, "call of label 99999 with 0", "function f/0\n call_only 0, L99999");
  refused(Rule::bad_entry, "call of label 1 with 0", "function f/0\n L1: call_only 0, L1");
  refused(Rule::bad_entry, "call of label 101 with 1", "function f/0\n call_only 1, L101");
  refused(Rule::bad_label, "not in this function", "function f/0\n jump L77");
  refused(Rule::bad_label, "not in this function",
          "function f/0\n jump L1\n function g/0\n L1: if_end");
  refused(Rule::bad_label, "not in this function",
          "function f/1\n select_val x0, L1, [a, L77]\n"
          " L1: if_end");
}

TEST_CASE("layout: a function may end in a call that does not return") {
  for (const char* call : {"call_ext 1, erlang:error/1", "call_ext 3, erlang:error/3",
                           "call_ext 1, erlang:exit/1", "call_ext 1, erlang:throw/1"}) {
    TestModule m(std::string("function f/3\n ") + call);
    INFO(call);
    CHECK(!m.layout_error);
    CHECK(!validate(&m.unit));
  }
  // Others of these names are functions like any: nobody knows what they do.
  for (const char* call :
       {"call_ext 0, erlang:error/0", "call_ext 4, erlang:error/4", "call_ext 2, erlang:exit/2",
        "call_ext 2, erlang:throw/2", "call_ext 1, m:error/1", "move a, x0", "L1: line 0"}) {
    refused(Rule::falls_through, "", (std::string("function f/4\n ") + call).c_str());
  }
}
