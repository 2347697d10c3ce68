#include "bytecode/validate.h"

#include <catch2/catch.hpp>

#include "bytecode/disasm.h"
#include "bytecode/test_assembler.h"

using namespace wb;

static void valid(const char* source, size_t funs = 0) {
  TestModule m(source, funs);
  CHECK(!m.layout_error);
  auto error = validate(&m.unit);
  INFO(source << (error ? error->message() : ""));
  CHECK(!error);
}

static void refused(Rule rule, const char* source, size_t funs = 0) {
  TestModule m(source, funs);
  auto error = m.layout_error ? m.layout_error : validate(&m.unit);
  INFO(source);
  CHECK(error);
  if (!error) return;
  INFO(error->message());
  CHECK(rule_name(error->rule) == rule_name(rule));
}

/// The instructions that were marked, as text.
static std::string marked(const char* source, size_t funs = 0) {
  TestModule m(source, funs);
  auto error = m.layout_error ? m.layout_error : validate(&m.unit);
  INFO(source << (error ? error->message() : ""));
  CHECK(!error);
  std::string s;
  for (const Instruction& in : m.unit.instructions)
    if (in.checked()) s += std::string(op_name(in.op)) + " ";
  return s;
}

TEST_CASE("validate: registers") {
  valid("function f/1\n return");
  refused(Rule::uninitialized, "function f/0\n return");
  refused(Rule::uninitialized, "function f/1\n move x1, x0\n return");
  refused(Rule::uninitialized, R"(function f/1
    is_nil L1, x0
    move a, x1
    L1: move x1, x0
    return)");
  // What a BIF that cannot fail writes is there on every path.
  valid(R"(function f/1
    is_map L1, x0
    bif2 L2, erlang:is_map_key/2, a, x0, x1
    is_eq_exact L2, x1, true
    return
    L2: move x1, x0
    return
    L1: return)");
  refused(Rule::uninitialized, R"(function f/1
    bif2 L2, erlang:is_map_key/2, a, x0, x1
    return
    L2: move x1, x0
    return)");
  refused(Rule::bad_frame, "function f/1\n move x0, y0\n return");
  refused(Rule::register_range, "function f/1\n move y0, x0\n return");
  refused(Rule::uninitialized, R"(function f/2
    allocate 0, 2
    call_ext 1, m:f/1
    move x1, x0
    deallocate 0
    return)");
}

TEST_CASE("validate: frames") {
  valid(
      "function f/1\n allocate 1, 1\n move x0, y0\n call 1, L101\n move y0, x0\n deallocate 1\n "
      "return");
  refused(Rule::bad_frame, "function f/1\n deallocate 1\n return");
  refused(Rule::bad_frame, "function f/1\n allocate 1, 1\n init_yregs [y0]\n return");
  refused(Rule::bad_frame, "function f/1\n allocate 1, 1\n deallocate 2\n return");
  refused(Rule::bad_frame, "function f/1\n call_ext 1, m:f/1\n return");
  refused(Rule::bad_frame, "function f/1\n allocate 0, 1\n allocate 0, 1\n return");
  refused(Rule::bad_frame,
          "function f/1\n allocate 2, 1\n init_yregs [y0, y1]\n trim 1, 2\n return");
  refused(Rule::register_range,
          "function f/1\n allocate 2, 1\n init_yregs [y0, y1]\n trim 1, 1\n move y1, x0\n return");
  refused(Rule::uninitialized,
          "function f/1\n allocate 1, 1\n call_ext 1, m:f/1\n deallocate 1\n return");
  // Paths with different frames may meet where nothing is done but raise ...
  valid(R"(function f/1
    is_nil L1, x0
    allocate 1, 1
    init_yregs [y0]
    L1: badmatch x0)");
  // ... but not return.
  refused(Rule::bad_frame, R"(function f/1
    is_nil L1, x0
    allocate 1, 1
    init_yregs [y0]
    L1: return)");
  refused(Rule::frame_mismatch, R"(function f/1
    is_nil L1, x0
    allocate 1, 1
    L1: badmatch x0)");
}

TEST_CASE("validate: loops are followed to a fixpoint") {
  refused(Rule::endless_loop, R"(function f/1
    L1: is_nil L2, x0
    allocate 1, 1
    init_yregs [y0]
    L3: is_atom L4, x0
    jump L5
    L4: is_pid L3, x0
    jump L5
    L2: is_float L5, x0
    allocate 2, 1
    init_yregs [y0, y1]
    L5: is_tuple L6, x0
    jump L5
    L6: is_map L7, x0
    jump L5
    L7: badmatch x0)");
}

