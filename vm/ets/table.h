// What every table is: identity, owner, rights, and the operations its two kinds implement.
//
// hash_table.h has set, bag and duplicate_bag; ordered_table.h has ordered_set. This layer knows
// nothing of processes; tables.h says who owns what, and vm/bif/ets*.cc is what programs call.
//
// Invariants
//  - Every operation takes the locks it needs and releases them before it returns. A Visitor runs
//    under the lock of the object it is shown and must not touch the table.
//  - A table that is deleted is emptied and marked dead, but its shell stays until the last magic
//    reference or running operation lets go of it (OffHeapObject's count; tables.h's grace period
//    for names). Whoever finds a table dead after an operation reports it as gone: the operation
//    then came after the deletion.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/ranked_lock.h"
#include "term/atom.h"
#include "vm/ets/packed.h"
#include "vm/ets/rw_lock.h"

namespace wb {

class DeferredFree;
struct DetachedObjects;

enum class TableType : uint8_t { set, bag, duplicate_bag, ordered_set };
enum class Protection : uint8_t { public_, protected_, private_ };
enum class Access : uint8_t { none, read, write };

struct TableOptions {
  TableType type = TableType::set;
  Protection protection = Protection::protected_;  // at birth
  uint32_t keypos = 1;
  bool named = false;
  bool compressed = false;
  bool read_concurrency = false;
  Term write_concurrency = am::false_;  // true, false, auto, or a number of locks asked for
  bool decentralized_counters = false;
};

/// Sees objects one at a time, under their lock, and says what is to happen to them.
class Visitor {
 public:
  enum class Verdict : uint8_t { keep, erase, replace };
  virtual Verdict visit(const TableObject& o) = 0;
  /// Is it shown what was deleted while the table is fixed, too?
  virtual bool wants_dead() const { return false; }
  /// Asked where a traversal can stop: true ends it.
  virtual bool full() { return false; }
  TableObject* replacement = nullptr;  ///< for Verdict::replace

 protected:
  ~Visitor() = default;
};

/// Changes the object of a key: returns the object to have instead, `o` itself, changed in place or
/// not, or nullptr if it cannot be done and nothing is to change. `o` may be a plain copy of one
/// that is packed.
class Updater {
 public:
  virtual TableObject* update(TableObject* o) = 0;

 protected:
  ~Updater() = default;
};

/// Which keys of an ordered table can match: a position between two keys, or none on a side.
/// `compare_key` is <0 for keys before all that can match, >0 for keys after, else 0.
class KeyRange {
 public:
  virtual int compare_key(Term key) const = 0;

 protected:
  ~KeyRange() = default;
};

/// Asked under the locks under which objects are put in: may they be?
class InsertPermission {
 public:
  virtual bool holds() = 0;

 protected:
  ~InsertPermission() = default;
};

class Table : public OffHeapObject {
 public:
  Table(const TableOptions& options, Term name)
      : options(options), name_(name), protection_(options.protection) {
    destroy = destroy_table;
  }
  /// The table of a magic reference, dead or alive; nullptr if it is not one of a table.
  static Table* from_term(Term t);

  const TableOptions options;
  bool is_ordered() const { return options.type == TableType::ordered_set; }
  bool is_bag() const {
    return options.type == TableType::bag || options.type == TableType::duplicate_bag;
  }
  Term key_of(const TableObject& o) const { return o.key(options.keypos); }

  // --- objects --------------------------------------------------------------------------------
  /// A copy of `tuple`, fit to be inserted here.
  TableObject* make_object(Term tuple) {
    return options.compressed ? new_packed_object(tuple, options.keypos) : new_object(tuple);
  }
  /// Puts objects in (taking them over), all at once for everyone who looks. With `only_new`, only
  /// if none of their keys is there: false if not (they are freed), nor if there is no
  /// `permission`.
  virtual bool insert(std::span<TableObject*> objects, bool only_new,
                      InsertPermission* permission = nullptr) = 0;
  /// Puts a copy of one tuple in, as insert() does: over the object that is there if it fits.
  virtual bool insert_tuple(Term tuple, bool only_new) = 0;
  /// The newest object of `key` first.
  virtual void visit_key(Term key, Visitor& v, bool write) = 0;
  virtual bool member(Term key) = 0;
  virtual void erase(Term key) = 0;
  /// Sets only. false if `key` is not there and there is no `fallback` (always taken over) to
  /// update and insert instead.
  virtual bool update(Term key, TableObject* fallback, Updater& u) = 0;
  /// Takes all objects out: their number, and what is to be freed of them (or nullptr).
  virtual std::unique_ptr<DetachedObjects> take_all(uint64_t* count) = 0;
  void clear(DeferredFree& deferred_free, uint64_t* count);
  virtual uint64_t size() const = 0;
  virtual uint64_t memory_words() const = 0;

