#include "vm/core/cpu_binding.h"

#include <sched.h>
#include <unistd.h>

#include <utility>

#include "scheduler/cpu_set.h"

namespace wb {

const CpuTopology& CpuBinding::detect() {
  if (!detected_) detected_ = detect_topology();
  return *detected_;
}
const CpuTopology& CpuBinding::current() { return defined_.empty() ? detect() : defined_; }

CpuTopology CpuBinding::defined() {
  std::lock_guard lock(lock_);
  return defined_;
}
CpuTopology CpuBinding::detected() {
  std::lock_guard lock(lock_);
  return detect();
}
CpuTopology CpuBinding::used() {
  std::lock_guard lock(lock_);
  return current();
}
void CpuBinding::set_detected_unknown() {
  std::lock_guard lock(lock_);
  detected_.emplace();
}
void CpuBinding::define(CpuTopology t) {
  std::lock_guard lock(lock_);
  defined_ = std::move(t);
  if (type_ == BindType::unbound) return;
  if (current().empty()) type_ = BindType::unbound;
  rebind();
}

BindType CpuBinding::type() {
  std::lock_guard lock(lock_);
  return type_;
}
bool CpuBinding::bind(BindType type) {
  std::lock_guard lock(lock_);
  if (type != BindType::unbound && current().empty()) return false;
  type_ = type;
  rebind();
  return true;
}
std::vector<int32_t> CpuBinding::bindings(uint32_t schedulers) {
  std::lock_guard lock(lock_);
  std::vector<int32_t> all(order_);
  all.resize(schedulers, kUnbound);
  return all;
}

void CpuBinding::rebind() {
  order_.clear();
  if (type_ != BindType::unbound) {
    const CpuSet allowed = CpuSet::of_thread(getpid());
    for (int32_t logical : binding_order(current(), type_)) {
      if (allowed.contains(logical)) order_.push_back(logical);
    }
  }
  ever_bound_ |= !order_.empty();
  if (!ever_bound_) return;
  for (size_t k = 0; k < threads_.size(); ++k) {
    if (threads_[k] == 0) continue;
    const bool bound = k < order_.size();
    (bound ? CpuSet::one(order_[k]) : CpuSet::of_thread(getpid())).bind(threads_[k]);
  }
}
void CpuBinding::scheduler_started(uint32_t index) {
  std::lock_guard lock(lock_);
  if (threads_.size() <= index) threads_.resize(index + 1);
  threads_[index] = gettid();
  if (index < order_.size()) CpuSet::one(order_[index]).bind(threads_[index]);
}

}  // namespace wb
