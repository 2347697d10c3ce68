// Every operand of every instruction spoiled alone, in each way there is: the validator looks at
// all of them, and says what it minds. Modules of compilers hardly ever get here, even mutated
// (tests/hostile/coverage).
#include <catch2/catch.hpp>

#include "bytecode/test_assembler.h"
#include "bytecode/validate.h"
#include "term/external_tags.h"

using namespace wb;

namespace {

/// x0 to x2 hold arguments, x9 nothing; L1 may be led to, L9 may not; there is no frame.
void refused_alone(Rule rule, const char* words, const std::string& before,
                   std::initializer_list<const char*> instructions) {
  for (const char* instruction : instructions) {
    TestModule m("function f/3\n" + before + instruction +
                     "\n if_end\n L1: if_end\n L9: try_case y0\n if_end\n"
                     " function locals/1\n return",
                 1);
    m.file().lambdas[0].num_free = 1;
    INFO(before << instruction);
    REQUIRE(!m.layout_error);
    auto error = validate(&m.unit);
    CHECK(error);
    if (!error) continue;
    INFO(error->message());
    CHECK(rule_name(error->rule) == rule_name(rule));
    CHECK(error->message().find(words) != std::string::npos);
  }
}

const std::string kNothing, kHeap = "test_heap 9/1/1, 3\n", kFrame = "allocate 0, 3\n",
                            kContext = "bs_start_match3 L1, x1, 3, x1\n",
                            kBuild = "bs_init2 L1, u8, 0, 3, 0, x2\n",
                            kFloats = "fconv x0, fr0\n fconv x0, fr1\n";

}  // namespace

