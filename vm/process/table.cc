#include "vm/process/table.h"

#include <sys/mman.h>
#include "vm/core/hooks.h"

#include <algorithm>
#include <functional>

#include "base/memory_limit.h"
#include "base/out_of_memory.h"

namespace wb {

constexpr uint32_t kFewest = 1u << 18;

/// Addresses for `*limit` slots and the reserve; for fewer if `ulimit -v` does not allow that many.
std::atomic<Process*>* ProcessTable::reserve_slots(uint32_t* limit) {
  for (;; *limit /= 4) {
    size_t bytes = (size_t{*limit} + kReserve) * sizeof(std::atomic<Process*>);
    if (bytes > reservation_limit() && *limit > kFewest) continue;
    void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p != MAP_FAILED) return static_cast<std::atomic<Process*>*>(p);
    if (*limit <= kFewest) out_of_memory("proc_tab", bytes);
  }
}

ProcessTable::ProcessTable(uint32_t limit) : slots_(reserve_slots(&limit)), limit_(limit) {}
ProcessTable::~ProcessTable() { munmap(slots_, (size_t{limit_} + kReserve) * sizeof *slots_); }

void ProcessTable::skip_serials_in_use() {
  while (!serials_ahead_.empty() && serials_ahead_.back() <= next_serial_) {
    if (serials_ahead_.back() == next_serial_) ++next_serial_;
    serials_ahead_.pop_back();
  }
}
uint32_t ProcessTable::set_next_serial(uint32_t serial) {
  std::lock_guard lock(free_lock_);
  serials_ahead_.clear();
  each([&](Process& p) {
    if (pid_serial(p.id) >= serial) serials_ahead_.push_back(pid_serial(p.id));
  });
  std::sort(serials_ahead_.begin(), serials_ahead_.end(), std::greater<>());
  return next_serial_ = serial;
}

bool ProcessTable::take_next_slot(uint32_t* slot, uint32_t* serial) {
  if (count() >= limit_) return false;
  do {
    if (next_slot_ == limit_) next_slot_ = 0, ++rounds_;
    *slot = next_slot_++;
  } while (slots_[*slot].load(std::memory_order_relaxed));
  *serial = rounds_;
  if (*slot >= used_.load(std::memory_order_relaxed)) {
    used_.store(*slot + 1, std::memory_order_release);
  }
  return true;
}

// Slots are taken in the reverse of the order in which they were freed. The newest of them are at
// hand, in the line of the lock.
bool ProcessTable::take_free_slot(bool system, uint32_t* slot) {
  if (!near_count_) {
    near_count_ = static_cast<uint8_t>(std::min(free_.size(), kNear / 2));
    std::copy(free_.end() - near_count_, free_.end(), near_);
    free_.resize(free_.size() - near_count_);
  }
  if (near_count_) {
    *slot = near_[--near_count_];
    return true;
  }
  *slot = used_.load(std::memory_order_relaxed);
  if (*slot >= limit_ + (system ? kReserve : 0)) return false;
  used_.store(*slot + 1, std::memory_order_release);
  return true;
}
void ProcessTable::give_back_slot(uint32_t slot) {
  if (near_count_ == kNear) {
    constexpr size_t kOld = kNear / 2;
    free_.insert(free_.end(), near_, near_ + kOld);
    std::copy(near_ + kOld, near_ + kNear, near_);
    near_count_ = kNear - kOld;
  }
  near_[near_count_++] = slot;
}

bool ProcessTable::add(Process& p) {
  uint32_t slot, serial;
  {
    std::lock_guard lock(free_lock_);
    if (rotates_) {
      if (!take_next_slot(&slot, &serial)) return false;
      ++next_serial_;
    } else if (!take_free_slot(p.system, &slot)) {
      return false;
    }
    for (Snapshot* s : snapshots_) s->found(slot, Snapshot::kNobody);
    if (!rotates_) {
      if (!serials_ahead_.empty()) skip_serials_in_use();
      serial = next_serial_++;
    }
    const uint32_t alive = count() + 1;
    count_.store(alive, std::memory_order_relaxed);
    if (alive > peak()) peak_.store(alive, std::memory_order_relaxed);
  }
  p.id = make_pid(slot, serial);
  slots_[slot].store(&p, std::memory_order_release);
  return true;
}

