#include "vm/core/multi_scheduling.h"

#include <algorithm>
#include <utility>

#include "scheduler/scheduler.h"
#include "term/atom.h"

namespace wb {

/// Those who block nothing any more are forgotten; one scheduler runs, or as many as are wanted.
void MultiScheduling::apply_blocks(Scheduler& s) {
  std::erase_if(blockers_, [](const Blocker& b) { return !b.count[all] && !b.count[normal]; });
  alone_.store(std::ranges::any_of(blockers_, [](const Blocker& b) { return b.count[all] != 0; }),
               std::memory_order_relaxed);
  if (!blockers_.empty()) {
    if (!wanted_) wanted_ = s.online();
    s.set_online(1);
  } else if (wanted_) {
    s.set_online(std::exchange(wanted_, 0));
  }
}

void MultiScheduling::block(Scheduler& s, Term pid, Kind kind) {
  std::lock_guard guard(lock_);
  auto it = std::ranges::find(blockers_, pid, &Blocker::pid);
  if (it == blockers_.end()) it = blockers_.insert(blockers_.begin(), Blocker{pid, {0, 0}});
  ++it->count[kind];
  apply_blocks(s);
}
bool MultiScheduling::unblock(Scheduler& s, Term pid, Kind kind) {
  std::lock_guard guard(lock_);
  auto it = std::ranges::find(blockers_, pid, &Blocker::pid);
  if (it == blockers_.end()) return false;
  if (it->count[kind]) --it->count[kind];
  bool blocks = it->count[all] || it->count[normal];
  apply_blocks(s);
  return blocks;
}
void MultiScheduling::ended(Scheduler& s, Term pid) {
  std::lock_guard guard(lock_);
  std::erase_if(blockers_, [&](const Blocker& b) { return b.pid == pid; });
  apply_blocks(s);
}

Term MultiScheduling::state(const Scheduler& s) const {
  if (s.worker_count() == 1) return am::disabled;
  std::lock_guard guard(lock_);
  if (blockers_.empty()) return am::enabled;
  return alone() ? am::blocked : am::blocked_normal;
}
Term MultiScheduling::blockers(Heap& h, Kind kind) const {
  std::lock_guard guard(lock_);
  Term list = kNil;
  for (auto it = blockers_.rbegin(); it != blockers_.rend(); ++it) {
    if (it->count[kind]) list = cons(h, it->pid, list);
  }
  return list;
}

uint32_t MultiScheduling::online(const Scheduler& s) const {
  std::lock_guard guard(lock_);
  return wanted_ ? wanted_ : s.online();
}
/// The dirty ones that compute follow in proportion, counted in whole percents as BEAM does.
static void keep_proportion(Scheduler& s, uint64_t before, uint64_t now) {
  DirtyPool& dirty = s.dirty(DirtyKind::cpu);
  uint64_t percent = now * (dirty.limit() * 100 / s.worker_count()) / before;
  dirty.set_online(static_cast<uint32_t>(dirty.online() * percent / 100));
}

uint32_t MultiScheduling::set_online(Scheduler& s, uint32_t workers) {
  std::lock_guard guard(lock_);
  uint32_t before = wanted_ ? wanted_ : s.online();
  if (wanted_)
    wanted_ = workers;
  else
    s.set_online(workers);
  keep_proportion(s, before, workers);
  return before;
}

}  // namespace wb
