#include "vm/ets/tables.h"

#include <algorithm>

#include "vm/core/clock.h"
#include "vm/core/vm.h"
#include "vm/process/native_yield.h"
#include "vm/process/process.h"

namespace wb {

EtsTables::EtsTables() : pages_(new std::atomic<NameSlot*>[kPages]()) {}

EtsTables::~EtsTables() {
  for (Shard& s : shards_) {
    for (auto& [pid, belongings] : s.processes) {
      for (Table* t : belongings.fixed) t->release();
      for (Table* t : belongings.expected) t->release();
      belongings.owned.each([](Table& t) { t.id.clear(); });
    }
  }
  for (Retired& r : retired_) r.table->id.clear();
  for (size_t i = 0; i < kPages; ++i) delete[] pages_[i].load(std::memory_order_relaxed);
}

// --- names ------------------------------------------------------------------------------------
EtsTables::NameSlot* EtsTables::name_slot(Term name, bool make) {
  const uint32_t index = atom_index(name);
  if (index >> kPageBits >= kPages) return nullptr;
  std::atomic<NameSlot*>& page = pages_[index >> kPageBits];
  NameSlot* slots = page.load(std::memory_order_acquire);
  if (!slots && make) {
    std::lock_guard lock(pages_mutex_);
    slots = page.load(std::memory_order_relaxed);
    if (!slots) page.store(slots = new NameSlot[1 << kPageBits](), std::memory_order_release);
  }
  return slots ? &slots[index & ((1 << kPageBits) - 1)] : nullptr;
}

Table* EtsTables::find_named(Term name) const {
  NameSlot* slot = const_cast<EtsTables*>(this)->name_slot(name, false);
  return slot ? slot->load(std::memory_order_seq_cst) : nullptr;
}

bool EtsTables::claim_name(Table& t, Term name) {
  NameSlot* slot = name_slot(name, true);
  Table* nobody = nullptr;
  return slot && slot->compare_exchange_strong(nobody, &t, std::memory_order_seq_cst);
}

bool EtsTables::rename(Table& t, Term name) {
  std::lock_guard lock(t.facts);
  if (!t.alive()) return false;
  if (t.options.named) {
    if (!claim_name(t, name)) return false;
    name_slot(t.name(), false)->store(nullptr, std::memory_order_seq_cst);
  }
  t.set_name(name);
  return true;
}

Term EtsTables::handle(Heap& h, Table& t) { return t.options.named ? t.name() : identifier(h, t); }
Term EtsTables::identifier(Heap& h, Table& t) {
  std::lock_guard lock(t.facts);
  return t.id.is_set() ? copy_term(h, t.id.get()) : am::undefined;
}

// --- birth and death --------------------------------------------------------------------------
Table* EtsTables::create(Process& p, const TableOptions& options, Term name, Term heir,
                         Term heir_data) {
  Table* t = options.type == TableType::ordered_set ? new_ordered_table(options, name)
                                                    : new_hash_table(options, name);
  t->set_owner(p.id);
  Term words[16];
  ScratchHeap scratch(words, std::size(words));
  // The scratch's share goes, the id's stays. What a table has without objects lives as long as its
  // handles, so these count in the heaps where they are.
  t->id.set(p.vm().new_magic_ref(scratch, t, t->memory_words() * sizeof(Word)));
  add_owner(*t, p.id);
  count_.fetch_add(1, std::memory_order_relaxed);
  if (!options.named || claim_name(*t, name)) {
    if (heir != am::none) set_heir(p.vm(), *t, heir, heir_data);
    return t;
  }
  t->mark_dead();
  remove_owner(*t, p.id);
  count_.fetch_sub(1, std::memory_order_relaxed);
  t->id.clear();
  return nullptr;
}

void Table::clear(DeferredFree& deferred_free, uint64_t* count) {
  if (std::unique_ptr<DetachedObjects> detached = take_all(count))
    deferred_free.add(std::move(detached), *count);
}

bool EtsTables::destroy(Table& t, std::unique_ptr<DetachedObjects>* detached) {
  std::vector<Table::Fixation> fixations;
  Term heir;
  {
    std::lock_guard lock(t.facts);
    if (!t.alive()) return false;
    heir = t.heir;
    if (t.options.named) name_slot(t.name(), false)->store(nullptr, std::memory_order_seq_cst);
    t.mark_dead();
    fixations.swap(t.fixations);
  }
  {
    std::lock_guard lock(t.moving);  // it may just be given away
    remove_owner(t, t.owner());
  }
  for (Table::Fixation& f : fixations) forget_fixation(t, f.pid);
  forget_heir(t, heir);
  uint64_t objects;
  *detached = t.take_all(&objects);
  count_.fetch_sub(1, std::memory_order_relaxed);
  retire(t);
  return true;
}

/// Its own share is dropped.
void EtsTables::release_table(Table& t) {
  KeptTerm last;
  std::lock_guard lock(t.facts);
  t.heir_data.clear();
  last.swap(t.id);  // dropped after the lock
}

/// The table's own share is dropped once no operation can have found it by its name.
void EtsTables::retire(Table& t) {
  if (t.options.named) {
    std::lock_guard lock(retired_mutex_);
    retired_.push_back({&t, ~uint64_t{0}});
  } else {
    release_table(t);
  }
  reclaim();
}

void EtsTables::reclaim() {
  static_assert(kPins == 64, "one bit a pin slot");
  std::vector<Table*> free;
  {
    std::lock_guard lock(retired_mutex_);
    if (retired_.empty()) return;
    uint64_t empty = 0;
    for (size_t i = 0; i < kPins; ++i)
      if (pins_[i].count.load(std::memory_order_seq_cst) == 0) empty |= uint64_t{1} << i;
    for (size_t i = 0; i < retired_.size();) {
      retired_[i].waiting_for &= ~empty;
      if (retired_[i].waiting_for != 0) {
        ++i;
        continue;
      }
      free.push_back(retired_[i].table);
      retired_[i] = retired_.back();
      retired_.pop_back();
    }
  }
  for (Table* t : free) release_table(*t);
}

// --- owners -----------------------------------------------------------------------------------
void EtsTables::add_owner(Table& t, Term pid) {
  Shard& s = shard_of(pid);
  std::lock_guard lock(s.mutex);
  s.processes[pid].owned.add(t);
  s.count.store(s.processes.size(), std::memory_order_release);
}

void EtsTables::remove_owner(Table& t, Term pid) {
  Shard& s = shard_of(pid);
  std::lock_guard lock(s.mutex);
  auto at = s.processes.find(pid);
  if (at == s.processes.end()) return;
  at->second.owned.remove(t);
  s.taken_from(at);
}

void EtsTables::announce(Vm& vm, Table& t, Term to, Term from, Term data) {
  ScratchHeap scratch;
  vm.send(to, tuple(scratch, am::ets_transfer, handle(scratch, t), from, data));
}

bool EtsTables::give_away(Vm& vm, Table& t, Term to, Term gift) {
  if (!vm.is_alive(to)) return false;
  const Term from = t.owner();
  {
    std::lock_guard lock(t.moving);
    if (!t.alive()) return false;
    remove_owner(t, from);
    t.set_owner(to);
    add_owner(t, to);
  }
  announce(vm, t, to, from, gift);
  std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with that of exit_process
  // If `to` died in between, its exit may have come too early to see the table.
  if (!vm.is_alive(to) && t.owner() == to) {
    std::unique_ptr<DetachedObjects> detached;
    const uint64_t objects = t.size();
    if (destroy(t, &detached)) deferred_free_.add(std::move(detached), objects);
  }
  return true;
}

// --- heirs ------------------------------------------------------------------------------------
void EtsTables::set_heir(Vm& vm, Table& t, Term heir, Term data) {
  Term before;
  {
    KeptTerm kept;
    if (heir != am::none) kept.set(data);
    const bool gone = heir != am::none && !vm.is_alive(heir);
    std::lock_guard lock(t.facts);
    before = std::exchange(t.heir, heir);
    t.reported_heir = gone ? am::none : heir;
    t.heir_data.swap(kept);
  }
  forget_heir(t, before);
  if (heir == am::none) return;
  {
    Shard& s = shard_of(heir);
    std::lock_guard lock(s.mutex);
    if (s.processes[heir].expected.insert(&t).second) t.retain();
    s.count.store(s.processes.size(), std::memory_order_release);
  }
  std::atomic_thread_fence(std::memory_order_seq_cst);  // as in give_away()
  if (!vm.is_alive(heir)) heir_exited(t, heir);
}

void EtsTables::forget_heir(Table& t, Term pid) {
  if (pid == am::none) return;
  Shard& s = shard_of(pid);
  {
    std::lock_guard lock(s.mutex);
    auto at = s.processes.find(pid);
    if (at == s.processes.end() || at->second.expected.erase(&t) == 0) return;
    s.taken_from(at);
  }
  t.release();
}

void EtsTables::heir_exited(Table& t, Term pid) {
  {
    KeptTerm data;
    std::lock_guard lock(t.facts);
    if (t.heir == pid) {
      t.heir = am::none;
      t.heir_data.swap(data);
    }
  }
  forget_heir(t, pid);
}

void EtsTables::inherit_or_destroy(Process& p, Table& t, WorkBudget& budget) {
  Term heir = am::none;
  ScratchHeap scratch;
  Term data = kNil;
  {
    std::lock_guard lock(t.facts);
    heir = t.heir;
    if (heir != am::none) data = copy_term(scratch, t.heir_data.get());
  }
  if (heir != am::none && heir != p.id && give_away(p.vm(), t, heir, data)) return;
  std::unique_ptr<DetachedObjects> detached;
  if (destroy(t, &detached) && detached) detached->free_within(budget);
}

bool EtsTables::involves(Process& p) {
  if (super_count_.load(std::memory_order_relaxed) > 0) return true;
  Shard& s = shard_of(p.id);
  if (s.count.load(std::memory_order_acquire) == 0) return false;
  std::lock_guard lock(s.mutex);
  return s.processes.contains(p.id);
}

void EtsTables::owner_exited(Process& p) {
  if (super_count_.load(std::memory_order_relaxed) > 0) set_super_user(p.id, false);
  Shard& s = shard_of(p.id);
  Belongings mine;
  {
    std::lock_guard lock(s.mutex);
    auto at = s.processes.find(p.id);
    if (at == s.processes.end()) return;
    mine = at->second;
    for (Table* t : mine.fixed) t->retain();
    mine.owned.each([](Table& t) { t.retain(); });
    for (Table* t : mine.expected) t->retain();
  }
  ExitBudget budget(p, kFreed);
  for (Table* t : mine.expected) {
    heir_exited(*t, p.id);
    t->release();
    budget.step();
  }
  for (Table* t : mine.fixed) {
    {
      std::lock_guard lock(t->facts);
      for (Table::Fixation& f : t->fixations)
        if (f.pid == p.id) f.count = 1;
    }
    unfix(*t, p.id, budget);
    forget_fixation(*t, p.id);
    t->release();
  }
  mine.owned.each([&](Table& t) {
    if (t.owner() == p.id) inherit_or_destroy(p, t, budget);
    t.release();
    budget.steps(kTableSteps);
  });
}

void EtsTables::set_super_user(Term pid, bool on) {
  std::lock_guard lock(super_mutex_);
  std::erase(super_users_, pid);
  if (on) super_users_.push_back(pid);
  super_count_.store(super_users_.size(), std::memory_order_relaxed);
}

bool EtsTables::is_super_user(Term pid) {
  if (super_count_.load(std::memory_order_relaxed) == 0) return false;
  std::lock_guard lock(super_mutex_);
  return std::find(super_users_.begin(), super_users_.end(), pid) != super_users_.end();
}

// --- fixation ---------------------------------------------------------------------------------
bool EtsTables::fix(Table& t, Process& p) {
  const Term pid = p.id;
  {
    std::lock_guard lock(t.facts);
    if (!t.alive()) return false;
    if (t.fixations.empty()) {
      t.fixed_since_monotonic = p.vm().clock->monotonic_ns();
      t.fixed_since_system = p.vm().clock->system_ns() / 1000;
    }
    for (Table::Fixation& f : t.fixations) {
      if (f.pid != pid) continue;
      ++f.count;
      return false;
    }
    t.fixations.push_back({pid, 1});
    t.fix();
  }
  Shard& s = shard_of(pid);
  std::lock_guard lock(s.mutex);
  t.retain();
  s.processes[pid].fixed.push_back(&t);
  s.count.store(s.processes.size(), std::memory_order_release);
  return true;
}

void EtsTables::unfix(Table& t, Term pid, WorkBudget& budget) {
  bool purge;
  {
    std::lock_guard lock(t.facts);
    auto at = std::find_if(t.fixations.begin(), t.fixations.end(),
                           [&](const Table::Fixation& f) { return f.pid == pid; });
    if (at == t.fixations.end() || --at->count > 0) return;
    t.fixations.erase(at);
    purge = t.end_fixation();
  }
  if (purge) t.purge(budget);
  forget_fixation(t, pid);
}

void EtsTables::forget_fixation(Table& t, Term pid) {
  Shard& s = shard_of(pid);
  size_t dropped = 0;
  {
    std::lock_guard lock(s.mutex);
    auto at = s.processes.find(pid);
    if (at == s.processes.end()) return;
    dropped = std::erase(at->second.fixed, &t);
    s.taken_from(at);
  }
  while (dropped-- > 0) t.release();
}

void EtsTables::each(void* context, void (*f)(void* context, Table& t)) {
  for (Shard& s : shards_) {
    std::lock_guard lock(s.mutex);
    for (auto& [pid, belongings] : s.processes)
      belongings.owned.each([&](Table& t) { f(context, t); });
  }
}

}  // namespace wb
