#include "vm/core/microstates.h"

#include <algorithm>
#include <utility>

#include "scheduler/scheduler.h"
#include "term/atom.h"
#include "vm/core/clock.h"
#include "vm/core/vm.h"

namespace wb {

std::vector<Microstates::Row> Microstates::totals(Vm& vm) {
  Scheduler& s = *vm.scheduler;
  const EventClock clock = s.event_clock();
  const int64_t all = vm.clock->monotonic_ns() - Clock::kStart;
  std::vector<Row> rows;
  for (uint32_t i = 0; i < s.worker_count(); ++i) {
    const Worker& w = s.worker(i);
    Row row{am::scheduler, i + 1};
    const int64_t active = std::min(static_cast<int64_t>(w.active_ns()), all);
    auto account = [&](Account a) { return static_cast<int64_t>(w.accounts.ns(a)); };
    row.ns[aux] = account(Account::aux);
    row.ns[check_io] = account(Account::check_io);
    row.ns[other] = account(Account::other);
    row.ns[port] = account(Account::port);
    row.ns[gc] = static_cast<int64_t>(clock.to_ns(clock.ticks0 + w.counters.pause_ticks.value()) -
                                      clock.to_ns(clock.ticks0));
    row.ns[sleep] = all - active;
    row.ns[emulator] =
        active - row.ns[aux] - row.ns[check_io] - row.ns[other] - row.ns[port] - row.ns[gc];
    rows.push_back(row);
  }
  for (DirtyKind kind : {DirtyKind::cpu, DirtyKind::io}) {
    DirtyPool& pool = s.dirty(kind);
    for (uint32_t i = 0; i < pool.limit(); ++i) {
      Row row{kind == DirtyKind::cpu ? am::dirty_cpu_scheduler : am::dirty_io_scheduler, i + 1};
      row.ns[emulator] = std::min(static_cast<int64_t>(pool.busy_ns(i)), all);
      row.ns[sleep] = all - row.ns[emulator];
      rows.push_back(row);
    }
  }
  return rows;
}

/// Adds what was spent since it began to what is kept. `since_` is now.
void Microstates::collect(Vm& vm) {
  std::vector<Row> now = totals(vm);
  if (kept_.empty()) {
    kept_ = now;
    for (Row& row : kept_) row.ns = {};
  }
  if (on_)
    for (size_t i = 0; i < now.size(); ++i)
      for (size_t k = 0; k < count; ++k)
        kept_[i].ns[k] += std::max<int64_t>(now[i].ns[k] - since_[i].ns[k], 0);
  since_ = std::move(now);
}

bool Microstates::set(Vm& vm, bool on) {
  std::lock_guard lock(lock_);
  collect(vm);
  vm.scheduler->account_time(on);
  return std::exchange(on_, on);
}

bool Microstates::reset(Vm& vm) {
  std::lock_guard lock(lock_);
  collect(vm);
  for (Row& row : kept_) row.ns = {};
  return on_;
}

std::vector<Microstates::Row> Microstates::rows(Vm& vm) {
  std::lock_guard lock(lock_);
  collect(vm);
  return kept_;
}

}  // namespace wb