void ProcessTable::remove(Process& p) {
  uint32_t slot = pid_slot(p.id);
  std::lock_guard lock(free_lock_);
  count_.store(count() - 1, std::memory_order_relaxed);
  for (Snapshot* s : snapshots_) s->found(slot, p.id);
  slots_[slot].store(nullptr, std::memory_order_release);
  if (!rotates_) give_back_slot(slot);
}

// --- all processes of one moment -----------------------------------------------------------------
static_assert(sizeof(std::atomic<Term>) == sizeof(Term));
ProcessTable::Snapshot::Snapshot(ProcessTable& table) : table_(table) {
  for (uint32_t room = 0;;) {
    std::unique_lock lock(table.free_lock_);
    slots_ = table.used();
    if (slots_ <= room) {
      table.snapshots_.push_back(this);
      return;
    }
    lock.unlock();
    room = slots_ + 1024;  // some may come meanwhile
    auto* pids = must_calloc(room, sizeof(Term), "processes");
    pids_.reset(static_cast<std::atomic<Term>*>(pids));
  }
}
ProcessTable::Snapshot::~Snapshot() {
  std::lock_guard lock(table_.free_lock_);
  std::erase(table_.snapshots_, this);
}
void ProcessTable::Snapshot::found(uint32_t slot, Term who) {
  if (slot >= slots_) return;
  Term unknown = kUnknown;
  pids_[slot].compare_exchange_strong(unknown, who, std::memory_order_relaxed);
}
void ProcessTable::Snapshot::look_at(uint32_t slot) {
  if (Process* p = table_.at(slot)) found(slot, p->id);
}
Term ProcessTable::Snapshot::at(uint32_t slot) const {
  Term who = pids_[slot].load(std::memory_order_relaxed);
  return who == kUnknown || who == kNobody ? kNone : who;
}

ProcessTable::Registered ProcessTable::register_name(Term name, Term pid) {
  std::unique_lock lock(names_lock_);
  if (is_local_pid(pid)) {
    Process* p = find(pid);
    if (!p) return Registered::gone;
    p->named.store(true, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (p->exiting.load(std::memory_order_relaxed)) return Registered::gone;
  }
  if (named_.contains(pid)) return Registered::has_name;
  if (names_.find(name) != kNone) return Registered::taken;
  names_.set(name, pid);
  named_.emplace(pid, name);
  name_order_.push_back(name);
  return Registered::done;
}
bool ProcessTable::unregister_name(Term name) {
  std::unique_lock lock(names_lock_);
  const Term pid = names_.find(name);
  if (pid == kNone) return false;
  erase_name(name, pid);
  return true;
}
void ProcessTable::erase_name(Term name, Term pid) {
  name_order_.erase(std::find(name_order_.begin(), name_order_.end(), name));
  named_.erase(pid);
  names_.set(name, kNone);
}
void ProcessTable::forget_name(Term pid) {
  std::unique_lock lock(names_lock_);
  auto it = named_.find(pid);
  if (it != named_.end()) erase_name(it->second, pid);
}
Term ProcessTable::name_of(Term pid) const {
  std::shared_lock lock(names_lock_);
  auto it = named_.find(pid);
  return it == named_.end() ? kNone : it->second;
}
Term ProcessTable::whereis(Term name) const {
  Term pid = registered(name);
  if (is_value(pid)) return pid;
  return hooks ? hooks->start_service(name) : kNone;
}
std::vector<Term> ProcessTable::names() const {
  std::shared_lock lock(names_lock_);
  return name_order_;
}

}  // namespace wb
