// Instructions that match bits, lowered (vm/interp/lowered_matching.cc), where what they look for
// is known when their function is compiled.
#include "term/bit_syntax.h"
#include "term/bits.h"
#include "vm/jit/lower_building.h"
#include "vm/process/exec.h"

namespace wb {

namespace {
constexpr Word kMaxUnit = 256;
bool is_little(Word flags) { return flags & (kLittleBits | kNativeBits); }
template <class F>
Word address_of(F* f) {
  return reinterpret_cast<Word>(f);
}
}  // namespace

/// The instruction `i` of two registers, given dynamically.
bool Baseline::add_op_of_two(const Item& whole, Instr i, Word a, Word b,
                             std::initializer_list<Word> more) {
  OperandKind kinds[2] = {resolve_operand(&a), resolve_operand(&b)};
  if (kinds[0] == OperandKind::c || kinds[1] == OperandKind::c) return false;
  Word operands[4] = {a, b};
  std::copy(more.begin(), more.end(), operands + 2);
  unsigned handler = handler_index(i, kinds);
  return add_op(whole, handler, std::span<const Word>(operands, 2 + more.size()));
}

/// The instruction `i` of a context, which is in a register.
bool Baseline::add_context_op(const Item& whole, Instr i, Word ctx,
                              std::initializer_list<Word> more) {
  Word place = ctx;
  return resolve_operand(&place) != OperandKind::c && add_op_of(whole, i, ctx, more);
}

bool Baseline::lower(const instr::bs_get_integer& in, const Item& whole) {
  const Word bits = constant_bits(in.size(), in.unit());
  const bool little = is_little(in.flags()), is_signed = in.flags() & kSignedBits;
  if (bits == 64 && !is_signed) {
    return add_op_of_two(whole, little ? Instr::take_little8 : Instr::take_big8, in.context(),
                         in.dst(), {in.fail()});
  }
  if (bits == 0 || bits > 56 || (little && bits % 8)) return false;
  Instr i = !little     ? is_signed ? Instr::take_big_signed : Instr::bs_get_bits
            : is_signed ? Instr::take_little_signed
                        : Instr::take_little;
  return add_op_of_two(whole, i, in.context(), in.dst(), {in.fail(), bits});
}
bool Baseline::lower(const instr::bs_get_float& in, const Item& whole) {
  return constant_bits(in.size(), in.unit()) == 64 && !is_little(in.flags()) &&
         add_op_of_two(whole, Instr::take_float, in.context(), in.dst(), {in.fail()});
}
bool Baseline::lower(const instr::bs_get_binary& in, const Item& whole) {
  if (in.size() == am::all) {
    return in.unit() == 8 &&
           add_op_of_two(whole, Instr::take_rest, in.context(), in.dst(), {in.fail()});
  }
  return in.unit() <= kMaxUnit && add_to_scratch(whole, in.size()) &&
         add_op_of_two(whole, Instr::take_sized, in.context(), in.dst(), {in.fail(), in.unit()});
}
bool Baseline::lower(const instr::bs_skip_bits& in, const Item& whole) {
  return in.size() != am::all && in.unit() <= kMaxUnit && add_to_scratch(whole, in.size()) &&
         add_context_op(whole, Instr::skip_sized, in.context(), {in.fail(), in.unit()});
}

bool Baseline::lower(const instr::bs_match_string& in, const Item& whole) {
  const Word bits = in.bits();
  if (bits == 0 || bits > 56) return false;
  uint64_t word =
      read_bits(reinterpret_cast<const uint8_t*>(in.string()), 0, static_cast<unsigned>(bits));
  return add_context_op(whole, Instr::match_word, in.context(), {in.fail(), bits, word});
}

bool Baseline::lower(const instr::bs_get_utf& in, const Item& whole) {
  return in.bits() == 8 && add_op_of_two(whole, Instr::take_utf8, in.context(), in.dst(),
                                         {in.fail(), address_of(&get_utf8)});
}
bool Baseline::lower(const instr::bs_skip_utf& in, const Item& whole) {
  return in.bits() == 8 &&
         add_context_op(whole, Instr::skip_utf8, in.context(), {in.fail(), address_of(&get_utf8)});
}

bool Baseline::lower(const instr::bs_get_tail& in, const Item& whole) {
  return add_op_of_two(whole, Instr::take_tail, in.context(), in.dst());
}
bool Baseline::lower(const instr::bs_get_position& in, const Item& whole) {
  return add_op_of_two(whole, Instr::get_position, in.context(), in.dst());
}
bool Baseline::lower(const instr::bs_set_position& in, const Item& whole) {
  return add_op_of_two(whole, Instr::set_position, in.context(), in.position());
}

}  // namespace wb
