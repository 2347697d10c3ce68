// Emitting the bit syntax.
#include "loader/emitter.h"
#include "term/atom.h"

namespace wb {

enum : Word { kLittle = 2, kSigned = 4, kNative = 16 };

/// Flags of a bs_create_bin segment: [] or a list of atoms.
Word Emitter::segment_flags(Term list) {
  Word flags = 0;
  for (; is_cons(list); list = tail(list)) {
    if (head(list) == am::little) flags |= kLittle;
    if (head(list) == am::signed_) flags |= kSigned;
    if (head(list) == am::native) flags |= kNative;
  }
  return flags;
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
    case Op::bs_get_integer2: {
      Word n = bits(o[3], o[4]);
      bool plain_order =
          (o[5].value & (kLittle | kSigned | kNative)) == 0 || (n == 8 && !(o[5].value & kSigned));
      if (n == 0 || n > 56 || !plain_order || !o[6].is_register()) return false;
      special(n == 8 ? Instr::bs_get_byte : Instr::bs_get_bits, {o[1], o[6]});
      label(o[0]);
      if (n != 8) word(n);
      return true;
    }
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
      plain(Instr::bs_match);
      label(o[0]);
      dyn(o[1]);
      word(o[2].count);
      for (const Operand& e : unit_.list_of(o[2])) {
        word(e.type == Operand::u ? make_small(e.int_value()) : dynamic(e));
      }
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
    case Op::bs_append:  // fail size extra live unit src flags dst
      plain(Instr::bs_append);
      label(o[0]);
      dyn(o[1]);
      number(o[2]);
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
