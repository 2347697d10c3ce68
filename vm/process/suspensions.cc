#include "vm/process/suspensions.h"

namespace wb {

void Suspensions::suspended(Address process, Address by) {
  if (!by) return;
  std::lock_guard lock(lock_);
  ++counts_[{process, by}];
}
void Suspensions::resumed(Address process, Address by) {
  if (!by) return;
  std::lock_guard lock(lock_);
  auto it = counts_.find({process, by});
  if (it != counts_.end() && --it->second == 0) counts_.erase(it);
}
void Suspensions::ended(Address process) {
  std::lock_guard lock(lock_);
  auto it = counts_.lower_bound({process, Address()});
  while (it != counts_.end() && it->first.first == process) it = counts_.erase(it);
}
bool Suspensions::in_effect(Address process, Address by) const {
  std::lock_guard lock(lock_);
  return counts_.contains({process, by});
}

}  // namespace wb
