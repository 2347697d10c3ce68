// The bit syntax, matching: instructions over term/bit_syntax.h.
#include "bytecode/bit_flags.h"
#include "term/binary.h"
#include "term/bit_syntax.h"
#include "term/order.h"
#include "vm/interp/dynamic.h"
#include "vm/interp/errors.h"
#include "vm/interp/handler.h"

namespace wb {

static bool is_little(Word flags) { return flags & (kLittleBits | kNativeBits); }
static MatchContext* context(Exec& c, Word w) { return match_context(load_operand(c, w)); }
template <class V>
static const Word* failed(Exec& c, V in) {
  return in.fail() ? reinterpret_cast<const Word*>(in.fail()) : raise_error(c, in.I, am::badarg);
}
#define FAIL_UNLESS(cond) \
  if (WB_UNLIKELY(!(cond))) return failed(c, in)
#define SAFE_POINT(words, live) \
  if (!safe_point(c, words, static_cast<uint32_t>(live))) return leave_dying(c)

static const Word* op_bs_start_match(Exec& c, const Word* I) {
  instr::bs_start_match in{I};
  SAFE_POINT(MatchContext::kWords, in.live());
  Term ctx = start_match(c.p->heap, load_operand(c, in.source()));
  FAIL_UNLESS(is_value(ctx));
  store_operand(c, in.dst(), ctx);
  return in.after();
}
static const Word* op_bs_get_integer(Exec& c, const Word* I) {
  instr::bs_get_integer in{I};
  size_t bits;
  FAIL_UNLESS(match_bits(load_operand(c, in.size()), static_cast<unsigned>(in.unit()), &bits));
  FAIL_UNLESS(match_has(context(c, in.context()), bits));
  SAFE_POINT(bits > 59 ? bits / 64 + 3 : 0, in.live());
  Term t = get_integer(c.p->heap, context(c, in.context()), bits, is_little(in.flags()),
                       in.flags() & kSignedBits);
  FAIL_UNLESS(is_value(t));
  store_operand(c, in.dst(), t);
  return in.after();
}
static const Word* op_bs_get_float(Exec& c, const Word* I) {
  instr::bs_get_float in{I};
  size_t bits;
  SAFE_POINT(2, in.live());
  FAIL_UNLESS(match_bits(load_operand(c, in.size()), static_cast<unsigned>(in.unit()), &bits));
  Term t = get_float(c.p->heap, context(c, in.context()), bits, is_little(in.flags()));
  FAIL_UNLESS(is_value(t));
  store_operand(c, in.dst(), t);
  return in.after();
}
static const Word* op_bs_get_binary(Exec& c, const Word* I) {
  instr::bs_get_binary in{I};
  SAFE_POINT(sub_bin::kWords + 10, in.live());
  Term t;
  if (in.size() == am::all) {  // as the operand itself: in a register it is no size
    t = get_rest(c.p->heap, context(c, in.context()), static_cast<unsigned>(in.unit()));
  } else {
    size_t bits;
    FAIL_UNLESS(match_bits(load_operand(c, in.size()), static_cast<unsigned>(in.unit()), &bits));
    t = get_bitstring(c.p->heap, context(c, in.context()), bits);
  }
  FAIL_UNLESS(is_value(t));
  store_operand(c, in.dst(), t);
  return in.after();
}
static const Word* op_bs_skip_bits(Exec& c, const Word* I) {
  instr::bs_skip_bits in{I};
  MatchContext* ctx = context(c, in.context());
  if (in.size() == am::all) {
    FAIL_UNLESS(match_left(ctx) % in.unit() == 0);
    match_skip(ctx, match_left(ctx));
    return in.after();
  }
  size_t bits;
  FAIL_UNLESS(match_bits(load_operand(c, in.size()), static_cast<unsigned>(in.unit()), &bits) &&
              match_skip(ctx, bits));
  return in.after();
}
static const Word* op_bs_test_tail(Exec& c, const Word* I) {
  instr::bs_test_tail in{I};
  FAIL_UNLESS(match_left(context(c, in.context())) == in.bits());
  return in.after();
}
static const Word* op_bs_test_unit(Exec& c, const Word* I) {
  instr::bs_test_unit in{I};
  FAIL_UNLESS(match_left(context(c, in.context())) % in.unit() == 0);
  return in.after();
}
static const Word* op_bs_match_string(Exec& c, const Word* I) {
  instr::bs_match_string in{I};
  FAIL_UNLESS(match_string(context(c, in.context()), reinterpret_cast<const uint8_t*>(in.string()),
                           in.bits()));
  return in.after();
}
static const Word* op_bs_get_tail(Exec& c, const Word* I) {
  instr::bs_get_tail in{I};
  SAFE_POINT(sub_bin::kWords + 10, in.live());
  store_operand(c, in.dst(), match_tail(c.p->heap, context(c, in.context())));
  return in.after();
}
static Term get_utf(MatchContext* ctx, Word bits, bool little) {
  return bits == 8 ? get_utf8(ctx) : bits == 16 ? get_utf16(ctx, little) : get_utf32(ctx, little);
}
static const Word* op_bs_get_utf(Exec& c, const Word* I) {
  instr::bs_get_utf in{I};
  Term t = get_utf(context(c, in.context()), in.bits(), is_little(in.flags()));
  FAIL_UNLESS(is_value(t));
  store_operand(c, in.dst(), t);
  return in.after();
}
static const Word* op_bs_skip_utf(Exec& c, const Word* I) {
  instr::bs_skip_utf in{I};
  FAIL_UNLESS(is_value(get_utf(context(c, in.context()), in.bits(), is_little(in.flags()))));
  return in.after();
}

// --- fast handlers
// ---------------------------------------------------------------------------------------- The same
// instructions where they have room and do not fail with an error: without spilling. What they do
// not do they leave to the operations above.
#define FAST(name) static WB_PRESERVE_NONE void fast_##name(WB_HANDLER_ARGS)
#define SLOWLY(name) WB_SLOW(op_##name)
#define ROOM(words) (E - HP >= static_cast<int64_t>((words) + kCallSlack))
#define JUMP_UNLESS(cond, name)     \
  do {                              \
    if (WB_UNLIKELY(!(cond))) {     \
      if (!in.fail()) SLOWLY(name); \
      WB_JUMP(in.fail());           \
    }                               \
  } while (0)

FAST(bs_start_match) {
  instr::bs_start_match in{I};
  Term t = DYN_LOAD(in.source());
  if (WB_UNLIKELY(!is_boxed(t))) SLOWLY(bs_start_match);
  if (is_bitstring(t)) {
    if (WB_UNLIKELY(!ROOM(MatchContext::kWords))) SLOWLY(bs_start_match);
    t = put_context(HP, t);
    HP += MatchContext::kWords;
  } else if (WB_UNLIKELY(!is_kind(t, Kind::match_ctx))) {
    SLOWLY(bs_start_match);
  }
  DYN_STORE(in.dst(), t);
  WB_JUMP(in.after());
}
/// `n` bytes as a heap_bin at `to`; the words used.
WB_INLINE static size_t put_heap_bin(Term* to, const uint8_t* bytes, size_t n) {
  size_t words = words_for_bytes(n);
  to[0] = make_header(Kind::heap_bin, 1 + words);
  to[1] = n;
  size_t i = 0;
  for (; i + 8 <= n; i += 8) memcpy(&to[2 + i / 8], bytes + i, 8);
  if (i < n) {
    Word tail = 0;
    for (size_t k = n; k > i; --k) tail = tail << 8 | bytes[k - 1];
    to[2 + i / 8] = tail;
  }
  return 2 + words;
}
// Small pieces are copied, larger ones are windows (as window_or_copy does); a window over all of
// its base, which is the base itself, is left to the operation.
FAST(bs_get_binary) {
  instr::bs_get_binary in{I};
  Term size = in.size();
  MatchContext* ctx = match_context(DYN_LOAD(in.context()));
  size_t left = match_left(ctx), at = ctx->position, bits;
  if (size == am::all) {
    JUMP_UNLESS(in.unit() == 8 ? (left & 7) == 0 : left % in.unit() == 0, bs_get_binary);
    bits = left;
  } else {
    size = DYN_LOAD(size);
    if (WB_UNLIKELY(!is_small(size) || size >= make_small(int64_t{1} << 32))) {
      SLOWLY(bs_get_binary);
    }
    bits = static_cast<size_t>(small_value(size)) * in.unit();
    JUMP_UNLESS(bits <= left, bs_get_binary);
  }
  bool copy = bits <= (sub_bin::kWords - 2) * 64 && ((bits | at) & 7) == 0;
  if (WB_UNLIKELY(!ROOM(sub_bin::kWords) || (!copy && (at == 0 || bits <= 192)))) {
    SLOWLY(bs_get_binary);
  }
  ctx->position = at + bits;
  Term t = make_boxed(HP);
  if (copy) {
    HP += put_heap_bin(HP, base_pointer(ctx->base) + (at >> 3), bits >> 3);
  } else {
    HP[0] = make_header(Kind::sub_bin, sub_bin::kWords - 1);
    HP[1] = bits;
    HP[2] = at;
    HP[3] = 0;
    HP[4] = ctx->base;
    HP += sub_bin::kWords;
  }
  DYN_STORE(in.dst(), t);
  WB_JUMP(in.after());
}
FAST(bs_get_integer) {
  instr::bs_get_integer in{I};
  Word size = in.size();
  if (WB_LIKELY(size == make_small(8) && in.unit() == 1)) {  // a byte: what most programs match
    MatchContext* ctx = match_context(DYN_LOAD(in.context()));
    JUMP_UNLESS(match_has(ctx, 8), bs_get_integer);
    size_t at = ctx->position;
    ctx->position = at + 8;
    const uint8_t* p = base_pointer(ctx->base) + (at >> 3);
    unsigned shift = at & 7;
    unsigned v = WB_LIKELY(shift == 0) ? p[0] : (p[0] << shift | p[1] >> (8 - shift)) & 0xff;
    DYN_STORE(in.dst(), make_small(in.flags() & kSignedBits ? static_cast<int8_t>(v)
                                                            : static_cast<int64_t>(v)));
    WB_JUMP(in.after());
  }
  uint64_t count = static_cast<uint64_t>(small_value(size)), bits = count * in.unit();
  bool swap = is_little(in.flags()) && bits > 8;
  if (WB_UNLIKELY(!is_small(size) || count > 56 || bits - 1 > 55 || (swap && (bits & 7)))) {
    SLOWLY(bs_get_integer);
  }
  MatchContext* ctx = match_context(DYN_LOAD(in.context()));
  JUMP_UNLESS(match_has(ctx, bits), bs_get_integer);
  size_t at = ctx->position;
  ctx->position = at + bits;
  unsigned n = static_cast<unsigned>(bits);
  uint64_t v = read_bits(base_pointer(ctx->base), at, n);
  if (swap) v = __builtin_bswap64(v) >> (64 - n);
  int64_t value = static_cast<int64_t>(v << (64 - n));
  value = in.flags() & kSignedBits ? value >> (64 - n) : static_cast<int64_t>(v);
  DYN_STORE(in.dst(), make_small(value));
  WB_JUMP(in.after());
}
FAST(bs_skip_bits) {
  instr::bs_skip_bits in{I};
  Term size = DYN_LOAD(in.size());
  if (WB_UNLIKELY(!is_small(size))) SLOWLY(bs_skip_bits);
  MatchContext* ctx = match_context(DYN_LOAD(in.context()));
  uint64_t bits;
  JUMP_UNLESS(!__builtin_mul_overflow(static_cast<uint64_t>(small_value(size)), in.unit(), &bits) &&
                  match_has(ctx, bits),
              bs_skip_bits);
  ctx->position += bits;
  WB_JUMP(in.after());
}
FAST(bs_test_tail) {
  instr::bs_test_tail in{I};
  JUMP_UNLESS(match_left(match_context(DYN_LOAD(in.context()))) == in.bits(), bs_test_tail);
  WB_JUMP(in.after());
}
FAST(bs_test_unit) {
  instr::bs_test_unit in{I};
  size_t left = match_left(match_context(DYN_LOAD(in.context())));
  JUMP_UNLESS(in.unit() == 8 ? (left & 7) == 0 : left % in.unit() == 0, bs_test_unit);
  WB_JUMP(in.after());
}
static WB_NOINLINE bool match_string_out_of_line(MatchContext* ctx, const uint8_t* bytes,
                                                 size_t bits) {
  return match_string(ctx, bytes, bits);
}
FAST(bs_match_string) {
  instr::bs_match_string in{I};
  MatchContext* ctx = match_context(DYN_LOAD(in.context()));
  JUMP_UNLESS(
      match_string_out_of_line(ctx, reinterpret_cast<const uint8_t*>(in.string()), in.bits()),
      bs_match_string);
  WB_JUMP(in.after());
}
FAST(bs_get_position) {
  instr::bs_get_position in{I};
  MatchContext* ctx = match_context(DYN_LOAD(in.context()));
  DYN_STORE(in.dst(), make_small(static_cast<int64_t>(ctx->position - ctx->start)));
  WB_JUMP(in.after());
}
FAST(bs_set_position) {
  instr::bs_set_position in{I};
  MatchContext* ctx = match_context(DYN_LOAD(in.context()));
  Term position = DYN_LOAD(in.position());
  // The validator knows it for a position of this context; a hostile one must still stay inside.
  uint64_t offset = static_cast<uint64_t>(small_value(position));
  if (WB_LIKELY(is_small(position) && offset <= ctx->end - ctx->start))
    ctx->position = ctx->start + offset;
  WB_JUMP(in.after());
}
static WB_NOINLINE Term get_utf_out_of_line(MatchContext* ctx, Word bits, bool little) {
  return get_utf(ctx, bits, little);
}
FAST(bs_get_utf) {
  instr::bs_get_utf in{I};
  MatchContext* ctx = match_context(DYN_LOAD(in.context()));
  size_t at = ctx->position;
  Term t;
  uint8_t byte;
  if (in.bits() == 8 && (at & 7) == 0 && match_has(ctx, 8) &&
      (byte = base_pointer(ctx->base)[at >> 3]) < 0x80) {
    ctx->position = at + 8;
    t = make_small(byte);
  } else {
    t = get_utf_out_of_line(ctx, in.bits(), is_little(in.flags()));
    JUMP_UNLESS(is_value(t), bs_get_utf);
  }
  DYN_STORE(in.dst(), t);
  WB_JUMP(in.after());
}
FAST(bs_skip_utf) {
  instr::bs_skip_utf in{I};
  MatchContext* ctx = match_context(DYN_LOAD(in.context()));
  JUMP_UNLESS(is_value(get_utf_out_of_line(ctx, in.bits(), is_little(in.flags()))), bs_skip_utf);
  WB_JUMP(in.after());
}

void install_bit_matching(Word* t, bool stress) {
#define INSTALL(name) set_slow(t, Instr::name, &slow_handler<op_##name>);
  INSTALL(bs_get_float)
  INSTALL(bs_get_binary)
  INSTALL(bs_get_tail)
  INSTALL(bs_start_match)
#define INSTALL_FAST(name) set_slow(t, Instr::name, &fast_##name);
  if (!stress) {
    INSTALL_FAST(bs_start_match)
    INSTALL_FAST(bs_get_binary)
  }
  INSTALL_FAST(bs_get_integer)
  INSTALL_FAST(bs_skip_bits)
  INSTALL_FAST(bs_test_tail)
  INSTALL_FAST(bs_test_unit)
  INSTALL_FAST(bs_match_string)
  INSTALL_FAST(bs_get_position)
  INSTALL_FAST(bs_set_position)
  INSTALL_FAST(bs_get_utf)
  INSTALL_FAST(bs_skip_utf)
}

}  // namespace wb
