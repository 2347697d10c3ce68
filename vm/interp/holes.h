// How a fast handler looks when it is compiled as a stencil: the accessors of handler.h, with holes
// in place of the instruction's words. A hole is an undefined symbol; the relocations that name it
// tell the cutter (cut_stencils.cc) where the baseline compiler has to fill in what.
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
WB_HOLES(1)
WB_HOLES(2)
WB_HOLES(3)
WB_HOLES(4)
WB_HOLES(5)
WB_HOLES(6)
WB_HOLES(7)
WB_PRESERVE_NONE void wb_next(WB_HANDLER_ARGS);
__attribute__((cold)) WB_PRESERVE_NONE void wb_preempt(WB_HANDLER_ARGS);
__attribute__((cold)) WB_PRESERVE_NONE void wb_otherwise(WB_HANDLER_ARGS);
__attribute__((cold)) WB_PRESERVE_NONE void wb_finish(WB_HANDLER_ARGS);
}

#ifdef WB_BITCODE
// For the LLVM tier (vm/orc/), which puts constants in place of the symbols: no assembly.
extern "C" {
#define WB_WORD_SYMBOLS(K) extern __attribute__((weak)) char wb_word_##K[], wb_list_##K[];
WB_WORD_SYMBOLS(0)
WB_WORD_SYMBOLS(1)
WB_WORD_SYMBOLS(2)
WB_WORD_SYMBOLS(3)
WB_WORD_SYMBOLS(4)
WB_WORD_SYMBOLS(5)
WB_WORD_SYMBOLS(6)
WB_WORD_SYMBOLS(7)
}
#undef WB_COUNT_REDUCTION
#define WB_COUNT_REDUCTION(tired) \
  FC -= 1;                        \
  bool tired = FC < 0
#endif

#define WB_NUMBER(k) (reinterpret_cast<::wb::Word>(wb_number_##k))
#define WB_BYTES(k) (reinterpret_cast<::wb::Word>(wb_bytes_##k))
#define WB_MINUS_BYTES(k) (reinterpret_cast<::wb::Word>(wb_minus_bytes_##k))
#ifdef WB_BITCODE
#define WB_ADDRESS(k) (reinterpret_cast<::wb::Word>(wb_word_##k))
#define WB_LIST(k) (reinterpret_cast<const ::wb::Word*>(wb_list_##k))
#else
#define WB_ADDRESS(k)                                 \
  ({                                                  \
    ::wb::Word word_;                                 \
    asm("movabsq $wb_word_" #k ", %0" : "=r"(word_)); \
    word_;                                            \
  })
#define WB_LIST(k)                                    \
  ({                                                  \
    const ::wb::Word* list_;                          \
    asm("movabsq $wb_list_" #k ", %0" : "=r"(list_)); \
    list_;                                            \
  })
#endif
#ifdef WB_WIDE
#define WB_CONSTANT(k) WB_ADDRESS(k)
#define WB_CONSTANTS_ARE_SMALL false
#define WB_CONSTANTS_ARE_IMMEDIATE false
#else
#define WB_CONSTANT(k) WB_NUMBER(k)
#define WB_CONSTANTS_ARE_SMALL true
#define WB_CONSTANTS_ARE_IMMEDIATE true
#endif

#define WB_NEXT(n) WB_TAIL wb_next(WB_PASS)
#define WB_BRANCH(k) WB_TAIL wb_branch_##k(WB_PASS)
#define WB_CONTINUE(k) WB_TAIL wb_next(WB_PASS)
#define WB_FINISH(handler) WB_TAIL wb_finish(WB_PASS)
#define WB_OTHERWISE(handler) WB_TAIL wb_otherwise(WB_PASS)
#undef WB_JUMP
#define WB_JUMP(target)                                         \
  do {                                                          \
    kept_I = reinterpret_cast<const ::wb::Word*>(target);       \
    WB_TAIL(reinterpret_cast<::wb::Handler>(*kept_I))(WB_PASS); \
  } while (0)
#define WB_ENTER_LABEL(k)                                    \
  do {                                                       \
    WB_COUNT_REDUCTION(tired);                               \
    if (WB_UNLIKELY(tired)) WB_TAIL wb_preempt_##k(WB_PASS); \
    WB_BRANCH(k);                                            \
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
    WB_PRESERVE_NONE static void run(WB_HANDLER_ARGS); \
  };                                                   \
  template <int>                                       \
  WB_PRESERVE_NONE static void uncut_##name(WB_UNCUT_ARGS)
