// Matching bits as the baseline compiler has it (vm/jit/lower_matching.cc): context and destination
// in registers, everything else known. What an operation does not do begins the whole instruction
// again. match_word does everything, and the loader makes it, too.
#include "term/binary.h"
#include "term/bit_syntax.h"
#include "term/utf8.h"
#include "vm/interp/handler.h"

namespace wb {

static const Word* op_repeat(Exec&, const Word* I) { return I; }
#define BEGIN_AGAIN WB_SLOW(op_repeat)
#define CONTEXT match_context(WB_LOAD(A, context))

static WB_INLINE const uint8_t* bytes_at(const MatchContext* ctx, size_t at) {
  return base_pointer(ctx->base) + (at >> 3);
}
// ctx dst fail bits: an integer of 1 to 56 bits; little-endian ones are whole bytes
#define TAKE_INTEGER(name, little, is_signed)                                          \
  FAST_2(name) {                                                                       \
    MatchContext* ctx = CONTEXT;                                                       \
    size_t bits = WB_NUMBER(bits), at = ctx->position;                                 \
    if (WB_UNLIKELY(!match_has(ctx, bits))) WB_BRANCH(fail);                           \
    unsigned n = static_cast<unsigned>(bits), rest = (64 - n) & 63;                    \
    uint64_t v = read_few_bits(base_pointer(ctx->base), at, n, ctx->end);              \
    if (little) v = __builtin_bswap64(v) >> rest;                                      \
    if (is_signed) v = static_cast<uint64_t>(static_cast<int64_t>(v << rest) >> rest); \
    ctx->position = at + bits;                                                         \
    WB_STORE(B, dst, make_small(static_cast<int64_t>(v)));                             \
    WB_NEXT();                                                                         \
  }
TAKE_INTEGER(take_little, true, false)
TAKE_INTEGER(take_big_signed, false, true)
TAKE_INTEGER(take_little_signed, true, true)

// ctx dst fail: eight bytes
#define TAKE_EIGHT(name, order)                                                        \
  FAST_2(name) {                                                                       \
    MatchContext* ctx = CONTEXT;                                                       \
    size_t at = ctx->position;                                                         \
    if (WB_UNLIKELY(!match_has(ctx, 64))) WB_BRANCH(fail);                             \
    if (WB_UNLIKELY((at & 7) != 0 || !WB_HAS_ROOM((2 + kCallSlack) * sizeof(Word)))) { \
      BEGIN_AGAIN;                                                                     \
    }                                                                                  \
    uint64_t v = order(load_be64(bytes_at(ctx, at)));                                  \
    ctx->position = at + 64;                                                           \
    Term t = make_small(static_cast<int64_t>(v));                                      \
    if (v >> 59 != 0) {                                                                \
      HP[0] = make_header(Kind::big_pos, 1);                                           \
      HP[1] = v;                                                                       \
      t = make_boxed(HP);                                                              \
      HP += 2;                                                                         \
    }                                                                                  \
    WB_STORE(B, dst, t);                                                               \
    WB_NEXT();                                                                         \
  }
TAKE_EIGHT(take_big8, )
TAKE_EIGHT(take_little8, __builtin_bswap64)

// ctx dst fail: a float of 64 bits, big-endian
FAST_2(take_float) {
  MatchContext* ctx = CONTEXT;
  if (WB_UNLIKELY(!match_has(ctx, 64))) WB_BRANCH(fail);
  if (WB_UNLIKELY(!WB_HAS_ROOM((2 + kCallSlack) * sizeof(Word)))) BEGIN_AGAIN;
  size_t at = ctx->position;
  if (WB_UNLIKELY((at & 7) != 0)) BEGIN_AGAIN;
  uint64_t v = load_be64(bytes_at(ctx, at));
  if (WB_UNLIKELY((v >> 52 & 0x7ff) == 0x7ff)) WB_BRANCH(fail);  // no number
  ctx->position = at + 64;
  HP[0] = make_header(Kind::flo, 1);
  HP[1] = v;
  WB_STORE(B, dst, make_boxed(HP));
  HP += 2;
  WB_NEXT();
}

// --- binaries, as window_or_copy makes them: small ones are copied
static WB_INLINE bool makes_copy(size_t at, size_t bits) {
  return bits <= (sub_bin::kWords - 2) * 64 && ((bits | at) & 7) == 0;
}
/// A window over all of its base is the base, and small ones that are no bytes have a copy shifted:
/// not for here.
static WB_INLINE bool is_usual(const Term* HP, const Term* E, const MatchContext* ctx, size_t at,
                               size_t bits) {
  if (E - HP < static_cast<int64_t>(sub_bin::kWords + kCallSlack)) return false;
  if (makes_copy(at, bits)) return true;
  return bits > (sub_bin::kWords - 2) * 64 && (at != 0 || bits != extent_of(ctx->base).bits);
}
/// The sub-binary at HP; where the heap goes on.
static WB_INLINE Term* put_piece(Term* HP, const MatchContext* ctx, size_t at, size_t bits) {
  if (!makes_copy(at, bits)) {
    HP[0] = make_header(Kind::sub_bin, sub_bin::kWords - 1);
    HP[1] = bits;
    HP[2] = at;
    HP[3] = 0;
    HP[4] = ctx->base;
    return HP + sub_bin::kWords;
  }
  size_t n = bits >> 3, words = words_for_bytes(n);
  HP[0] = make_header(Kind::heap_bin, 1 + words);
  HP[1] = n;
  const uint8_t* from = bytes_at(ctx, at);
  Term* to = HP + 2;
  for (; n >= 8; n -= 8, from += 8) memcpy(to++, from, 8);
  if (n) {
    Word tail = 0;
    do tail = tail << 8 | from[--n];
    while (n);
    *to++ = tail;
  }
  return to;
}
#define TAKE_PIECE(at, bits)                                     \
  if (WB_UNLIKELY(!is_usual(HP, E, ctx, at, bits))) BEGIN_AGAIN; \
  Term* end_ = put_piece(HP, ctx, at, bits);                     \
  Term piece_ = make_boxed(HP);                                  \
  HP = end_;

// ctx dst fail unit: the size is in the scratch registers
FAST_2(take_sized) {
  MatchContext* ctx = CONTEXT;
  Term size = C->x[kScratch];
  if (WB_UNLIKELY(!is_small(size) || size >= make_small(int64_t{1} << 32))) BEGIN_AGAIN;
  size_t at = ctx->position, bits = (size >> 4) * WB_NUMBER(unit);
  if (WB_UNLIKELY(!match_has(ctx, bits))) WB_BRANCH(fail);
  TAKE_PIECE(at, bits)
  ctx->position = at + bits;
  WB_STORE(B, dst, piece_);
  WB_NEXT();
}
// ctx fail unit: the same, and nobody wants it
FAST_1(skip_sized) {
  MatchContext* ctx = CONTEXT;
  Term size = C->x[kScratch];
  if (WB_UNLIKELY(!is_small(size) || size >= make_small(int64_t{1} << 32))) BEGIN_AGAIN;
  size_t bits = (size >> 4) * WB_NUMBER(unit);
  if (WB_UNLIKELY(!match_has(ctx, bits))) WB_BRANCH(fail);
  ctx->position += bits;
  WB_NEXT();
}
// ctx dst fail: what is left, if it is whole bytes
FAST_2(take_rest) {
  MatchContext* ctx = CONTEXT;
  size_t at = ctx->position, bits = match_left(ctx);
  if (WB_UNLIKELY(bits & 7)) WB_BRANCH(fail);
  TAKE_PIECE(at, bits)
  ctx->position = at + bits;
  WB_STORE(B, dst, piece_);
  WB_NEXT();
}
// ctx dst: the same, staying there
FAST_2(take_tail) {
  const MatchContext* ctx = CONTEXT;
  size_t at = ctx->position, bits = match_left(ctx);
  TAKE_PIECE(at, bits)
  WB_STORE(B, dst, piece_);
  WB_NEXT();
}
// ctx dst, ctx position
FAST_2(get_position) {
  const MatchContext* ctx = CONTEXT;
  WB_STORE(B, dst, make_small(static_cast<int64_t>(ctx->position - ctx->start)));
  WB_NEXT();
}
FAST_2(set_position) {
  MatchContext* ctx = CONTEXT;
  Term position = WB_LOAD(B, position);
  uint64_t offset = position >> 4;  // a hostile one must still stay inside
  if (WB_LIKELY(is_small(position) && offset <= ctx->end - ctx->start))
    ctx->position = ctx->start + offset;
  WB_NEXT();
}

// ctx fail bits word: at most 56 bits that must be those
FAST_1(match_word) {
  MatchContext* ctx = CONTEXT;
  size_t bits = WB_NUMBER(bits), at = ctx->position;
  if (WB_UNLIKELY(!match_has(ctx, bits))) WB_BRANCH(fail);
  if (read_few_bits(base_pointer(ctx->base), at, static_cast<unsigned>(bits), ctx->end) !=
      WB_ADDRESS(value))
    WB_BRANCH(fail);
  ctx->position = at + bits;
  WB_NEXT();
}

// ctx dst fail function: a code point in UTF-8
FAST_2(take_utf8) {
  MatchContext* ctx = CONTEXT;
  size_t at = ctx->position;
  uint32_t c;
  int length;
  if (WB_LIKELY((at & 7) == 0 && match_has(ctx, 8)) &&
      WB_LIKELY((length = utf8_decode_common(bytes_at(ctx, at), match_left(ctx) / 8, &c)) != 0)) {
    ctx->position = at + 8 * static_cast<size_t>(length);
    WB_STORE(B, dst, make_small(c));
    WB_NEXT();
  }
  Term t = reinterpret_cast<Term (*)(MatchContext*)>(WB_ADDRESS(function))(ctx);
  if (WB_UNLIKELY(!is_value(t))) WB_BRANCH(fail);
  WB_STORE(B, dst, t);
  WB_NEXT();
}
// ctx fail function
FAST_1(skip_utf8) {
  MatchContext* ctx = CONTEXT;
  if (WB_UNLIKELY(!is_value(reinterpret_cast<Term (*)(MatchContext*)>(WB_ADDRESS(function))(ctx))))
    WB_BRANCH(fail);
  WB_NEXT();
}

void install_lowered_matching(Word* t, bool) {
#define INSTALL(name) fill::two<Instr::name, h_##name, 5, 5>(t);
  INSTALL(take_big8)
  INSTALL(take_little8)
  INSTALL(take_little)
  INSTALL(take_big_signed)
  INSTALL(take_little_signed)
  INSTALL(take_float)
  INSTALL(take_sized)
  INSTALL(take_rest)
  INSTALL(take_tail)
  INSTALL(get_position)
  INSTALL(set_position)
  INSTALL(take_utf8)
  fill::one<Instr::skip_sized, h_skip_sized, 5>(t);
  fill::one<Instr::match_word, h_match_word, 5>(t);
  fill::one<Instr::skip_utf8, h_skip_utf8, 5>(t);
}

}  // namespace wb
