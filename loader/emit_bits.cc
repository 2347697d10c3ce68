// Emitting the bit syntax.
#include "bytecode/bit_flags.h"
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

/// The common cases, which have instructions of their own (vm/interp/bit_reading.cc).
bool Emitter::bit_reading(const Instruction& in, Ops o) {
  auto open = [&](const Operand& src, const Operand& live, const Operand& dst) {
    if (!src.is_register()) return false;
    bool may_fail = o[0].type == Operand::f && o[0].value;
    special(may_fail ? Instr::bs_open : Instr::bs_open_surely, {src, dst});
    label(o[0]);
    number(live);
    return true;
  };
  if (in.op == Op::bs_start_match3) return open(o[1], o[2], o[3]);
  if (in.op == Op::bs_start_match4) return open(o[2], o[1], o[3]);
  if (o.size() < 2 || !o[0].value || !o[1].is_register()) return false;
  auto bits = [](const Operand& size, const Operand& unit) -> Word {
    constexpr Word kMany = 1 << 20;
    bool few = size.is_int() && size.value < kMany && unit.value < kMany;
    return few ? size.value * unit.value : 0;
  };
  switch (in.op) {
    case Op::bs_get_integer2:
      return few_bits(o[1], bits(o[3], o[4]), o[5].value, o[6], o[0]);
    case Op::bs_skip_bits2: {
      Word n = bits(o[2], o[3]);
      if (!n) return false;
      special(Instr::bs_skip, {o[1]});
      label(o[0]);
      word(n);
      return true;
    }
    case Op::bs_test_tail2:
      if (o[2].value >> 31) return false;
      special(Instr::bs_tail_is, {o[1]});
      label(o[0]);
      number(o[2]);
      return true;
    case Op::bs_test_unit:
      if (o[2].value != 8) return false;
      special(Instr::bs_whole_bytes, {o[1]});
      label(o[0]);
      return true;
    default:
      return false;
  }
}

bool Emitter::bit_matching(const Instruction& in, Ops o) {
  if (bit_reading(in, o)) return true;
  Word utf = 0;
  switch (in.op) {
    case Op::bs_start_match3:
      plain(Instr::bs_start_match);
      label(o[0]);
      dyn(o[1]);
      number(o[2]);
      dyn(o[3]);
      return true;
    case Op::bs_start_match4:  // fail live src dst
      plain(Instr::bs_start_match);
      label(o[0]);
      dyn(o[2]);
      number(o[1]);
      dyn(o[3]);
      return true;
    case Op::bs_get_integer2:
    case Op::bs_get_float2:
    case Op::bs_get_binary2:
      plain(in.op == Op::bs_get_integer2 ? Instr::bs_get_integer
            : in.op == Op::bs_get_float2 ? Instr::bs_get_float
                                         : Instr::bs_get_binary);
      label(o[0]);
      dyn(o[1]);
      number(o[2]);
      dyn(o[3]);
      number(o[4]);
      number(o[5]);
      dyn(o[6]);
      return true;
    case Op::bs_skip_bits2:
      plain(Instr::bs_skip_bits);
      label(o[0]);
      dyn(o[1]);
      dyn(o[2]);
      number(o[3]);
      return true;
    case Op::bs_test_tail2:
    case Op::bs_test_unit:
      plain(in.op == Op::bs_test_unit ? Instr::bs_test_unit : Instr::bs_test_tail);
      label(o[0]);
      dyn(o[1]);
      number(o[2]);
      return true;
    case Op::bs_match_string:
      plain(Instr::bs_match_string);
      label(o[0]);
      dyn(o[1]);
      number(o[2]);
      word(reinterpret_cast<Word>(module_.strings.data() + o[3].value));
      return true;
    case Op::bs_get_tail:
    case Op::bs_get_position:
      plain(in.op == Op::bs_get_tail ? Instr::bs_get_tail : Instr::bs_get_position);
      dyn(o[0]);
      dyn(o[1]);
      number(o[2]);
      return true;
    case Op::bs_set_position:
      plain(Instr::bs_set_position);
      dyn(o[0]);
      dyn(o[1]);
      return true;
    case Op::bs_get_utf8:
      utf = 8;
      break;
    case Op::bs_get_utf16:
      utf = 16;
      break;
    case Op::bs_get_utf32:
      utf = 32;
      break;
    case Op::bs_skip_utf8:
    case Op::bs_skip_utf16:
    case Op::bs_skip_utf32:
      plain(Instr::bs_skip_utf);
      label(o[0]);
      dyn(o[1]);
      word(in.op == Op::bs_skip_utf8 ? 8 : in.op == Op::bs_skip_utf16 ? 16 : 32);
      number(o[3]);
      return true;
    case Op::bs_match:
      match_commands(o);
      return true;
    default:
      return false;
  }
  plain(Instr::bs_get_utf);
  label(o[0]);
  dyn(o[1]);
  word(utf);
  number(o[3]);
  dyn(o[4]);
  return true;
}