TEST_CASE("validate: a source that holds nothing") {
  const auto rule = Rule::uninitialized;
  refused_alone(rule, "x9", kNothing,
                {"move x9, x0",
                 "swap x9, x0",
                 "swap x0, x9",
                 "is_lt L1, x9, x0",
                 "is_lt L1, x0, x9",
                 "is_ge L1, x9, x0",
                 "is_ge L1, x0, x9",
                 "is_eq L1, x9, x0",
                 "is_eq L1, x0, x9",
                 "is_ne L1, x9, x0",
                 "is_ne L1, x0, x9",
                 "is_eq_exact L1, x9, x0",
                 "is_eq_exact L1, x0, x9",
                 "is_ne_exact L1, x9, x0",
                 "is_ne_exact L1, x0, x9",
                 "is_integer L1, x9",
                 "is_function2 L1, x9, 1",
                 "is_function2 L1, x0, x9",
                 "test_arity L1, x9, 1",
                 "is_tagged_tuple L1, x9, 1, a",
                 "select_val x9, L1, [a, L1]",
                 "select_tuple_arity x9, L1, [u2, L1]",
                 "bif1 -, erlang:hd/1, x9, x0",
                 "bif2 -, erlang:element/2, x9, x0, x0",
                 "bif2 -, erlang:element/2, 1, x9, x0",
                 "gc_bif1 -, 3, erlang:byte_size/1, x9, x0",
                 "gc_bif2 -, 3, erlang:+/2, x0, x9, x0",
                 "gc_bif3 -, 3, erlang:binary_part/3, x0, x1, x9, x0",
                 "fmove x9, fr0",
                 "fconv x9, fr0",
                 "get_list x9, x0, x1",
                 "get_hd x9, x0",
                 "get_tl x9, x0",
                 "get_tuple_element x9, 0, x0",
                 "set_tuple_element x9, x0, 0",
                 "set_tuple_element x0, x9, 0",
                 "put_map_assoc -, x9, x0, 3, [a, b]",
                 "put_map_assoc -, x0, x0, 3, [a, x9]",
                 "put_map_exact -, x9, x0, 3, [a, b]",
                 "put_map_exact -, x0, x0, 3, [x9, b]",
                 "has_map_fields L1, x9, [a]",
                 "has_map_fields L1, x0, [x9]",
                 "get_map_elements L1, x9, [a, x0]",
                 "get_map_elements L1, x0, [x9, x0]",
                 "bs_start_match3 L1, x9, 3, x0",
                 "bs_start_match4 L1, 3, x9, x0",
                 "bs_init2 -, x9, 0, 3, 0, x0",
                 "bs_init_bits -, x9, 0, 3, 0, x0",
                 "bs_append -, x9, 0, 3, 1, x0, 0, x0",
                 "bs_append -, 8, 0, 3, 1, x9, 0, x0",
                 "bs_private_append -, x9, 1, x0, 0, x0",
                 "bs_private_append -, 8, 1, x9, 0, x0",
                 "bs_add -, x9, x0, 1, x0",
                 "bs_add -, x0, x9, 1, x0",
                 "bs_utf8_size -, x9, x0",
                 "bs_utf16_size -, x9, x0",
                 "badmatch x9",
                 "case_end x9",
                 "try_case_end x9",
                 "badrecord x9",
                 "raise x9, x0",
                 "raise x0, x9",
                 "wait_timeout L1, x9",
                 "recv_marker_bind x9, x0",
                 "recv_marker_bind x0, x9",
                 "recv_marker_clear x9",
                 "recv_marker_use x9"});
  refused_alone(rule, "x9", kHeap,
                {"put_list x9, [], x0", "put_list [], x9, x0", "put_tuple2 x0, [a, x9]",
                 "make_fun3 0, x0, [x9]", "update_record copy, 2, x9, x0, [u2, b]",
                 "update_record copy, 2, x0, x0, [u2, x9]"});
  refused_alone(rule, "x9", kContext,
                {"bs_get_integer2 L1, x9, 3, 8, 1, 0, x0",
                 "bs_get_integer2 L1, x1, 3, x9, 1, 0, x0",
                 "bs_get_float2 L1, x9, 3, 64, 1, 0, x0",
                 "bs_get_float2 L1, x1, 3, x9, 1, 0, x0",
                 "bs_get_binary2 L1, x9, 3, 8, 1, 0, x0",
                 "bs_get_binary2 L1, x1, 3, x9, 1, 0, x0",
                 "bs_skip_bits2 L1, x9, 8, 1, 0",
                 "bs_skip_bits2 L1, x1, x9, 1, 0",
                 "bs_test_tail2 L1, x9, 0",
                 "bs_test_unit L1, x9, 8",
                 "bs_match_string L1, x9, 8, 0",
                 "bs_get_tail x9, x0, 3",
                 "bs_get_position x9, x0, 3",
                 "bs_set_position x9, x0",
                 "bs_set_position x1, x9",
                 "bs_get_utf8 L1, x9, 3, 0, x0",
                 "bs_get_utf16 L1, x9, 3, 0, x0",
                 "bs_get_utf32 L1, x9, 3, 0, x0",
                 "bs_skip_utf8 L1, x9, 3, 0",
                 "bs_skip_utf16 L1, x9, 3, 0",
                 "bs_skip_utf32 L1, x9, 3, 0",
                 "bs_match L1, x9, [skip, u1]"});
  refused_alone(rule, "x9", kBuild,
                {"bs_put_integer L1, x9, 1, 0, x0", "bs_put_integer L1, 8, 1, 0, x9",
                 "bs_put_binary L1, x9, 1, 0, x0", "bs_put_binary L1, 8, 1, 0, x9",
                 "bs_put_float L1, x9, 1, 0, x0", "bs_put_float L1, 64, 1, 0, x9",
                 "bs_put_utf8 L1, 0, x9", "bs_put_utf16 L1, 0, x9", "bs_put_utf32 L1, 0, x9"});
  refused_alone(rule, "x9", kFrame, {"call_fun2 unsafe, 1, x9"});
  refused_alone(rule, "x3", kFrame,
                {"call_ext 4, m:f/4", "call_fun 3", "call_fun2 unsafe, 4, x0", "apply 2"});
  refused_alone(rule, "x3", kNothing, {"call_ext_only 4, m:f/4", "call_ext 4, m:f/4"});
  refused_alone(rule, "x0", "allocate 0, 0\n",
                {"send", "bs_init_writable", "build_stacktrace", "raw_raise", "make_fun2 0",
                 "call 1, L201", "call_last 1, L201, 0", "apply_last 0, 0"});
  refused_alone(rule, "fr9", kFloats,
                {"fadd -, fr9, fr0, fr0", "fadd -, fr0, fr9, fr0", "fsub -, fr9, fr0, fr0",
                 "fmul -, fr0, fr9, fr0", "fdiv -, fr9, fr0, fr0", "fnegate -, fr9, fr0",
                 "fmove fr9, x0", "fmove fr9, fr0"});
}

