// Where paths meet, and what is known behind them: frames, messages, float registers, catches.
#include <catch2/catch.hpp>

#include "bytecode/disasm.h"
#include "bytecode/test_assembler.h"
#include "bytecode/validate.h"

using namespace wb;

namespace {

/// "", or why it is refused.
std::string said(const std::string& source, const ValidateOptions& options = {}) {
  TestModule m(source);
  auto error = m.layout_error ? m.layout_error : validate(&m.unit, options);
  return error ? error->message() : "";
}

void valid(const std::string& source) {
  INFO(source);
  CHECK(said(source) == "");
}

void refused(const char* words, const std::string& source, const ValidateOptions& options = {}) {
  std::string message = said(source, options);
  INFO(source << message);
  CHECK(message.find(words) != std::string::npos);
}

/// The instructions that were marked, and those behind which control does not go on.
std::string marked(const char* source) {
  TestModule m(source);
  auto error = m.layout_error ? m.layout_error : validate(&m.unit);
  INFO(source << (error ? error->message() : ""));
  CHECK(!error);
  std::string s;
  for (const Instruction& in : m.unit.instructions)
    if (in.checked() || in.no_return()) s += std::string(op_name(in.op)) + " ";
  return s;
}

}  // namespace

// L5 is reached with two frames, L6 with another pair; then both meet.
TEST_CASE("paths: frames of unknown size meet") {
  auto meeting = [](const char* low, const char* high, const char* then) {
    return std::string("function f/3\n is_atom L1, x0\n allocate_zero 1, 3\n jump ") + low +
           "\n L1: is_atom L2, x1\n allocate_zero 2, 3\n is_atom " + low + ", x2\n jump " + high +
           "\n L2: allocate_zero 3, 3\n jump " + high +
           "\n L5: jump L8\n L6: jump L8\n L8: " + then;
  };
  for (auto [low, high] : {std::pair{"L5", "L6"}, std::pair{"L6", "L5"}}) {
    valid(meeting(low, high, "badmatch x0"));
    valid(meeting(low, high, "badmatch y0"));
    refused("y1 is outside the frame", meeting(low, high, "badmatch y1"));
    for (const char* write : {"move a, y0", "swap x0, y0", "swap y0, x0", "init y0",
                              "gc_bif2 -, 3, erlang:+/2, x0, 1, y0", "try y0, L9"})
      refused("there is none", meeting(low, high, write) + "\n if_end\n L9: try_case y0\n if_end");
    refused("there is none", meeting(low, high, "call_ext 1, m:f/1\n if_end"));
    refused("there is none", meeting(low, high, "deallocate 1\n if_end"));
    refused("there is one", meeting(low, high, "return"));
  }
}

TEST_CASE("paths: a frame in which nothing is yet") {
  auto meeting = [](const char* first, const char* second) {
    return std::string("function f/1\n is_atom L1, x0\n ") + first + "\n jump L2\n L1: " + second +
           "\n L2: badmatch x0";
  };
  const char* words = "stack frames differ where two paths meet";
  refused(words, meeting("allocate 1, 1", ""));
  refused(words, meeting("", "allocate 1, 1"));
  refused(words, meeting("allocate 2, 1", "allocate_zero 1, 1"));
  refused(words, meeting("allocate_zero 2, 1", "allocate 1, 1"));
  valid(meeting("allocate_zero 2, 1", "allocate_zero 1, 1"));
}

