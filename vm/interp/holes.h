// How a fast handler looks when it is compiled as a stencil: the accessors of handler.h, with holes
// in place of the instruction's words. A hole is an undefined symbol; the relocations that name it
// tell the cutter (cut_stencils.cc) where the baseline compiler has to fill in what. An operand's
// name is its number K here (bytecode/instructions.h).
//
//   wb_number_K     operand K, an unsigned number below 2^31 (any 32-bit field of an instruction)
//   wb_bytes_K      the same times eight
//   wb_minus_bytes_K  and negative
//   wb_word_K       operand K, any 64 bits (a movabs)
//   wb_list_K       the address of word K, where a list begins (a movabs)
//   wb_next         the instruction after this one
//   wb_branch_K     the code at the label that is operand K
//   wb_preempt_K    no reductions are left at that label: it is a function's entry
//   wb_preempt      the same at an entry whose address is in the register of `I`
//   wb_otherwise    the interpreter's own handler of this instruction, from its beginning
//   wb_finish       the interpreter's handler of the instruction end_NAME, at this one's words
//
// Constant operands are numbers, or words when compiled with WB_WIDE: two stencils for each handler
// that has one. A number is an immediate term, and where the instruction asks for small integers
// (kAnyConstant in instructions.def has none of it) a small integer, so the stencil does not ask.
#pragma once

#define WB_EACH_HOLE(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)
#define WB_HOLES(K)                                                                        \
  extern __attribute__((weak)) char wb_number_##K[], wb_bytes_##K[], wb_minus_bytes_##K[]; \
  WB_PRESERVE_NONE void wb_branch_##K(WB_HANDLER_ARGS);                                    \
  __attribute__((cold)) WB_PRESERVE_NONE void wb_preempt_##K(WB_HANDLER_ARGS);

// In a stencil nobody knows the instruction's address: what says `I` does not compile.
#undef WB_HANDLER_ARGS
#define WB_HANDLER_ARGS                                                               \
  const ::wb::Word *kept_I, ::wb::Exec *C, ::wb::Term *HP, ::wb::Term *E, int64_t FC, \
      ::wb::Term x0, ::wb::Term x1, ::wb::Term x2
#undef WB_PASS
#define WB_PASS kept_I, C, HP, E, FC, x0, x1, x2

extern "C" {
WB_EACH_HOLE(WB_HOLES)
WB_PRESERVE_NONE void wb_next(WB_HANDLER_ARGS);
__attribute__((cold)) WB_PRESERVE_NONE void wb_preempt(WB_HANDLER_ARGS);
__attribute__((cold)) WB_PRESERVE_NONE void wb_otherwise(WB_HANDLER_ARGS);
__attribute__((cold)) WB_PRESERVE_NONE void wb_finish(WB_HANDLER_ARGS);
}

#ifdef WB_BITCODE
// For the LLVM tier (vm/orc/), which puts constants in place of the symbols: no assembly.
extern "C" {
#define WB_WORD_SYMBOLS(K) extern __attribute__((weak)) char wb_word_##K[], wb_list_##K[];
WB_EACH_HOLE(WB_WORD_SYMBOLS)
}
#undef WB_COUNT_REDUCTION
#define WB_COUNT_REDUCTION(tired) \
  FC -= 1;                        \
  bool tired = FC < 0
#endif

/// The symbols of one operand: accessors take it by name, which is a number.
template <unsigned k>
struct Hole;
#ifdef WB_BITCODE
#define WB_HOLE_WORDS(K) static constexpr char *word = wb_word_##K, *list = wb_list_##K;
#else
#define WB_HOLE_WORDS(K)
#endif
#define WB_HOLE(K)                                                                     \
  template <>                                                                          \
  struct Hole<K> {                                                                     \
    static constexpr char *number = wb_number_##K, *bytes = wb_bytes_##K,              \
                          *minus_bytes = wb_minus_bytes_##K;                           \
    static constexpr ::wb::Handler branch = &wb_branch_##K, preempt = &wb_preempt_##K; \
    WB_HOLE_WORDS(K)                                                                   \
  };
WB_EACH_HOLE(WB_HOLE)

#define WB_NUMBER(name) (reinterpret_cast<::wb::Word>(Hole<At::name>::number))
#define WB_BYTES(name) (reinterpret_cast<::wb::Word>(Hole<At::name>::bytes))
#define WB_MINUS_BYTES(name) (reinterpret_cast<::wb::Word>(Hole<At::name>::minus_bytes))
#ifdef WB_BITCODE
#define WB_ADDRESS(name) (reinterpret_cast<::wb::Word>(Hole<At::name>::word))
#define WB_LIST(name) (reinterpret_cast<const ::wb::Word*>(Hole<At::name>::list))
#else
#define WB_ADDRESS(name)                                                             \
  ({                                                                                 \
    ::wb::Word word_;                                                                \
    asm("movabsq $wb_word_%c1, %0" : "=r"(word_) : "i"(static_cast<int>(At::name))); \
    word_;                                                                           \
  })
#define WB_LIST(name)                                                                \
  ({                                                                                 \
    const ::wb::Word* list_;                                                         \
    asm("movabsq $wb_list_%c1, %0" : "=r"(list_) : "i"(static_cast<int>(At::name))); \
    list_;                                                                           \
  })
#endif
#ifdef WB_WIDE
#define WB_CONSTANT(name) WB_ADDRESS(name)
#define WB_CONSTANTS_ARE_SMALL false
#define WB_CONSTANTS_ARE_IMMEDIATE false
#else
#define WB_CONSTANT(name) WB_NUMBER(name)
#define WB_CONSTANTS_ARE_SMALL true
#define WB_CONSTANTS_ARE_IMMEDIATE true
#endif

#define WB_NEXT() WB_TAIL wb_next(WB_PASS)
#define WB_BRANCH(name) WB_TAIL Hole<At::name>::branch(WB_PASS)
#define WB_CONTINUE(name) WB_TAIL wb_next(WB_PASS)
#define WB_FINISH(handler) WB_TAIL wb_finish(WB_PASS)
#define WB_OTHERWISE(handler) WB_TAIL wb_otherwise(WB_PASS)
#undef WB_JUMP
#define WB_JUMP(target)                                         \
  do {                                                          \
    kept_I = reinterpret_cast<const ::wb::Word*>(target);       \
    WB_TAIL(reinterpret_cast<::wb::Handler>(*kept_I))(WB_PASS); \
  } while (0)
#define WB_ENTER_LABEL(name)                                          \
  do {                                                                \
    WB_COUNT_REDUCTION(tired);                                        \
    if (WB_UNLIKELY(tired)) WB_TAIL Hole<At::name>::preempt(WB_PASS); \
    WB_BRANCH(name);                                                  \
  } while (0)
#define WB_ENTER(target)                                  \
  do {                                                    \
    kept_I = reinterpret_cast<const ::wb::Word*>(target); \
    WB_COUNT_REDUCTION(tired);                            \
    if (WB_UNLIKELY(tired)) WB_TAIL wb_preempt(WB_PASS);  \
    WB_JUMP(kept_I);                                      \
  } while (0)

// Handlers that look at their operands at run time are parsed and dropped.
#define WB_UNCUT_ARGS const ::wb::Word *I, WB_HANDLER_ARGS
#define UNCUT_Z(name)                                  \
  struct h_##name {                                    \
    using At = instr::place::name;                     \
    WB_PRESERVE_NONE static void run(WB_HANDLER_ARGS); \
  };                                                   \
  template <int>                                       \
  WB_PRESERVE_NONE static void uncut_##name(WB_UNCUT_ARGS)