TEST_CASE("validate: a label that only exceptions may lead to") {
  const auto rule = Rule::bad_catch;
  const char* words = "leads to a try_case";
  refused_alone(rule, words, kNothing,
                {"is_lt L9, x0, x1",
                 "is_ge L9, x0, x1",
                 "is_eq L9, x0, x1",
                 "is_ne L9, x0, x1",
                 "is_eq_exact L9, x0, x1",
                 "is_ne_exact L9, x0, x1",
                 "is_eq_exact L9, a, x1",
                 "is_ne_exact L9, a, x1",
                 "is_integer L9, x0",
                 "is_function2 L9, x0, 1",
                 "test_arity L9, x0, 1",
                 "is_tagged_tuple L9, x0, 1, a",
                 "select_val x0, L9, [a, L1]",
                 "select_val x0, L1, [a, L9]",
                 "select_tuple_arity x0, L9, [u2, L1]",
                 "select_tuple_arity x0, L1, [u2, L9]",
                 "bif1 L9, erlang:hd/1, x0, x0",
                 "gc_bif2 L9, 3, erlang:+/2, x0, x1, x0",
                 "fcheckerror L9",
                 "put_map_assoc L9, x0, x0, 3, [a, b]",
                 "put_map_exact L9, x0, x0, 3, [a, b]",
                 "put_record L9, literal 0, x0, x0, 3, [a, b]",
                 "get_record_field L9, x0, literal 0, a, x0",
                 "get_record_elements L9, x0, [a, x0]",
                 "has_map_fields L9, x0, [a]",
                 "get_map_elements L9, x0, [a, x0]",
                 "bs_start_match3 L9, x0, 3, x0",
                 "bs_start_match4 L9, 3, x0, x0",
                 "bs_init2 L9, x0, 0, 3, 0, x0",
                 "bs_init_bits L9, x0, 0, 3, 0, x0",
                 "bs_append L9, 8, 0, 3, 1, x0, 0, x0",
                 "bs_private_append L9, 8, 1, x0, 0, x0",
                 "bs_add L9, x0, x1, 1, x0",
                 "bs_utf8_size L9, x0, x0",
                 "bs_utf16_size L9, x0, x0",
                 "bs_create_bin L9, 0, 3, 1, x0, [integer, u1, u1, [], x0, x1]",
                 "loop_rec L9, x0",
                 "wait L9",
                 "wait_timeout L9, 1"});
  refused_alone(rule, words, kFloats, {"fadd L9, fr0, fr1, fr0", "fnegate L9, fr0, fr0"});
  refused_alone(rule, words, "loop_rec L1, x0\n", {"loop_rec_end L9"});
  refused_alone(
      rule, words, kContext,
      {"bs_get_integer2 L9, x1, 3, 8, 1, 0, x0", "bs_get_float2 L9, x1, 3, 64, 1, 0, x0",
       "bs_get_binary2 L9, x1, 3, 8, 1, 0, x0", "bs_skip_bits2 L9, x1, 8, 1, 0",
       "bs_test_tail2 L9, x1, 0", "bs_test_unit L9, x1, 8", "bs_match_string L9, x1, 8, 0",
       "bs_get_utf8 L9, x1, 3, 0, x0", "bs_get_utf16 L9, x1, 3, 0, x0",
       "bs_get_utf32 L9, x1, 3, 0, x0", "bs_skip_utf8 L9, x1, 3, 0", "bs_skip_utf16 L9, x1, 3, 0",
       "bs_skip_utf32 L9, x1, 3, 0", "bs_match L9, x1, [ensure_at_least, u8, u1]",
       "bs_match L9, x1, [skip, u1]", "bs_match L9, x1, [integer, u3, [], u8, u1, x0]",
       "bs_match L9, x1, [=:=, [], u8, u3]", "bs_match L9, x1, [skip, u9223372036854775807]",
       "bs_match L9, x1, [integer, u3, [], u9223372036854775807, u1, x0]"});
  refused_alone(rule, words, kBuild,
                {"bs_put_integer L9, 8, 1, 0, x0", "bs_put_binary L9, 8, 1, 0, x0",
                 "bs_put_float L9, 64, 1, 0, x0", "bs_put_utf8 L9, 0, x0", "bs_put_utf16 L9, 0, x0",
                 "bs_put_utf32 L9, 0, x0"});
}

