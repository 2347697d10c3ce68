// * div rem and the bitwise operators: small integers in line, everything else by term/number.h.
//
// Operands: s s d fail live. A small integer is its value times 16, so a product needs one operand
// untagged, a quotient is untagged already, and a remainder or a bitwise result is a term as it is.
#include "term/number.h"
#include "vm/interp/bif_call.h"
#include "vm/interp/errors.h"
#include "vm/interp/float_paths.h"
#include "vm/interp/handler.h"
#include "vm/interp/integer_paths.h"
#include "vm/process/long_arithmetic.h"

namespace wb {

/// The operands are in the scratch registers, and so is the result when nullptr is returned. While
/// a collection runs they are roots behind the live registers.
static WB_NOINLINE const Word* operate(Exec& c, const Word* I, NumberOp op, Term name,
                                       uint32_t arity, Word fail, uint32_t live) {
  Term* operands = c.x + kScratch;
  if (WB_UNLIKELY(wants_room(c))) {
    c.x[live] = operands[0], c.x[live + 1] = operands[1];
    if (!collect_garbage(c, kWideWords, live + 2)) return leave_dying(c);
    operands[0] = c.x[live], operands[1] = c.x[live + 1];
  }
  Term r;
  if (WB_UNLIKELY(may_take_long(operands[0], operands[1]))) {
    YieldingInstruction here(c, I);
    r = long_operation(*c.p, op, name, operands[0], operands[1]);
  } else {
    r = op(c.p->heap, operands[0], operands[1]);
  }
  if (WB_LIKELY(is_value(r))) {
    operands[2] = r;
    return nullptr;
  }
  return fail_or_raise(c, I, fail, name, arity, operands, r);
}

template <class V>
static WB_INLINE uint32_t live_of(V in) {
  return MetFloats::live(in.I);
}
static WB_INLINE uint32_t live_of(instr::bnot in) { return static_cast<uint32_t>(in.live()); }
/// The second half of every slow operator, which only depends on where the result goes.
template <class V, NumberOp op, Term name, K D>
WB_PRESERVE_NONE static void operate_slowly(WB_UNCUT_ARGS) {
  using At = typename V::At;
  constexpr uint32_t arity = requires(V in) { in.right(); } ? 2 : 1;
  WB_SPILL();
  const Word* next = operate(*C, I, op, name, arity, V{I}.fail(), live_of(V{I}));
  WB_RELOAD();
  if (WB_UNLIKELY(next != nullptr)) WB_JUMP(next);
  WB_STORE(D, dst, C->x[kScratch + 2]);
  WB_NEXT();
}

/// From here on operands are values: what depends on all three kinds is a few instructions only.
template <class V, IntOp int_op, FloatOp float_op, NumberOp op, Term name, K D>
WB_PRESERVE_NONE static void operate_on_two(WB_UNCUT_ARGS) {
  using At = typename V::At;
  Term a = C->x[kScratch], b = C->x[kScratch + 1];
  WB_MEET_FLOATS(float_op, a, b)
  WB_WIDE_INTEGERS(int_op, a, b)
  WB_TAIL operate_slowly<V, op, name, D>(WB_PASS);
}

#define INTEGERS(name, op, atom, float_op, fast_condition, fast_result)               \
  template <K A, K B, K D>                                                            \
  WB_PRESERVE_NONE static void slow_##name(WB_UNCUT_ARGS) {                           \
    using At = instr::place::name;                                                    \
    C->x[kScratch] = WB_LOAD(A, left);                                                \
    C->x[kScratch + 1] = WB_LOAD(B, right);                                           \
    WB_TAIL operate_on_two<instr::name, IntOp::name, float_op, op, atom, D>(WB_PASS); \
  }                                                                                   \
  FAST_3(name) {                                                                      \
    Term ta = WB_LOAD(A, left), tb = WB_LOAD(B, right);                               \
    [[maybe_unused]] auto a = static_cast<int64_t>(ta);                               \
    [[maybe_unused]] auto b = static_cast<int64_t>(tb);                               \
    [[maybe_unused]] int64_t r;                                                       \
    if (WB_UNLIKELY(!WB_BOTH_SMALL(ta, tb))) {                                        \
      WB_FLOATS_IN_HOT_CODE(float_op, ta, tb, D);                                     \
      WB_OTHERWISE((slow_##name<A, B, D>));                                           \
    }                                                                                 \
    if (WB_UNLIKELY(!(fast_condition))) WB_OTHERWISE((slow_##name<A, B, D>));         \
    WB_STORE(D, dst, static_cast<Term>(fast_result));                                 \
    WB_NEXT();                                                                        \
  }

constexpr int64_t kTagBits = 15;
static WB_INLINE int64_t shifted_left(int64_t a, int64_t count) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) << (count & 63));
}
static WB_INLINE bool shift_fits(int64_t a, int64_t tagged_count) {
  return static_cast<uint64_t>(tagged_count) < make_small(60) &&
         shifted_left(a, tagged_count >> 4) >> (tagged_count >> 4) == a;
}

INTEGERS(mul, num_mul, am::times, FloatOp::mul, !__builtin_mul_overflow(a >> 4, b, &r), r)
INTEGERS(div, num_div, am::div, FloatOp::none, b != 0 && tb != make_small(-1), (a / b) << 4)
INTEGERS(rem, num_rem, am::rem, FloatOp::none, b != 0, a % b)
INTEGERS(bor, num_bor, am::bor, FloatOp::none, true, a | b)
INTEGERS(bxor, num_bxor, am::bxor, FloatOp::none, true, a ^ b)
INTEGERS(bsl, num_bsl, am::bsl, FloatOp::none, shift_fits(a, b), shifted_left(a, b >> 4))
INTEGERS(bsr, num_bsr, am::bsr, FloatOp::none, tb < make_small(64),
         (a >> (b >> 4 & 63)) & ~kTagBits)

// s d fail live
static Term bnot(Heap& h, Term a, Term) { return num_bnot(h, a); }
template <K A, K D>
WB_PRESERVE_NONE static void slow_bnot(WB_UNCUT_ARGS) {
  using At = instr::place::bnot;
  C->x[kScratch] = WB_LOAD(A, value);
  C->x[kScratch + 1] = kNil;
  WB_TAIL operate_slowly<instr::bnot, bnot, am::bnot, D>(WB_PASS);
}
FAST_2(bnot) {
  Term a = WB_LOAD(A, value);
  if (WB_UNLIKELY(!is_small(a))) WB_OTHERWISE((slow_bnot<A, B>));
  WB_STORE(B, dst, a ^ ~Term{kTagBits});
  WB_NEXT();
}

void install_integers(Word* t, bool) {
#define INSTALL(name) fill::three<Instr::name, h_##name, 6, 6, 5>(t);
  INSTALL(mul)
  INSTALL(div)
  INSTALL(rem)
  INSTALL(bor)
  INSTALL(bxor)
  INSTALL(bsl)
  INSTALL(bsr)
  fill::two<Instr::bnot, h_bnot, 6, 5>(t);
}

}  // namespace wb
