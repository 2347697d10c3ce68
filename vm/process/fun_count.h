// How many funs there are of one expression: fun_info(F, refc).
//
// Funs are not counted as they come and go; that would cost each of them. Who asks has all
// processes look at their heaps when they handle their signals, looks at the tables itself, and
// waits for the last of them. As on BEAM, funs count until a collection finds that they are dead.
#pragma once

#include <atomic>

#include "vm/process/signal.h"

namespace wb {

class FunCount {
 public:
  /// From a BIF: traps until {refc, Number} is there.
  static Term ask(Process& p, Term fun);

  /// What a signal asks for. Each of these lets go of its share.
  static FunCount& of(const Signal& s) { return *reinterpret_cast<FunCount*>(s.ref); }
  void count_in(const Process& p);
  void skip() { let_go(); }  ///< the process has ended
  void drop();               ///< the machine ends: nobody is told

 private:
  FunCount(Process& p, Term fun);
  void look_at(const Term* begin, const Term* end);
  void look_at(const Process& p);
  void look_at_tables();
  void let_go();

  Vm& vm_;
  const Term asker_;
  const uint64_t ref_;
  const Word header_, entry_;      ///< how such a fun begins
  std::atomic<int64_t> found_{1};  ///< the table of funs has one, too
  std::atomic<uint32_t> shares_{1};
};

}  // namespace wb
