// Construction of bit strings: bs_create_bin (OTP 25), and the steps older compilers emit:
// bs_init2, bs_init_bits, bs_append or bs_private_append begin a binary, bs_put_* extend it.
// Nothing that collects or calls may come between. How much room there is, is known at run time
// only.
#include "bytecode/function_analysis.h"
#include "term/atom.h"

namespace wb {
namespace {

constexpr size_t kSegmentOperands = 6;
constexpr uint64_t kMaxFlags = 31;

}  // namespace

bool FunctionAnalysis::check_construction(Op op, Operands o) {
  auto begin = [&](const Operand& dst) {
    state_.building = true;
    return assign(dst, wb::type_of(kinds::bitstring));
  };
  auto size = [&](const Operand& n) { return n.type == Operand::u || term(n); };
  switch (op) {
    case Op::bs_create_bin:
      return check_create_bin(o);
    case Op::bs_init2:
    case Op::bs_init_bits:  // Fail Size Heap Live Flags Dst
      if (!size(o[1]) || !collect(o[3]) || !fail_to(o[0])) return false;
      state_.heap = unit_.heap_need(o[2]);
      return begin(o[5]);
    case Op::bs_append:  // Fail Size Heap Live Unit Src Flags Dst
      if (!term(o[1]) || !term(o[5]) || !bit_unit(o[4])) return false;
      if (!collect(o[3]) || !fail_to(o[0])) return false;
      state_.heap = unit_.heap_need(o[2]);
      return begin(o[7]);
    case Op::bs_private_append:  // Fail Size Unit Src Flags Dst
      return term(o[1]) && term(o[3]) && bit_unit(o[2]) && fail_to(o[0]) && begin(o[5]);
    case Op::bs_add:  // Fail Size1 Size2 Unit Dst
      return term(o[1]) && term(o[2]) && bit_unit(o[3]) && fail_to(o[0]) &&
             assign(o[4], wb::type_of(kinds::integer));
    case Op::bs_utf8_size:
    case Op::bs_utf16_size:
      return term(o[1]) && fail_to(o[0]) && assign(o[2], wb::type_of(kinds::integer));
    default:
      break;
  }
  if (!state_.building) return fail(Rule::bad_binary_construction, "nothing has been begun");
  switch (op) {
    case Op::bs_put_string:
      return string_range(o[1].value, o[0].value);
    case Op::bs_put_utf8:
    case Op::bs_put_utf16:
    case Op::bs_put_utf32:
      return term(o[2]) && fail_to(o[0]);
    default:  // bs_put_integer, _binary, _float: Fail Size Unit Flags Src
      if (o[3].value > kMaxFlags) return fail_operand(Rule::bad_operand, o[3]);
      return term(o[1]) && bit_unit(o[2]) && term(o[4]) && fail_to(o[0]);
  }
}

/// Fail Heap Live Unit Dst [Type Segment Unit Flags Src Size ...]
bool FunctionAnalysis::check_create_bin(Operands o) {
  Operands list = unit_.list_of(o[5]);
  if (list.size() % kSegmentOperands) return fail(Rule::bad_list);
  auto number = [](const Operand& n) {
    return n.type == Operand::u || (n.is_int() && n.int_value() >= 0);
  };
  for (size_t at = 0; at < list.size(); at += kSegmentOperands) {
    Operands s = list.subspan(at, kSegmentOperands);
    bool flags = s[3].type == Operand::nil || s[3].type == Operand::literal;
    if (s[0].type != Operand::atom || !number(s[1]) || !number(s[2]) || !flags)
      return fail(Rule::bad_list, "segment " + std::to_string(at / kSegmentOperands + 1));
    bool first = at == 0;
    switch (s[0].value) {
      case am::append:
      case am::private_append:
        if (!first) return fail(Rule::bad_list, "append comes first");
        [[fallthrough]];
      case am::binary:
      case am::integer:
      case am::float_:
        if (!term(s[4]) || !term(s[5]) || !bit_unit(s[2])) return false;
        break;
      case am::utf8:
      case am::utf16:
      case am::utf32:
        if (!term(s[4])) return false;
        break;
      case am::string:
        if (!number(s[4]) || !number(s[5])) return fail_operand(Rule::bad_list, s[4]);
        if (!string_range(s[4].value, s[5].value)) return false;
        break;
      default:
        return fail_operand(Rule::bad_list, s[0]);
    }
  }
  if (!collect(o[2]) || !fail_to(o[0])) return false;
  state_.heap = unit_.heap_need(o[1]);
  return assign(o[4], wb::type_of(kinds::bitstring));
}

}  // namespace wb
