#include "vm/process/time_watchers.h"

#include <vector>

#include "scheduler/scheduler.h"
#include "term/number.h"
#include "vm/core/clock.h"
#include "vm/core/vm.h"
#include "vm/process/native.h"
#include "vm/process/relations.h"
#include "vm/process/route.h"
#include "vm/process/visit.h"

namespace wb {

namespace {
class OffsetChanged final : public Visit {
 public:
  explicit OffsetChanged(int64_t offset) : offset_(offset) {}

  void visit(Process& p) override {
    std::vector<Term> references;
    if (p.links) {
      for (auto& [number, m] : p.links->monitors) {
        if (m.type == am::time_offset)
          references.push_back(monitor_ref(p, p.heap, number, m.alias));
      }
    }
    for (Term ref : references) {
      const Term message = tuple(p.heap, am::CHANGE, ref, am::time_offset, am::clock_service,
                                 make_integer(p.heap, offset_));
      push_signal(p, new_signal(SignalKind::message, message));
    }
    delete this;
  }
  void too_late() override { delete this; }
  void drop() override { delete this; }

 private:
  ~OffsetChanged() = default;
  const int64_t offset_;
};
}  // namespace

void TimeWatchers::begin(Vm& vm) {
  if (vm.clock->warp() != TimeWarp::multi || std::exchange(looks_, true)) return;
  constexpr uint64_t kPeriod = 10'000'000'000;
  look_.vm = &vm;
  vm.scheduler->start_timer(look_, vm.scheduler->now_ns() + kPeriod, look);
}
void TimeWatchers::look(Worker&, Timer& timer) {
  Vm& vm = *static_cast<Look&>(timer).vm;
  if (vm.clock->follow()) vm.time_watchers->offset_changed(vm);
  vm.time_watchers->looks_ = false;
  vm.time_watchers->begin(vm);
}

void TimeWatchers::add(Vm& vm, Address process) {
  if (vm.clock->warp() == TimeWarp::none) return;
  std::lock_guard guard(lock_);
  processes_.insert(process);
}

void TimeWatchers::offset_changed(Vm& vm) {
  std::vector<Address> processes;
  {
    std::lock_guard guard(lock_);
    processes.assign(processes_.begin(), processes_.end());
  }
  for (Address who : processes) {
    auto* visit = new OffsetChanged(vm.clock->offset_ns());
    if (route(vm, who, visit->new_signal_for())) continue;
    visit->too_late();
    std::lock_guard guard(lock_);
    processes_.erase(who);
  }
}
Term time_offset_state(const Vm& vm) {
  if (vm.clock->warp() == TimeWarp::multi) return am::volatile_;
  return vm.clock->is_preliminary() ? am::preliminary : am::final;
}
Term time_warp_mode(const Vm& vm) {
  switch (vm.clock->warp()) {
    case TimeWarp::none:
      return am::no_time_warp;
    case TimeWarp::single:
      return am::single_time_warp;
    case TimeWarp::multi:
      return am::multi_time_warp;
  }
}

}  // namespace wb
