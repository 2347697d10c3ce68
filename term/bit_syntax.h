// The bit syntax: what the interpreter's matching and constructing instructions are made of.
//
// Matching. A match context (Kind::match_ctx) is a cursor over the bits of one heap_bin or
// refc_bin. Every get_* reads at the cursor and moves it past what it read; when the bits are too
// few or are no such value it returns kNone (false) and leaves the cursor where it was. `ctx` is
// the pointer to the context's header.
//
// Constructing. The instruction first adds up the sizes (segment_bits, all_bits, utf*_bits), so
// that memory is allocated once; then a BitWriter is filled segment by segment. A BitWriter is
// three plain words and belongs to nobody: between the segments of one construction there is no
// safe point. What can go wrong with a segment is named by the atom that
// `erl_erts_errors:format_bs_fail/2` wants as third element of the cause: type, size, short, unit,
// invalid, no_float; kNone is success, system_limit means error:system_limit with the cause `size`
// instead of badarg. Order visible to programs: sizes given explicitly are checked first, segment
// by segment, then `all` and utf segments, then the values in order.
//
// Appending in amortised constant time. `<<Acc/binary, ...>>` puts the new bits behind Acc's into
// spare room of Acc's own off-heap binary if Acc is the sub_bin that owns that room (see
// term/binary.h) and nobody else shares the binary; else it copies once into a new one with room.
// Rejected: growing in place while another process shares the bytes. It would be correct, but every
// reader of a last, partly used byte would race with us.
#pragma once

#include "term/atom.h"
#include "term/bits.h"

namespace wb {

// --- matching -----------------------------------------------------------------------------------
/// A context over `t`; kNone if `t` is neither a bitstring nor a context (which is returned as is).
Term start_match(Heap& h, Term t);

/// Makes it, of MatchContext::kWords words.
WB_INLINE Term put_context(Term* at, Term bitstring) {
  Extent e = extent_of(bitstring);
  auto* ctx = reinterpret_cast<MatchContext*>(at);
  ctx->header = make_header(Kind::match_ctx, MatchContext::kWords - 1);
  ctx->end = e.start + e.bits;
  ctx->position = e.start;
  ctx->start = e.start;
  ctx->base = e.base;
  return make_boxed(at);
}

WB_INLINE size_t match_left(const MatchContext* ctx) { return ctx->end - ctx->position; }
WB_INLINE bool match_has(const MatchContext* ctx, size_t bits) { return match_left(ctx) >= bits; }

Term get_integer(Heap& h, MatchContext* ctx, size_t bits, bool little, bool is_signed);
/// bits is 16, 32 or 64 (0 gives 0.0, anything else does not match); NaN, infinities do not match.
Term get_float(Heap& h, MatchContext* ctx, size_t bits, bool little);
Term get_bitstring(Heap& h, MatchContext* ctx, size_t bits);
/// The rest, whose size must be a multiple of `unit`.
Term get_rest(Heap& h, MatchContext* ctx, unsigned unit);
/// Code points as smalls. Surrogates, overlong forms and values over 10FFFF do not match.
Term get_utf8(MatchContext* ctx);
Term get_utf16(MatchContext* ctx, bool little);
Term get_utf32(MatchContext* ctx, bool little);
bool match_skip(MatchContext* ctx, size_t bits);
bool match_string(MatchContext* ctx, const uint8_t* literal, size_t bits);
/// bs_get_tail: what is left, without moving.
Term match_tail(Heap& h, const MatchContext* ctx);
/// The whole that the context was started on (bs_context_to_binary).
Term match_whole(Heap& h, const MatchContext* ctx);

/// Size in bits of a segment given as a term and a unit, for matching: false if it cannot match
/// (negative, no integer, too big).
bool match_bits(Term size, unsigned unit, size_t* bits);

// --- sizes, for construction ---------------------------------------------------------------------
Term segment_bits_slow(Term size, unsigned unit, size_t* bits);
/// kNone and *bits += size * unit; else size (badarg) or system_limit.
WB_INLINE Term segment_bits(Term size, unsigned unit, size_t* bits) {
  constexpr Word kUsual = Word{1} << 36;  // no overflow with it, nor with any number of segments
  if (WB_LIKELY(is_small(size) && size < kUsual && *bits < kUsual)) {
    *bits += (size >> 4) * unit;
    return kNone;
  }
  return segment_bits_slow(size, unit, bits);
}
/// The whole of `value`: kNone, or type / unit.
Term all_bits(Term value, unsigned unit, size_t* bits);
Term utf8_bits(Term value, size_t* bits);
Term utf16_bits(Term value, size_t* bits);
Term utf32_bits(Term value, size_t* bits);

// --- construction --------------------------------------------------------------------------------
struct BitWriter {
  uint8_t* bytes = nullptr;
  size_t position = 0;  ///< in bits from bytes[0]
  size_t end = 0;

  size_t left() const { return end - position; }

  /// kNone or type.
  WB_INLINE Term put_integer(Term value, size_t bits, bool little) {
    if (WB_LIKELY(is_small(value) && bits == 8 && (position & 7) == 0)) {
      bytes[position >> 3] = static_cast<uint8_t>(value >> 4);
      position += 8;
      return kNone;
    }
    return put_integer_slow(value, bits, little);
  }
  Term put_integer_slow(Term value, size_t bits, bool little);
  Term put_float(Term value, size_t bits,
                 bool little);                  ///< kNone, type, no_float, invalid (of the size)
  Term put_bitstring(Term value, size_t bits);  ///< the first `bits`: kNone, type, short
  Term put_all(Term value, unsigned unit);      ///< kNone, type, unit
  Term put_utf8(Term value);                    ///< kNone, type
  Term put_utf16(Term value, bool little);
  Term put_utf32(Term value, bool little);
  void put_string(const uint8_t* literal, size_t bits);
  /// Zeroes what is to be written: who writes less must not see what memory held.
  void clear();
};

/// A new bitstring of `bits` bits to be filled by *w. kSystemLimit if too big or memory is out.
Term new_bitstring(Heap& h, size_t bits, BitWriter* w);
/// `source` (any bitstring) with `extra` more bits, to be filled by *w; the source stays as it is.
/// With `reuse` (bs_private_append) nobody else sees `source`, which may itself become the result.
/// kBadarg if source is no bitstring or its size is no multiple of `unit`.
Term append_start(Heap& h, Term source, size_t extra, unsigned unit, bool reuse, BitWriter* w);
/// bs_init_writable: an empty bitstring with room for `bytes`; 0: for as many as usual.
Term init_writable(Heap& h, size_t bytes);

// --- float formats -------------------------------------------------------------------------------
/// The double as 16, 32 or 64 bits, rounded to nearest even (too big: infinity), and back.
uint64_t float_to_bits(double d, unsigned bits);
double float_from_bits(uint64_t word, unsigned bits);

}  // namespace wb