TEST_CASE("validate: live counts") {
  refused(Rule::bad_live, "function f/1\n test_heap 2/0/0, 2\n return");
  refused(Rule::uninitialized, "function f/2\n test_heap 2/0/0, 1\n move x1, x0\n return");
  refused(Rule::bad_live, "function f/2\n gc_bif2 -, 1, erlang:+/2, x0, x1, x0\n return");
  valid("function f/2\n gc_bif2 -, 2, erlang:+/2, x0, x1, x0\n return");
  refused(Rule::bad_live, R"(function f/1
    gc_bif1 -, 1, erlang:bnot/1, x0, x1
    gc_bif2 -, 1, erlang:bor/2, x1, x1, x0
    return)");  // an integer may be a big one, which a collection moves
  valid("function f/1\n move literal 3, x1\n bs_start_match4 no_fail, 1, x1, x1\n return");
  refused(Rule::bad_live, "function f/2\n bs_start_match3 L1, x1, 1, x1\nL1: return");
}

TEST_CASE("validate: heap") {
  valid("function f/1\n test_heap 2/0/0, 1\n put_list x0, [], x0\n return");
  refused(Rule::not_enough_heap, "function f/1\n put_list x0, [], x0\n return");
  refused(Rule::not_enough_heap,
          "function f/1\n test_heap 3/0/0, 1\n put_list x0, [], x0\n put_list x0, [], x0\n return");
  refused(Rule::not_enough_heap,
          "function f/1\n test_heap 2/0/0, 1\n put_tuple2 x0, [x0, x0]\n return");
  refused(Rule::not_enough_heap, R"(function f/1
    test_heap 2/0/0, 1
    gc_bif1 -, 1, erlang:length/1, x0, x0
    put_list x0, [], x0
    return)");
  refused(Rule::not_enough_heap, R"(function f/1
    is_nil L1, x0
    test_heap 2/0/0, 1
    L1: put_list x0, [], x0
    return)");
  refused(Rule::not_enough_heap,
          "function f/1\n test_heap 2/0/0, 1\n fconv x0, fr0\n fmove fr0, x0\n return");
  valid("function f/1\n test_heap 0/1/0, 1\n fconv x0, fr0\n fmove fr0, x0\n return");
  refused(Rule::uninitialized, "function f/1\n test_heap 0/1/0, 1\n fmove fr0, x0\n return");
  valid("function f/1\n test_heap 0/0/1, 1\n make_fun3 0, x0, []\n return", 1);
  refused(Rule::not_enough_heap, "function f/1\n test_heap 9/0/0, 1\n make_fun3 0, x0, []\n return",
          1);
  refused(Rule::bad_list, "function f/1\n test_heap 9/0/1, 1\n make_fun3 0, x0, [x0]\n return", 1);
}

TEST_CASE("validate: what cannot be proven is marked") {
  CHECK(marked("function f/1\n get_tuple_element x0, 0, x0\n return") == "get_tuple_element ");
  CHECK(
      marked("function f/1\n is_tuple L1, x0\n test_arity L1, x0, 2\n get_tuple_element x0, 1, x0\n"
             "L1: return") == "");
  CHECK(marked("function f/1\n is_tagged_tuple L1, x0, 2, a\n get_tuple_element x0, 2, x0\nL1: "
               "return") == "get_tuple_element ");
  CHECK(marked("function f/1\n move literal 0, x0\n get_tuple_element x0, 1, x0\n return") == "");
  CHECK(marked("function f/1\n get_list x0, x1, x0\n return") == "get_list ");
  CHECK(marked("function f/1\n is_nonempty_list L1, x0\n get_list x0, x1, x0\nL1: return") == "");
  // What is learnt of one copy holds for the other.
  CHECK(
      marked("function f/1\n move x0, x1\n is_nonempty_list L1, x0\n get_tl x1, x0\nL1: return") ==
      "");
  CHECK(marked("function f/1\n get_map_elements L1, x0, [a, x0]\nL1: return") ==
        "get_map_elements ");
  CHECK(marked("function f/1\n is_map L1, x0\n get_map_elements L1, x0, [a, x0]\nL1: return") ==
        "");
  CHECK(marked("function f/1\n fmove x0, fr0\n return") == "fmove ");
}

TEST_CASE("validate: functions are told what they are called with, not what they return") {
  const char* kArgument = R"(function f/0
    move literal 0, x0
    call_only 1, L201
    function local/1
    get_tuple_element x0, 1, x1
    return)";
  CHECK(marked(kArgument) == "");
  // A debugger may answer in the place of local/1.
  const char* kResult = R"(function f/0
    allocate 0, 0
    call 0, L201
    get_tuple_element x0, 0, x0
    deallocate 0
    return
    function local/0
    move literal 0, x0
    return)";
  CHECK(marked(kResult) == "get_tuple_element ");
  const char* kExported = R"(function f/0
    move literal 0, x0
    call_only 1, L201
    function g/1
    get_tuple_element x0, 1, x1
    return)";
  CHECK(marked(kExported) == "get_tuple_element ");
}

