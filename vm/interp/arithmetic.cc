// Arithmetic and guard BIFs: small integers in line, everything else through the BIF's own
// function.
#include <bit>
#include <cmath>

#include "loader/code.h"
#include "term/number.h"
#include "vm/interp/bif_call.h"
#include "vm/interp/errors.h"
#include "vm/interp/float_paths.h"
#include "vm/interp/handler.h"
#include "vm/interp/integer_paths.h"
#include "vm/process/native.h"

namespace wb {

// --- + - band
// ---------------------------------------------------------------------------------------- s s d
// fail live. The slow operations need the operands dynamically: the loader gives constants and byte
// offsets, so the fast handler passes the values on in C->x[kMaxX..].
using NumberOp = Term (*)(Heap&, Term, Term);
/// `bare`: which operand is a constant (-1: none). Adding or subtracting a small constant fails
/// without a frame of the operator, as on BEAM before 26.
template <class V, NumberOp op, Term name, int bare>
static const Word* op_arith(Exec& c, const Word* I) {
  Term* operands = c.x + kScratch;
  Term r = op(c.p->heap, operands[0], operands[1]);
  if (WB_LIKELY(is_value(r))) {
    operands[2] = r;
    return nullptr;
  }
  const Word fail = V{I}.fail();
  if (bare >= 0 && !fail && r == kBadarith && is_small(operands[bare < 0 ? 0 : bare]) &&
      otp_release() < 26) {
    return raise_error(c, I, am::badarith);
  }
  return fail_or_raise(c, I, fail, name, 2, operands, r);
}
/// nullptr: done, the result is in the scratch registers. The operands are roots while a collection
/// runs: they stand behind the live registers then.
static WB_NOINLINE const Word* arith_slow(Exec& c, const Word* I, SlowOp op) {
  uint32_t live = MetFloats::live(I);
  if (WB_UNLIKELY(wants_room(c))) {
    c.x[live] = c.x[kScratch], c.x[live + 1] = c.x[kScratch + 1];
    if (!collect_garbage(c, kWideWords, live + 2)) return leave_dying(c);
    c.x[kScratch] = c.x[live], c.x[kScratch + 1] = c.x[live + 1];
  }
  return op(c, I);
}
/// The operands are in the scratch registers: what depends on all three kinds is a few instructions
/// only.
template <class V, IntOp int_op, FloatOp float_op, NumberOp op, Term name, int bare, K D>
WB_PRESERVE_NONE static void arith_on_two(WB_UNCUT_ARGS) {
  using At = typename V::At;
  Term a = C->x[kScratch], b = C->x[kScratch + 1];
  WB_MEET_FLOATS(float_op, a, b)
  WB_WIDE_INTEGERS(int_op, a, b)
  WB_SPILL();
  const Word* next = arith_slow(*C, I, &op_arith<V, op, name, bare>);
  WB_RELOAD();
  if (WB_UNLIKELY(next != nullptr)) WB_JUMP(next);
  WB_STORE(D, dst, C->x[kScratch + 2]);
  WB_NEXT();
}
#define ARITH(name, op, atom, float_op, fast_condition, fast_compute)                     \
  template <K A, K B, K D>                                                                \
  WB_PRESERVE_NONE static void slow_##name(WB_UNCUT_ARGS) {                               \
    using At = instr::place::name;                                                        \
    constexpr int bare = B == K::c && A != K::c && atom != am::band   ? 1                 \
                         : A == K::c && B != K::c && atom == am::plus ? 0                 \
                                                                      : -1;               \
    C->x[kScratch] = WB_LOAD(A, left);                                                    \
    C->x[kScratch + 1] = WB_LOAD(B, right);                                               \
    WB_TAIL arith_on_two<instr::name, IntOp::name, float_op, op, atom, bare, D>(WB_PASS); \
  }                                                                                       \
  FAST_3(name) {                                                                          \
    Term a = WB_LOAD(A, left), b = WB_LOAD(B, right);                                     \
    [[maybe_unused]] int64_t r;                                                           \
    if (WB_UNLIKELY(!WB_BOTH_SMALL(a, b))) {                                              \
      WB_FLOATS_IN_HOT_CODE(float_op, a, b, D);                                           \
      WB_OTHERWISE((slow_##name<A, B, D>));                                               \
    }                                                                                     \
    if (WB_UNLIKELY(!(fast_condition))) WB_OTHERWISE((slow_##name<A, B, D>));             \
    WB_STORE(D, dst, fast_compute);                                                       \
    WB_NEXT();                                                                            \
  }
ARITH(add, num_add, am::plus, FloatOp::add,
      !__builtin_add_overflow(static_cast<int64_t>(a), static_cast<int64_t>(b), &r),
      static_cast<Term>(r))
ARITH(sub, num_sub, am::minus, FloatOp::sub,
      !__builtin_sub_overflow(static_cast<int64_t>(a), static_cast<int64_t>(b), &r),
      static_cast<Term>(r))
ARITH(band, num_band, am::band, FloatOp::none, true, a& b)

// --- BIFs in guards and bodies -------------------------------------------------------------------
WB_NOINLINE Term call_yielding_bif(Exec& c, const Word* I, const Export& e, const Term* args) {
  YieldingInstruction here(c, I);
  return call_bif(c, I, BifFn(e.bif), args);
}
/// The guard function has failed, or leaves it to the BIF.
static WB_NOINLINE const Word* no_value_yet(Exec& c, const Word* I, const Export* e,
                                            const Term* args, Term r, Word dst, Word fail,
                                            const Word* next) {
  if (r == kYield) r = call_yielding_bif(c, I, *e, args);
  if (!is_value(r)) return fail_or_raise(c, I, fail, e, args, r);
  store_operand(c, dst, r);
  return next;
}
template <class V>
static WB_INLINE const Word* guard_bif(Exec& c, V in) {
  Term args[3];
  if constexpr (requires { in.first(); }) args[0] = load_operand(c, in.first());
  if constexpr (requires { in.second(); }) args[1] = load_operand(c, in.second());
  if constexpr (requires { in.third(); }) args[2] = load_operand(c, in.third());
  Word fail = 0;
  if constexpr (requires { in.fail(); }) fail = in.fail();
  Term r = reinterpret_cast<GuardFn>(in.body())(*c.p, args);
  if (WB_UNLIKELY(!is_value(r))) {
    auto* e = reinterpret_cast<const Export*>(in.bif());
    return no_value_yet(c, in.I, e, args, r, in.dst(), fail, in.after());
  }
  store_operand(c, in.dst(), r);
  return in.after();
}
template <class V>
static const Word* op_bif(Exec& c, const Word* I) {
  return guard_bif(c, V{I});
}
template <class V>
static const Word* op_gc_bif(Exec& c, const Word* I) {
  if (!safe_point(c, 0, static_cast<uint32_t>(V{I}.live()))) return leave_dying(c);
  return guard_bif(c, V{I});
}

FAST_1(self) {
  WB_STORE(A, dst, C->p->id);
  WB_NEXT();
}

// --- floats --------------------------------------------------------------------------------------
#define FLOAT(name) (*reinterpret_cast<double*>(reinterpret_cast<char*>(C->f) + WB_BYTES(name)))
FAST_Z(float_move) {
  FLOAT(dst) = FLOAT(source);
  WB_NEXT();
}
FAST_1(float_load) {  // a boxed float into a float register
  FLOAT(dst) = std::bit_cast<double>(boxed_ptr(WB_LOAD(A, source))[1]);
  WB_NEXT();
}
FAST_1(float_store) {  // heap was reserved
  HP[0] = make_header(Kind::flo, 1);
  HP[1] = std::bit_cast<Term>(FLOAT(source));
  WB_STORE(A, dst, make_boxed(HP));
  HP += 2;
  WB_NEXT();
}
template <K A>
static const Word* op_fconv(Exec& c, const Word* I) {
  instr::fconv in{I};
  if (!to_double(load_kind<A>(c, in.source()), &c.f[in.dst()]))
    return raise_error(c, I, am::badarith);
  return in.after();
}
FAST_1(fconv) {
  Term t = WB_LOAD(A, source);
  if (WB_LIKELY(is_small(t))) {
    FLOAT(dst) = static_cast<double>(small_value(t));
    WB_NEXT();
  }
  if (WB_UNLIKELY(!is_float(t))) WB_SLOW(op_fconv<A>);
  FLOAT(dst) = std::bit_cast<double>(boxed_ptr(t)[1]);
  WB_NEXT();
}
static const Word* op_float_error(Exec& c, const Word* I) {
  return raise_error(c, I, am::badarith);
}
/// Without a constant in memory, which a stencil could not name.
static WB_INLINE bool is_finite(double d) {
  return (std::bit_cast<uint64_t>(d) >> 52 & 0x7ff) != 0x7ff;
}
#define FLOAT_OP(name, op)                                   \
  FAST_Z(name) {                                             \
    double r = FLOAT(left) op FLOAT(right);                  \
    if (WB_UNLIKELY(!is_finite(r))) WB_SLOW(op_float_error); \
    FLOAT(dst) = r;                                          \
    WB_NEXT();                                               \
  }
FLOAT_OP(fadd, +)
FLOAT_OP(fsub, -)
FLOAT_OP(fmul, *)
FLOAT_OP(fdiv, /)
FAST_Z(fnegate) {
  FLOAT(dst) = 0.0 - FLOAT(source);  // as BEAM up to OTP 26: of 0.0 it is 0.0
  WB_NEXT();
}
FAST_Z(fnegate_signed) {
  uint64_t bits;  // as an integer: a stencil has no constants in memory
  memcpy(&bits, &FLOAT(source), sizeof bits);
  bits ^= uint64_t{1} << 63;
  memcpy(&FLOAT(dst), &bits, sizeof bits);
  WB_NEXT();
}

void install_arithmetic(Word* t, bool) {
  fill::three<Instr::add, h_add, 6, 6, 5>(t);
  fill::three<Instr::sub, h_sub, 6, 6, 5>(t);
  fill::three<Instr::band, h_band, 6, 6, 5>(t);
  fill::one<Instr::self, h_self, 5>(t);
  set_slow(t, Instr::bif0, &slow_handler<op_bif<instr::bif0>>);
  set_slow(t, Instr::bif1, &slow_handler<op_bif<instr::bif1>>);
  set_slow(t, Instr::bif2, &slow_handler<op_bif<instr::bif2>>);
  set_slow(t, Instr::bif3, &slow_handler<op_bif<instr::bif3>>);
  set_slow(t, Instr::gc_bif1, &slow_handler<op_gc_bif<instr::gc_bif1>>);
  set_slow(t, Instr::gc_bif2, &slow_handler<op_gc_bif<instr::gc_bif2>>);
  set_slow(t, Instr::gc_bif3, &slow_handler<op_gc_bif<instr::gc_bif3>>);
  fill::one<Instr::float_load, h_float_load, 6>(t);
  fill::one<Instr::float_store, h_float_store, 5>(t);
  fill::zero<Instr::float_move, h_float_move>(t);
  fill::one<Instr::fconv, h_fconv, 6>(t);
#define FLOAT_OPERATOR(number, name, since) fill::zero<Instr::name, h_##name>(t);
#include "bytecode/opcodes.def"
  fill::zero<Instr::fnegate, h_fnegate>(t);
  fill::zero<Instr::fnegate_signed, h_fnegate_signed>(t);
}

}  // namespace wb