// An exception may not lead to a handler that others reach with a frame in which nothing is.
TEST_CASE("paths: exceptions into the frame of others") {
  for (const char* raising :
       {"put_map_assoc L6, x0, x0, 3, [a, b]", "put_map_exact -, x0, x0, 3, [a, b]",
        "gc_bif2 -, 3, erlang:+/2, x0, x1, x0", "badmatch x0", "raw_raise", "send",
        "call_ext 1, m:f/1", "call 3, L101", "wait_timeout L6, 1", "fconv x0, fr0"}) {
    refused("stack frames differ where two paths meet", std::string(R"(function f/3
      is_atom L5, x0
      allocate 2, 3
      jump L8
      L5: allocate 1, 3
      catch y0, L8
      )") + raising + "\n jump L6\n L6: if_end\n L8: catch_end y0\n if_end");
  }
}

TEST_CASE("paths: catches and what stands before their handlers") {
  refused("x0", R"(function f/0
    allocate 1, 0
    catch y0, L1
    L1: catch_end y0
    if_end)");
  refused("y1", R"(function f/1
    allocate 2, 1
    catch y0, L1
    L1: catch_end y0
    if_end)");
  // A handler with several labels, with lines between; only exceptions come there.
  valid(R"(function f/1
    allocate 1, 1
    try y0, L1
    call_ext 1, m:f/1
    try_end y0
    deallocate 1
    return
    L1: line 0
    L2: line 0
    L3: try_case y0
    deallocate 1
    return)");
  CHECK(marked(R"(function f/1
    allocate 1, 1
    try y0, L1
    call_ext 1, m:f/1
    line 0
    line 0
    L1: L2: try_case y0
    deallocate 1
    return)") == "call_ext ");
  refused("leads to a try_case", R"(function f/1
    L1: L2: try_case y0
    if_end)");
  // Two handlers, one inside the other, meet inside neither.
  refused("held a queued message, or on another path a catch", R"(function f/1
    allocate_zero 1, 1
    is_atom L2, x0
    catch y0, L1
    jump L2
    L1: catch_end y0
    if_end
    L2: badmatch y0)");
}

TEST_CASE("paths: a message that is looked at") {
  // An exception gives it back.
  auto caught = [](const char* then) {
    return std::string(R"(function f/1
      allocate 1, 1
      catch y0, L3
      L1: loop_rec L2, x0
      gc_bif2 -, 1, erlang:+/2, x0, 1, x0
      loop_rec_end L1
      L2: wait L1
      L3: catch_end y0
      )") + then +
           "\n deallocate 1\n return";
  };
  valid(caught(""));
  refused("no message has been looked at", caught("remove_message"));
  // So does a call that is handed nothing of it, and one whose part of it waits elsewhere.
  auto called = [](const char* call, const char* then) {
    return std::string(R"(function f/1
      allocate 1, 1
      move x0, y0
      L1: loop_rec L2, x0
      )") + call +
           "\n " + then + "\n deallocate 1\n return\n L2: wait L1";
  };
  valid(called("move y0, x0\n call_fun 0", ""));
  refused("no message has been looked at", called("move y0, x0\n call_fun 0", "remove_message"));
  refused("y0", called("move x0, y0\n move a, x0\n call_fun 0", ""));
  valid(called("move y0, x1\n call_fun 1", "remove_message"));
  refused("held a queued message", called("move x0, y0\n timeout", "move y0, x0"));
  refused("y0", called("move x0, y0\n recv_marker_reserve x1", "move a, x0"));
  refused("is part of a queued message", called("call_ext 1, m:f/1", ""));
  refused("is part of a queued message", called("badmatch x0", ""));
  // It may be another one after a fun was called on all paths, or on one.
  for (const char* before : {"", "is_tuple L3, x0"}) {
    const std::string source = std::string(R"(function f/2
      allocate 1, 2
      move x0, y0
      L1: loop_rec L2, x0
      )") + before + R"(
      move y0, x1
      call_fun 1
      is_eq_exact L3, x0, x0
      is_eq_exact L3, x0, a
      remove_message
      deallocate 1
      return
      L2: wait L1
      L3: loop_rec_end L1)";
    CHECK(marked(source.c_str()) == "call_fun remove_message loop_rec_end ");
  }
}

// Where frames differ only what both have is known: a register that is forgotten may hold no part.
TEST_CASE("paths: a message in one of two frames") {
  auto meeting = [](const char* first, const char* second) {
    return std::string(R"(function f/0
      L1: loop_rec L2, x0
      is_tuple L3, x0
      )") + first +
           R"(
      jump L4
      L2: wait L1
      L3: )" +
           second + R"(
      L4: loop_rec_end L5
      L5: wait L5)";
  };
  const char *with = "allocate_zero 2, 1\n move x0, y1", *without = "allocate_zero 1, 1";
  refused("y1 is part of a queued message where frames differ", meeting(with, without));
  refused("y1 is part of a queued message where frames differ", meeting(without, with));
  valid(meeting("allocate_zero 2, 1", without));
  // What both have is lost, and who waits must not have it.
  refused("y0", meeting("allocate_zero 1, 1\n move x0, y0", "allocate_zero 2, 1"));
  refused("y0", meeting("allocate_zero 2, 1", "allocate_zero 1, 1\n move x0, y0"));
}

