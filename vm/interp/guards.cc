// Guard BIFs that look into a term: element, hd, tl and sizes. What a fast handler does not
// decide goes to the BIF itself, which also knows how to fail.
#include "term/bits.h"
#include "term/map.h"
#include "vm/interp/errors.h"
#include "vm/interp/handler.h"
#include "vm/process/guard.h"

namespace wb {

/// The arguments are in the scratch registers, and so is the result when nullptr is returned.
template <GuardFn guard, Term name, uint32_t arity>
static WB_NOINLINE const Word* call_guard(Exec& c, const Word* I, Word fail) {
  Term* args = c.x + kScratch;
  Term r = guard(*c.p, args);
  if (WB_LIKELY(is_value(r))) {
    args[2] = r;
    return nullptr;
  }
  return fail_or_raise(c, I, fail, name, arity, args, r);
}

// s d fail: `holds` says whether t has what `result` takes from it.
#define LOOK_1(name, holds, result)                                                              \
  template <K A, K B>                                                                            \
  WB_PRESERVE_NONE static void slow_##name(WB_UNCUT_ARGS) {                                      \
    using At = instr::place::name;                                                               \
    C->x[kScratch] = WB_LOAD(A, value);                                                          \
    WB_SPILL();                                                                                  \
    const Word* next = call_guard<erlang_##name##_1, am::name, 1>(*C, I, instr::name{I}.fail()); \
    WB_RELOAD();                                                                                 \
    if (WB_UNLIKELY(next != nullptr)) WB_JUMP(next);                                             \
    WB_STORE(B, dst, C->x[kScratch + 2]);                                                        \
    WB_NEXT();                                                                                   \
  }                                                                                              \
  FAST_2(name) {                                                                                 \
    Term t = WB_LOAD(A, value);                                                                  \
    if (WB_UNLIKELY(!(holds))) WB_OTHERWISE((slow_##name<A, B>));                                \
    WB_STORE(B, dst, result);                                                                    \
    WB_NEXT();                                                                                   \
  }

static WB_INLINE Term count(uint64_t n) { return make_small(static_cast<int64_t>(n)); }

LOOK_1(hd, is_cons(t), head(t))
LOOK_1(tl, is_cons(t), tail(t))
LOOK_1(byte_size, is_bitstring(t), count((extent_of(t).bits + 7) / 8))
LOOK_1(map_size, is_map(t), count(map_size(t)))

// index tuple d fail
template <K A, K B, K D>
WB_PRESERVE_NONE static void slow_element(WB_UNCUT_ARGS) {
  using At = instr::place::element;
  C->x[kScratch] = WB_LOAD(A, index);
  C->x[kScratch + 1] = WB_LOAD(B, tuple);
  WB_SPILL();
  const Word* next = call_guard<erlang_element_2, am::element, 2>(*C, I, instr::element{I}.fail());
  WB_RELOAD();
  if (WB_UNLIKELY(next != nullptr)) WB_JUMP(next);
  WB_STORE(D, dst, C->x[kScratch + 2]);
  WB_NEXT();
}
FAST_3(element) {
  Term index = WB_LOAD(A, index), t = WB_LOAD(B, tuple);
  if (WB_UNLIKELY(!is_small(index) || !is_tuple(t))) WB_OTHERWISE((slow_element<A, B, D>));
  if (WB_UNLIKELY(index - make_small(1) >= count(tuple_arity(t)))) {
    WB_OTHERWISE((slow_element<A, B, D>));
  }
  // The index is a multiple of 16, an element has 8 bytes.
  WB_STORE(D, dst, *reinterpret_cast<Term*>(reinterpret_cast<char*>(boxed_ptr(t)) + index / 2));
  WB_NEXT();
}

void install_guards(Word* t, bool) {
#define INSTALL(name) fill::two<Instr::name, h_##name, 6, 5>(t);
  INSTALL(hd)
  INSTALL(tl)
  INSTALL(byte_size)
  INSTALL(map_size)
  fill::three<Instr::element, h_element, 6, 6, 5>(t);
}

}  // namespace wb
