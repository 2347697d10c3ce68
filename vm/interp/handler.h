// How a handler looks: the calling convention, operand access, dispatch.
//
// Every handler has one prototype (preserve_none: all eight arguments stay in machine registers,
// nothing is saved) and ends in a tail call of the next one, so dispatch is one indirect jump.
//   I   the instruction: I[0] its handler's address, I[1].. operands (bytecode/instructions.def)
//   C   execution context (exec.h)          HP  next free heap word      E  top of stack
//   FC  reductions left in the slice        x0..x2  the first X registers; the others are C->x[3..]
//
// Two kinds of handler: *fast* ones, written here with the macros below and specialised by operand
// kind, and *slow operations*, plain functions `const Word* op_name(Exec&, const Word* I)` that see
// spilled state and return the next instruction. SLOW(op) is the bridge between the two.
//
// Rejected: computed goto (registers spill around every slow path); a switch; handlers that return
// to a loop. The measurements: docs/design.md, Measured facts.
#pragma once

#include <utility>

#include "bytecode/instructions.h"
#include "vm/interp/handler_list.h"
#include "vm/process/exec.h"

namespace wb {

#define WB_PRESERVE_NONE __attribute__((preserve_none))
#define WB_HANDLER_ARGS                                                                         \
  const ::wb::Word *I, ::wb::Exec *C, ::wb::Term *HP, ::wb::Term *E, int64_t FC, ::wb::Term x0, \
      ::wb::Term x1, ::wb::Term x2
#define WB_PASS I, C, HP, E, FC, x0, x1, x2
using Handler = WB_PRESERVE_NONE void (*)(WB_HANDLER_ARGS);
#define WB_TAIL [[clang::musttail]] return

/// The handler of the instruction at I. Breakpoints and tiers store another one there while this
/// thread runs: a release store of an aligned word, after what the handler will read. A plain load
/// acquires it on x86-64, and is part of the jump; the sanitizer has to be notified.
#if defined(__has_feature) && __has_feature(thread_sanitizer)
#define WB_HANDLER_OF(I) __atomic_load_n(I, __ATOMIC_ACQUIRE)
#else
#define WB_HANDLER_OF(I) (*(I))
#endif

/// Goes on at an instruction whose address was computed.
#define WB_JUMP(target)                                            \
  do {                                                             \
    I = reinterpret_cast<const ::wb::Word*>(target);               \
    WB_TAIL(reinterpret_cast<Handler>(WB_HANDLER_OF(I)))(WB_PASS); \
  } while (0)

#define WB_SPILL()         \
  do {                     \
    C->x[0] = x0;          \
    C->x[1] = x1;          \
    C->x[2] = x2;          \
    C->fc = FC;            \
    C->p->heap.top() = HP; \
    C->set_e(E);           \
  } while (0)
#define WB_RELOAD()        \
  do {                     \
    x0 = C->x[0];          \
    x1 = C->x[1];          \
    x2 = C->x[2];          \
    FC = C->fc;            \
    HP = C->p->heap.top(); \
    E = C->e();            \
  } while (0)

using SlowOp = const Word* (*)(Exec& c, const Word* I);

/// The handler of a slow operation: spill, call, reload, go on where it says.
template <SlowOp op>
WB_PRESERVE_NONE void slow_handler(WB_HANDLER_ARGS) {
  WB_SPILL();
  I = op(*C, I);
  WB_RELOAD();
  WB_JUMP(I);
}

/// Takes one reduction; `tired` says whether there was none left. (In C++ the compiler would
/// compare the old value, which costs a register and an instruction.)
#define WB_COUNT_REDUCTION(tired) \
  bool tired;                     \
  asm("decq %0" : "+r"(FC), "=@ccs"(tired))

// How a fast handler reads its operands and goes on; a stencil does the same with holes.
#ifdef WB_STENCILS
#include "vm/interp/holes.h"
#else
// They take an operand's name: in scope is `At`, the places of the instruction's operands.
/// A constant term; an address; a number or term that a stencil takes only if it fits in 31 bits.
#define WB_CONSTANT(name) (I[At::name])
#define WB_ADDRESS(name) (I[At::name])
#define WB_NUMBER(name) (I[At::name])
/// A number of words, as bytes.
#define WB_BYTES(name) (WB_NUMBER(name) * sizeof(::wb::Word))
#define WB_MINUS_BYTES(name) (-WB_BYTES(name))
/// Where a list of operands begins.
#define WB_LIST(name) (I + At::name)
/// Are constants small wherever an instruction asks whether they are? (In stencils; see there.)
#define WB_CONSTANTS_ARE_SMALL false
#define WB_CONSTANTS_ARE_IMMEDIATE false
#define WB_NEXT() WB_JUMP(I + At::next_)
/// To a label.
#define WB_BRANCH(name) WB_JUMP(I[At::name])
/// To a function's entry (a label, or a computed address): one reduction.
#define WB_ENTER_LABEL(name) WB_ENTER(I[At::name])
#define WB_ENTER(target)                                               \
  do {                                                                 \
    I = reinterpret_cast<const ::wb::Word*>(target);                   \
    WB_COUNT_REDUCTION(tired);                                         \
    if (WB_UNLIKELY(tired)) WB_TAIL slow_handler<op_preempt>(WB_PASS); \
    WB_JUMP(I);                                                        \
  } while (0)
/// What a stencil leaves to the interpreter: another handler of this same instruction. Nothing may
/// have been changed before.
#define WB_OTHERWISE(handler) WB_TAIL handler(WB_PASS)
/// The rest of this instruction, by the handler of the instruction end_NAME. Nothing need be
/// undone.
#define WB_FINISH(handler) WB_TAIL handler(WB_PASS)
/// To the continuation, the next instruction.
#define WB_CONTINUE(name) WB_BRANCH(name)
#endif
#define WB_SLOW(op) WB_OTHERWISE(slow_handler<op>)

// What only the LLVM tier has in line: elsewhere it would be too much code.
#ifdef WB_BITCODE
#define WB_IN_HOT_CODE(...) __VA_ARGS__
#else
#define WB_IN_HOT_CODE(...)
#endif
/// An operator on two floats (float_paths.h).
#define WB_FLOATS_IN_HOT_CODE(op, a, b, D)            \
  WB_IN_HOT_CODE(if (float_result<op>(a, b, HP, E)) { \
    WB_STORE(D, dst, make_boxed(HP));                 \
    HP += 2;                                          \
    WB_NEXT();                                        \
  })

/// E moved by a number of bytes.
#define WB_MOVE_E(bytes) \
  (E = reinterpret_cast<::wb::Term*>(reinterpret_cast<char*>(E) + static_cast<int64_t>(bytes)))
/// Are `bytes` free between heap and stack?
#define WB_HAS_ROOM(bytes) \
  (reinterpret_cast<char*>(E) - reinterpret_cast<char*>(HP) >= static_cast<int64_t>(bytes))

/// The process is preempted at the entry `I`.
const Word* op_preempt(Exec& c, const Word* I);

using K = OperandKind;
// An operand of a kind known at compile time.
#define WB_LOAD(kind, name)                                                                         \
  ((kind) == K::x0   ? x0                                                                           \
   : (kind) == K::x1 ? x1                                                                           \
   : (kind) == K::x2 ? x2                                                                           \
   : (kind) == K::x  ? *reinterpret_cast<::wb::Term*>(reinterpret_cast<char*>(C) + WB_NUMBER(name)) \
   : (kind) == K::y  ? *reinterpret_cast<::wb::Term*>(reinterpret_cast<char*>(E) + WB_NUMBER(name)) \
                     : static_cast<::wb::Term>(WB_CONSTANT(name)))
#define WB_STORE(kind, name, value)                                                           \
  do {                                                                                        \
    ::wb::Term stored_ = (value);                                                             \
    if ((kind) == K::x0)                                                                      \
      x0 = stored_;                                                                           \
    else if ((kind) == K::x1)                                                                 \
      x1 = stored_;                                                                           \
    else if ((kind) == K::x2)                                                                 \
      x2 = stored_;                                                                           \
    else if ((kind) == K::x)                                                                  \
      *reinterpret_cast<::wb::Term*>(reinterpret_cast<char*>(C) + WB_NUMBER(name)) = stored_; \
    else                                                                                      \
      *reinterpret_cast<::wb::Term*>(reinterpret_cast<char*>(E) + WB_NUMBER(name)) = stored_; \
  } while (0)

/// The same for slow operations, which see spilled state.
template <K kind>
WB_INLINE Term load_kind(const Exec& c, Word w) {
  if (kind == K::c) return w;
  if (kind == K::y) return *reinterpret_cast<const Term*>(reinterpret_cast<const char*>(c.e()) + w);
  return *reinterpret_cast<const Term*>(reinterpret_cast<const char*>(&c) + w);
}

template <K kind>
WB_INLINE void store_kind(Exec& c, Word w, Term t) {
  void* to = kind == K::y ? static_cast<void*>(c.e()) : &c;
  *reinterpret_cast<Term*>(static_cast<char*>(to) + w) = t;
}

/// Are both small? Constants are not asked where a stencil knows.
template <K A, K B, bool constants_are_small>
WB_INLINE bool both_small(Term a, Term b) {
  if (constants_are_small && A == K::c) return is_small(b);
  if (constants_are_small && B == K::c) return is_small(a);
  return are_small(a, b);
}
#define WB_BOTH_SMALL(a, b) (both_small<A, B, WB_CONSTANTS_ARE_SMALL>(a, b))

// A fast handler is a struct template over its operands' kinds with one static function `run`. It
// has the name of its instruction, which gives the operands theirs.
#define FAST_Z(name)                                   \
  struct h_##name {                                    \
    using At = instr::place::name;                     \
    WB_PRESERVE_NONE static void run(WB_HANDLER_ARGS); \
  };                                                   \
  WB_PRESERVE_NONE void h_##name::run(WB_HANDLER_ARGS)
