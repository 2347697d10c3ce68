// What a hot function may have in line: small functions that it calls and that are hot themselves,
// those that these call, and what funs among its arguments have been.
//
// A local call means the code of the caller's own version, whatever is loaded meanwhile: it is
// known. What a fun or an export leads to is guessed, and compared when it is called; only code of
// current versions is guessed, and code that has it is invalidated when they are not any more
// (orc.h).
#pragma once

#include <array>
#include <vector>

#include "loader/code_table.h"
#include "vm/jit/baseline.h"

namespace wb {

/// Funs that were seen among a function's arguments: who comes often stays.
struct SeenFuns {
  struct Seen {
    FunEntry* fun = nullptr;
    uint32_t times = 0;
  };
  std::array<Seen, 4> list{};
  uint32_t total = 0;
  /// `x`: the arguments of the function at `entry`.
  void note(const Word* entry, const Term* x);
  void add(FunEntry* fun);
  /// The most frequent, if it is one of them in at least half of the calls; else none.
  std::vector<FunEntry*> likely() const;
  bool any() const { return list[0].fun; }
};

class CalleeFinder {
 public:
  /// `all`: also those that are not hot; native code they must have.
  CalleeFinder(Module& m, const CodeTable& code, Baseline& baseline, bool all)
      : m_(m), code_(code), baseline_(baseline), all_(all) {}
  /// Adds to `f` its callees, and what of `seen` is one.
  void find(LoweredFunction& f, const SeenFuns& seen);

  std::vector<Module*> others;  ///< whose functions are among them

 private:
  bool add(LoweredFunction& f, const Word* entry);
  Module* home_of(const Word* entry) const;
  bool is_worth_it(const Module& home, const Word* entry) const;
  void add_called(LoweredFunction& f, size_t callee);

  Module& m_;
  const CodeTable& code_;
  Baseline& baseline_;
  const bool all_;
  uint32_t samples_ = 0;
};

}  // namespace wb
