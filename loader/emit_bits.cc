// Emitting the bit syntax.
#include "bytecode/bit_flags.h"
#include "bytecode/segment.h"
#include "loader/emitter.h"
#include "term/atom.h"

namespace wb {

/// Flags of a bs_create_bin segment: [] or a list of atoms.
Word Emitter::segment_flags(Term list) {
  Word flags = 0;
  for (; is_cons(list); list = tail(list)) {
    if (head(list) == am::little) flags |= kLittleBits;
    if (head(list) == am::signed_) flags |= kSignedBits;
    if (head(list) == am::native) flags |= kNativeBits;
  }
  return flags;
}

/// An integer of `bits` bits into a register; false: nothing was emitted.
bool Emitter::few_bits(const Operand& ctx, Word bits, Word flags, const Operand& dst,
                       const Operand& fail) {
  bool plain_order = (flags & (kLittleBits | kSignedBits | kNativeBits)) == 0 ||
                     (bits == 8 && !(flags & kSignedBits));
  if (bits == 0 || bits > 56 || !plain_order || !dst.is_register()) return false;
  special(bits == 8 ? Instr::bs_get_byte : Instr::bs_get_bits, {ctx, dst});
  label(fail);
  if (bits != 8) word(bits);
  return true;
}

// --- matching ------------------------------------------------------------------------------------
// The common cases have instructions of their own (vm/interp/bit_reading.cc).
template <class I>
void Emitter::start_match(const I& in) {
  if (!in.source().is_register()) return emit_as<Instr::bs_start_match>(in);
  bool may_fail = in.fail().type == Operand::f && in.fail().value;
  special(may_fail ? Instr::bs_open : Instr::bs_open_surely, {in.source(), in.dst()});
  label(in.fail());
  number(in.live());
}
void Emitter::emit(const op::bs_start_match3& in) { start_match(in); }
void Emitter::emit(const op::bs_start_match4& in) { start_match(in); }

namespace {
/// How many bits that is; 0: not known, or too many.
Word known_bits(const Operand& size, const Operand& unit) {
  constexpr Word kMany = 1 << 20;
  bool few = size.is_int() && size.value < kMany && unit.value < kMany;
  return few ? size.value * unit.value : 0;
}
}  // namespace

void Emitter::emit(const op::bs_get_integer2& in) {
  Word bits = known_bits(in.size(), in.unit());
  if (!few_bits(in.context(), bits, in.flags().value, in.dst(), in.fail()))
    emit_as<Instr::bs_get_integer>(in);
}
void Emitter::emit(const op::bs_skip_bits2& in) {
  Word bits = known_bits(in.size(), in.unit());
  if (!bits) return emit_as<Instr::bs_skip_bits>(in);
  special(Instr::bs_skip, {in.context()});
  label(in.fail());
  word(bits);
}
void Emitter::emit(const op::bs_test_tail2& in) {
  if (in.bits().value >> 31) return emit_as<Instr::bs_test_tail>(in);
  special(Instr::bs_tail_is, {in.context()});
  label(in.fail());
  number(in.bits());
}
void Emitter::emit(const op::bs_test_unit& in) {
  if (in.unit().value != 8) return emit_as<Instr::bs_test_unit>(in);
  special(Instr::bs_whole_bytes, {in.context()});
  label(in.fail());
}

// --- characters ----------------------------------------------------------------------------------
template <class I>
void Emitter::utf_segment(Instr i, const I& in, Word bits) {
  plain(i);
  label(in.fail());
  if constexpr (requires { in.context(); }) dyn(in.context());
  word(bits);
  number(in.flags());
  if constexpr (requires { in.dst(); }) dyn(in.dst());
  if constexpr (requires { in.value(); }) dyn(in.value());
}
#define UTF_GET(number, name, bits, since) \
  void Emitter::emit(const op::name& in) { utf_segment(Instr::bs_get_utf, in, bits); }
#define UTF_SKIP(number, name, bits, since) \
  void Emitter::emit(const op::name& in) { utf_segment(Instr::bs_skip_utf, in, bits); }
#define UTF_PUT(number, name, bits, since, until) \
  void Emitter::emit(const op::name& in) { utf_segment(Instr::bs_put_utf, in, bits); }
#include "bytecode/opcodes.def"

template <class I>
void Emitter::utf_size(const I& in, Word bits) {
  plain(Instr::bs_utf_size);
  word(bits);
  dyn(in.value());
  dyn(in.dst());
}

void Emitter::emit(const op::bs_utf8_size& in) { utf_size(in, 8); }
void Emitter::emit(const op::bs_utf16_size& in) { utf_size(in, 16); }

// --- positions -----------------------------------------------------------------------------------
/// Does it leave a match context where it is?
bool Emitter::keeps_position(const Instruction& in) const {
  switch (in.op) {
    case Op::bs_test_tail2:
    case Op::bs_test_unit:
      return true;
    case Op::bs_match: {
      Ops list = unit_.list_of(op::bs_match{in, unit_.operands_of(in)}.commands());
      return (list.size() == 3 && list[0].value == am::ensure_at_least) ||
             (list.size() == 2 && list[0].value == am::ensure_exactly);
    }
    default:
      return false;
  }
}

/// Compilers since OTP 26 go back to a position once more when nothing but a look at what is left
/// came between.
bool Emitter::is_there_already(const Instruction& in) {
  const Instruction* last = positioned_;
  if (in.op == Op::bs_set_position) {
    positioned_ = &in;
    if (!last) return false;
    op::bs_set_position a{*last, unit_.operands_of(*last)}, b{in, unit_.operands_of(in)};
    auto same = [](const Operand& x, const Operand& y) {
      return x.type == y.type && x.value == y.value;
    };
    return same(a.context(), b.context()) && same(a.position(), b.position());
  }
  if (!keeps_position(in)) positioned_ = nullptr;
  return false;
}

/// bs_match: its commands as the instructions that the compilers of OTP 25 make, so that there is
/// one way to match bits in every tier.
void Emitter::emit(const op::bs_match& in) {
  const Operand &fail = in.fail(), &ctx = in.context();
  Ops list = unit_.list_of(in.commands());
  auto command = [&] { return list.empty() ? kNone : list[0].value; };
  auto never = [&] {
    plain(Instr::jump);
    label(fail);
  };
  while (!list.empty()) {
    switch (command()) {
      case am::ensure_at_least: {
        Word bits = list[1].value, unit = list[2].value;
        list = list.subspan(3);
        if (bits > kMaxMatchBits) return never();
        // What takes just as many looks itself.
        if (unit > 1 || bits_of_command(list) != bits) ensure(ctx, bits, unit, fail);
        break;
      }
      case am::ensure_exactly:
        if (list[1].value > kMaxMatchBits) return never();
        special(Instr::bs_tail_is, {ctx});
        label(fail);
        number(list[1]);
        list = list.subspan(2);
        break;
      case am::skip:
        if (list[1].value > kMaxMatchBits) return never();
        special(Instr::bs_skip, {ctx});
        label(fail);
        number(list[1]);
        list = list.subspan(2);
        break;
      case am::get_tail:  // live unit dst
        plain(Instr::bs_get_tail);
        dyn(ctx);
        dyn(list[3]);
        number(list[1]);
        list = list.subspan(4);
        break;
      case am::eq_exact:  // live bits value
        if (!compare_bits(ctx, &list, fail)) return never();
        break;
      case am::integer:
      case am::binary:
        if (list[3].value > kMaxMatchBits / list[4].value) return never();
        take_bits(ctx, list, fail);
        list = list.subspan(6);
        break;
      default:  // the validator knows no other
        failed_ = true;
        return;
    }
  }
}

/// How many bits the first command of a list takes; 0: none, or that is not to be known.
Word Emitter::bits_of_command(Ops list) {
  if (list.empty()) return 0;
  switch (list[0].value) {
    case am::skip:
      return list[1].value;
    case am::eq_exact:
      return list[2].value;
    case am::integer:
    case am::binary:
      return list[3].value <= kMaxMatchBits ? list[3].value * list[4].value : 0;
    default:
      return 0;
  }
}

/// So many bits are there, and what comes after them is of this unit.
void Emitter::ensure(const Operand& ctx, Word bits, Word unit, const Operand& fail) {
  if (unit == 1 && bits == 0) return;
  if (unit == 8 && bits == 0) {
    special(Instr::bs_whole_bytes, {ctx});
    return label(fail);
  }
  special(unit == 1 ? Instr::bs_has : unit == 8 ? Instr::bs_has_bytes : Instr::bs_has_units, {ctx});
  label(fail);
  word(bits);
  if (unit != 1 && unit != 8) word(unit);
}

/// live flags size unit dst
void Emitter::take_bits(const Operand& ctx, Ops command, const Operand& fail) {
  bool integer = command[0].value == am::integer;
  Word flags = 0;
  if (command[2].type == Operand::literal) {
    flags = bit_flags(file_.literals[command[2].value]).value_or(0);
  }
  Word bits = command[3].value * command[4].value;
  if (integer && few_bits(ctx, bits, flags, command[5], fail)) return;
  plain(integer ? Instr::bs_get_integer : Instr::bs_get_binary);
  label(fail);
  dyn(ctx);
  number(command[1]);
  word(make_small(static_cast<int64_t>(command[3].value)));
  number(command[4]);
  word(flags);
  dyn(command[5]);
}

/// The comparisons that `list` begins with, as many bits as possible at once. False: they never
/// succeed, nothing was emitted for the one that does not.
bool Emitter::compare_bits(const Operand& ctx, Ops* list, const Operand& fail) {
  constexpr Word kMost = 56;
  Word bits = 0, value = 0;
  auto flush = [&] {
    if (bits) {
      special(Instr::match_word, {ctx});
      label(fail);
      word(bits);
      word(value);
    }
    bits = value = 0;
  };
  for (; !list->empty() && (*list)[0].value == am::eq_exact; *list = list->subspan(4)) {
    Word n = (*list)[2].value, v = (*list)[3].value;  // 64 at most
    if (n < 64 && v >> n != 0) {
      flush();
      return false;
    }
    if (bits + n > kMost) flush();
    if (n > kMost) {
      bits = n - 32;
      value = v >> 32;
      flush();
      n = 32;
      v &= 0xffffffff;
    }
    bits += n;
    value = value << n | v;
  }
  flush();
  return true;
}

// --- construction --------------------------------------------------------------------------------
void Emitter::emit(const op::bs_create_bin& in) {
  plain(Instr::bs_create_bin);
  label(in.fail());
  word(heap_words(in.heap()));
  number(in.live());
  dyn(in.dst());
  auto list = unit_.list_of(in.segments());
  word(list.size());
  for (; list.size() >= Segment::kWords; list = list.subspan(Segment::kWords)) {
    const Operand &flags = list[Segment::kFlags], &value = list[Segment::kValue];
    Term type = list[Segment::kType].value;
    word(type);
    number(list[Segment::kNumber]);
    number(list[Segment::kUnit]);
    word(flags.type == Operand::u ? flags.value : segment_flags(constant(flags)));
    if (type == am::string) {
      string_word(value.value);
      number(list[Segment::kSize]);
    } else {
      dyn(value);
      dyn(list[Segment::kSize]);
    }
  }
}

template <class I>
void Emitter::init_binary(const I& in, Word unit) {
  plain(Instr::bs_init);
  label(in.fail());
  dyn(in.size());
  word(unit);
  word(heap_words(in.heap()));
  number(in.live());
  dyn(in.dst());
}

void Emitter::emit(const op::bs_init2& in) { init_binary(in, 8); }
void Emitter::emit(const op::bs_init_bits& in) { init_binary(in, 1); }

}  // namespace wb