/// Does it leave a match context where it is?
bool Emitter::keeps_position(const Instruction& in) const {
  switch (in.op) {
    case Op::bs_test_tail2:
    case Op::bs_test_unit:
      return true;
    case Op::bs_match: {
      Ops list = unit_.list_of(unit_.operands_of(in)[2]);
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
    Ops a = unit_.operands_of(*last), b = unit_.operands_of(in);
    auto same = [](const Operand& x, const Operand& y) {
      return x.type == y.type && x.value == y.value;
    };
    return same(a[0], b[0]) && same(a[1], b[1]);
  }
  if (!keeps_position(in)) positioned_ = nullptr;
  return false;
}

/// bs_match: its commands as the instructions that the compilers of OTP 25 make, so that there is
/// one way to match bits in every tier. Fail Ctx [Command, Operand ...]
void Emitter::match_commands(Ops o) {
  const Operand &fail = o[0], &ctx = o[1];
  Ops list = unit_.list_of(o[2]);
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
      default:  // integer, binary
        if (list[3].value > kMaxMatchBits / list[4].value) return never();
        take_bits(ctx, list, fail);
        list = list.subspan(6);
        break;
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

bool Emitter::bit_building(const Instruction& in, Ops o) {
  switch (in.op) {
    case Op::bs_create_bin: {  // fail alloc live unit dst segments
      plain(Instr::bs_create_bin);
      label(o[0]);
      word(heap_words(o[1]));
      number(o[2]);
      dyn(o[4]);
      auto list = unit_.list_of(o[5]);
      word(list.size());
      for (size_t k = 0; k + 5 < list.size(); k += 6) {
        Term type = list[k].value;
        word(type);
        number(list[k + 1]);
        number(list[k + 2]);
        word(list[k + 3].type == Operand::u ? list[k + 3].value
                                            : segment_flags(constant(list[k + 3])));
        if (type == am::string) {
          word(reinterpret_cast<Word>(module_.strings.data() + list[k + 4].value));
          number(list[k + 5]);
        } else {
          dyn(list[k + 4]);
          dyn(list[k + 5]);
        }
      }
      return true;
    }
    case Op::bs_init2:
    case Op::bs_init_bits:  // fail size heap live flags dst
      plain(Instr::bs_init);
      label(o[0]);
      dyn(o[1]);
      word(in.op == Op::bs_init2 ? 8 : 1);
      word(heap_words(o[2]));
      number(o[3]);
      dyn(o[5]);
      return true;
    case Op::bs_append:  // fail size heap live unit src flags dst
      plain(Instr::bs_append);
      label(o[0]);
      dyn(o[1]);
      word(heap_words(o[2]));
      number(o[3]);
      number(o[4]);
      dyn(o[5]);
      dyn(o[7]);
      return true;
    case Op::bs_private_append:  // fail size unit src flags dst
      plain(Instr::bs_private_append);
      label(o[0]);
      dyn(o[1]);
      number(o[2]);
      dyn(o[3]);
      dyn(o[5]);
      return true;
    case Op::bs_init_writable:
      plain(Instr::bs_init_writable);
      return true;
    case Op::bs_put_integer:
    case Op::bs_put_float:
    case Op::bs_put_binary:
      plain(in.op == Op::bs_put_integer ? Instr::bs_put_integer
            : in.op == Op::bs_put_float ? Instr::bs_put_float
                                        : Instr::bs_put_binary);
      label(o[0]);
      dyn(o[1]);
      number(o[2]);
      number(o[3]);
      dyn(o[4]);
      return true;
    case Op::bs_put_string:
      plain(Instr::bs_put_string);
      number(o[0]);
      word(reinterpret_cast<Word>(module_.strings.data() + o[1].value));
      return true;
    case Op::bs_put_utf8:
    case Op::bs_put_utf16:
    case Op::bs_put_utf32:
      plain(Instr::bs_put_utf);
      label(o[0]);
      word(in.op == Op::bs_put_utf8 ? 8 : in.op == Op::bs_put_utf16 ? 16 : 32);
      number(o[1]);
      dyn(o[2]);
      return true;
    case Op::bs_utf8_size:
    case Op::bs_utf16_size:
      plain(Instr::bs_utf_size);
      word(in.op == Op::bs_utf8_size ? 8 : 16);
      dyn(o[1]);
      dyn(o[2]);
      return true;
    case Op::bs_add:
      plain(Instr::bs_add);
      label(o[0]);
      dyn(o[1]);
      dyn(o[2]);
      number(o[3]);
      dyn(o[4]);
      return true;
    default:
      return false;
  }
}

}  // namespace wb
