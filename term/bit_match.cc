#include <algorithm>
#include <cmath>

#include "term/bit_syntax.h"
#include "term/number.h"
#include "term/utf8.h"

namespace wb {

namespace {
constexpr unsigned kMaxWord = 64;

Term small_bits(Heap& h, uint64_t v, unsigned bits, bool is_signed) {
  if (is_signed && bits) {
    unsigned up = 64 - bits;
    return make_integer(h, static_cast<int64_t>(v << up) >> up);
  }
  return make_unsigned(h, v);
}

uint64_t swap_bytes(uint64_t v, unsigned bits) { return __builtin_bswap64(v) >> (64 - bits); }

uint32_t read_unit(const uint8_t* base, size_t at, unsigned bits, bool little) {
  uint64_t v = read_bits(base, at, bits);
  return static_cast<uint32_t>(little ? swap_bytes(v, bits) : v);
}
}  // namespace

Term start_match(Heap& h, Term t) {
  if (!is_boxed(t)) return kNone;
  if (is_kind(t, Kind::match_ctx)) return t;
  if (!is_bitstring(t)) return kNone;
  return put_context(h.alloc(MatchContext::kWords), t);
}

Term get_integer(Heap& h, MatchContext* ctx, size_t bits, bool little, bool is_signed) {
  if (!match_has(ctx, bits)) return kNone;
  const uint8_t* base = base_bytes(ctx->base);
  size_t at = ctx->position;
  ctx->position += bits;
  if (bits <= kMaxWord && (!little || (bits & 7) == 0)) {
    unsigned n = static_cast<unsigned>(bits);
    uint64_t v = read_bits(base, at, n);
    if (little && n) v = swap_bytes(v, n);
    return small_bits(h, v, n, is_signed);
  }
  return integer_from_bits(h, base + (at >> 3), at & 7, bits, little, is_signed);
}

Term get_float(Heap& h, MatchContext* ctx, size_t bits, bool little) {
  if (bits == 0) return make_float(h, 0.0);  // as BEAM does
  if (bits != 16 && bits != 32 && bits != 64) return kNone;
  if (!match_has(ctx, bits)) return kNone;
  unsigned n = static_cast<unsigned>(bits);
  uint64_t v = read_bits(base_bytes(ctx->base), ctx->position, n);
  if (little) v = swap_bytes(v, n);
  double d = float_from_bits(v, n);
  if (!std::isfinite(d)) return kNone;
  ctx->position += bits;
  return make_float(h, d);
}

Term get_bitstring(Heap& h, MatchContext* ctx, size_t bits) {
  if (!match_has(ctx, bits)) return kNone;
  size_t at = ctx->position;
  ctx->position += bits;
  return window_or_copy(h, ctx->base, at, bits);
}

Term get_rest(Heap& h, MatchContext* ctx, unsigned unit) {
  size_t left = match_left(ctx);
  return left % unit ? kNone : get_bitstring(h, ctx, left);
}

namespace {
Term take_utf8_of(MatchContext* ctx, const uint8_t* bytes, size_t n) {
  uint32_t c;
  int length = utf8_decode(bytes, n, &c);
  if (length <= 0) return kNone;
  ctx->position += 8 * static_cast<size_t>(length);
  return make_small(c);
}
WB_COLD Term get_moved_utf8(MatchContext* ctx, const uint8_t* bytes, size_t n) {
  uint8_t moved[4];
  n = std::min(n, sizeof moved);
  copy_bits(moved, 0, bytes, ctx->position & 7, 8 * n);
  return take_utf8_of(ctx, moved, n);
}
}  // namespace

Term get_utf8(MatchContext* ctx) {
  const size_t n = match_left(ctx) / 8;
  if (n == 0) return kNone;
  const uint8_t* bytes = base_pointer(ctx->base) + (ctx->position >> 3);
  if (WB_UNLIKELY((ctx->position & 7) != 0)) return get_moved_utf8(ctx, bytes, n);
  return take_utf8_of(ctx, bytes, n);
}

Term get_utf16(MatchContext* ctx, bool little) {
  const uint8_t* base = base_bytes(ctx->base);
  if (!match_has(ctx, 16)) return kNone;
  uint32_t c = read_unit(base, ctx->position, 16, little);
  if (is_code_point(c)) {
    ctx->position += 16;
    return make_small(c);
  }
  if (c > 0xdbff || !match_has(ctx, 32)) return kNone;
  uint32_t low = read_unit(base, ctx->position + 16, 16, little);
  if (low < 0xdc00 || low > 0xdfff) return kNone;
  ctx->position += 32;
  return make_small(0x10000 + ((c & 0x3ff) << 10 | (low & 0x3ff)));
}

Term get_utf32(MatchContext* ctx, bool little) {
  if (!match_has(ctx, 32)) return kNone;
  uint32_t c = read_unit(base_bytes(ctx->base), ctx->position, 32, little);
  if (!is_code_point(c)) return kNone;
  ctx->position += 32;
  return make_small(c);
}

bool match_skip(MatchContext* ctx, size_t bits) {
  if (!match_has(ctx, bits)) return false;
  ctx->position += bits;
  return true;
}

bool match_string(MatchContext* ctx, const uint8_t* literal, size_t bits) {
  if (!match_has(ctx, bits)) return false;
  if (!equal_bits(base_bytes(ctx->base), ctx->position, literal, 0, bits)) return false;
  ctx->position += bits;
  return true;
}

Term match_tail(Heap& h, const MatchContext* ctx) {
  return window_or_copy(h, ctx->base, ctx->position, match_left(ctx));
}

Term match_whole(Heap& h, const MatchContext* ctx) {
  return window_or_copy(h, ctx->base, ctx->start, ctx->end - ctx->start);
}

bool match_bits(Term size, unsigned unit, size_t* bits) {
  if (!is_small(size) || small_value(size) < 0) return false;
  return !__builtin_mul_overflow(static_cast<size_t>(small_value(size)), size_t{unit}, bits);
}

}  // namespace wb
