// Values of many kinds to call functions with.
#pragma once

#include <random>
#include <vector>

#include "gc/fragment.h"

namespace wb::mutator {

class Arguments {
 public:
  Arguments();
  /// A list of `arity` of them.
  Term list(Heap& h, uint32_t arity, std::mt19937_64& random) const;

 private:
  FragmentHeap heap_{4096};
  std::vector<Term> values_;
};

}  // namespace wb::mutator
