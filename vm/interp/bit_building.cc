// The bit syntax, construction: bs_create_bin, and the bs_init/bs_put family of older compilers.
//
// bs_create_bin goes over its segments twice: first the sizes (explicit ones, then `all` and utf),
// so that memory is taken once, then the values. A segment that cannot be built jumps to the fail
// label, or raises badarg (system_limit) with a description in error_info:
// {Number, Type, What, Value}, which erl_erts_errors:format_bs_fail/2 turns into text.
#include "bytecode/segment.h"
#include "term/binary.h"
#include "term/bit_syntax.h"
#include "term/bits.h"
#include "term/map.h"
#include "term/number.h"
#include "term/utf8.h"
#include "vm/interp/errors.h"
#include "vm/interp/handler.h"
#include "vm/interp/lowered_building.h"

namespace wb {

static bool is_little(Word flags) { return flags & (kLittleBits | kNativeBits); }

static unsigned unit_of(Segment s) { return static_cast<unsigned>(s.unit()); }
static const Word* segment_failed(Exec& c, CreateBin in, Segment s, Term what, Term value) {
  if (in.fail()) return reinterpret_cast<const Word*>(in.fail());
  Heap& h = c.p->heap;
  if (what == am::invalid) {  // no float has that many bits
    size_t bits = 0;
    segment_bits(load_operand(c, s.size()), unit_of(s), &bits);
    value = make_unsigned(h, bits);
  }
  Term reason = am::badarg;
  if (what == am::system_limit) reason = am::system_limit, what = am::size;
  Term type = s.is_appended_to() ? am::binary : s.type();
  Term cause = tuple(h, make_small(static_cast<int64_t>(s.number())), type, what, value);
  Term pairs[6] = {am::cause,          cause,      am::function,
                   am::format_bs_fail, am::module, am::erl_erts_errors};
  return raise_with_info(c, in.I, reason, map_from_pairs(h, pairs, 3));
}

static bool has_size(Segment s) {
  Term t = s.type();
  return t == am::integer || t == am::float_ || (t == am::binary && !s.whole());
}
/// Adds the size of a segment that is not the appended one; kNone or what is wrong with it. As on
/// BEAM only some mistakes are found while sizes are added up: a bad size, a source that is no
/// bitstring, a bad UTF-32 character, since 26 a bad UTF-8 one. The others wait for their turn when
/// the segments are written.
static Term size_of_segment(Exec& c, Segment s, size_t* bits) {
  Term t = s.type();
  if (t == am::string) {
    *bits += s.size() * 8;
    return kNone;
  }
  Term value = load_operand(c, s.value());
  if (has_size(s)) return segment_bits(load_operand(c, s.size()), unit_of(s), bits);
  if (t == am::utf32) return utf32_bits(value, bits);
  if (t == am::utf8 || t == am::utf16) {
    Term what = t == am::utf8 ? utf8_bits(value, bits) : utf16_bits(value, bits);
    if (!is_value(what)) return kNone;
    if (t == am::utf8 && otp_release() >= 26) return what;
    *bits += 32;
    return kNone;
  }
  if (!is_bitstring(value)) return am::type;
  *bits += bit_size(value);
  return kNone;
}
static Term put_segment(Exec& c, Segment s, BitWriter& w) {
  Term t = s.type();
  if (t == am::string) {
    w.put_string(reinterpret_cast<const uint8_t*>(s.value()), s.size() * 8);
    return kNone;
  }
  Term value = load_operand(c, s.value());
  if (WB_LIKELY(t == am::integer)) {
    size_t bits = 0;
    segment_bits(load_operand(c, s.size()), unit_of(s), &bits);
    return w.put_integer(value, bits, s.little());
  }
  if (t == am::utf8) return w.put_utf8(value);
  if (t == am::utf16) return w.put_utf16(value, s.little());
  if (t == am::utf32) return w.put_utf32(value, s.little());
  if (t == am::binary && s.whole()) return w.put_all(value, unit_of(s));
  size_t bits = 0;
  segment_bits(load_operand(c, s.size()), unit_of(s), &bits);
  if (t == am::float_) return w.put_float(value, bits, s.little());
  return w.put_bitstring(value, bits);
}

/// What was appended to is the beginning of the result; else it has been copied.
static bool is_same_storage(Term source, Term result) {
  if (source == result) return true;
  return header_kind(header_of(source)) == Kind::sub_bin &&
         sub_bin::base(boxed_ptr(source)) == sub_bin::base(boxed_ptr(result));
}

/// Memory for `bits` more than what is appended to: the result, or a fault.
static Term take_memory(Exec& c, CreateBin in, size_t bits) {
  c.fc -= static_cast<int64_t>(bits / 8192);
  if (!in.appends()) return new_bitstring(c.p->heap, bits, &c.writer);
  Segment old = in.appended_to();
  Term source = load_operand(c, old.value());
  Term t = append_start(c.p->heap, source, bits, unit_of(old), old.is_private(), &c.writer);
  if (is_value(t) && !is_same_storage(source, t)) {
    c.fc -= static_cast<int64_t>(bit_size(t) / 8192);
  }
  return t;
}
/// Writes all segments from where c.writer is. (Native code may have written some of them.)
static const Word* op_end_create_bin(Exec& c, const Word* I) {
  CreateBin in{I};
  for (Segment s : in.written()) {
    Term what = put_segment(c, s, c.writer);
    if (is_value(what)) {
      // A float of an impossible size: the size is to blame, not the value.
      Term blamed = load_operand(c, what == am::invalid ? s.size() : s.value());
      return segment_failed(c, in, s, what, blamed);
    }
  }
  store_operand(c, in.dst(), c.build_result);
  return in.after();
}
static const Word* op_bs_create_bin(Exec& c, const Word* I) {
  CreateBin in{I};
  if (!safe_point(c, in.heap() + kBinaryWords, static_cast<uint32_t>(in.live())))
    return leave_dying(c);
  size_t bits = 0;
  for (Segment s : in.written()) {
    Term what = size_of_segment(c, s, &bits);
    if (is_value(what)) {
      return segment_failed(c, in, s, what, load_operand(c, has_size(s) ? s.size() : s.value()));
    }
  }
  c.build_result = take_memory(c, in, bits);
  if (WB_LIKELY(is_value(c.build_result))) return op_end_create_bin(c, I);
  if (in.appends()) {
    Term source = load_operand(c, in.appended_to().value());
    Term what = c.build_result == kSystemLimit ? am::system_limit
                : is_bitstring(source)         ? am::unit
                                               : am::type;
    return segment_failed(c, in, in.appended_to(), what, source);
  }
  return in.fail() ? reinterpret_cast<const Word*>(in.fail()) : raise_error(c, I, am::system_limit);
}

// --- for native code (lowered_building.h)
BinaryOpened open_binary(Exec& c, const Word* I) {
  c.build_result = take_memory(c, CreateBin{I}, c.build_bits);
  if (WB_UNLIKELY(is_fault(c.build_result))) return BinaryOpened::no;
  c.build_at = c.writer.bytes + c.writer.position / 8;
  return c.writer.position & 7 ? BinaryOpened::within_a_byte : BinaryOpened::yes;
}
uint8_t* put_whole_bytes(uint8_t* to, Term binary) {
  Bits b = bits_in(binary);
  if (WB_UNLIKELY(b.offset != 0))
    copy_bits(to, 0, b.bytes, b.offset, b.size);
  else
    copy_few_bytes(to, b.bytes, b.size / 8);
  return to + b.size / 8;
}
uint8_t* put_code_point(uint8_t* to, Term code_point) {
  return to + utf8_encode(static_cast<uint32_t>(small_value(code_point)), to);
}

/// Of `bits`, which the instructions that follow write, or not.
static Term begin_binary(Exec& c, size_t bits) {
  Term t = new_bitstring(c.p->heap, bits, &c.writer);
  if (is_value(t)) c.writer.clear();
  return t;
}
Term init_binary(Exec& c, uint64_t unit) {
  size_t bits = 0;
  Term what = segment_bits(c.x[kScratch], static_cast<unsigned>(unit), &bits);
  return is_value(what) ? kBadarg : begin_binary(c, bits);
}
bool put_binary(Exec& c, Term binary) {
  BitWriter& w = c.writer;
  if ((w.position & 7) != 0 || !is_bitstring(binary)) return false;
  size_t bits = bit_size(binary);
  if ((bits & 7) != 0 || bits > w.left()) return false;
  put_whole_bytes(w.bytes + w.position / 8, binary);
  w.position += bits;
  return true;
}

// --- older compilers: the binary under construction is in Exec between the instructions ----------
/// Of any of them that has a label.
template <class V>
static const Word* put_failed(Exec& c, V in, Term what) {
  if (in.fail()) return reinterpret_cast<const Word*>(in.fail());
  return raise_error(c, in.I, what == am::system_limit ? am::system_limit : am::badarg);
}
static Term bits_of(Exec& c, Word size, Word unit, size_t* bits) {
  return segment_bits(load_operand(c, size), static_cast<unsigned>(unit), bits);
}
static const Word* op_bs_init(Exec& c, const Word* I) {
  instr::bs_init in{I};
  size_t bits = 0;  // the size is read first: it may be in a register that is not kept
  Term what = bits_of(c, in.size(), in.unit(), &bits);
  if (is_value(what)) return put_failed(c, in, what);
  if (!safe_point(c, in.heap() + kBinaryWords, static_cast<uint32_t>(in.live())))
    return leave_dying(c);
  Term t = begin_binary(c, bits);
  if (is_fault(t)) return put_failed(c, in, am::system_limit);
  store_operand(c, in.dst(), t);
  return in.after();
}
template <class V>
static const Word* appended(Exec& c, V in, Term t) {
  if (is_fault(t)) return put_failed(c, in, t == kSystemLimit ? am::system_limit : am::badarg);
  c.writer.clear();
  store_operand(c, in.dst(), t);
  return in.after();
}
static const Word* op_bs_append(Exec& c, const Word* I) {
  instr::bs_append in{I};
  size_t bits = 0;
  Term what = bits_of(c, in.size(), 1, &bits);
  if (is_value(what)) return put_failed(c, in, what);
  if (!safe_point(c, in.heap() + kBinaryWords, static_cast<uint32_t>(in.live())))
    return leave_dying(c);
  Term t = append_start(c.p->heap, load_operand(c, in.source()), bits,
                        static_cast<unsigned>(in.unit()), false, &c.writer);
  return appended(c, in, t);
}
static const Word* op_bs_private_append(Exec& c, const Word* I) {
  instr::bs_private_append in{I};
  size_t bits = 0;
  Term what = bits_of(c, in.size(), 1, &bits);
  if (is_value(what)) return put_failed(c, in, what);
  FragmentHeap copy(0);  // for who has no room of its own: what is reserved on the heap stays so
  Term t = append_start(copy, load_operand(c, in.source()), bits, static_cast<unsigned>(in.unit()),
                        true, &c.writer);
  if (HeapFragment* made = copy.take_fragments()) c.p->heap.adopt(made);
  return appended(c, in, t);
}
static const Word* op_bs_init_writable(Exec& c, const Word* I) {
  if (!safe_point(c, kBinaryWords, 1)) return leave_dying(c);
  constexpr int64_t kUnknown = 256;
  int64_t size;
  if (!to_int64(c.x[0], &size) || size < 0) size = kUnknown;
  Term t = init_writable(c.p->heap, static_cast<size_t>(size));
  if (is_fault(t)) return raise_error(c, I, am::system_limit);
  c.x[0] = t;
  return instr::bs_init_writable{I}.after();
}
static const Word* op_bs_put_integer(Exec& c, const Word* I) {
  instr::bs_put_integer in{I};
  size_t bits = 0;
  Term what = bits_of(c, in.size(), in.unit(), &bits);
  if (is_fault(what) && bits > c.writer.left()) what = am::badarg;
  if (is_fault(what)) {
    what = c.writer.put_integer(load_operand(c, in.value()), bits, is_little(in.flags()));
  }
  return is_fault(what) ? in.after() : put_failed(c, in, what);
}
static const Word* op_bs_put_float(Exec& c, const Word* I) {
  instr::bs_put_float in{I};
  size_t bits = 0;
  Term what = bits_of(c, in.size(), in.unit(), &bits);
  if (is_fault(what) && bits > c.writer.left()) what = am::badarg;
  if (is_fault(what)) {
    what = c.writer.put_float(load_operand(c, in.value()), bits, is_little(in.flags()));
  }
  return is_fault(what) ? in.after() : put_failed(c, in, what);
}
static const Word* op_bs_put_binary(Exec& c, const Word* I) {
  instr::bs_put_binary in{I};
  Term value = load_operand(c, in.value());
  size_t bits = 0;
  auto unit = static_cast<unsigned>(in.unit());
  bool whole = in.size() == am::all;  // as the operand itself: in a register it is no size
  Term what = whole ? all_bits(value, unit, &bits) : bits_of(c, in.size(), unit, &bits);
  if (is_fault(what) && bits > c.writer.left()) what = am::badarg;
  if (is_fault(what)) {
    what = whole ? c.writer.put_all(value, unit) : c.writer.put_bitstring(value, bits);
  }
  return is_fault(what) ? in.after() : put_failed(c, in, what);
}
static const Word* op_bs_put_string(Exec& c, const Word* I) {
  instr::bs_put_string in{I};
  if (in.bytes() * 8 <= c.writer.left()) {
    c.writer.put_string(reinterpret_cast<const uint8_t*>(in.string()), in.bytes() * 8);
  }
  return in.after();
}
static Term utf_bits(Term value, Word kind, size_t* bits) {
  return kind == 8    ? utf8_bits(value, bits)
         : kind == 16 ? utf16_bits(value, bits)
                      : utf32_bits(value, bits);
}
static const Word* op_bs_put_utf(Exec& c, const Word* I) {
  instr::bs_put_utf in{I};
  Term value = load_operand(c, in.value());
  bool little = is_little(in.flags());
  size_t bits = 0;
  Term what = utf_bits(value, in.bits(), &bits);
  if (is_fault(what) && bits > c.writer.left()) what = am::badarg;
  if (is_fault(what)) {
    what = in.bits() == 8    ? c.writer.put_utf8(value)
           : in.bits() == 16 ? c.writer.put_utf16(value, little)
                             : c.writer.put_utf32(value, little);
  }
  return is_fault(what) ? in.after() : put_failed(c, in, what);
}
/// Bytes a code point needs; for anything else four, and the put that follows fails.
static const Word* op_bs_utf_size(Exec& c, const Word* I) {
  instr::bs_utf_size in{I};
  size_t bits = 0;
  if (is_value(utf_bits(load_operand(c, in.value()), in.bits(), &bits))) bits = 32;
  store_operand(c, in.dst(), make_small(static_cast<int64_t>(bits / 8)));
  return in.after();
}
static const Word* op_bs_add(Exec& c, const Word* I) {
  instr::bs_add in{I};
  size_t total = 0;
  Term what = bits_of(c, in.size(), 1, &total);
  if (is_fault(what)) what = bits_of(c, in.more(), in.unit(), &total);
  if (is_value(what)) return put_failed(c, in, what);
  store_operand(c, in.dst(), make_small(static_cast<int64_t>(total)));
  return in.after();
}

void install_bit_building(Word* t, bool) {
#define INSTALL(name) set_slow(t, Instr::name, &slow_handler<op_##name>);
  INSTALL(bs_create_bin)
  INSTALL(end_create_bin)
  INSTALL(bs_init)
  INSTALL(bs_append)
  INSTALL(bs_private_append)
  INSTALL(bs_init_writable)
  INSTALL(bs_put_integer)
  INSTALL(bs_put_float)
  INSTALL(bs_put_binary)
  INSTALL(bs_put_string)
  INSTALL(bs_put_utf)
  INSTALL(bs_utf_size)
  INSTALL(bs_add)
}

}  // namespace wb
