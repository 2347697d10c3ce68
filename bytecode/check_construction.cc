// Construction of bit strings: bs_create_bin (OTP 25), and the steps older compilers emit:
// bs_init2, bs_init_bits, bs_append or bs_private_append begin a binary, bs_put_* extend it.
// Nothing that collects or calls may come between. How much room there is, is known at run time
// only.
#include "bytecode/function_analysis.h"
#include "term/atom.h"

namespace wb {
namespace {

constexpr size_t kSegmentOperands = 6;

}  // namespace

bool FunctionAnalysis::begin_binary(const Operand& dst) {
  state_.building = true;
  return assign(dst, wb::type_of(kinds::bitstring));
}
bool FunctionAnalysis::goes_into_binary() {
  return state_.building || fail(Rule::bad_binary_construction, "nothing has been begun");
}

// --- beginning -----------------------------------------------------------------------------------
template <class I>
bool FunctionAnalysis::init_binary(const I& in) {
  if (in.size().type != Operand::u && !term(in.size())) return false;
  if (!collect(in.live()) || !fail_to(in.fail())) return false;
  state_.heap = unit_.heap_need(in.heap());
  return begin_binary(in.dst());
}
bool FunctionAnalysis::check(const op::bs_init2& in) { return init_binary(in); }
bool FunctionAnalysis::check(const op::bs_init_bits& in) { return init_binary(in); }

bool FunctionAnalysis::check(const op::bs_append& in) {
  if (!term(in.size()) || !term(in.source()) || !bit_unit(in.unit())) return false;
  if (!collect(in.live()) || !fail_to(in.fail())) return false;
  state_.heap = unit_.heap_need(in.heap());
  return begin_binary(in.dst());
}
bool FunctionAnalysis::check(const op::bs_private_append& in) {
  return term(in.size()) && term(in.source()) && bit_unit(in.unit()) && fail_to(in.fail()) &&
         begin_binary(in.dst());
}

// --- sizes ---------------------------------------------------------------------------------------
bool FunctionAnalysis::check(const op::bs_add& in) {
  return term(in.size()) && term(in.more()) && bit_unit(in.unit()) && fail_to(in.fail()) &&
         assign(in.dst(), wb::type_of(kinds::integer));
}
bool FunctionAnalysis::check(const op::bs_utf8_size& in) {
  return term(in.value()) && fail_to(in.fail()) && assign(in.dst(), wb::type_of(kinds::integer));
}
bool FunctionAnalysis::check(const op::bs_utf16_size& in) {
  return term(in.value()) && fail_to(in.fail()) && assign(in.dst(), wb::type_of(kinds::integer));
}

// --- what is put in ------------------------------------------------------------------------------
bool FunctionAnalysis::check(const op::bs_put_string& in) {
  return goes_into_binary() && string_range(in.string().value, in.bytes().value);
}
#define BITS_PUT(number, name, since, until)                                           \
  bool FunctionAnalysis::check(const op::name& in) {                                   \
    return goes_into_binary() && bit_flags_are_known(in.flags()) && term(in.size()) && \
           bit_unit(in.unit()) && term(in.value()) && fail_to(in.fail());              \
  }
#define UTF_PUT(number, name, bits, since, until)                        \
  bool FunctionAnalysis::check(const op::name& in) {                     \
    return goes_into_binary() && term(in.value()) && fail_to(in.fail()); \
  }
#include "bytecode/opcodes.def"

// --- all at once (OTP 25) ------------------------------------------------------------------------
bool FunctionAnalysis::check(const op::bs_create_bin& in) {
  Operands list = unit_.list_of(in.segments());
  if (list.size() % kSegmentOperands) return fail(Rule::bad_list);
  for (size_t at = 0; at < list.size(); at += kSegmentOperands)
    if (!segment(list.subspan(at, kSegmentOperands), at / kSegmentOperands)) return false;
  if (!collect(in.live()) || !fail_to(in.fail())) return false;
  state_.heap = unit_.heap_need(in.heap());
  return assign(in.dst(), wb::type_of(kinds::bitstring));
}

/// Type Segment Unit Flags Src Size
bool FunctionAnalysis::segment(Operands s, size_t index) {
  auto number = [](const Operand& n) {
    return n.type == Operand::u || (n.is_int() && n.int_value() >= 0);
  };
  if (s[0].type != Operand::atom || !number(s[1]) || !number(s[2]))
    return fail(Rule::bad_list, "segment " + std::to_string(index + 1));
  if (!list_of_flags(s[3])) return false;
  switch (s[0].value) {
    case am::append:
    case am::private_append:
      if (index > 0) return fail(Rule::bad_list, "append comes first");
      [[fallthrough]];
    case am::binary:
    case am::integer:
    case am::float_:
      return term(s[4]) && term(s[5]) && bit_unit(s[2]);
    case am::utf8:
    case am::utf16:
    case am::utf32:
      return term(s[4]);
    case am::string:
      if (!number(s[4]) || !number(s[5])) return fail_operand(Rule::bad_list, s[4]);
      return string_range(s[4].value, s[5].value);
    default:
      return fail_operand(Rule::bad_list, s[0]);
  }
}

}  // namespace wb
