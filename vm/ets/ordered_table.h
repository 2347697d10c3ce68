// ordered_set: a list of its objects in order, and an index of their keys, under one reader-writer
// lock.
//
// Keys are compared with ==, so 1 and 1.0 are one key. The list is doubly linked, so that walking
// back is as cheap as walking forth; the index (order_index.h) finds where a walk begins. A
// traversal that stops and goes on later finds its place again by key, so fixation costs nothing
// here and deletions are real at once.
//
// Programs often write keys in order, or one key again and again: the place where the last writer
// was (finger_) is kept, and the next one looks there first.
//
// Invariants
//  - The list holds every object in order; head_ stands before the first, and head_->prev is the
//    last (head_ itself if there is none). The index has the same objects.
//  - Only who holds the lock for writing uses finger_.
//
// Rejected: fine-grained locks as in BEAM's CA tree (worth it only for heavy parallel writing to
// one ordered table).
#pragma once

#include "vm/ets/order_index.h"
#include "vm/ets/rw_lock.h"
#include "vm/ets/table.h"

namespace wb {

class OrderedTable final : public Table {
 public:
  OrderedTable(const TableOptions& options, Term name);

  bool insert(std::span<TableObject*> objects, bool only_new, InsertPermission* p) override;
  bool insert_tuple(Term tuple, bool only_new) override;
  void visit_key(Term key, Visitor& v, bool write) override;
  bool member(Term key) override;
  void erase(Term key) override;
  bool update(Term key, TableObject* fallback, Updater& u) override;
  std::unique_ptr<DetachedObjects> take_all(uint64_t* count) override;
  uint64_t size() const override { return size_.load(std::memory_order_relaxed); }
  uint64_t memory_words() const override;
  RwLock::Waits lock_waits() const override { return lock_.waits(); }

  Term first(Heap& h) override;
  Term last(Heap& h) override;
  Term next(Heap& h, Term key) override;
  Term prev(Heap& h, Term key) override;
  int slot(uint64_t n, Visitor& v) override;
  void fix() override {}
  bool end_fixation() override { return false; }
  void purge(WorkBudget&) override {}

  /// Visits objects in order (or against it), from behind `after` (kNone: from the start), only
  /// those in `range` if given. true: the visitor was full before the end was seen.
  bool traverse(Term after, const KeyRange* range, bool reverse, Visitor& v, bool write);

 private:
  ~OrderedTable() override;
  void forget_all();
  TableObject* look_for(Term key) const;
  TableObject* start(Term after, const KeyRange* range, bool reverse) const;
  TableObject* step_from(Term key, bool reverse, bool* alone);
  TableObject* locate(Term key);
  void insert_few(Term tuple, size_t words, TableObject* old);
  void link(TableObject* o);
  void forget_found(TableObject* o);
  void add_counts(int64_t objects, int64_t bytes);
  void replace(TableObject* old, TableObject* now);
  void remove(TableObject* o);
  bool apply(TableObject* o, Visitor& v, bool write);
  TableObject* step(TableObject* o, bool reverse) const { return reverse ? o->prev : o->next; }

  mutable RwLock lock_;
  TableObject* head_;
  OrderIndex index_;
  OrderIndex::Place finger_;  ///< of the last writer
  /// What next/2 or prev/2 found: it is asked for, and from there, again. Readers set it, who
  /// unlinks it forgets it.
  std::atomic<TableObject*> found_last_{nullptr};
  std::atomic<uint64_t> size_{0};
  std::atomic<uint64_t> words_{0};
};

}  // namespace wb