TEST_CASE("validate: a live count that covers nothing") {
  const auto rule = Rule::bad_live;
  const char* words = "x3 of 9";
  refused_alone(
      rule, words, kNothing,
      {"allocate 0, 9", "allocate_zero 0, 9", "allocate_heap 0, 1, 9", "allocate_heap_zero 0, 1, 9",
       "test_heap 1, 9", "gc_bif1 -, 9, erlang:length/1, x0, x0",
       "gc_bif2 -, 9, erlang:+/2, x0, x1, x0", "put_map_assoc -, x0, x0, 9, [a, b]",
       "put_map_exact -, x0, x0, 9, [a, b]", "bs_start_match3 L1, x0, 9, x0",
       "bs_start_match4 L1, 9, x0, x0", "bs_init2 -, 8, 0, 9, 0, x0",
       "bs_init_bits -, 8, 0, 9, 0, x0", "bs_append -, 8, 0, 9, 1, x0, 0, x0",
       "bs_create_bin -, 0, 9, 1, x0, [integer, u1, u1, [], x0, x1]"});
  refused_alone(rule, words, kContext,
                {"bs_get_integer2 L1, x1, 9, 8, 1, 0, x0", "bs_get_float2 L1, x1, 9, 64, 1, 0, x0",
                 "bs_get_binary2 L1, x1, 9, 8, 1, 0, x0", "bs_get_utf8 L1, x1, 9, 0, x0",
                 "bs_get_utf16 L1, x1, 9, 0, x0", "bs_get_utf32 L1, x1, 9, 0, x0",
                 "bs_skip_utf8 L1, x1, 9, 0", "bs_skip_utf16 L1, x1, 9, 0",
                 "bs_skip_utf32 L1, x1, 9, 0", "bs_get_tail x1, x0, 9", "bs_get_position x1, x0, 9",
                 "bs_match L1, x1, [integer, u9, [], u8, u1, x0]",
                 "bs_match L1, x1, [get_tail, u9, u1, x0]"});
}

TEST_CASE("validate: a destination outside the frame") {
  auto outside = [](const std::string& before, std::initializer_list<const char*> instructions) {
    refused_alone(Rule::bad_frame, "there is none", before, instructions);
  };
  outside(kNothing, {"move x0, y0",
                     "move a, y0",
                     "bif0 erlang:self/0, y0",
                     "bif1 -, erlang:hd/1, x0, y0",
                     "gc_bif2 -, 3, erlang:+/2, x0, x1, y0",
                     "get_list x0, y0, x1",
                     "get_list x0, x1, y0",
                     "get_hd x0, y0",
                     "get_tl x0, y0",
                     "get_tuple_element x0, 0, y0",
                     "put_map_assoc -, x0, y0, 3, [a, b]",
                     "put_map_exact -, x0, y0, 3, [a, b]",
                     "get_map_elements L1, x0, [a, y0]",
                     "get_record_elements L1, x0, [a, y0]",
                     "get_record_field -, x0, literal 0, a, y0",
                     "put_record -, literal 0, x0, y0, 3, [a, b]",
                     "bs_start_match3 L1, x0, 3, y0",
                     "bs_start_match4 L1, 3, x0, y0",
                     "bs_init2 -, 8, 0, 3, 0, y0",
                     "bs_append -, 8, 0, 3, 1, x0, 0, y0",
                     "bs_private_append -, 8, 1, x0, 0, y0",
                     "bs_add -, x0, x1, 1, y0",
                     "bs_utf8_size -, x0, y0",
                     "bs_utf16_size -, x0, y0",
                     "bs_create_bin -, 0, 3, 1, y0, [integer, u1, u1, [], x0, x1]",
                     "recv_marker_reserve y0"});
  outside(kHeap, {"put_list x0, [], y0", "put_tuple2 y0, [a, b]", "make_fun3 0, y0, [x0]",
                  "update_record copy, 2, x0, y0, [u2, b]"});
  outside("test_heap 9/1/1, 3\n" + kFloats, {"fmove fr0, y0"});
  outside(
      kContext,
      {"bs_get_integer2 L1, x1, 3, 8, 1, 0, y0", "bs_get_float2 L1, x1, 3, 64, 1, 0, y0",
       "bs_get_binary2 L1, x1, 3, 8, 1, 0, y0", "bs_get_utf8 L1, x1, 3, 0, y0",
       "bs_get_utf16 L1, x1, 3, 0, y0", "bs_get_utf32 L1, x1, 3, 0, y0", "bs_get_tail x1, y0, 3",
       "bs_get_position x1, y0, 3", "bs_match L1, x1, [integer, u3, [], u8, u1, y0]",
       "bs_match L1, x1, [get_tail, u3, u1, y0]"});
  refused_alone(Rule::register_range, "y7 is outside the frame", kFrame,
                {"move x0, y7", "bif0 erlang:self/0, y7", "init_yregs [y7]"});
}