// Where a path that looks at a message meets one that does not, nobody does.
TEST_CASE("paths: a message on one of two paths") {
  auto meeting = [](const char* first, const char* second, const char* then) {
    return std::string("function f/1\n is_atom L1, x0\n ") + first + "\n jump L5\n L1: " + second +
           "\n jump L5\n L5: " + then + "\n L2: if_end";
  };
  const char *look = "loop_rec L2, x0",
             *keep = "allocate_zero 1, 1\n loop_rec L2, x0\n move x0, y0";
  for (auto [first, second] : {std::pair{look, "line 0"}, std::pair{"line 0", look}}) {
    valid(meeting(first, second, "if_end"));
    refused("no message has been looked at", meeting(first, second, "remove_message"));
    refused("x0", meeting(first, second, "badmatch x0"));
  }
  const char* frame = "allocate_zero 1, 1";
  for (auto [first, second] : {std::pair{keep, frame}, std::pair{frame, keep}}) {
    valid(meeting(first, second, "deallocate 1\n move a, x0\n return"));
    refused("held a queued message", meeting(first, second, "move y0, x0"));
    refused("y0", meeting(first, second, "test_heap 1, 0"));
  }
  // Frames that differ, too: what is lost would stay where nobody knows of it.
  for (auto [first, second] : {std::pair{keep, "line 0"}, std::pair{"line 0", keep}})
    refused("stack frames differ where two paths meet", meeting(first, second, "if_end"));
}

TEST_CASE("paths: what a local function may be handed") {
  const std::string context = R"(function f/1
    bs_start_match3 L1, x0, 1, x0
    call_only 1, L201
    L1: if_end
    function local/1
    move a, x0
    return)";
  const std::string message = R"(function f/0
    allocate 0, 0
    L1: loop_rec L2, x0
    call 1, L201
    deallocate 0
    return
    L2: wait L1
    function local/1
    return)";
  ValidateOptions native;
  native.replaced = [](Term, Term, uint32_t arity) { return arity == 1; };
  valid(context);
  refused("may be a match context", context, native);
  refused("x0", message);
  refused("is part of a queued message", message, native);
  CHECK(said("function f/1\n call_only 1, L201\n function local/1\n return", native) == "");
}

TEST_CASE("paths: float registers hold what all paths put there") {
  auto meeting = [](const char* on_one) {
    return std::string("function f/2\n fconv x0, fr0\n is_atom L1, x1\n ") + on_one +
           "\n is_eq_exact L1, x1, a\n if_end\n"
           " L1: test_heap 0/1/0, 1\n fadd -, fr0, fr0, fr0\n fmove fr0, fr1\n fmove fr1, x0\n"
           " return";
  };
  valid(meeting(""));
  valid(meeting("fconv x0, fr70"));
  valid(meeting("fclearerror\n fcheckerror L1"));
  refused("fr70", R"(function f/2
    fconv x0, fr0
    is_atom L2, x1
    fconv x0, fr70
    jump L1
    L2: jump L1
    L1: fadd -, fr0, fr70, fr0
    return)");
  refused("fr0", R"(function f/2
    is_atom L1, x1
    fconv x0, fr0
    is_eq_exact L1, x1, a
    if_end
    L1: fadd -, fr0, fr0, fr0
    return)");
}

TEST_CASE("paths: a new tuple has as many elements as are known") {
  auto set = [](const char* position, const char* index) {
    return std::string("function f/3\n allocate 0, 3\n move ") + position +
           ", x0\n call_ext 3, erlang:setelement/3\n set_tuple_element a, x0, " + index +
           "\n deallocate 0\n return";
  };
  CHECK(marked(set("5", "5").c_str()) == "set_tuple_element ");
  CHECK(marked(set("5", "4").c_str()) == "");
  CHECK(marked(set("a", "0").c_str()) == "set_tuple_element ");
}

// Each function adds a kind to what `local/1` is called with. After eight rounds it is any term,
// and then comes a match context.
TEST_CASE("paths: arguments become wider round by round") {
  auto chain = [](const char* callee) {
    std::string source = std::string(R"(function f/1
      call_only 1, L301
      function local/1
      )") + callee;
    int next = 401;
    for (const char* kind :
         {"a", "1", "[]", "literal 0", "literal 1", "literal 2", "literal 3", "literal 4"}) {
      source += std::string(R"(
        function local_step/1
        allocate 1, 1
        move x0, y0
        move )") +
                kind + R"(, x0
        call 1, L201
        move y0, x0
        call_last 1, L)" +
                std::to_string(next) + ", 1";
      next += 100;
    }
    return source + R"(
      function local_last/1
      bs_start_match3 L1, x0, 1, x0
      call_only 1, L201
      L1: if_end)";
  };
  valid(chain("move a, x0\n return"));
  refused("may be a match context", chain("return"));
}

// What leads on from L1 is not gone through again when L3 comes to it with a frame, as nothing new
// is known there then.
TEST_CASE("paths: a loop where frames have met") {
  refused("a loop that lets no other process", R"(function f/3
    is_nil L1, x0
    allocate_zero 1, 3
    is_atom L1, x1
    jump L3
    L1: is_tuple L2, x0
    jump L1
    L2: badmatch x0
    L3: is_pid L1, x2
    badmatch x0)");
}
