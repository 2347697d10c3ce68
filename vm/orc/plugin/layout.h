// The control flow of a function's operations, and where it is cut into LLVM functions.
//
// A return address is a word of bytecode (docs/design.md, Calling convention), so every point that
// may be entered from outside (the entry, the word after a call, the word after an instruction that
// the interpreter runs, a handler of exceptions) must be the beginning of an LLVM function of its
// own: a *root*. All of a function's code that is reached from one root only, without passing
// another, becomes that root's LLVM function. What is reached from two would have to be there
// twice: it is made a root, too, and both jump there (a tail call with everything in registers
// costs a jump).
//
// A function that calls others and then itself goes around between two roots. Where that is not too
// much code the entry's is there again in those that go on with it, so that registers stay values.
// So is what follows a call that is had in line (unit.h): who comes from there finds registers as
// values, who returns to the word finds the root.
//
// Only the outermost function's operations are roots. A copy in line belongs to whoever calls. If
// it calls nobody, what follows its call is a *rare* root: who comes there by the word has left the
// copy before. A rare root is as short as can be, it has nothing of other roots. So are those where
// exceptions are handled.
//
// What follows a call of a BIF is arrived at when the BIF's end was left to the interpreter (there
// was something to collect), and without a root the process would stay in the lower tier until its
// slice ends. These are *side* roots: the code around has these operations, too, as if they were
// none, and theirs is a copy, up to kLongestSide operations.
#pragma once

#include <cstdint>
#include <vector>

#include "vm/orc/plugin/library.h"
#include "vm/orc/plugin/unit.h"

namespace wb {

/// How an operation is lowered to IR.
enum class Lowering : uint8_t {
  inline_handler,  ///< its handler's body
  switch_table,    ///< a jump by a table: a switch
  interpret,       ///< the interpreter's handler runs it
};

struct LiveRegisters {
  unsigned x = ~0u;    ///< so many X registers
  bool floats = true;  ///< the float registers
};

class Layout {
 public:
  Layout(const Unit& unit, HandlerLibrary& library);

  static constexpr uint32_t kOutside = Unit::kNone;
  /// The operation that `from`, going to this address, goes to; kOutside: none that is known here.
  uint32_t target(uint32_t from, Word address) const;
  Lowering lowering(uint32_t op) const { return lowering_[op]; }
  /// Do other roots have the code of the function's entry, too?
  bool copies_entry() const { return copies_entry_; }
  bool is_root(uint32_t op) const { return root_[op] != Root::no; }
  bool is_rare(uint32_t root) const { return rare_[root]; }
  bool is_side(uint32_t root) const { return side_[root]; }
  static constexpr size_t kLongestSide = 24;
  /// From outside of the function's new code.
  bool is_entered(uint32_t op) const { return root_[op] == Root::entered; }
  /// Word k of an operation; 0 is its handler's.
  Word word(uint32_t op, unsigned k) const { return unit_.word(op, k); }
  /// Is a copy in line left for rare reasons only? It goes on, and calls nobody.
  bool stays(uint32_t body) const;
  /// How many operations belong to a root.
  uint32_t size_of(uint32_t root) const { return size_of_[root]; }
  /// What is live where an operation begins, of what lives in memory between roots.
  LiveRegisters live_at(uint32_t op) const {
    const Unit::Body& body = unit_.bodies[unit_.body[op]];
    if (op == body.first) return {body.function->arity, false};
    return after_call_[op] ? LiveRegisters{1, false} : LiveRegisters{};
  }
  Word address(uint32_t op) const { return unit_.address(op); }

 private:
  enum class Root : uint8_t { no, inside, entered };
  Lowering choose_lowering(uint32_t op);
  uint32_t stand_in(uint32_t call) const;
  bool goes_on_inside(uint32_t op) const;
  void find_successors();
  uint32_t next_instruction(uint32_t op) const;
  void find_roots();
  void add_sides();
  bool is_label(Word address) const;
  void add_labels(uint32_t op, std::vector<uint32_t>* to) const;
  void enter_handler(uint32_t op);
  void enter(uint32_t op) {
    if (op < root_.size()) root_[op] = Root::entered;
  }
  std::vector<uint32_t> split_joins();
  void weigh_entry(const std::vector<uint32_t>& owner);

  const Unit& unit_;
  HandlerLibrary& library_;
  std::vector<uint32_t> size_of_;
  std::vector<Lowering> lowering_;
  std::vector<Root> root_;
  bool copies_entry_ = false;
  std::vector<bool> rare_;        ///< roots that nobody should come to often
  std::vector<bool> side_;        ///< of these, those behind BIFs
  std::vector<bool> after_call_;  ///< where somebody returns to
  std::vector<std::vector<uint32_t>> successors_;
};

}  // namespace wb
