// The bit syntax, construction: bs_create_bin, and the bs_init/bs_put family of older compilers.
//
// bs_create_bin goes over its segments twice: first the sizes (explicit ones, then `all` and utf),
// so that memory is taken once, then the values. A segment that cannot be built jumps to the fail
// label, or raises badarg (system_limit) with a description in error_info:
// {Number, Type, What, Value}, which erl_erts_errors:format_bs_fail/2 turns into text.
#include "term/binary.h"
#include "term/bit_syntax.h"
#include "term/map.h"
#include "term/number.h"
#include "vm/interp/errors.h"
#include "vm/interp/handler.h"

namespace wb {

static bool is_little(Word flags) { return flags & (2 | 16); }

/// Six words a segment: type, number, unit, flags, source (string: address), size.
struct Segment {
  const Word* w;
  Term type() const { return w[0]; }
  unsigned unit() const { return static_cast<unsigned>(w[2]); }
  bool little() const { return is_little(w[3]); }
};

static const Word* segment_failed(Exec& c, const Word* I, Segment s, Term what, Term value) {
  if (I[1]) return reinterpret_cast<const Word*>(I[1]);
  Heap& h = c.p->heap;
  if (what == am::invalid) {  // no float has that many bits
    size_t bits = 0;
    segment_bits(load_operand(c, s.w[5]), s.unit(), &bits);
    value = make_unsigned(h, bits);
  }
  Term reason = am::badarg;
  if (what == am::system_limit) reason = am::system_limit, what = am::size;
  Term type = s.type() == am::append || s.type() == am::private_append ? am::binary : s.type();
  Term cause = tuple(h, make_small(static_cast<int64_t>(s.w[1])), type, what, value);
  Term pairs[6] = {am::cause,          cause,      am::function,
                   am::format_bs_fail, am::module, am::erl_erts_errors};
  return raise_with_info(c, I, reason, map_from_pairs(h, pairs, 3));
}

static bool has_size(Exec& c, Segment s) {
  Term t = s.type();
  return t == am::integer || t == am::float_ ||
         (t == am::binary && load_operand(c, s.w[5]) != am::all);
}
/// Adds the size of a segment that is not the appended one; kNone or what is wrong with it. As on
/// BEAM only some mistakes are found while sizes are added up: a bad size, a source that is no
/// bitstring, a bad UTF-32 character. The others wait for their turn when the segments are written.
static Term size_of_segment(Exec& c, Segment s, size_t* bits) {
  Term t = s.type();
  if (t == am::string) {  // w[4] is an address
    *bits += s.w[5] * 8;
    return kNone;
  }
  Term value = load_operand(c, s.w[4]);
  if (has_size(c, s)) return segment_bits(load_operand(c, s.w[5]), s.unit(), bits);
  if (t == am::utf32) return utf32_bits(value, bits);
  if (t == am::utf8 || t == am::utf16) {
    Term what = t == am::utf8 ? utf8_bits(value, bits) : utf16_bits(value, bits);
    if (is_value(what)) *bits += 32;
    return kNone;
  }
  if (!is_bitstring(value)) return am::type;
  *bits += bit_size(value);
  return kNone;
}
static Term put_segment(Exec& c, Segment s, BitWriter& w) {
  Term t = s.type();
  if (t == am::string) {
    w.put_string(reinterpret_cast<const uint8_t*>(s.w[4]), s.w[5] * 8);
    return kNone;
  }
  Term value = load_operand(c, s.w[4]);
  if (WB_LIKELY(t == am::integer)) {
    size_t bits = 0;
    segment_bits(load_operand(c, s.w[5]), s.unit(), &bits);
    return w.put_integer(value, bits, s.little());
  }
  if (t == am::utf8) return w.put_utf8(value);
  if (t == am::utf16) return w.put_utf16(value, s.little());
  if (t == am::utf32) return w.put_utf32(value, s.little());
  Term size = load_operand(c, s.w[5]);
  if (t == am::binary && size == am::all) return w.put_all(value, s.unit());
  size_t bits = 0;
  segment_bits(size, s.unit(), &bits);
  if (t == am::float_) return w.put_float(value, bits, s.little());
  return w.put_bitstring(value, bits);
}

/// What was appended to is the beginning of the result; else it has been copied.
static bool is_same_storage(Term source, Term result) {
  if (source == result) return true;
  return header_kind(header_of(source)) == Kind::sub_bin &&
         sub_bin::base(boxed_ptr(source)) == sub_bin::base(boxed_ptr(result));
}

constexpr size_t kBinaryWords = 16;  // heap_bin or refc_bin + sub_bin

static const Word* op_bs_create_bin(Exec& c, const Word* I) {  // fail heap live dst n segments
  if (!safe_point(c, I[2] + kBinaryWords, static_cast<uint32_t>(I[3]))) return leave_dying(c);
  const Word *begin = I + 6, *end = begin + I[5];
  bool appending = begin < end && (begin[0] == am::append || begin[0] == am::private_append);
  const Word* first = appending ? begin + 6 : begin;
  size_t bits = 0;
  for (const Word* w = first; w < end; w += 6) {
    Segment s{w};
    Term what = size_of_segment(c, s, &bits);
    if (is_value(what)) {
      return segment_failed(c, I, s, what, load_operand(c, has_size(c, s) ? w[5] : w[4]));
    }
  }
  BitWriter writer;
  Term result;
  if (appending) {
    Segment s{begin};
    Term source = load_operand(c, begin[4]);
    result =
        append_start(c.p->heap, source, bits, s.unit(), begin[0] == am::private_append, &writer);
    if (is_fault(result)) {
      Term what = result == kSystemLimit ? am::system_limit
                  : is_bitstring(source) ? am::unit
                                         : am::type;
      return segment_failed(c, I, s, what, source);
    }
  } else {
    result = new_bitstring(c.p->heap, bits, &writer);
    if (is_fault(result)) {
      return I[1] ? reinterpret_cast<const Word*>(I[1]) : raise_error(c, I, am::system_limit);
    }
  }
  for (const Word* w = first; w < end; w += 6) {
    Term what = put_segment(c, Segment{w}, writer);
    if (is_value(what)) {
      // A float of an impossible size: the size is to blame, not the value.
      Term blamed = load_operand(c, what == am::invalid ? w[5] : w[4]);
      return segment_failed(c, I, Segment{w}, what, blamed);
    }
  }
  if (appending && !is_same_storage(load_operand(c, begin[4]), result)) bits += bit_size(result);
  store_operand(c, I[4], result);
  c.fc -= static_cast<int64_t>(bits / 8192);
  return end;
}

// --- older compilers: the binary under construction is in Exec between the instructions
// ------------------
static const Word* put_failed(Exec& c, const Word* I, Term what) {
  if (I[1]) return reinterpret_cast<const Word*>(I[1]);
  return raise_error(c, I, what == am::system_limit ? am::system_limit : am::badarg);
}
static const Word* op_bs_init(Exec& c, const Word* I) {  // fail size unit heap live dst
  size_t bits = 0;  // the size is read first: it may be in a register that is not kept
  Term what = segment_bits(load_operand(c, I[2]), static_cast<unsigned>(I[3]), &bits);
  if (is_value(what)) return put_failed(c, I, what);
  if (!safe_point(c, I[4] + kBinaryWords, static_cast<uint32_t>(I[5]))) return leave_dying(c);
  Term t = new_bitstring(c.p->heap, bits, &c.writer);
  if (is_fault(t)) return put_failed(c, I, am::system_limit);
  store_operand(c, I[6], t);
  return I + 7;
}
static const Word* append(Exec& c, const Word* I, size_t bits, Term source, unsigned unit,
                          bool reuse, Word dst, const Word* next) {
  Term t = append_start(c.p->heap, source, bits, unit, reuse, &c.writer);
  if (is_fault(t)) return put_failed(c, I, t == kSystemLimit ? am::system_limit : am::badarg);
  store_operand(c, dst, t);
  return next;
}
static const Word* op_bs_append(Exec& c, const Word* I) {  // fail size heap live unit src dst
  size_t bits = 0;
  Term what = segment_bits(load_operand(c, I[2]), 1, &bits);
  if (is_value(what)) return put_failed(c, I, what);
  if (!safe_point(c, I[3] + kBinaryWords, static_cast<uint32_t>(I[4]))) return leave_dying(c);
  return append(c, I, bits, load_operand(c, I[6]), static_cast<unsigned>(I[5]), false, I[7], I + 8);
}
static const Word* op_bs_private_append(Exec& c, const Word* I) {  // fail size unit src dst
  size_t bits = 0;
  Term what = segment_bits(load_operand(c, I[2]), 1, &bits);
  if (is_value(what)) return put_failed(c, I, what);
  return append(c, I, bits, load_operand(c, I[4]), static_cast<unsigned>(I[3]), true, I[5], I + 6);
}
static const Word* op_bs_init_writable(Exec& c, const Word* I) {
  if (!safe_point(c, kBinaryWords, 1)) return leave_dying(c);
  int64_t size = 0;
  if (!to_int64(c.x[0], &size) || size < 0) size = 0;
  Term t = init_writable(c.p->heap, static_cast<size_t>(size));
  if (is_fault(t)) return raise_error(c, I, am::system_limit);
  c.x[0] = t;
  return I + 1;
}
// fail size unit flags src
static const Word* op_bs_put_integer(Exec& c, const Word* I) {
  size_t bits = 0;
  Term what = segment_bits(load_operand(c, I[2]), static_cast<unsigned>(I[3]), &bits);
  if (is_fault(what) && bits > c.writer.left()) what = am::badarg;
  if (is_fault(what)) what = c.writer.put_integer(load_operand(c, I[5]), bits, is_little(I[4]));
  return is_fault(what) ? I + 6 : put_failed(c, I, what);
}
static const Word* op_bs_put_float(Exec& c, const Word* I) {
  size_t bits = 0;
  Term what = segment_bits(load_operand(c, I[2]), static_cast<unsigned>(I[3]), &bits);
  if (is_fault(what) && bits > c.writer.left()) what = am::badarg;
  if (is_fault(what)) what = c.writer.put_float(load_operand(c, I[5]), bits, is_little(I[4]));
  return is_fault(what) ? I + 6 : put_failed(c, I, what);
}
static const Word* op_bs_put_binary(Exec& c, const Word* I) {
  Term size = load_operand(c, I[2]), value = load_operand(c, I[5]), what;
  size_t bits = 0;
  auto unit = static_cast<unsigned>(I[3]);
  bool whole = size == am::all;
  what = whole ? all_bits(value, unit, &bits) : segment_bits(size, unit, &bits);
  if (is_fault(what) && bits > c.writer.left()) what = am::badarg;
  if (is_fault(what)) {
    what = whole ? c.writer.put_all(value, unit) : c.writer.put_bitstring(value, bits);
  }
  return is_fault(what) ? I + 6 : put_failed(c, I, what);
}
static const Word* op_bs_put_string(Exec& c, const Word* I) {  // bytes address
  if (I[1] * 8 <= c.writer.left()) {
    c.writer.put_string(reinterpret_cast<const uint8_t*>(I[2]), I[1] * 8);
  }
  return I + 3;
}
static Term utf_bits(Term value, Word kind, size_t* bits) {
  return kind == 8    ? utf8_bits(value, bits)
         : kind == 16 ? utf16_bits(value, bits)
                      : utf32_bits(value, bits);
}
static const Word* op_bs_put_utf(Exec& c, const Word* I) {  // fail 8|16|32 flags src
  Term value = load_operand(c, I[4]);
  bool little = is_little(I[3]);
  size_t bits = 0;
  Term what = utf_bits(value, I[2], &bits);
  if (is_fault(what) && bits > c.writer.left()) what = am::badarg;
  if (is_fault(what)) {
    what = I[2] == 8    ? c.writer.put_utf8(value)
           : I[2] == 16 ? c.writer.put_utf16(value, little)
                        : c.writer.put_utf32(value, little);
  }
  return is_fault(what) ? I + 5 : put_failed(c, I, what);
}
/// Bytes a code point needs; for anything else four, and the put that follows fails.
static const Word* op_bs_utf_size(Exec& c, const Word* I) {  // 8|16 src dst
  size_t bits = 0;
  if (is_value(utf_bits(load_operand(c, I[2]), I[1], &bits))) bits = 32;
  store_operand(c, I[3], make_small(static_cast<int64_t>(bits / 8)));
  return I + 4;
}
static const Word* op_bs_add(Exec& c, const Word* I) {  // fail a b unit dst
  size_t total = 0;
  Term what = segment_bits(load_operand(c, I[2]), 1, &total);
  if (is_fault(what))
    what = segment_bits(load_operand(c, I[3]), static_cast<unsigned>(I[4]), &total);
  if (is_value(what)) return put_failed(c, I, what);
  store_operand(c, I[5], make_small(static_cast<int64_t>(total)));
  return I + 6;
}

void install_bit_building(Word* t, bool) {
#define INSTALL(name) set_slow(t, Instr::name, &slow_handler<op_##name>);
  INSTALL(bs_create_bin)
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