/// Handlers that walk their operands: the baseline compiler has them run by the interpreter.
#ifndef WB_STENCILS
#define WB_UNCUT_ARGS WB_HANDLER_ARGS
#define UNCUT_Z(name) FAST_Z(name)
#endif
#define FAST_1(name)                                   \
  template <K A>                                       \
  struct h_##name {                                    \
    using At = instr::place::name;                     \
    WB_PRESERVE_NONE static void run(WB_HANDLER_ARGS); \
  };                                                   \
  template <K A>                                       \
  WB_PRESERVE_NONE void h_##name<A>::run(WB_HANDLER_ARGS)
#define FAST_2(name)                                   \
  template <K A, K B>                                  \
  struct h_##name {                                    \
    using At = instr::place::name;                     \
    WB_PRESERVE_NONE static void run(WB_HANDLER_ARGS); \
  };                                                   \
  template <K A, K B>                                  \
  WB_PRESERVE_NONE void h_##name<A, B>::run(WB_HANDLER_ARGS)
#define FAST_3(name)                                   \
  template <K A, K B, K D>                             \
  struct h_##name {                                    \
    using At = instr::place::name;                     \
    WB_PRESERVE_NONE static void run(WB_HANDLER_ARGS); \
  };                                                   \
  template <K A, K B, K D>                             \
  WB_PRESERVE_NONE void h_##name<A, B, D>::run(WB_HANDLER_ARGS)

