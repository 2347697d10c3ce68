// How many funs there are of one expression: fun_info(F, refc).
#pragma once

#include "vm/bif/census.h"

namespace wb {

class FunCount final : public Census {
 public:
  /// From a BIF: traps until {refc, Number} is there.
  static Term ask(Process& p, Term fun);

 private:
  FunCount(Process& p, Term fun);
  void look_at(const Term* begin, const Term* end, CensusLocation where) override;
  Term answer(Heap& h) override;

  const Word header_, entry_;      ///< how such a fun begins
  std::atomic<int64_t> found_{1};  ///< the table of funs has one, too
};

}  // namespace wb
