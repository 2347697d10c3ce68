// bifN and gc_bifN as the baseline compiler has them (vm/jit/lower.cc): their arguments have been
// moved to the scratch registers, where no instruction reaches. What an operation does not do
// begins the whole instruction again: guard functions only look, and never yield
// (vm/process/guard.h).
#include "loader/code.h"
#include "term/number.h"
#include "vm/interp/handler.h"
#include "vm/process/guard.h"

namespace wb {

// The slow path of an operation is the whole instruction's handler: no operation has one of its
// own.
static WB_INLINE Term argument(const Exec* c, unsigned k) { return c->x[kScratch + k]; }
static const Word* op_repeat(Exec&, const Word* I) { return I; }

/// What gc_bifN asks first.
FAST_Z(bif_room) {
  if (WB_UNLIKELY(C->p->heap.wants_collection() || C->gc_stress)) WB_SLOW(op_repeat);
  WB_NEXT();
}
/// It moves nothing: E stays.
#define CALL_GUARD(result)                                                           \
  WB_SPILL();                                                                        \
  Term result = reinterpret_cast<GuardFn>(WB_ADDRESS(body))(*C->p, C->x + kScratch); \
  x0 = C->x[0];                                                                      \
  x1 = C->x[1];                                                                      \
  x2 = C->x[2];                                                                      \
  FC = C->fc;                                                                        \
  HP = C->p->heap.top();
FAST_1(bif_value) {  // dst bif
  CALL_GUARD(r)
  if (WB_UNLIKELY(!is_value(r))) WB_SLOW(op_repeat);
  WB_STORE(A, dst, r);
  WB_NEXT();
}
FAST_1(bif_guard) {  // dst bif fail
  CALL_GUARD(r)
  if (WB_UNLIKELY(!is_value(r))) {
    if (WB_UNLIKELY(r == kYield)) WB_SLOW(op_repeat);
    WB_BRANCH(fail);
  }
  WB_STORE(A, dst, r);
  WB_NEXT();
}

// Comparisons as values: dst bif. The BIF looks at its arguments and at nothing else, so that it is
// called without spilling.
static WB_INLINE Term truth(bool b) { return b ? am::true_ : am::false_; }
#define VALUE(name, decided, holds, else_in_hot_code)                                      \
  FAST_1(name) {                                                                           \
    Term a = argument(C, 0), b = argument(C, 1);                                           \
    if (WB_LIKELY(decided)) {                                                              \
      WB_STORE(A, dst, truth(holds));                                                      \
      WB_NEXT();                                                                           \
    }                                                                                      \
    WB_IN_HOT_CODE(else_in_hot_code)                                                       \
    WB_STORE(A, dst, reinterpret_cast<GuardFn>(WB_ADDRESS(body))(*C->p, C->x + kScratch)); \
    WB_NEXT();                                                                             \
  }
#define ARE_WORDS (a == b || is_immediate(a) || is_immediate(b))
VALUE(value_eq_exact, ARE_WORDS, a == b, )
VALUE(value_ne_exact, ARE_WORDS, a != b, )
#define NUMBERS(name, operation)                                                        \
  VALUE(                                                                                \
      name, are_small(a, b), static_cast<int64_t>(a) operation static_cast<int64_t>(b), \
      if (is_float(a) && is_float(b)) {                                                 \
        WB_STORE(A, dst, truth(float_value(a) operation float_value(b)));               \
        WB_NEXT();                                                                      \
      })
NUMBERS(value_eq, ==)
NUMBERS(value_ne, !=)
NUMBERS(value_lt, <)
NUMBERS(value_le, <=)
NUMBERS(value_gt, >)
NUMBERS(value_ge, >=)

// Of two that are equal, the first.
#define EXTREME(name, operation)                                                           \
  FAST_1(name) {                                                                           \
    Term a = argument(C, 0), b = argument(C, 1);                                           \
    if (WB_LIKELY(are_small(a, b))) {                                                      \
      WB_STORE(A, dst, static_cast<int64_t>(b) operation static_cast<int64_t>(a) ? b : a); \
      WB_NEXT();                                                                           \
    }                                                                                      \
    WB_STORE(A, dst, reinterpret_cast<GuardFn>(WB_ADDRESS(body))(*C->p, C->x + kScratch)); \
    WB_NEXT();                                                                             \
  }
EXTREME(value_min, <)
EXTREME(value_max, >)

FAST_1(value_tuple_size) {
  Term t = argument(C, 0);
  if (WB_UNLIKELY(!is_tuple(t))) WB_SLOW(op_repeat);
  WB_STORE(A, dst, make_small(static_cast<int64_t>(tuple_arity(t))));
  WB_NEXT();
}

// key map: a flat map, and a key that is equal only to itself
static WB_INLINE const Term* find_key(Term map, Term key) {
  const Term* p = boxed_ptr(map);
  const Term* keys = boxed_ptr(p[2]);
  for (size_t k = p[1] >> 4; k > 0; --k) {
    if (keys[k] == key) return p + 2 + k;
  }
  return nullptr;
}
FAST_1(value_map_get) {
  Term key = argument(C, 0), map = argument(C, 1);
  if (WB_UNLIKELY(!is_immediate(key) || !is_flatmap(map))) WB_SLOW(op_repeat);
  const Term* value = find_key(map, key);
  if (WB_UNLIKELY(!value)) WB_SLOW(op_repeat);
  WB_STORE(A, dst, *value);
  WB_NEXT();
}
FAST_1(value_is_map_key) {
  Term key = argument(C, 0), map = argument(C, 1);
  if (WB_UNLIKELY(!is_immediate(key) || !is_flatmap(map))) WB_SLOW(op_repeat);
  WB_STORE(A, dst, truth(find_key(map, key) != nullptr));
  WB_NEXT();
}

// dst function n: puts n keys and values into a map (vm/interp/lowered_maps.h)
FAST_1(map_put) {
  using Put = Term (*)(Exec&, uint64_t);
  WB_SPILL();
  Term map = reinterpret_cast<Put>(WB_ADDRESS(put))(*C, WB_NUMBER(count));
  WB_RELOAD();
  if (WB_UNLIKELY(!is_value(map))) WB_SLOW(op_repeat);
  WB_STORE(A, dst, map);
  WB_NEXT();
}

// call_bif of some functions for what they are called with, while nobody traces them.
static WB_INLINE bool is_traced_call(Word function, Word body) {
  auto* e = reinterpret_cast<Export*>(function);
  return reinterpret_cast<Word>(e->body.load(std::memory_order_relaxed)) != body;
}
FAST_Z(sqrt_call) {  // Export continuation bif
  Term t = x0;
  if (WB_UNLIKELY(!is_float(t))) WB_SLOW(op_repeat);
  if (WB_UNLIKELY(is_traced_call(WB_ADDRESS(function), WB_ADDRESS(body)))) WB_SLOW(op_repeat);
  if (WB_UNLIKELY(!WB_HAS_ROOM((2 + kCallSlack) * sizeof(Word)))) WB_SLOW(op_repeat);
  double d = float_value(t);
  if (WB_UNLIKELY(!(d >= 0))) WB_SLOW(op_repeat);
  --FC;
  HP[0] = make_header(Kind::flo, 1);
  HP[1] = std::bit_cast<Term>(__builtin_elementwise_sqrt(d));
  x0 = make_boxed(HP);
  HP += 2;
  WB_CONTINUE(continuation);
}

#define EXTREME_CALL(name, operation)                                                            \
  FAST_Z(name) { /* Export continuation bif */                                                   \
    if (WB_UNLIKELY(!are_small(x0, x1))) WB_SLOW(op_repeat);                                     \
    if (WB_UNLIKELY(is_traced_call(WB_ADDRESS(function), WB_ADDRESS(body)))) WB_SLOW(op_repeat); \
    --FC;                                                                                        \
    if (static_cast<int64_t>(x1) operation static_cast<int64_t>(x0)) x0 = x1;                    \
    WB_CONTINUE(continuation);                                                                   \
  }
EXTREME_CALL(min_call, <)
EXTREME_CALL(max_call, >)

/// Of the operands of an operator on floats: of two integers the result is one.
FAST_2(one_float) {
  if (WB_UNLIKELY(WB_BOTH_SMALL(WB_LOAD(A, left), WB_LOAD(B, right)))) WB_SLOW(op_repeat);
  WB_NEXT();
}

void install_lowered_bifs(Word* t, bool) {
  fill::two<Instr::one_float, h_one_float, 6, 6>(t);
  fill::zero<Instr::sqrt_call, h_sqrt_call>(t);
  fill::zero<Instr::min_call, h_min_call>(t);
  fill::zero<Instr::max_call, h_max_call>(t);
  fill::zero<Instr::bif_room, h_bif_room>(t);
#define INSTALL(name) fill::one<Instr::name, h_##name, 5>(t);
  INSTALL(bif_value)
  INSTALL(bif_guard)
  INSTALL(map_put)
  INSTALL(value_eq_exact)
  INSTALL(value_ne_exact)
  INSTALL(value_eq)
  INSTALL(value_ne)
  INSTALL(value_lt)
  INSTALL(value_le)
  INSTALL(value_gt)
  INSTALL(value_ge)
  INSTALL(value_min)
  INSTALL(value_max)
  INSTALL(value_tuple_size)
  INSTALL(value_map_get)
  INSTALL(value_is_map_key)
}

}  // namespace wb
