// What a hot function may have in line: small functions of its module that it calls and that are
// hot themselves, those that these call, and what funs among its arguments have been.
//
// Only the same module: a local call means the code of the caller's own version, whatever is loaded
// meanwhile. A fun is guessed, and compared when it is called.
#pragma once

#include <array>
#include <vector>

#include "loader/code.h"
#include "vm/jit/baseline.h"

namespace wb {

/// Funs that were seen among a function's arguments, the first few.
struct SeenFuns {
  std::array<CodePieces::SeenFun, 2> list{};
  /// `x`: the arguments of the function of `m` at `entry`.
  void note(const Module& m, const Word* entry, const Term* x);
  void add(const CodePieces::SeenFun& fun);
  bool any() const { return list[0].entry; }
};

/// Is there one at the function's entry? `handlers`: the VM's table.
bool has_breakpoint(const Word* handlers, const Word* entry);

class CalleeFinder {
 public:
  /// `all`: also those that are not hot; native code they must have.
  CalleeFinder(Module& m, Baseline& baseline, const Word* handlers, bool all)
      : m_(m), baseline_(baseline), handlers_(handlers), all_(all) {}
  /// Adds to `f` its callees, and what of `seen` is one.
  void find(CodePieces& f, const SeenFuns& seen);

 private:
  bool add(CodePieces& f, const Word* entry);
  bool is_worth_it(const Word* entry) const;
  void add_called(CodePieces& f, size_t callee);

  Module& m_;
  Baseline& baseline_;
  const Word* const handlers_;
  const bool all_;
  uint32_t samples_ = 0;
};

}  // namespace wb
