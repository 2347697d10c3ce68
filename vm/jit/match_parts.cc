// Instructions that match bits, as parts (vm/interp/match_parts.cc), where what they look for is
// known when their function is compiled.
#include "term/bit_syntax.h"
#include "term/bits.h"
#include "vm/jit/baseline.h"
#include "vm/process/exec.h"

namespace wb {

namespace {
enum Flags : Word { kLittle = 2, kSigned = 4, kNative = 16 };
template <class F>
Word address_of(F* f) {
  return reinterpret_cast<Word>(f);
}
}  // namespace

/// The instruction `i` of two registers, given dynamically.
bool Baseline::add_part_of_two(const Item& whole, Instr i, Word a, Word b,
                               std::initializer_list<Word> more) {
  OperandKind kinds[2] = {resolve_operand(&a), resolve_operand(&b)};
  if (kinds[0] == OperandKind::c || kinds[1] == OperandKind::c) return false;
  Word operands[4] = {a, b};
  std::copy(more.begin(), more.end(), operands + 2);
  unsigned handler = handler_index(i, kinds);
  switch (more.size()) {
    case 0:
      return add_part(whole, handler, {a, b});
    case 1:
      return add_part(whole, handler, {a, b, operands[2]});
    default:
      return add_part(whole, handler, {a, b, operands[2], operands[3]});
  }
}

/// The instruction `i` of a context, which is in a register.
bool Baseline::add_part_of_context(const Item& whole, Instr i, Word ctx,
                                   std::initializer_list<Word> more) {
  Word place = ctx;
  return resolve_operand(&place) != OperandKind::c && add_part_of(whole, i, ctx, more);
}

// fail ctx live size unit flags dst
bool Baseline::integer_match_in_parts(const Word* at, const Item& whole) {
  Word size = at[4], unit = at[5], flags = at[6];
  if (!is_small(size) || size > make_small(64) || unit > 64) return false;
  Word bits = (size >> 4) * unit;
  bool little = flags & (kLittle | kNative);
  if (bits == 64 && !(flags & kSigned)) {
    return add_part_of_two(whole, little ? Instr::take_little8 : Instr::take_big8, at[2], at[7],
                           {at[1]});
  }
  if (bits == 0 || bits > 56 || (little && bits % 8)) return false;
  if (!(flags & (kSigned | kLittle | kNative))) {
    return add_part_of_two(whole, Instr::bs_get_bits, at[2], at[7], {at[1], bits});
  }
  Instr i = !little           ? Instr::take_big_signed
            : flags & kSigned ? Instr::take_little_signed
                              : Instr::take_little;
  return add_part_of_two(whole, i, at[2], at[7], {at[1], bits});
}
bool Baseline::float_match_in_parts(const Word* at, const Item& whole) {
  bool usual = is_small(at[4]) && at[5] <= 64 && at[4] <= make_small(64) &&
               (at[4] >> 4) * at[5] == 64 && !(at[6] & (kLittle | kNative));
  return usual && add_part_of_two(whole, Instr::take_float, at[2], at[7], {at[1]});
}
bool Baseline::binary_match_in_parts(const Word* at, const Item& whole) {
  Word size = at[4], unit = at[5];
  if (size == am::all) {
    return unit == 8 && add_part_of_two(whole, Instr::take_rest, at[2], at[7], {at[1]});
  }
  return unit <= 256 && add_move(whole, size, OperandKind::x, kScratch * sizeof(Term)) &&
         add_part_of_two(whole, Instr::take_sized, at[2], at[7], {at[1], unit});
}
// fail ctx size unit
bool Baseline::skip_in_parts(const Word* at, const Item& whole) {
  Word size = at[3], unit = at[4];
  return size != am::all && unit <= 256 &&
         add_move(whole, size, OperandKind::x, kScratch * sizeof(Term)) &&
         add_part_of_context(whole, Instr::skip_sized, at[2], {at[1], unit});
}

// fail ctx bits bytes
bool Baseline::string_match_in_parts(const Word* at, const Item& whole) {
  Word bits = at[3];
  if (bits == 0 || bits > 56) return false;
  uint64_t word =
      read_bits(reinterpret_cast<const uint8_t*>(at[4]), 0, static_cast<unsigned>(bits));
  return add_part_of_context(whole, Instr::match_word, at[2], {at[1], bits, word});
}

/// bs_get_utf: fail ctx 8|16|32 flags dst; bs_skip_utf: without dst
bool Baseline::utf_match_in_parts(Instr i, const Word* at, const Item& whole) {
  if (at[3] != 8) return false;
  Word function = address_of(&get_utf8);
  if (i == Instr::bs_get_utf) {
    return add_part_of_two(whole, Instr::take_utf8, at[2], at[5], {at[1], function});
  }
  return add_part_of_context(whole, Instr::skip_utf8, at[2], {at[1], function});
}

bool Baseline::match_in_parts(Instr i, const Word* at, const Item& whole) {
  switch (i) {
    case Instr::bs_get_integer:
      return integer_match_in_parts(at, whole);
    case Instr::bs_get_float:
      return float_match_in_parts(at, whole);
    case Instr::bs_get_binary:
      return binary_match_in_parts(at, whole);
    case Instr::bs_skip_bits:
      return skip_in_parts(at, whole);
    case Instr::bs_match_string:
      return string_match_in_parts(at, whole);
    case Instr::bs_get_utf:
    case Instr::bs_skip_utf:
      return utf_match_in_parts(i, at, whole);
    case Instr::bs_get_tail:
      return add_part_of_two(whole, Instr::take_tail, at[1], at[2]);
    case Instr::bs_get_position:
      return add_part_of_two(whole, Instr::get_position, at[1], at[2]);
    case Instr::bs_set_position:
      return add_part_of_two(whole, Instr::set_position, at[1], at[2]);
    default:
      return false;
  }
}

}  // namespace wb
