// What is compiled at once: a function, and in it some of those that it calls, *in line*.
//
// The list of operations is the function's own with copies of its callees' between: what stands in
// for a call comes right behind it, so that forward jumps still go forward in the list. A copy is a
// *body*: its labels are its own, and where its function returns it goes on behind the call.
// Nothing else differs. The call still pushes its return address and counts its reduction, frames
// are where they would be, and instructions have the addresses of the function they belong to, so
// whoever leaves a copy at any instruction (to the interpreter, to be preempted, with an error)
// goes on as if the call had been made; stacks show nothing of all this. That it was not *needed*
// to write return addresses and frames LLVM finds out.
//
// A call of a function of the same module is *known*. What a fun or an export leads to is
// *guessed*: the call finds it as ever, counts, and stays here if it is what was guessed. For a
// guessed fun the call's handler is there once more, where LLVM knows which fun it has.
//
// A function is worth it if it is small and hot itself (Orc asks only for such). Loops stay calls.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "bytecode/instructions.h"
#include "vm/jit/lowered_function.h"

namespace wb {

class Unit {
 public:
  static constexpr uint32_t kNone = ~0u;
  /// A function's operations as they stand in the list once. 0 is the outermost.
  struct Body {
    const LoweredFunction* function;
    uint32_t first;   ///< its first operation
    uint32_t caller;  ///< the operation that calls it
    Word back;        ///< where its returns go on, in its caller's body; 0: they return
  };

  explicit Unit(const LoweredFunction& function);

  const LoweredFunction& function() const { return *bodies[0].function; }
  /// The operation of this body that begins the instruction at an address; kNone: there is none.
  uint32_t op_at(uint32_t body, Word address) const;
  Word address(uint32_t op) const {
    return reinterpret_cast<Word>(bodies[body[op]].function->entry + list[op].at);
  }
  /// The next operation of the same body; kNone: it is the last.
  uint32_t next(uint32_t op) const { return next_[op]; }
  /// A operation's words, of which there are views (bytecode/instructions.h); the first says
  /// nothing.
  const Word* words(uint32_t op) const {
    return bodies[body[op]].function->words.data() + list[op].words;
  }
  Word word(uint32_t op, unsigned k) const { return words(op)[k]; }
  /// The body that stands in for this call of a known function; kNone: there is none.
  uint32_t known(uint32_t op) const;
  /// The bodies that may stand in for this call, of whatever it finds.
  std::vector<uint32_t> guesses(uint32_t op) const;
  /// Of which fun this body is a guess.
  const LoweredFunction::SeenFun& fun_of(uint32_t body) const;
  /// Where a return of this body goes on; kNone: it returns.
  uint32_t back_of(uint32_t body) const;
  /// The word offset, in the outermost function, of the instruction that an operation is about: its
  /// own or the call.
  uint32_t origin(uint32_t op) const;

  std::vector<LoweredOp> list;
  std::vector<uint32_t> body;  ///< by operation
  std::vector<Body> bodies;

 private:
  void add_body(const LoweredFunction& f, uint32_t caller, Word back, unsigned depth);
  void add_callees(uint32_t op, unsigned depth);
  bool is_loop(uint32_t op, Word entry) const;
  const LoweredFunction* callee_at(Word entry) const;

  std::vector<uint32_t> next_;                 ///< by operation
  std::vector<std::vector<uint32_t>> op_at_;   ///< by body and word offset
  std::multimap<uint32_t, uint32_t> in_line_;  ///< bodies by operation
  size_t room_;                                ///< so many more operations
};

}  // namespace wb
