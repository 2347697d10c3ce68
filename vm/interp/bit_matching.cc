// The bit syntax, matching: instructions over term/bit_syntax.h.
#include "term/binary.h"
#include "term/bit_syntax.h"
#include "term/order.h"
#include "vm/interp/errors.h"
#include "vm/interp/handler.h"

namespace wb {

enum SegmentFlags : Word { kLittle = 2, kSigned = 4, kNative = 16 };
static bool is_little(Word flags) { return flags & (kLittle | kNative); }
static Term* context(Exec& c, Word w) { return boxed_ptr(load_operand(c, w)); }
static const Word* failed(Exec& c, const Word* I) {
  return I[1] ? reinterpret_cast<const Word*>(I[1]) : raise_error(c, I, am::badarg);
}
#define FAIL_UNLESS(cond) \
  if (WB_UNLIKELY(!(cond))) return failed(c, I)
#define SAFE_POINT(words, live) \
  if (!safe_point(c, words, static_cast<uint32_t>(live))) return leave_dying(c)

static const Word* op_bs_start_match(Exec& c, const Word* I) {  // fail src live dst
  SAFE_POINT(match_ctx::kWords, I[3]);
  Term ctx = start_match(c.p->heap, load_operand(c, I[2]));
  FAIL_UNLESS(is_value(ctx));
  store_operand(c, I[4], ctx);
  return I + 5;
}
// fail ctx live size unit flags dst
static const Word* op_bs_get_integer(Exec& c, const Word* I) {
  size_t bits;
  FAIL_UNLESS(match_bits(load_operand(c, I[4]), static_cast<unsigned>(I[5]), &bits));
  FAIL_UNLESS(match_has(context(c, I[2]), bits));
  SAFE_POINT(bits > 59 ? bits / 64 + 3 : 0, I[3]);
  Term t = get_integer(c.p->heap, context(c, I[2]), bits, is_little(I[6]), I[6] & kSigned);
  FAIL_UNLESS(is_value(t));
  store_operand(c, I[7], t);
  return I + 8;
}
static const Word* op_bs_get_float(Exec& c, const Word* I) {
  size_t bits;
  SAFE_POINT(2, I[3]);
  FAIL_UNLESS(match_bits(load_operand(c, I[4]), static_cast<unsigned>(I[5]), &bits));
  Term t = get_float(c.p->heap, context(c, I[2]), bits, is_little(I[6]));
  FAIL_UNLESS(is_value(t));
  store_operand(c, I[7], t);
  return I + 8;
}
static const Word* op_bs_get_binary(Exec& c, const Word* I) {
  SAFE_POINT(sub_bin::kWords + 10, I[3]);
  Term size = load_operand(c, I[4]), t;
  if (size == am::all) {
    t = get_rest(c.p->heap, context(c, I[2]), static_cast<unsigned>(I[5]));
  } else {
    size_t bits;
    FAIL_UNLESS(match_bits(size, static_cast<unsigned>(I[5]), &bits));
    t = get_bitstring(c.p->heap, context(c, I[2]), bits);
  }
  FAIL_UNLESS(is_value(t));
  store_operand(c, I[7], t);
  return I + 8;
}
static const Word* op_bs_skip_bits(Exec& c, const Word* I) {  // fail ctx size unit
  Term* ctx = context(c, I[2]);
  Term size = load_operand(c, I[3]);
  if (size == am::all) {
    FAIL_UNLESS(match_left(ctx) % I[4] == 0);
    match_skip(ctx, match_left(ctx));
    return I + 5;
  }
  size_t bits;
  FAIL_UNLESS(match_bits(size, static_cast<unsigned>(I[4]), &bits) && match_skip(ctx, bits));
  return I + 5;
}
static const Word* op_bs_test_tail(Exec& c, const Word* I) {  // fail ctx bits
  FAIL_UNLESS(match_left(context(c, I[2])) == I[3]);
  return I + 4;
}
static const Word* op_bs_test_unit(Exec& c, const Word* I) {  // fail ctx unit
  FAIL_UNLESS(match_left(context(c, I[2])) % I[3] == 0);
  return I + 4;
}
static const Word* op_bs_match_string(Exec& c, const Word* I) {  // fail ctx bits bytes
  FAIL_UNLESS(match_string(context(c, I[2]), reinterpret_cast<const uint8_t*>(I[4]), I[3]));
  return I + 5;
}
static const Word* op_bs_get_tail(Exec& c, const Word* I) {  // ctx dst live
  SAFE_POINT(sub_bin::kWords + 10, I[3]);
  store_operand(c, I[2], match_tail(c.p->heap, context(c, I[1])));
  return I + 4;
}
static const Word* op_bs_get_position(Exec& c, const Word* I) {  // ctx dst live
  Term* ctx = context(c, I[1]);
  store_operand(c, I[2],
                make_small(static_cast<int64_t>(match_ctx::position(ctx) - match_ctx::start(ctx))));
  return I + 4;
}
static const Word* op_bs_set_position(Exec& c, const Word* I) {  // ctx position
  Term* ctx = context(c, I[1]);
  Term position = load_operand(c, I[2]);
  // The validator knows it for a position of this context; a hostile one must still stay inside.
  uint64_t at = match_ctx::start(ctx) + static_cast<uint64_t>(small_value(position));
  if (is_small(position) && at >= match_ctx::start(ctx) && at <= match_ctx::end(ctx)) {
    match_ctx::position(ctx) = at;
  }
  return I + 3;
}
static Term get_utf(Term* ctx, Word bits, bool little) {
  return bits == 8 ? get_utf8(ctx) : bits == 16 ? get_utf16(ctx, little) : get_utf32(ctx, little);
}
static const Word* op_bs_get_utf(Exec& c, const Word* I) {  // fail ctx 8|16|32 flags dst
  Term t = get_utf(context(c, I[2]), I[3], is_little(I[4]));
  FAIL_UNLESS(is_value(t));
  store_operand(c, I[5], t);
  return I + 6;
}
static const Word* op_bs_skip_utf(Exec& c, const Word* I) {  // fail ctx 8|16|32 flags
  FAIL_UNLESS(is_value(get_utf(context(c, I[2]), I[3], is_little(I[4]))));
  return I + 5;
}

// --- bs_match (OTP 26): a list of commands, numbers as smalls -------------------------------------------
// No safe point: each command has its own live count, so what does not fit goes to a fragment.
static const Word* op_bs_match(Exec& c, const Word* I) {  // fail ctx n commands
  Term* ctx = context(c, I[2]);
  Heap& h = c.p->heap;
  const Word *w = I + 4, *end = w + I[3];
  auto number = [](Word t) { return static_cast<uint64_t>(small_value(t)); };
  while (w < end) {
    Term command = *w;
    if (command == am::ensure_at_least) {
      FAIL_UNLESS(match_has(ctx, number(w[1])) && (match_left(ctx) - number(w[1])) % number(w[2]) == 0);
      w += 3;
    } else if (command == am::ensure_exactly) {
      FAIL_UNLESS(match_left(ctx) == number(w[1]));
      w += 2;
    } else if (command == am::skip) {
      FAIL_UNLESS(match_skip(ctx, number(w[1])));
      w += 2;
    } else if (command == am::get_tail) {  // live unit dst
      store_operand(c, w[3], match_tail(h, ctx));
      w += 4;
    } else if (command == am::eq_exact) {  // live size value
      Term t = get_integer(h, ctx, number(w[2]), false, false);
      FAIL_UNLESS(is_value(t) && equal_exact(t, load_operand(c, w[3])));
      w += 4;
    } else {  // integer or binary: live flags size unit dst
      uint64_t bits = number(w[3]) * number(w[4]), flags = number(w[2]);
      Term t = command == am::integer
                   ? get_integer(h, ctx, bits, is_little(flags), flags & kSigned)
                   : get_bitstring(h, ctx, bits);
      FAIL_UNLESS(is_value(t));
      store_operand(c, w[5], t);
      w += 6;
    }
  }
  return end;
}

void install_bit_matching(Word* t, bool) {
#define INSTALL(name) set_slow(t, Instr::name, &slow_handler<op_##name>);
  INSTALL(bs_start_match)
  INSTALL(bs_get_integer)
  INSTALL(bs_get_float)
  INSTALL(bs_get_binary)
  INSTALL(bs_skip_bits)
  INSTALL(bs_test_tail)
  INSTALL(bs_test_unit)
  INSTALL(bs_match_string)
  INSTALL(bs_get_tail)
  INSTALL(bs_get_position)
  INSTALL(bs_set_position)
  INSTALL(bs_get_utf)
  INSTALL(bs_skip_utf)
  INSTALL(bs_match)
}

}  // namespace wb
