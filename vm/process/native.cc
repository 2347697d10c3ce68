#include "vm/process/native.h"

namespace wb {

bool BifPace::turn() {
  if (stopped_) return false;
  int64_t reductions = (kTurn - left_) / rate_;
  stopped_ = !process_.spend(reductions);
  left_ = stopped_ ? 1 : kTurn;
  return !stopped_;
}

}  // namespace wb
