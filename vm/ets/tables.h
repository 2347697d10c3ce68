// Every table of a VM: by name, by owner, by who has fixed it; and when a shell can be freed.
//
// A table identifier is a magic reference that counts as a share of its table, so whoever holds one
// in an argument holds the table. A name is looked up without a lock: atoms index a two-level
// array. The table found that way is protected by *pins*: an operation by name counts itself in the
// pin slot of its scheduler; a deleted table's own share is dropped only when each slot has been
// seen empty once after the name was gone. So lookups by name write only to a cache line of their
// own core.
//
// Owners, fixers and heirs are kept per process id in shards; a process that never had a table
// costs its exit one load.
//
// Rejected: counting references of a table at each operation by name (the hottest named tables
// would bounce that line between all cores); freeing shells only at the end (programs that create
// named tables in a loop leak).
#pragma once

#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/ranked_lock.h"
#include "vm/ets/deferred_free.h"
#include "vm/ets/table.h"

namespace wb {

class Process;
class Vm;

class EtsTables {
 public:
  static constexpr int64_t kFreed = 4;        ///< objects, a reduction
  static constexpr int64_t kTableSteps = 80;  ///< a table itself, in objects

  EtsTables();
  ~EtsTables();
  EtsTables(const EtsTables&) = delete;

  /// A new table owned by `p`; nullptr if the name is taken. Its identifier is table->id.
  Table* create(Process& p, const TableOptions& options, Term name, Term heir, Term heir_data);
  /// false if somebody else was faster. What it held is to be freed by the caller.
  bool destroy(Table& t, std::unique_ptr<DetachedObjects>* detached);
  /// false if the name is taken.
  bool rename(Table& t, Term name);
  /// Hands `t` to `to` and notifies it. false if one of them is gone (nothing changed then).
  bool give_away(Vm& vm, Table& t, Term to, Term gift);
  bool involves(Process& p);
  /// Deletes, or hands to their heirs, the tables of a process that exits; drops its fixations.
  void owner_exited(Process& p);

  /// Who inherits `t`: a process, not whoever has its pid later. `am::none`: nobody.
  void set_heir(Vm& vm, Table& t, Term heir, Term data);

  /// True if `p` had not fixed it before.
  bool fix(Table& t, Process& p);
  void unfix(Table& t, Term pid, WorkBudget& budget);

  /// The name or identifier by which programs know `t`, in `h`.
  static Term handle(Heap& h, Table& t);
  /// Its identifier, named or not.
  static Term identifier(Heap& h, Table& t);
  /// Calls f(table) for each table. It must not call back here.
  void each(void* context, void (*f)(void* context, Table& t));
  uint64_t count() const { return count_.load(std::memory_order_relaxed); }
  DeferredFree& deferred_free() { return deferred_free_; }

  /// A process may be allowed to read and write every table (for the observer).
  void set_super_user(Term pid, bool on);
  bool is_super_user(Term pid);

  // --- names ----------------------------------------------------------------------------------
  /// Call between pin() and unpin() of the same slot, and use the table only there.
  Table* find_named(Term name) const;
  void pin(uint8_t slot) { pins_[slot % kPins].count.fetch_add(1, std::memory_order_seq_cst); }
  void unpin(uint8_t slot) { pins_[slot % kPins].count.fetch_sub(1, std::memory_order_release); }
  /// Frees deleted tables for which no slot is pinned any more. Whoever deletes one calls it
  /// without a pin of its own, or its table would wait for the next.
  void reclaim();

 private:
  static constexpr size_t kPageBits = 10, kPages = 1 << 16, kShards = 64, kPins = 64;
  using NameSlot = std::atomic<Table*>;
  struct alignas(64) Pin {
    std::atomic<uint64_t> count{0};
  };
  /// In the order in which they became its: so they are inherited at its end, which heirs see.
  class OwnedTables {
   public:
    void add(Table& t) {
      t.owner_index = tables_.size();
      tables_.push_back(&t);
    }
    void remove(Table& t) {
      if (t.owner_index >= tables_.size() || tables_[t.owner_index] != &t) return;
      tables_[t.owner_index] = nullptr;
      if (++gaps_ * 2 > tables_.size()) close_gaps();
    }
    bool empty() const { return tables_.empty(); }
    template <class F>
    void each(F f) const {
      for (Table* t : tables_)
        if (t) f(*t);
    }

   private:
    void close_gaps() {
      std::erase(tables_, nullptr);
      for (size_t i = 0; i < tables_.size(); ++i) tables_[i]->owner_index = i;
      gaps_ = 0;
    }
    std::vector<Table*> tables_;
    size_t gaps_ = 0;
  };
  struct Belongings {
    OwnedTables owned;
    std::vector<Table*> fixed;            // each with a reference
    std::unordered_set<Table*> expected;  // those it is the heir of, the same
    bool none() const { return owned.empty() && fixed.empty() && expected.empty(); }
  };
  struct Shard {
    RankedLock<LockRank::table_owners> mutex;
    std::unordered_map<Term, Belongings> processes;
    std::atomic<size_t> count{0};
    /// Something was taken from somebody's belongings: who has none left stands here no more.
    void taken_from(std::unordered_map<Term, Belongings>::iterator at) {
      if (at->second.none()) processes.erase(at);
      count.store(processes.size(), std::memory_order_release);
    }
  };
  struct Retired {
    Table* table;
    uint64_t waiting_for;  // pin slots not yet seen empty
  };

  NameSlot* name_slot(Term name, bool make);
  bool claim_name(Table& t, Term name);
  Shard& shard_of(Term pid) { return shards_[(pid >> 4) % kShards]; }
  void add_owner(Table& t, Term pid);
  void remove_owner(Table& t, Term pid);
  void forget_fixation(Table& t, Term pid);
  void forget_heir(Table& t, Term pid);
  void heir_exited(Table& t, Term pid);
  void inherit_or_destroy(Process& p, Table& t, WorkBudget& budget);
  void announce(Vm& vm, Table& t, Term to, Term from, Term data);
  static void release_table(Table& t);
  void retire(Table& t);

  std::unique_ptr<std::atomic<NameSlot*>[]> pages_;
  RankedLock<LockRank::table_pages> pages_mutex_;
  Shard shards_[kShards];
  Pin pins_[kPins];
  RankedLock<LockRank::retired_tables> retired_mutex_;
  std::vector<Retired> retired_;
  std::atomic<uint64_t> count_{0};
  RankedLock<LockRank::table_super_users> super_mutex_;
  std::vector<Term> super_users_;
  std::atomic<size_t> super_count_{0};
  DeferredFree deferred_free_;
};

}  // namespace wb