TEST_CASE("validate: an exception where a y register holds nothing") {
  const std::string frame = "allocate 1, 3\n";
  refused_alone(Rule::uninitialized, "y0", frame,
                {"if_end", "badmatch x0", "case_end x0", "raise x0, x1", "raw_raise",
                 "call_ext 1, erlang:exit/1", "fconv x0, fr0", "wait_timeout L1, 1", "send",
                 "build_stacktrace", "call_fun 1", "apply 1", "bs_init_writable", "make_fun2 0"});
  // Float registers do not care for frames.
  refused_alone(Rule::uninitialized, "y0", kFloats + frame,
                {"fadd L1, fr0, fr1, fr0", "fnegate L1, fr0, fr0"});
}

TEST_CASE("validate: numbers that no instruction can mean") {
  refused_alone(Rule::bad_operand, "is not a unit", kNothing,
                {"bs_add -, x0, x1, 0, x0", "bs_add -, x0, x1, 257, x0",
                 "bs_private_append -, 8, 0, x0, 0, x0", "bs_private_append -, 8, 257, x0, 0, x0",
                 "bs_append -, 8, 0, 3, 257, x0, 0, x0"});
  refused_alone(Rule::operand_kind, "", kNothing,
                {"bs_start_match4 -, 3, x0, x0", "bs_start_match4 a, 3, x0, x0"});
  refused_alone(Rule::bad_list, "", kNothing,
                {"select_tuple_arity x0, L1, [u2]", "select_val x0, L1, [a]",
                 "get_map_elements L1, x0, [a]", "get_map_elements L1, x0, [a, b]",
                 "put_map_exact -, x0, x0, 3, [a]", "get_record_elements L1, x0, [a]"});
  refused_alone(
      Rule::bad_list, "", kContext,
      {"bs_match L1, x1, [skip]", "bs_match L1, x1, [u1]", "bs_match L1, x1, [leap, u1]",
       "bs_match L1, x1, [ensure_at_least, u8]", "bs_match L1, x1, [ensure_at_least, u8, a]",
       "bs_match L1, x1, [integer, u3, [], u8, u1]", "bs_match L1, x1, [skip, -1]",
       "bs_match L1, x1, [skip, a]", "bs_match L1, x1, [get_tail, u1025, u1, x0]",
       "bs_match L1, x1, [get_tail, [], u1, x0]"});
  refused_alone(
      Rule::bad_list, "", kHeap,
      {"update_record copy, 2, x0, x0, [u2]", "update_record copy, 2, x0, x0, [u0, a]",
       "update_record copy, 2, x0, x0, [u2, a, u1, b]",
       "update_record copy, 2, x0, x0, [u2, a, u2, b]", "update_record copy, 2, x0, x0, [u3, a]"});
  refused_alone(Rule::bad_arity, "", kFrame,
                {"call_fun 256", "call_fun2 unsafe, 256, x0", "apply 256", "apply_last 256, 0"});
  refused_alone(Rule::bad_list, "segment 1", kNothing,
                {"bs_create_bin -, 0, 3, 1, x0, [u1, u1, u1, [], x0, x1]",
                 "bs_create_bin -, 0, 3, 1, x0, [x0, u1, u1, [], x0, x1]"});
  refused_alone(Rule::bad_list, "", kNothing,
                {"put_map_assoc -, x0, x0, 3, []", "put_map_exact -, x0, x0, 3, []"});
  refused_alone(Rule::bad_operand, "", "allocate 0, 3\n call_ext 3, erlang:setelement/3\n",
                {"set_tuple_element a, x0, 16777215"});
  refused_alone(Rule::bad_frame, "there is none", kNothing,
                {"call_fun 1", "call_fun2 unsafe, 1, x0", "apply 1", "send", "bs_init_writable",
                 "call 3, L101"});
  TestModule many("function f/256\n if_end");
  REQUIRE(many.layout_error);
  CHECK(rule_name(many.layout_error->rule) == rule_name(Rule::bad_arity));
  refused_alone(Rule::bad_opcode, "", kNothing, {"m_plus"});
}

