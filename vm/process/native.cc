#include "vm/process/native.h"

#include "vm/process/exec.h"
#include "vm/process/guard.h"

namespace wb {

bool GuardContext::spend(int64_t reductions) const {
  process_->charge(reductions);
  return process_->reductions_left() >= 0 && !process_->exec->is_late();
}

bool GuardBudget::refill() {
  if (stopped_) return false;
  stopped_ = !context_.spend((kRefill - left_) / rate_);
  left_ = stopped_ ? 1 : kRefill;
  return !stopped_;
}

bool BifBudget::refill() {
  if (stopped_) return false;
  int64_t reductions = (kRefill - left_) / rate_;
  stopped_ = !process_.spend(reductions);
  left_ = stopped_ ? 1 : kRefill;
  return !stopped_;
}

}  // namespace wb