TEST_CASE("validate: set_tuple_element wants a tuple made a moment ago") {
  CHECK(marked(R"(function f/1
    allocate 0, 1
    move x0, x2
    move literal 0, x1
    move 2, x0
    call_ext 3, erlang:setelement/3
    set_tuple_element a, x0, 1
    deallocate 0
    return)") == "");
  CHECK(marked(R"(function f/1
    allocate 0, 1
    move x0, x2
    move literal 0, x1
    move 2, x0
    call_ext 3, erlang:setelement/3
    move x0, x1
    set_tuple_element x1, x0, 1
    deallocate 0
    return)") == "set_tuple_element ");  // the value could be the tuple
  refused(Rule::bad_type, R"(function f/1
    allocate 0, 1
    move x0, x2
    move literal 0, x1
    move 2, x0
    call_ext 3, erlang:setelement/3
    test_heap 2/0/0, 1
    set_tuple_element a, x0, 1
    deallocate 0
    return)");
  refused(Rule::bad_type,
          "function f/0\n move literal 0, x0\n set_tuple_element a, x0, 1\n return");
}

TEST_CASE("validate: exceptions") {
  valid(R"(function f/1
    allocate 1, 1
    try y0, L1
    call_ext 1, m:f/1
    try_end y0
    deallocate 1
    return
    L1: try_case y0
    move x2, x0
    deallocate 1
    return)");
  refused(Rule::bad_catch, R"(function f/1
    allocate 1, 1
    try y0, L1
    call_ext 1, m:f/1
    is_nil L1, x0
    L1: try_case y0
    deallocate 1
    return)");
  refused(Rule::bad_catch, R"(function f/1
    allocate 1, 1
    catch y0, L1
    call_ext 1, m:f/1
    deallocate 1
    return
    L1: catch_end y0
    deallocate 1
    return)");
  refused(Rule::bad_catch, R"(function f/1
    allocate 2, 1
    init_yregs [y1]
    catch y0, L1
    catch y1, L1
    L1: catch_end y0
    deallocate 2
    return)");
  refused(Rule::bad_catch,
          "function f/1\n allocate 1, 1\n catch y0, L1\n move y0, x0\nL1: catch_end y0\n"
          " deallocate 1\n return");
  refused(Rule::bad_catch,
          "function f/1\n allocate 1, 1\n catch y0, L1\n move a, y0\nL1: catch_end y0\n"
          " deallocate 1\n return");
  refused(Rule::bad_catch, R"(function f/1
    allocate 1, 1
    catch y0, L1
    call_ext 1, m:f/1
    L1: move x0, x1
    catch_end y0
    deallocate 1
    return)");
  // Paths inside different catches meet: nothing is known of the frame from there on.
  refused(Rule::bad_frame, R"(function f/2
    allocate 1, 2
    init_yregs [y0]
    is_nil L2, x1
    catch y0, L1
    L2: call_ext 1, m:f/1
    L1: catch_end y0
    deallocate 1
    return)");
  CHECK(marked(R"(function f/1
    allocate 1, 1
    bif1 -, erlang:hd/1, x0, y0
    move y0, x0
    deallocate 1
    return)") == "allocate ");
  // What holds in the handler is what held at every place that could raise.
  refused(Rule::uninitialized, R"(function f/1
    allocate 2, 1
    try y0, L1
    call_ext 1, m:f/1
    try_end y0
    deallocate 2
    return
    L1: try_case y0
    deallocate 2
    return)");
}

TEST_CASE("validate: what runs into a try_case is known not to") {
  TestModule m(R"(function f/1
    allocate 1, 1
    try y0, L1
    is_nil L2, x0
    call_ext 1, m:f/1
    jump L1
    L2: call_ext 1, m:f/1
    L1: try_case y0
    move x2, x0
    deallocate 1
    return)");
  CHECK(!validate(&m.unit));
  std::string text;
  for (const Instruction& in : m.unit.instructions)
    if (in.no_return()) text += instruction_text(m.unit, in) + "; ";
  CHECK(text ==
        "jump              L1  % never goes on; call_ext          1, m:f/1  % never goes on; ");
}

TEST_CASE(
    "validate: what is learnt of a register that holds nothing any more says nothing of others") {
  TestModule m(R"(function f/1
    move [], x1
    bs_start_match3 L1, x1, 1, x1
    L1: gc_bif1 L2, 1, erlang:floor/1, x0, x0
    return
    L2: return)");
  CHECK(!validate(&m.unit));
  std::string dead;
  for (const Instruction& in : m.unit.instructions)
    if (in.dead() && (in.op == Op::gc_bif1 || in.op == Op::return_)) dead += op_name(in.op);
  CHECK(dead == "");
}

TEST_CASE("validate: receive") {
  valid(R"(function f/0
    allocate 0, 0
    L1: loop_rec L2, x0
    is_nil L3, x0
    remove_message
    deallocate 0
    return
    L3: loop_rec_end L1
    L2: wait L1)");
  refused(Rule::bad_receive, "function f/0\n remove_message\n move a, x0\n return");
  refused(Rule::bad_receive, R"(function f/0
    L1: loop_rec L2, x0
    return
    L2: wait L1)");
  refused(Rule::bad_receive, R"(function f/0
    allocate 0, 0
    L1: loop_rec L2, x0
    call_ext 1, m:f/1
    remove_message
    deallocate 0
    return
    L2: wait L1)");
  refused(Rule::bad_receive, R"(function f/0
    allocate 1, 0
    init_yregs [y0]
    L1: loop_rec L2, x0
    get_hd x0, y0
    loop_rec_end L1
    L2: wait L1)");
  refused(Rule::bad_receive, R"(function f/0
    allocate 1, 0
    init_yregs [y0]
    L1: loop_rec L2, x0
    move x0, y0
    loop_rec_end L3
    L3: move y0, x0
    deallocate 1
    return
    L2: wait L1)");
  refused(Rule::bad_receive, R"(function f/0
    allocate 1, 0
    init_yregs [y0]
    L1: loop_rec L2, x0
    move x0, y0
    loop_rec_end L3
    L3: bif1 -, erlang:hd/1, a, x0
    deallocate 1
    return
    L2: wait L1)");
}

TEST_CASE("validate: match contexts stay inside") {
  valid(R"(function f/1
    bs_start_match3 L1, x0, 1, x1
    bs_get_integer2 L1, x1, 2, 8, 1, 0, x0
    L1: return)");
  CHECK(marked("function f/1\n bs_get_integer2 L1, x0, 1, 8, 1, 0, x0\nL1: return") ==
        "bs_get_integer2 ");
  CHECK(marked("function f/1\n bs_start_match4 resume, 1, x0, x0\n move a, x0\n return") ==
        "bs_start_match4 ");
  refused(Rule::bad_type, "function f/1\n bs_start_match3 L1, x0, 1, x0\nL1: return");
  refused(Rule::bad_type, R"(function f/1
    allocate 0, 1
    bs_start_match3 L1, x0, 1, x0
    call_ext 1, m:f/1
    L1: deallocate 0
    move a, x0
    return)");
  refused(Rule::bad_type, R"(function f/1
    test_heap 2/0/0, 1
    bs_start_match3 L1, x0, 1, x1
    test_heap 2/0/0, 2
    put_list x1, [], x0
    L1: return)");
  // A local function may be given one; then it cannot take its argument for a term.
  refused(Rule::bad_type, R"(function f/1
    bs_start_match3 L1, x0, 1, x0
    call_only 1, L201
    L1: move a, x0
    return
    function local/1
    return)");
  refused(
      Rule::bad_string,
      "function f/1\n bs_start_match3 L1, x0, 1, x1\n bs_match_string L1, x1, 800, 0\nL1: return");
  refused(Rule::bad_operand,
          "function f/1\n bs_start_match3 L1, x0, 1, x1\n bs_test_unit L1, x1, 0\nL1: return");
}

TEST_CASE("validate: binary construction in steps") {
  valid(
      "function f/1\n bs_init2 -, 4, 0/0/0, 1, 0, x1\n bs_put_integer -, 32, 1, 0, x0\n move x1, "
      "x0\n return");
  refused(Rule::bad_binary_construction, "function f/1\n bs_put_integer -, 32, 1, 0, x0\n return");
  refused(Rule::bad_binary_construction,
          "function f/1\n bs_init2 -, 4, 0/0/0, 1, 0, x1\n test_heap 2/0/0, 2\n bs_put_integer -, "
          "8, 1, 0, x0\n return");
  valid("function f/1\n bs_create_bin -, 0/0/0, 1, 1, x0, [integer, 1, 1, [], x0, 8]\n return");
  refused(Rule::bad_list,
          "function f/1\n bs_create_bin -, 0/0/0, 1, 1, x0, [integer, 1, 1, [], x0]\n return");
  refused(Rule::bad_string,
          "function f/1\n bs_create_bin -, 0/0/0, 1, 1, x0, [string, 1, 8, [], 5, 100]\n return");
}

TEST_CASE("validate: calls and BIFs") {
  refused(Rule::bad_entry, "function f/1\n call_only 2, L101");
  refused(Rule::bad_entry, "function f/1\n L1: call_only 1, L1");
  refused(Rule::bad_arity, "function f/1\n call_ext_only 1, m:f/2");
  refused(Rule::bad_import, "function f/1\n bif1 -, erlang:halt/1, x0, x0\n return");
  refused(Rule::bad_import, "function f/1\n bif1 -, erlang:length/1, x0, x0\n return");
  refused(Rule::bad_import, "function f/1\n bif1 -, lists:hd/1, x0, x0\n return");
  valid("function f/1\n bif1 -, erlang:hd/1, x0, x0\n return");
  refused(Rule::falls_through, "function f/1\n move a, x0");
  valid("function f/1\n call_ext 1, erlang:error/1");
  refused(Rule::bad_label, "function f/1\n jump L201\nfunction g/1\n return");
  refused(Rule::bad_label, "function f/1\n jump L77");
  refused(Rule::bad_list, "function f/1\n select_val x0, L1, [a, L1, b]\nL1: return");
  refused(Rule::bad_list, "function f/1\n select_val x0, L1, [x0, L1]\nL1: return");
  CHECK(marked("function f/2\n allocate 0, 2\n call_fun2 unsafe, 1, x1\n deallocate 0\n return") ==
        "call_fun2 ");
  CHECK(marked("function f/2\n allocate 0, 2\n is_function2 L1, x1, 1\n call_fun2 safe, 1, x1\n"
               "L1: deallocate 0\n move a, x0\n return") == "");
}

TEST_CASE("validate: native records") {
  valid(R"(function f/2
    is_any_native_record L1, x0
    is_native_record L1, x0, m, p
    is_record_accessible L1, x0, auto_local
    get_record_elements L1, x0, [a, x2, b, x0]
    get_record_field L1, x2, p, a, x3
    get_record_field -, x2, literal 0, a, x3
    put_record -, literal 0, [], x1, 2, [a, x0, b, x1]
    put_record -, _, x1, x0, 2, []
    L1: move a, x0
    return)");
  auto one = [](const char* line) {
    return "function f/1\n " + std::string(line) + "\nL1: move a, x0\n return";
  };
  auto no = [&](Rule rule, const char* line) { refused(rule, one(line).c_str()); };
  no(Rule::bad_operand, "is_record_accessible L1, x0, everywhere");
  no(Rule::bad_operand, "put_record -, p, [], x0, 1, []");  // the module defines none
  no(Rule::bad_operand, "put_record -, x0, x0, x0, 1, []");
  no(Rule::bad_operand, "put_record -, literal 1, [], x0, 1, []");
  no(Rule::bad_list, "put_record -, literal 0, [], x0, 1, [a]");
  no(Rule::bad_list, "put_record -, literal 0, [], x0, 1, [x0, x0]");
  no(Rule::bad_list, "put_record -, literal 0, [], x0, 1, [a, x0, a, x0]");
  no(Rule::bad_live, "put_record -, literal 0, [], x0, 2, []");
  no(Rule::uninitialized, "put_record -, literal 0, [], x0, 1, [a, x7]");
  no(Rule::uninitialized, "put_record -, _, x7, x0, 1, []");
  no(Rule::bad_list, "get_record_elements L1, x0, [a, a]");
  no(Rule::bad_list, "get_record_elements L1, x0, [a, x1, a, x2]");
  no(Rule::bad_list, "get_record_elements L1, x0, [x0, x1]");
  no(Rule::bad_operand, "get_record_field -, x0, 5, a, x0");
  no(Rule::uninitialized, "get_record_field -, x5, p, a, x0");
  // What may have been written on the way to the label, and what a collection leaves.
  refused(Rule::uninitialized,
          "function f/1\n get_record_elements L1, x0, [a, x1]\nL1: move x1, x0\n return");
  refused(Rule::uninitialized,
          "function f/2\n put_record -, _, x0, x0, 1, []\n move x1, x0\n return");
  refused(Rule::uninitialized,
          "function f/1\n allocate 1, 1\n put_record -, _, x0, x0, 1, []\n deallocate 1\n return");
}

TEST_CASE("validate: instructions of OTP 26") {
  CHECK(marked(R"(function f/1
    is_tagged_tuple L1, x0, 2, a
    test_heap 3/0/0, 1
    update_record copy, 2, x0, x0, [u2, b]
    get_tuple_element x0, 1, x0
    L1: return)") == "");
  CHECK(
      marked(
          "function f/1\n test_heap 3/0/0, 1\n update_record copy, 2, x0, x0, [u2, b]\n return") ==
      "update_record ");
  refused(Rule::bad_list,
          "function f/1\n test_heap 3/0/0, 1\n update_record copy, 2, x0, x0, [u3, b]\n return");
  refused(Rule::not_enough_heap,
          "function f/1\n test_heap 2/0/0, 1\n update_record copy, 2, x0, x0, [u2, b]\n return");
  valid(R"(function f/1
    bs_start_match3 L1, x0, 1, x1
    bs_match L1, x1, [ensure_at_least, u8, u1, integer, u2, [], u8, u1, x0, skip, u4]
    L1: return)");
  refused(Rule::bad_list,
          "function f/1\n bs_start_match3 L1, x0, 1, x1\n bs_match L1, x1, [leap, u8]\nL1: return");
}

TEST_CASE("validate: bs_match takes one command after the other") {
  constexpr const char* kBegin =
      "function f/3\n bs_start_match3 L1, x0, 3, x0\n bs_match L1, x0, [";
  auto matches = [&](const std::string& commands, const std::string& then = "move x1, x0",
                     const std::string& fails = "move x2, x0") {
    return kBegin + commands + "]\n" + then + "\n return\nL1: " + fails + "\n return";
  };
  // Flags are a list of known ones.
  valid(matches("ensure_at_least, u16, u1, integer, u1, literal 5, u16, u1, x1").c_str());
  refused(Rule::bad_list, matches("integer, u1, literal 1, u16, u1, x1").c_str());
  refused(Rule::bad_list, matches("integer, u1, literal 4, u16, u1, x1").c_str());
  refused(Rule::bad_list, matches("integer, u1, u2, u16, u1, x1").c_str());
  // What fails before a live count keeps all; what comes after it has what it covers.
  valid(matches("ensure_at_least, u8, u1, integer, u1, [], u8, u1, x1").c_str());
  valid(matches("ensure_exactly, u16, skip, u8, integer, u1, [], u8, u1, x1").c_str());
  refused(Rule::uninitialized,
          matches("ensure_at_least, u8, u1, integer, u1, [], u8, u1, x1", "move x2, x0").c_str());
  refused(Rule::uninitialized, matches("integer, u1, [], u8, u1, x1").c_str());
  refused(Rule::uninitialized,
          matches("ensure_at_least, u8, u1, integer, u1, [], u8, u1, x1, =:=, [], u8, u3").c_str());
  valid(matches("ensure_at_least, u16, u1, integer, u3, [], u8, u1, x1, =:=, [], u8, u3").c_str());
  // The context is where it was until the last command.
  valid(matches("ensure_exactly, u8, integer, u1, [], u8, u1, x0", "").c_str());
  refused(Rule::bad_list, matches("integer, u3, [], u8, u1, x0, skip, u8").c_str());
  // A command that may collect keeps it.
  const std::string kElsewhere =
      "function f/3\n bs_start_match3 L1, x0, 3, x2\n bs_match L1, x2, [";
  for (const char* command :
       {"binary, u2, [], u8, u1, x0", "integer, u2, [], u8, u1, x0", "get_tail, u2, u1, x0"})
    refused(Rule::bad_live, (kElsewhere + command + "]\nL1: return").c_str());
  valid((kElsewhere + "binary, u3, [], u8, u1, x0, get_tail, u3, u1, x2]\nL1: return").c_str());
  // Sizes beyond all binaries do not match; units and comparisons have limits.
  valid(matches("ensure_exactly, u9223372036854775807, get_tail, u1, u1, x0", "jump L1").c_str());
  refused(Rule::bad_operand, matches("integer, u3, [], u8, u257, x1").c_str());
  // What never matches writes nothing, even where size times unit wraps round to what is there.
  refused(
      Rule::bad_type,
      matches("integer, u3, [], u4611686018427387904, u4, x0", "if_end", "move x0, x0").c_str());
  refused(Rule::uninitialized,
          "function f/1\n bs_start_match3 L2, x0, 1, x0\n"
          " bs_match L1, x0, [binary, u1, [], u4611686018427387904, u4, x5]\n"
          " L2: if_end\n L1: move x5, x0\n return");
  refused(Rule::bad_list, matches("=:=, [], u65, u3").c_str());
}

TEST_CASE("validate: sizes of what is left in a match context") {
  valid(R"(function f/1
    bs_start_match3 L1, x0, 1, x1
    gc_bif1 -, 2, erlang:byte_size/1, x1, x0
    gc_bif1 -, 2, erlang:bit_size/1, x1, x0
    L1: return)");
  refused(Rule::bad_type, R"(function f/1
    bs_start_match3 L1, x0, 1, x1
    gc_bif1 -, 2, erlang:size/1, x1, x0
    L1: return)");
}

TEST_CASE("validate: a tail call that never returns may leave its frame") {
  valid("function f/1\n allocate 1, 1\n move x0, y0\n call_ext_only 1, erlang:error/1");
  refused(Rule::bad_frame,
          "function f/1\n allocate 1, 1\n move x0, y0\n call_ext_only 1, erlang:hd/1");
}

TEST_CASE("validate: a loop inside a function lets others run") {
  refused(Rule::endless_loop, "function f/0\n L1: jump L1");
  refused(Rule::endless_loop, R"(function f/1
    L1: is_nil L2, x0
    return
    L2: jump L1)");
  refused(Rule::endless_loop, R"(function f/1
    allocate 1, 1
    L1: try y0, L2
    call_ext_last 1, erlang:error/1, 1
    L2: try_case y0
    jump L1)");
  refused(Rule::endless_loop, R"(function f/0
    L1: wait_timeout L1, 0
    timeout
    jump L1)");
  // One end for both catches: raised inside the inner one it leads to the outer one's code, which
  // comes here, too, and then out of both.
  valid(R"(function f/1
    allocate 3, 1
    init_yregs [y0, y1, y2]
    try y2, L1
    try y1, L2
    try y0, L3
    call_ext 1, erlang:error/1
    try_end y0
    jump L5
    L3: try_case y0
    is_tuple L4, x2
    L5: try_end y1
    jump L6
    L2: try_case y1
    is_tuple L4, x2
    L6: try_end y2
    jump L7
    L1: try_case y2
    L7: deallocate 3
    return
    L4: if_end)");
  valid(R"(function f/0
    L1: loop_rec L2, x0
    loop_rec_end L1
    L2: wait L1)");
  valid(R"(function f/0
    L1: loop_rec L2, x0
    loop_rec_end L1
    L2: wait_timeout L1, 10
    timeout
    move a, x0
    return)");
  // Compilers of OTP 22 to 24 reserve before they append, and leave a call that only raises behind
  // a frame.
  valid(R"(function f/1
    test_heap 2, 1
    bs_private_append -, 8, 1, x0, 0, x0
    bs_put_integer -, 8, 1, 0, 7
    put_list x0, [], x0
    return)");
  refused(Rule::not_enough_heap, R"(function f/1
    test_heap 2, 1
    bs_private_append -, 8, 1, x0, 0, x0
    put_list x0, [], x0
    put_list x0, [], x0
    return)");
  valid(R"(function f/1
    allocate 0, 1
    call_ext_only 1, erlang:error/1
    return)");
  refused(Rule::bad_frame, R"(function f/1
    allocate 0, 1
    call_ext_only 1, m:f/1)");
  // Nothing but jumps: what L2 holds is not looked at again.
  valid(R"(function f/1
    L1: wait_timeout L2, x0
    timeout
    move a, x0
    return
    L3: jump L1
    L2: jump L3)");
  refused(Rule::uninitialized, R"(function f/1
    L1: wait_timeout L2, x0
    timeout
    move a, x0
    return
    L2: test_heap 0, 0
    jump L1)");
  refused(Rule::endless_loop, R"(function f/1
    wait_timeout L2, x0
    timeout
    move a, x0
    return
    L3: jump L2
    L2: jump L3)");
}

// Refusals that no other test meets and mutants of real modules hardly ever
// (tests/hostile/coverage).
TEST_CASE("validate: numbers and lists that mean nothing") {
  constexpr const char* kMatch = "function f/2\n bs_start_match3 L1, x0, 2, x0\n ";
  constexpr const char* kBuild = "function f/2\n bs_init2 L1, u8, 0, 2, 0, x2\n ";
  constexpr const char* kEnd = "\n L1: return";
  auto matching = [&](const std::string& s) { return kMatch + s + kEnd; };
  auto building = [&](const std::string& s) { return kBuild + s + kEnd; };
  auto segments = [](const std::string& s) {
    return "function f/2\n bs_create_bin -, 0, 2, 8, x0, [" + s + "]\n return";
  };
  // Units and flags.
  refused(Rule::bad_operand, matching("bs_get_integer2 L1, x0, 2, 8, 0, 0, x1").c_str());
  refused(Rule::bad_operand, matching("bs_get_integer2 L1, x0, 2, 8, 257, 0, x1").c_str());
  refused(Rule::bad_operand, matching("bs_get_integer2 L1, x0, 2, 8, 1, 32, x1").c_str());
  refused(Rule::bad_operand, matching("bs_skip_bits2 L1, x0, 8, 300, 0").c_str());
  refused(Rule::bad_operand, matching("bs_test_unit L1, x0, 0").c_str());
  refused(Rule::bad_operand, building("bs_put_integer -, 8, 0, 0, 7").c_str());
  refused(Rule::bad_operand, building("bs_put_integer -, 8, 1, 99, 7").c_str());
  refused(Rule::uninitialized, building("bs_put_integer -, 8, 1, 0, x9").c_str());
  refused(Rule::uninitialized, building("bs_put_utf8 -, 0, x9").c_str());
  refused(Rule::bad_operand, "function f/2\n bs_append -, 8, 0, 2, 0, x0, 0, x0\n return");
  refused(Rule::uninitialized, "function f/2\n bs_append -, 8, 0, 2, 1, x9, 0, x0\n return");
  // Strings.
  refused(Rule::bad_string, building("bs_put_string 100, 0").c_str());
  refused(Rule::bad_string, building("bs_put_string 1, 1000").c_str());
  refused(Rule::bad_string, matching("bs_match_string L1, x0, 8, 1000").c_str());
  refused(Rule::bad_operand, matching("bs_match_string L1, x0, 9999999999999, 0").c_str());
  // What has not been begun.
  refused(Rule::bad_binary_construction, "function f/0\n bs_put_integer -, 8, 1, 0, 7\n return");
  refused(Rule::bad_binary_construction, "function f/0\n bs_put_string 1, 0\n return");
  refused(Rule::bad_binary_construction, "function f/1\n bs_put_utf8 -, 0, x0\n return");
  // Segments.
  valid(segments("integer, u1, u1, [], x0, x1").c_str());
  valid(segments("integer, u1, u1, literal 5, x0, x1").c_str());
  refused(Rule::bad_list, segments("integer, u1, u1, literal 1, x0, x1").c_str());
  refused(Rule::bad_list, segments("integer, u1, u1, u1, x0, x1").c_str());
  refused(Rule::bad_list, segments("integer, x0, u1, [], x0, x1").c_str());
  refused(Rule::bad_list, segments("integer, u1, -1, [], x0, x1").c_str());
  refused(Rule::bad_list, segments("leap, u1, u1, [], x0, x1").c_str());
  refused(Rule::bad_list, segments("string, u1, u8, [], x0, u1").c_str());
  refused(Rule::bad_list, segments("string, u1, u8, [], u0, x0").c_str());
  refused(Rule::uninitialized, segments("integer, u1, u1, [], x0, x9").c_str());
  refused(Rule::uninitialized, segments("utf8, u1, u0, [], x9, u0").c_str());
  refused(Rule::bad_operand, segments("integer, u1, u0, [], x0, x1").c_str());
  refused(Rule::bad_list,
          segments("integer, u1, u1, [], x0, x1, append, u2, u1, [], x0, x1").c_str());
  // Tuples, choices, records.
  refused(Rule::bad_operand, "function f/1\n get_tuple_element x0, 99999999, x0\n return");
  refused(Rule::bad_operand, "function f/1\n is_tagged_tuple L1, x0, 0, a\n L1: return");
  valid("function f/1\n is_tagged_tuple L1, x0, 9999999999, a\n L1: return");
  valid("function f/1\n test_arity L1, x0, 9999999999\n L1: return");
  refused(Rule::bad_list, "function f/1\n select_val x0, L1, [a, b]\n L1: return");
  refused(Rule::bad_list, "function f/1\n select_val x0, L1, [a]\n L1: return");
  refused(Rule::bad_list, "function f/1\n select_tuple_arity x0, L1, [u2, b]\n L1: return");
  refused(Rule::bad_list, "function f/1\n select_tuple_arity x0, L1, [a, L1]\n L1: return");
  refused(Rule::bad_list,
          "function f/1\n select_tuple_arity x0, L1, [u9999999999, L1]\n L1: return");
  refused(Rule::bad_list,
          "function f/1\n test_heap 3/0/0, 1\n update_record copy, 2, x0, x0, [a, b]\n return");
  refused(Rule::bad_list, "function f/1\n get_map_elements L1, x0, []\n L1: return");
  refused(Rule::bad_list, "function f/1\n put_map_assoc -, x0, x0, 1, [a]\n return");
  // Writing where nothing may be written.
  refused(Rule::register_range, "function f/1\n allocate 1, 1\n move x0, y7\n return");
  refused(Rule::bad_frame, "function f/1\n move x0, y0\n return");
  refused(Rule::bad_catch, R"(function f/1
    allocate 1, 1
    catch y0, L1
    get_hd x0, y0
    L1: catch_end y0
    deallocate 1
    return)");
  refused(Rule::bad_catch, R"(function f/1
    allocate 2, 1
    move x0, y1
    catch y0, L1
    trim 1, 1
    L1: catch_end y0
    return)");
  refused(Rule::uninitialized, "function f/0\n fmove fr0, x0\n return");
  refused(Rule::uninitialized, "function f/0\n fadd -, fr0, fr1, fr0\n return");
}

TEST_CASE("validate: what may be lost with a collection or a jump") {
  refused(Rule::bad_live, R"(function f/2
    put_map_assoc -, x0, x0, 1, [a, x1]
    return)");
  valid(R"(function f/2
    gc_bif2 -, 1, erlang:+/2, x0, 5, x0
    return)");
  refused(Rule::uninitialized, R"(function f/1
    allocate 1, 1
    build_stacktrace
    deallocate 1
    return)");
  refused(Rule::uninitialized, R"(function f/1
    allocate 1, 1
    L1: loop_rec L2, x0
    loop_rec_end L1
    L2: wait L1)");
  // A context is no part of a message, a result or a choice.
  for (const char* use :
       {"return", "allocate 0, 1\n move a, x1\n send\n return", "is_lt L1, x0, 1\n return",
        "test_heap 2, 1\n put_list x0, [], x0\n return", "select_val x0, L1, [a, L1]",
        "call_ext_only 1, m:f/1"}) {
    refused(Rule::bad_type,
            (std::string("function f/1\n bs_start_match3 L1, x0, 1, x0\n ") + use + "\n L1: if_end")
                .c_str());
  }
  refused(Rule::bad_arity, "function f/1\n on_load\n return");
}
