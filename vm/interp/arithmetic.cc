// Arithmetic and guard BIFs: small integers in line, everything else through the BIF's own
// function.
#include <bit>
#include <cmath>

#include "loader/code.h"
#include "loader/code_server.h"
#include "term/number.h"
#include "vm/core/vm.h"
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
/// without a frame of the operator, as on BEAM.
template <NumberOp op, Term name, int bare>
static const Word* op_arith(Exec& c, const Word* I) {
  Term* operands = c.x + kScratch;
  Term r = op(c.p->heap, operands[0], operands[1]);
  if (WB_LIKELY(is_value(r))) {
    operands[2] = r;
    return nullptr;
  }
  if (bare >= 0 && !I[4] && r == kBadarith && is_small(operands[bare < 0 ? 0 : bare])) {
    return raise_error(c, I, am::badarith);
  }
  return fail_or_raise(c, I, I[4], c.vm->code->export_entry(am::erlang, name, 2), operands, r);
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
template <IntOp int_op, FloatOp float_op, NumberOp op, Term name, int bare, K D>
WB_PRESERVE_NONE static void arith_on_two(WB_UNCUT_ARGS) {
  Term a = C->x[kScratch], b = C->x[kScratch + 1];
  WB_MEET_FLOATS(float_op, a, b)
  WB_WIDE_INTEGERS(int_op, a, b)
  WB_SPILL();
  const Word* next = arith_slow(*C, I, &op_arith<op, name, bare>);
  WB_RELOAD();
  if (WB_UNLIKELY(next != nullptr)) WB_JUMP(next);
  WB_STORE(D, 3, C->x[kScratch + 2]);
  WB_NEXT(6);
}
#define ARITH(name, op, atom, float_op, fast_condition, fast_compute)         \
  template <K A, K B, K D>                                                    \
  WB_PRESERVE_NONE static void slow_##name(WB_UNCUT_ARGS) {                   \
    constexpr int bare = B == K::c && A != K::c && atom != am::band   ? 1     \
                         : A == K::c && B != K::c && atom == am::plus ? 0     \
                                                                      : -1;   \
    C->x[kScratch] = WB_LOAD(A, 1);                                           \
    C->x[kScratch + 1] = WB_LOAD(B, 2);                                       \
    WB_TAIL arith_on_two<IntOp::name, float_op, op, atom, bare, D>(WB_PASS);  \
  }                                                                           \
  FAST_3(name) {                                                              \
    Term a = WB_LOAD(A, 1), b = WB_LOAD(B, 2);                                \
    [[maybe_unused]] int64_t r;                                               \
    if (WB_UNLIKELY(!WB_BOTH_SMALL(a, b))) {                                  \
      WB_FLOATS_IN_HOT_CODE(float_op, a, b, D, 6);                            \
      WB_OTHERWISE((slow_##name<A, B, D>));                                   \
    }                                                                         \
    if (WB_UNLIKELY(!(fast_condition))) WB_OTHERWISE((slow_##name<A, B, D>)); \
    WB_STORE(D, 3, fast_compute);                                             \
    WB_NEXT(6);                                                               \
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
static WB_NOINLINE const Word* no_value_yet(Exec& c, const Word* I, const Term* args, Term r,
                                            Word dst, Word fail, const Word* next) {
  const auto* e = reinterpret_cast<const Export*>(I[1]);
  if (r == kYield) r = call_yielding_bif(c, I, *e, args);
  if (!is_value(r)) return fail_or_raise(c, I, fail, e, args, r);
  store_operand(c, dst, r);
  return next;
}
template <unsigned n>
static WB_INLINE const Word* guard_bif(Exec& c, const Word* I, Word dst, Word fail,
                                       const Word* next) {
  Term args[n ? n : 1];
  for (unsigned k = 0; k < n; ++k) args[k] = load_operand(c, I[3 + k]);
  Term r = reinterpret_cast<GuardFn>(I[2])(*c.p, args);
  if (WB_UNLIKELY(!is_value(r))) return no_value_yet(c, I, args, r, dst, fail, next);
  store_operand(c, dst, r);
  return next;
}
static const Word* op_bif0(Exec& c, const Word* I) { return guard_bif<0>(c, I, I[3], 0, I + 4); }
static const Word* op_bif1(Exec& c, const Word* I) { return guard_bif<1>(c, I, I[4], I[5], I + 6); }
static const Word* op_bif2(Exec& c, const Word* I) { return guard_bif<2>(c, I, I[5], I[6], I + 7); }
static const Word* op_gc_bif1(Exec& c, const Word* I) {
  if (!safe_point(c, 0, static_cast<uint32_t>(I[6]))) return leave_dying(c);
  return guard_bif<1>(c, I, I[4], I[5], I + 7);
}
static const Word* op_gc_bif2(Exec& c, const Word* I) {
  if (!safe_point(c, 0, static_cast<uint32_t>(I[7]))) return leave_dying(c);
  return guard_bif<2>(c, I, I[5], I[6], I + 8);
}
static const Word* op_gc_bif3(Exec& c, const Word* I) {
  if (!safe_point(c, 0, static_cast<uint32_t>(I[8]))) return leave_dying(c);
  return guard_bif<3>(c, I, I[6], I[7], I + 9);
}

FAST_1(self) {
  WB_STORE(A, 1, C->p->id);
  WB_NEXT(2);
}

// --- floats --------------------------------------------------------------------------------------
#define FLOAT(k) (*reinterpret_cast<double*>(reinterpret_cast<char*>(C->f) + WB_BYTES(k)))
FAST_Z(float_move) {
  FLOAT(2) = FLOAT(1);
  WB_NEXT(3);
}
FAST_1(float_load) {  // a boxed float into a float register
  FLOAT(2) = std::bit_cast<double>(boxed_ptr(WB_LOAD(A, 1))[1]);
  WB_NEXT(3);
}
FAST_1(float_store) {  // heap was reserved
  HP[0] = make_header(Kind::flo, 1);
  HP[1] = std::bit_cast<Term>(FLOAT(2));
  WB_STORE(A, 1, make_boxed(HP));
  HP += 2;
  WB_NEXT(3);
}
template <K A>
static const Word* op_fconv(Exec& c, const Word* I) {
  if (!to_double(load_kind<A>(c, I[1]), &c.f[I[2]])) return raise_error(c, I, am::badarith);
  return I + 3;
}
FAST_1(fconv) {
  Term t = WB_LOAD(A, 1);
  if (WB_LIKELY(is_small(t))) {
    FLOAT(2) = static_cast<double>(small_value(t));
    WB_NEXT(3);
  }
  if (WB_UNLIKELY(!is_float(t))) WB_SLOW(op_fconv<A>);
  FLOAT(2) = std::bit_cast<double>(boxed_ptr(t)[1]);
  WB_NEXT(3);
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
    double r = FLOAT(1) op FLOAT(2);                         \
    if (WB_UNLIKELY(!is_finite(r))) WB_SLOW(op_float_error); \
    FLOAT(3) = r;                                            \
    WB_NEXT(4);                                              \
  }
FLOAT_OP(fadd, +)
FLOAT_OP(fsub, -)
FLOAT_OP(fmul, *)
FLOAT_OP(fdiv, /)
FAST_Z(fnegate) {
  FLOAT(2) = 0.0 - FLOAT(1);  // as BEAM: of 0.0 it is 0.0
  WB_NEXT(3);
}

void install_arithmetic(Word* t, bool) {
  fill::three<h_add, 6, 6, 5>(handler_slot(t, Instr::add));
  fill::three<h_sub, 6, 6, 5>(handler_slot(t, Instr::sub));
  fill::three<h_band, 6, 6, 5>(handler_slot(t, Instr::band));
  fill::one<h_self, 5>(handler_slot(t, Instr::self));
  set_slow(t, Instr::bif0, &slow_handler<op_bif0>);
  set_slow(t, Instr::bif1, &slow_handler<op_bif1>);
  set_slow(t, Instr::bif2, &slow_handler<op_bif2>);
  set_slow(t, Instr::gc_bif1, &slow_handler<op_gc_bif1>);
  set_slow(t, Instr::gc_bif2, &slow_handler<op_gc_bif2>);
  set_slow(t, Instr::gc_bif3, &slow_handler<op_gc_bif3>);
  fill::one<h_float_load, 6>(handler_slot(t, Instr::float_load));
  fill::one<h_float_store, 5>(handler_slot(t, Instr::float_store));
  set_slow(t, Instr::float_move, &h_float_move::run);
  fill::one<h_fconv, 6>(handler_slot(t, Instr::fconv));
#define FLOAT_OPERATOR(number, name, since) set_slow(t, Instr::name, &h_##name::run);
#include "bytecode/opcodes.def"
  set_slow(t, Instr::fnegate, &h_fnegate::run);
}

}  // namespace wb