  // --- order ----------------------------------------------------------------------------------
  /// Keys, copied into `h`; kNone at the end, kBadarg if `key` is no place to go on from.
  virtual Term first(Heap& h) = 0;
  virtual Term last(Heap& h) = 0;
  virtual Term next(Heap& h, Term key) = 0;
  virtual Term prev(Heap& h, Term key) = 0;
  /// Visits what stands in slot `n`; 1 if there is such a slot, 0 at the end, -1 beyond it.
  virtual int slot(uint64_t n, Visitor& v) = 0;

  // --- fixation -------------------------------------------------------------------------------
  /// While fixed, traversals by key or slot lose nothing: deleted objects keep their place.
  virtual void fix() = 0;
  /// True: purge() what was kept.
  virtual bool end_fixation() = 0;
  /// Has fewer places, if they are far too many, after a search has erased objects.
  virtual void shrink() {}
  /// Frees what was deleted while the table was fixed, unless it is fixed again: a step an object.
  virtual void purge(WorkBudget& budget) = 0;
  void unfix() {
    UnlimitedBudget budget;
    if (end_fixation()) purge(budget);
  }

  // --- use, for the observer --------------------------------------------------------------------
  /// Of some operations of programs, one of kSampledOne: how many, how long they took. So who is
  /// not among them pays a multiplication, and no line is shared that was not.
  static constexpr uint32_t kSampledOne = 256;
  struct Use {
    std::atomic<uint64_t> reads{0}, writes{0}, ns{0};
  };
  Use use;
  /// Is operation `n` of a thread one of them? Multiples of the golden ratio are as even among any
  /// operations that come in turn as among all.
  static bool is_sampled(uint64_t n) {
    return static_cast<uint32_t>(n) * 0x9e3779b1u < ~0u / kSampledOne;
  }
  virtual RwLock::Waits lock_waits() const = 0;

  // --- searches (select, match, select_count ...), for the observer ------------------------------
  std::atomic<uint64_t> searches{0}, searched{0};  ///< how many; objects that they looked at
  /// Who made the newest of those that looked at many.
  std::atomic<Term> searcher{kNone};
  std::atomic<const Word*> searched_at{nullptr};

  // --- facts that change ----------------------------------------------------------------------
  Term owner() const { return owner_.load(std::memory_order_acquire); }
  void set_owner(Term pid) { owner_.store(pid, std::memory_order_release); }
  bool alive() const { return alive_.load(std::memory_order_acquire); }
  void mark_dead() { alive_.store(false, std::memory_order_release); }
  Term name() const { return name_.load(std::memory_order_acquire); }
  void set_name(Term n) { name_.store(n, std::memory_order_release); }
  Protection protection() const { return protection_.load(std::memory_order_relaxed); }
  void set_protection(Protection p) { protection_.store(p, std::memory_order_relaxed); }
  bool allows(Term pid, Access access) const {
    if (access == Access::none || owner() == pid) return true;
    const Protection p = protection();
    return access == Access::read ? p != Protection::private_ : p == Protection::public_;
  }

  /// Guards what follows.
  RankedLock<LockRank::table_facts> facts;
  KeptTerm id;  ///< the magic reference; the registry's share of the table
  Term heir = am::none;
  Term reported_heir = am::none;  ///< what info says: also of one that has ended since
  KeptTerm heir_data;
  struct Fixation {
    Term pid;
    uint64_t count;
  };
  std::vector<Fixation> fixations;
  int64_t fixed_since_monotonic = 0;  // nanoseconds
  int64_t fixed_since_system = 0;     // microseconds

  RankedLock<LockRank::table_moving>
      moving;              ///< the registry's: held while it goes from list to list, or for good
  size_t owner_index = 0;  ///< the registry's: where its owner's list has this table

 protected:
  virtual ~Table() = default;

  // Objects as others see them: plain.
  Visitor::Verdict show(Visitor& v, const TableObject& o) const {
    return WB_LIKELY(o.form == TableObject::Form::plain) ? v.visit(o) : show_packed(v, o);
  }
  TableObject* updated(Updater& u, TableObject* o) {
    return WB_LIKELY(o->form == TableObject::Form::plain) ? u.update(o) : updated_packed(u, *o);
  }
  bool same_objects(TableObject& a, TableObject& b) const;
  /// How many words a copy of `tuple` has, if it can be made under a lock; else 0.
  size_t few_words(Term tuple) const;

 private:
  Visitor::Verdict show_packed(Visitor& v, const TableObject& o) const;
  TableObject* updated_packed(Updater& u, TableObject& o);
  static void destroy_table(OffHeapObject* o) { delete static_cast<Table*>(o); }
  std::atomic<Term> owner_{kNone};
  std::atomic<Term> name_;
  std::atomic<Protection> protection_;
  std::atomic<bool> alive_{true};
};

Table* new_hash_table(const TableOptions& options, Term name);
Table* new_ordered_table(const TableOptions& options, Term name);

}  // namespace wb