inline void set_slow(Word* table, Instr i, Handler h) {
  const InstrInfo& info = info_of(i);
  for (unsigned k = 0; k < shape_variants(info.shape); ++k) {
    table[info.first_handler + k] = reinterpret_cast<Word>(h);
  }
}

// Which handlers an instruction has: all combinations of kinds. In the VM they are put into the
// table of handlers. In stencils and bitcode the same lines make a list in the object file, by
// which tools/stencils and the LLVM tier find the code of each handler (HandlerList).
namespace fill {
constexpr K kind(unsigned i) { return static_cast<K>(i); }
template <class H>
struct Zero {
  static constexpr unsigned count = 1;
  template <unsigned>
  static constexpr Handler at = &H::run;
};
template <template <K> class H, unsigned N>
struct One {
  static constexpr unsigned count = N;
  template <unsigned I>
  static constexpr Handler at = &H<kind(I)>::run;
};
template <template <K, K> class H, unsigned NA, unsigned NB>
struct Two {
  static constexpr unsigned count = NA * NB;
  template <unsigned I>
  static constexpr Handler at = &H<kind(I / NB), kind(I % NB)>::run;
};
template <template <K, K, K> class H, unsigned NA, unsigned NB, unsigned NC>
struct Three {
  static constexpr unsigned count = NA * NB * NC;
  template <unsigned I>
  static constexpr Handler at = &H<kind(I / (NB * NC)), kind(I / NC % NB), kind(I % NC)>::run;
};

template <class Family, unsigned... I>
constexpr auto list_of(Instr i, std::integer_sequence<unsigned, I...>) {
  return HandlerList<Handler, sizeof...(I)>{
      static_cast<uint32_t>(i), sizeof...(I), {Family::template at<I>...}};
}
template <Instr i, class Family>
static void put(Word* table) {
#ifdef WB_STENCILS
  [[gnu::used, gnu::section(WB_HANDLER_LISTS)]] static constexpr auto list =
      list_of<Family>(i, std::make_integer_sequence<unsigned, Family::count>());
#else
  static constexpr auto list =
      list_of<Family>(i, std::make_integer_sequence<unsigned, Family::count>());
  const InstrInfo& info = info_of(i);
  WB_DCHECK(list.count == shape_variants(info.shape));
  for (unsigned k = 0; k < list.count; ++k) {
    table[info.first_handler + k] = reinterpret_cast<Word>(list.handlers[k]);
  }
#endif
}
template <Instr i, class H>
void zero(Word* table) {
  put<i, Zero<H>>(table);
}
template <Instr i, template <K> class H, unsigned N>
void one(Word* table) {
  put<i, One<H, N>>(table);
}
template <Instr i, template <K, K> class H, unsigned NA, unsigned NB>
void two(Word* table) {
  put<i, Two<H, NA, NB>>(table);
}
template <Instr i, template <K, K, K> class H, unsigned NA, unsigned NB, unsigned NC>
void three(Word* table) {
  put<i, Three<H, NA, NB, NC>>(table);
}
}  // namespace fill

// Each file of handlers adds its own to the table.
void install_moves(Word* table, bool stress);
void install_control(Word* table, bool stress);
void install_tests(Word* table, bool stress);
void install_arithmetic(Word* table, bool stress);
void install_integers(Word* table, bool stress);
void install_guards(Word* table, bool stress);
void install_checks(Word* table, bool stress);
void install_exceptions(Word* table, bool stress);
void install_messages(Word* table, bool stress);
void install_looking(Word* table, bool stress);
void install_maps(Word* table, bool stress);
void install_records(Word* table, bool stress);
void install_bit_matching(Word* table, bool stress);
void install_bit_building(Word* table, bool stress);
void install_bit_reading(Word* table, bool stress);
void install_map_reading(Word* table, bool stress);
void install_lowered_bifs(Word* table, bool stress);
void install_lowered_building(Word* table, bool stress);
void install_lowered_matching(Word* table, bool stress);
void install_warm_up(Word* table, bool stress);
void install_check_state(Word* table, bool stress);
void install_tracing(Word* table, bool stress);
void install_nif_slot(Word* table, bool stress);

}  // namespace wb