TEST_CASE("validate: numbers that mean nothing special, and are let through") {
  for (const char* harmless :
       {"is_function2 L1, x0, -1", "is_function2 L1, x0, 255", "is_function2 L1, x0, a",
        "is_function2 L1, x0, x1", "is_ne_exact L1, a, b", "is_ne_exact L1, a, a",
        "is_eq_exact L1, a, a", "is_eq_exact L1, 1, x1", "is_record_accessible L1, x0, external",
        "is_record_accessible L1, x0, auto_local", "bs_utf16_size -, x0, x0",
        "bs_utf8_size -, x0, x0", "bs_add -, x0, x1, 256, x0",
        "bs_private_append -, 8, 256, x0, 0, x0"}) {
    TestModule m(std::string("function f/3\n ") + harmless + "\n L1: move a, x0\n return");
    auto error = validate(&m.unit);
    INFO(harmless << (error ? error->message() : ""));
    CHECK(!error);
  }
  TestModule record("function f/3\n put_record -, p, [], x0, 3, [a, b]\n return");
  record.file().records.resize(1);
  record.file().records[0].name = intern("p");
  CHECK(!validate(&record.unit));
}

TEST_CASE("validate: a tuple of more elements than there can be") {
  TestModule m("function f/3\n put_tuple2 x0, [a]\n return");
  for (Operand& o : m.unit.operands)
    if (o.type == Operand::list)
      o.count = external_tag::kMaxTuple + 1;  // who refuses them looks at none
  auto error = validate(&m.unit);
  REQUIRE(error);
  CHECK(rule_name(error->rule) == rule_name(Rule::bad_list));
}

TEST_CASE("validate: what a collection does not keep is no operand") {
  const char* words = "x2 is not kept";
  refused_alone(Rule::bad_live, words, kNothing,
                {"bs_init2 -, x2, 0, 1, 0, x0", "bs_init_bits -, x2, 0, 1, 0, x0",
                 "bs_append -, x2, 0, 1, 1, x0, 0, x0", "bs_append -, 8, 0, 1, 1, x2, 0, x0",
                 "gc_bif2 -, 1, erlang:+/2, x0, x2, x0", "put_map_assoc -, x0, x0, 1, [a, x2]",
                 "bs_create_bin -, 0, 1, 1, x0, [integer, u1, u1, [], x2, x0]",
                 "put_record -, literal 0, x0, x0, 1, [a, x2]"});
  // The size of a binary is read before; a literal and an atom stay where they are.
  for (const char* kept :
       {"gc_bif1 -, 2, erlang:byte_size/1, x0, x2\n bs_init2 -, x2, 0, 1, 0, x0",
        "move literal 3, x2\n gc_bif1 -, 1, erlang:byte_size/1, x2, x0",
        "move a, x2\n put_map_assoc -, x0, x0, 1, [a, x2]",
        "bif1 -, erlang:is_map/1, x0, x2\n put_map_assoc -, x0, x0, 1, [a, x2]"}) {
    TestModule m(std::string("function f/3\n ") + kept + "\n move a, x0\n return");
    auto error = validate(&m.unit);
    INFO(kept << (error ? error->message() : ""));
    CHECK(!error);
  }
}

