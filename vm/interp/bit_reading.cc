// The bit syntax, matching: the common steps with sizes known to the loader, specialised by the
// registers of context and result. Everything else is in bit_matching.cc.
#include "term/binary.h"
#include "term/bit_syntax.h"
#include "term/bits.h"
#include "vm/interp/errors.h"
#include "vm/interp/handler.h"

namespace wb {

// ctx dst fail
FAST_2(bs_get_byte) {
  MatchContext* ctx = match_context(WB_LOAD(A, context));
  if (WB_UNLIKELY(!match_has(ctx, 8))) WB_BRANCH(fail);
  size_t at = ctx->position;
  ctx->position = at + 8;
  const uint8_t* p = base_pointer(ctx->base) + (at >> 3);
  unsigned shift = at & 7;
  unsigned v = p[0];
  if (WB_UNLIKELY(shift != 0)) v = (v << shift | p[1] >> (8 - shift)) & 0xff;
  WB_STORE(B, dst, make_small(v));
  WB_NEXT();
}
// ctx dst fail bits: 1 to 56 bits, unsigned, the first is the highest
FAST_2(bs_get_bits) {
  MatchContext* ctx = match_context(WB_LOAD(A, context));
  size_t bits = WB_NUMBER(bits);
  if (WB_UNLIKELY(!match_has(ctx, bits))) WB_BRANCH(fail);
  size_t at = ctx->position;
  ctx->position = at + bits;
  uint64_t v = read_few_bits(base_pointer(ctx->base), at, static_cast<unsigned>(bits), ctx->end);
  WB_STORE(B, dst, make_small(static_cast<int64_t>(v)));
  WB_NEXT();
}
// ctx fail bits
FAST_1(bs_skip) {
  MatchContext* ctx = match_context(WB_LOAD(A, context));
  size_t bits = WB_NUMBER(bits);
  if (WB_UNLIKELY(!match_has(ctx, bits))) WB_BRANCH(fail);
  ctx->position += bits;
  WB_NEXT();
}
// ctx fail bits
FAST_1(bs_tail_is) {
  if (WB_LIKELY(match_left(match_context(WB_LOAD(A, context))) == WB_NUMBER(bits))) WB_NEXT();
  WB_BRANCH(fail);
}
// ctx fail bits
FAST_1(bs_has) {
  if (WB_LIKELY(match_has(match_context(WB_LOAD(A, context)), WB_NUMBER(bits)))) WB_NEXT();
  WB_BRANCH(fail);
}
FAST_1(bs_has_bytes) {
  size_t left = match_left(match_context(WB_LOAD(A, context))), bits = WB_NUMBER(bits);
  if (WB_LIKELY(left >= bits && ((left - bits) & 7) == 0)) WB_NEXT();
  WB_BRANCH(fail);
}
// ctx fail bits unit
FAST_1(bs_has_units) {
  size_t left = match_left(match_context(WB_LOAD(A, context))), bits = WB_NUMBER(bits);
  if (WB_LIKELY(left >= bits && (left - bits) % WB_NUMBER(unit) == 0)) WB_NEXT();
  WB_BRANCH(fail);
}
// ctx fail
FAST_1(bs_whole_bytes) {
  if (WB_LIKELY((match_left(match_context(WB_LOAD(A, context))) & 7) == 0)) WB_NEXT();
  WB_BRANCH(fail);
}

// src dst fail live: a match context of a binary, or the one that it is already
template <K A, K B>
static const Word* op_bs_open(Exec& c, const Word* I) {
  instr::bs_open in{I};
  if (!safe_point(c, MatchContext::kWords, static_cast<uint32_t>(in.live()))) return leave_dying(c);
  Term ctx = start_match(c.p->heap, load_kind<A>(c, in.source()));
  if (is_value(ctx)) {
    store_kind<B>(c, in.dst(), ctx);
    return in.after();
  }
  return in.fail() ? reinterpret_cast<const Word*>(in.fail()) : raise_error(c, I, am::badarg);
}
#define OPEN(name, otherwise)                                                              \
  FAST_2(name) {                                                                           \
    Term t = WB_LOAD(A, source);                                                           \
    if (is_bitstring(t)) {                                                                 \
      if (WB_UNLIKELY(!WB_HAS_ROOM((MatchContext::kWords + kCallSlack) * sizeof(Word)))) { \
        WB_SLOW((op_bs_open<A, B>));                                                       \
      }                                                                                    \
      t = put_context(HP, t);                                                              \
      HP += MatchContext::kWords;                                                          \
    } else if (WB_UNLIKELY(!is_kind(t, Kind::match_ctx))) {                                \
      otherwise;                                                                           \
    }                                                                                      \
    WB_STORE(B, dst, t);                                                                   \
    WB_NEXT();                                                                             \
  }
OPEN(bs_open, WB_BRANCH(fail))
OPEN(bs_open_surely, WB_SLOW((op_bs_open<A, B>)))
#ifndef WB_STENCILS
template <K A, K B>
struct slow_bs_open {
  WB_PRESERVE_NONE static void run(WB_HANDLER_ARGS) { WB_SLOW((op_bs_open<A, B>)); }
};
#endif

void install_bit_reading(Word* t, bool stress) {
  fill::two<Instr::bs_get_byte, h_bs_get_byte, 5, 5>(t);
  fill::two<Instr::bs_get_bits, h_bs_get_bits, 5, 5>(t);
  fill::one<Instr::bs_skip, h_bs_skip, 5>(t);
  fill::one<Instr::bs_tail_is, h_bs_tail_is, 5>(t);
  fill::one<Instr::bs_has, h_bs_has, 5>(t);
  fill::one<Instr::bs_has_bytes, h_bs_has_bytes, 5>(t);
  fill::one<Instr::bs_has_units, h_bs_has_units, 5>(t);
  fill::one<Instr::bs_whole_bytes, h_bs_whole_bytes, 5>(t);
  fill::two<Instr::bs_open, h_bs_open, 5, 5>(t);
  fill::two<Instr::bs_open_surely, h_bs_open_surely, 5, 5>(t);
#ifndef WB_STENCILS
  if (stress) {
    fill::two<Instr::bs_open, slow_bs_open, 5, 5>(t);
    fill::two<Instr::bs_open_surely, slow_bs_open, 5, 5>(t);
  }
#endif
}

}  // namespace wb
