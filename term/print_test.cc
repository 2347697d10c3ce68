// Forms seen with erlang:display/1 of OTP 25.
#include "term/print.h"

#include <catch2/catch.hpp>
#include <string>

#include "term/atom.h"
#include "term/binary.h"
#include "term/map.h"
#include "term/test_heap.h"

using namespace wb;

namespace {

Term text(Heap& h, const std::string& bytes) {
  Term list = kNil;
  for (size_t i = bytes.size(); i-- > 0;) list = cons(h, make_small(uint8_t(bytes[i])), list);
  return list;
}
std::string shown(Term t) { return to_text(t, kDisplay); }

}  // namespace

TEST_CASE("lists of printable characters are shown as text") {
  TestHeap h;
  CHECK(shown(text(h, "a b\n\"\\")) == "\"a b\\n\\\"\\\"");
  CHECK(shown(text(h, "\t\r")) == "\"\t\r\"");
  CHECK(shown(text(h, "\xe5\xa0")) == "\"\xe5\xa0\"");
  for (const char* control : {"\b", "\v", "\f", "\x1b", "\x7f", "\x9f"}) {
    CHECK(shown(text(h, control)) == "[" + std::to_string(uint8_t(control[0])) + "]");
  }
  CHECK(shown(kNil) == "[]");
  CHECK(shown(cons(h, make_small('a'), make_small('b'))) == "[97|98]");
  CHECK(shown(cons(h, make_small('a'), cons(h, make_small(1000), kNil))) == "[97,1000]");
  CHECK(to_text(text(h, "ab")) == "[97,98]");
  CHECK(shown(cons(h, text(h, "AB"), text(h, "q"))) == "[\"AB\",113]");
}

TEST_CASE("binaries of printable ASCII are shown as text") {
  TestHeap h;
  CHECK(shown(make_binary(h, "ab\"c\\")) == "<<\"ab\\\"c\\\">>");
  CHECK(shown(make_binary(h, "a\n")) == "<<97,10>>");
  CHECK(shown(make_binary(h, "\xe5")) == "<<229>>");
  CHECK(shown(make_binary(h, "")) == "<<>>");
  const uint8_t bits[] = {1, 0xa0};
  CHECK(shown(make_bitstring(h, bits, 0, 11)) == "<<1,5:3>>");
  CHECK(shown(make_bitstring(h, bits, 8, 3)) == "<<5:3>>");
}

TEST_CASE("atoms are quoted where display quotes them") {
  auto source = [](const char* s) { return atom_source(intern(s)); };
  for (const char* plain : {"a", "a_", "aB", "a1", "div", "\xc3\xa9", "a\xc3\x85", "\xc3\xbf"}) {
    CHECK(source(plain) == plain);
  }
  for (const char* quoted : {"", "A", "_", "1a", "a@", "a@b", "a b", "+", "[]", "\xc3\x85",
                             "\xce\xb1", "\xf0\x9f\x98\x80", "a\x7f", "\xc2\xa0", "a\"b"}) {
    CHECK(source(quoted) == "'" + std::string(quoted) + "'");
  }
  CHECK(source("a'b") == "'a\\'b'");
  CHECK(source("a\\b") == "'a\\\\b'");
  CHECK(source("\b\v\f\t\r\n\x1b\x01") == "'\\b\\v\\f\\t\\r\\n\\033\\001'");
  CHECK(source("\xc2\x80\xc2\x9f") == "'\\200\\237'");
}

TEST_CASE("floats as %e, or short") {
  TestHeap h;
  CHECK(shown(make_float(h, 1e100)) == "1.000000e+100");
  CHECK(shown(make_float(h, -0.0)) == "-0.000000e+00");
  CHECK(to_text(make_float(h, 1e100)) == "1.0e100");
}

TEST_CASE("containers") {
  TestHeap h;
  Term pairs[] = {intern("b"), text(h, "x"), intern("a"), tuple(h)};
  CHECK(shown(map_from_pairs(h, pairs, 2)) == "#{a=>{},b=>\"x\"}");
  CHECK(shown(tuple(h, empty_map(h), tuple(h, make_small(1)), kNil)) == "{#{},{1},[]}");
  CHECK(shown(make_pid(85, 2)) == "<0.85.2>");
  CHECK(shown(make_port(5)) == "#Port<0.5>");
}

TEST_CASE("deep and long terms") {
  TestHeap h;
  Term t = make_small(1);
  for (int i = 0; i < 200000; ++i) t = i % 2 ? tuple(h, t) : cons(h, t, kNil);
  PrintOptions options;
  options.limit = 10;
  CHECK(to_text(t, options) == "{[{[{[{[{[...");
  CHECK(to_text(t, kDisplay).size() == 400001);
}
