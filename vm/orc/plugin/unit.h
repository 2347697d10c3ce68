// What is compiled at once: a function, and in it some of those that it calls, *in line*.
//
// The list of pieces is the function's own with copies of its callees' between: what stands in for
// a call comes right behind it, so that forward jumps still go forward in the list. A copy is a
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
#include "vm/jit/pieces.h"

namespace wb {

class Unit {
 public:
  static constexpr uint32_t kNone = ~0u;
  /// A function's pieces as they stand in the list once. 0 is the outermost.
  struct Body {
    const CodePieces* function;
    uint32_t first;   ///< its first piece
    uint32_t caller;  ///< the piece that calls it
    Word back;        ///< where its returns go on, in its caller's body; 0: they return
  };

  explicit Unit(const CodePieces& function);

  const CodePieces& function() const { return *bodies[0].function; }
  /// The piece of this body that begins the instruction at an address; kNone: there is none.
  uint32_t piece_at(uint32_t body, Word address) const;
  Word address(uint32_t piece) const {
    return reinterpret_cast<Word>(bodies[body[piece]].function->entry + list[piece].at);
  }
  /// The next piece of the same body; kNone: it is the last.
  uint32_t next(uint32_t piece) const { return next_[piece]; }
  /// A piece's words, of which there are views (bytecode/instructions.h); the first says nothing.
  const Word* words(uint32_t piece) const {
    return bodies[body[piece]].function->words.data() + list[piece].words;
  }
  Word word(uint32_t piece, unsigned k) const { return words(piece)[k]; }
  /// The body that stands in for this call of a known function; kNone: there is none.
  uint32_t known(uint32_t piece) const;
  /// The bodies that may stand in for this call, of whatever it finds.
  std::vector<uint32_t> guesses(uint32_t piece) const;
  /// Of which fun this body is a guess.
  const CodePieces::SeenFun& fun_of(uint32_t body) const;
  /// Where a return of this body goes on; kNone: it returns.
  uint32_t back_of(uint32_t body) const;
  /// The word offset, in the outermost function, of the instruction that a piece is about: its own
  /// or the call.
  uint32_t place(uint32_t piece) const;

  std::vector<CodePiece> list;
  std::vector<uint32_t> body;  ///< by piece
  std::vector<Body> bodies;

 private:
  void add_body(const CodePieces& f, uint32_t caller, Word back, unsigned depth);
  void add_callees(uint32_t piece, unsigned depth);
  bool is_loop(uint32_t piece, Word entry) const;
  const CodePieces* callee_at(Word entry) const;

  std::vector<uint32_t> next_;                   ///< by piece
  std::vector<std::vector<uint32_t>> piece_at_;  ///< by body and word offset
  std::multimap<uint32_t, uint32_t> in_line_;    ///< bodies by piece
  size_t room_;                                  ///< so many more pieces
};

}  // namespace wb