TEST_CASE("validate: frames, catches and receives where there are none, or others") {
  refused_alone(Rule::bad_frame, "there is none", kNothing,
                {"call_last 3, L101, 0", "call_ext_last 3, m:f/3, 0", "apply_last 1, 0",
                 "deallocate 0", "trim 0, 0"});
  refused_alone(Rule::bad_frame, "there is one", kFrame,
                {"call_only 3, L101", "call_ext_only 3, m:f/3", "return", "allocate 0, 3"});
  const std::string tags = "allocate_zero 3, 3\n try y1, L9\n try y0, L9\n";
  refused_alone(Rule::bad_catch, "does not hold this kind of catch", tags,
                {"catch_end y0", "try_end y2", "try_end y7"});
  refused_alone(Rule::bad_catch, "is not the innermost catch", tags, {"try_end y1"});
  refused_alone(Rule::bad_catch, "is above that of a catch around it", tags, {"try y2, L9"});
  refused_alone(Rule::bad_catch, "holds a catch", tags, {"try y0, L9", "move x0, y1", "init y0"});
  refused_alone(Rule::bad_catch, "the handler does not begin as one", "allocate_zero 1, 3\n",
                {"try y0, L1", "catch y0, L9"});
  refused_alone(Rule::bad_catch, "a catch is still in the frame", tags, {"deallocate 3"});
  refused_alone(Rule::bad_catch, "a catch is in the part that goes", tags, {"trim 1, 2"});
  refused_alone(Rule::bad_catch, "reached without an exception", "allocate_zero 1, 3\n",
                {"try_case y0"});
  refused_alone(Rule::bad_receive, "", kNothing,
                {"loop_rec L1, x1", "loop_rec L1, y0", "loop_rec_end L1", "remove_message"});
  refused_alone(Rule::bad_import, "", kNothing,
                {"bif1 -, erlang:element/2, x0, x0", "bif1 -, erlang:length/1, x0, x0",
                 "bif0 erlang:now/0, x0"});
  refused_alone(Rule::uninitialized, "x9", kNothing,
                {"get_record_elements L1, x9, [a, x0]",
                 "bs_create_bin -, 0, 3, 1, x0, [integer, u1, u1, [], x9, x1]",
                 "bs_create_bin -, 0, 3, 1, x0, [integer, u1, u1, [], x1, x9]"});
  refused_alone(Rule::uninitialized, "y0", "allocate 1, 3\n", {"jump L100"});
  refused_alone(Rule::uninitialized, "x0", "allocate 0, 0\n", {"jump L100"});
  refused_alone(Rule::bad_operand, "", kHeap, {"update_record copy, 16777216, x0, x0, []"});
  refused_alone(Rule::bad_list, "", kContext, {"bs_match L1, x1, [get_tail, a, u1, x0]"});
  // A handler that looks for another tag than led to it.
  for (const char* tag : {"try y1, L3", "catch y1, L3"}) {
    const std::string end = tag[0] == 't' ? "try_case" : "catch_end";
    TestModule m(std::string("function f/1\n allocate_zero 2, 1\n ") + tag +
                 "\n call_ext 1, m:f/1\n if_end\n L3: " + end + " y0\n if_end");
    auto error = validate(&m.unit);
    REQUIRE(error);
    CHECK(error->message().find("does not hold this kind of catch") != std::string::npos);
  }
}

TEST_CASE("validate: what is seldom written, and sound") {
  for (const char* sound :
       {"make_fun2 0\n return", "allocate_heap_zero 1, 2, 3\n put_list x0, x1, x0\n if_end",
        "bs_start_match3 L1, x0, 3, x0\n bs_match L1, x0, [skip, 8, get_tail, u3, u1, x1]\n if_end",
        "L2: line 0\n wait_timeout L2, 1\n timeout\n if_end"}) {
    TestModule m(std::string("function f/3\n ") + sound + "\n L1: if_end", 1);
    m.file().lambdas[0].num_free = 1;
    auto error = m.layout_error ? m.layout_error : validate(&m.unit);
    INFO(sound << (error ? error->message() : ""));
    CHECK(!error);
  }
}
