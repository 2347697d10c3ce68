#include "vm/ets/ordered_table.h"

#include <memory>

#include "term/order.h"
#include "vm/ets/deferred_free.h"

namespace wb {
namespace {

struct Chain final : DetachedObjects {
  Chain(TableObject* first, OrderIndex::Node* root) : first(first) {
    if (root) nodes.push_back(root);
  }
  ~Chain() override {
    UnlimitedBudget budget;
    free_within(budget);
  }
  bool free_within(WorkBudget& budget) override {
    return free_objects(&first, budget) && OrderIndex::free_nodes(nodes, budget);
  }
  TableObject* first;
  std::vector<OrderIndex::Node*> nodes;
};

}  // namespace

Table* new_ordered_table(const TableOptions& options, Term name) {
  return new OrderedTable(options, name);
}

OrderedTable::OrderedTable(const TableOptions& options, Term name) : Table(options, name) {
  Term empty = make_header(Kind::tuple, 0);
  head_ = new_object(make_boxed(&empty));
  forget_all();
}

void OrderedTable::forget_all() {
  head_->next = nullptr;
  head_->prev = head_;
  found_last_.store(nullptr, std::memory_order_relaxed);
  size_.store(0, std::memory_order_relaxed);
  words_.store(0, std::memory_order_relaxed);
}

OrderedTable::~OrderedTable() { free_objects(head_); }

// --- finding ----------------------------------------------------------------------------------
/// Who walks from key to key asks for each.
TableObject* OrderedTable::look_for(Term key) const {
  TableObject* last = found_last_.load(std::memory_order_relaxed);
  return last && last->key(options.keypos) == key ? last : index_.find(key);
}

// --- changing, locked for writing -------------------------------------------------------------
/// The object of `key`, or nullptr; finger_ is where it is or would be.
TableObject* OrderedTable::locate(Term key) {
  return index_.locate(key, finger_) ? finger_.object() : nullptr;
}

/// Puts `o` in its place, where nothing is.
void OrderedTable::link(TableObject* o) {
  TableObject* before = finger_.object_before();
  o->prev = before ? before : head_;
  o->next = o->prev->next;
  o->prev->next = o;
  (o->next ? o->next : head_)->prev = o;
  index_.insert(finger_, key_of(*o), o);
  add_counts(1, static_cast<int64_t>(o->bytes()));
}

void OrderedTable::forget_found(TableObject* o) {
  if (found_last_.load(std::memory_order_relaxed) == o)
    found_last_.store(nullptr, std::memory_order_relaxed);
}

/// Anybody reads the counts.
void OrderedTable::add_counts(int64_t objects, int64_t bytes) {
  size_.store(size() + static_cast<uint64_t>(objects), std::memory_order_relaxed);
  words_.store(words_.load(std::memory_order_relaxed) + static_cast<uint64_t>(bytes / 8),
               std::memory_order_relaxed);
}

/// `old` is in its place.
void OrderedTable::replace(TableObject* old, TableObject* now) {
  now->next = old->next;
  now->prev = old->prev;
  now->prev->next = now;
  (now->next ? now->next : head_)->prev = now;
  index_.replace(finger_, key_of(*now), now);
  forget_found(old);
  add_counts(0, static_cast<int64_t>(now->bytes()) - static_cast<int64_t>(old->bytes()));
  free_object(old);
}

/// Takes `o` out of its place.
void OrderedTable::remove(TableObject* o) {
  o->prev->next = o->next;
  (o->next ? o->next : head_)->prev = o->prev;
  index_.erase(finger_);
  forget_found(o);
  add_counts(-1, -static_cast<int64_t>(o->bytes()));
  free_object(o);
}

/// Shows `o` to the visitor and does what it says.
bool OrderedTable::apply(TableObject* o, Visitor& v, bool write) {
  Visitor::Verdict verdict = show(v, *o);
  if (!write || verdict == Visitor::Verdict::keep) return false;
  locate(key_of(*o));
  if (verdict == Visitor::Verdict::erase)
    remove(o);
  else
    replace(o, v.replacement);
  return true;
}

// --- operations -------------------------------------------------------------------------------
bool OrderedTable::insert(std::span<TableObject*> objects, bool only_new, InsertPermission* p) {
  lock_.lock();
  bool ok = !p || p->holds();
  if (only_new)
    for (size_t i = 0; ok && i < objects.size(); ++i) ok = !index_.find(key_of(*objects[i]));
  if (ok) {
    for (TableObject* o : objects) {
      if (TableObject* old = locate(key_of(*o)))
        replace(old, o);
      else
        link(o);
    }
  }
  lock_.unlock();
  if (!ok)
    for (TableObject* o : objects) free_object(o);
  return ok;
}

/// Of a tuple of so few words that it is copied under the lock; its key has been located.
void OrderedTable::insert_few(Term tuple, size_t words, TableObject* old) {
  if (old && fits_over(*old, words)) {
    copy_into(old, 0, words, tuple);
    index_.replace(finger_, key_of(*old), old);  // 1.0 for 1, or the key lies elsewhere in it
    return;
  }
  TableObject* o = new_object(tuple, words);
  if (old)
    replace(old, o);
  else
    link(o);
}

bool OrderedTable::insert_tuple(Term tuple, bool only_new) {
  lock_.lock();
  TableObject* old = locate(tuple_elements(tuple)[options.keypos - 1]);
  const bool there = only_new && old;
  const size_t words = there ? 0 : few_words(tuple);
  if (words) insert_few(tuple, words, old);
  lock_.unlock();
  if (there || words) return !there;
  TableObject* o = make_object(tuple);
  return insert({&o, 1}, only_new, nullptr);
}

void OrderedTable::visit_key(Term key, Visitor& v, bool write) {
  write ? lock_.lock() : lock_.lock_shared();
  if (TableObject* o = look_for(key)) apply(o, v, write);
  write ? lock_.unlock() : lock_.unlock_shared();
}

bool OrderedTable::member(Term key) {
  lock_.lock_shared();
  bool found = index_.find(key) != nullptr;
  lock_.unlock_shared();
  return found;
}

void OrderedTable::erase(Term key) {
  lock_.lock();
  if (TableObject* o = locate(key)) remove(o);
  lock_.unlock();
}

bool OrderedTable::update(Term key, TableObject* fallback, Updater& u) {
  lock_.lock();
  TableObject* found = locate(key);
  TableObject* old = found ? found : fallback;
  TableObject* now = old ? updated(u, old) : nullptr;
  if (found && now && now != old) replace(old, now);
  if (!found && now) {
    if (now != fallback) free_object(fallback);
    link(now);
    fallback = nullptr;
  }
  lock_.unlock();
  if (fallback) free_object(fallback);
  return old != nullptr;
}

std::unique_ptr<DetachedObjects> OrderedTable::take_all(uint64_t* count) {
  lock_.lock();
  auto chain = std::make_unique<Chain>(head_->next, index_.take_nodes());
  *count = size();
  forget_all();
  lock_.unlock();
  return chain;
}

uint64_t OrderedTable::memory_words() const {
  return (sizeof(OrderedTable) + head_->bytes() + index_.bytes()) / 8 +
         words_.load(std::memory_order_relaxed);
}

// --- order ------------------------------------------------------------------------------------
/// Where a traversal begins: nullptr or head_ if nowhere.
TableObject* OrderedTable::start(Term after, const KeyRange* range, bool reverse) const {
  if (after == kNone && !range) return step(head_, reverse);
  auto before = [&](Term key) {
    const int inside = range ? range->compare_key(key) : 0;
    if (inside != 0 || after == kNone) return reverse ? inside <= 0 : inside < 0;
    const int c = order_of_keys(key, after);
    return reverse ? c < 0 : c <= 0;
  };
  TableObject* at = index_.last(before);
  if (!at) at = head_;
  return reverse ? at : at->next;
}

bool OrderedTable::traverse(Term after, const KeyRange* range, bool reverse, Visitor& v,
                            bool write) {
  bool stopped = false;
  write ? lock_.lock() : lock_.lock_shared();
  TableObject* o = start(after, range, reverse);
  while (o && o != head_ && !stopped) {
    if (range && range->compare_key(key_of(*o)) != 0) break;
    TableObject* next = step(o, reverse);
    apply(o, v, write);
    stopped = v.full();
    o = next;
  }
  write ? lock_.unlock() : lock_.unlock_shared();
  return stopped;
}

Term OrderedTable::first(Heap& h) {
  lock_.lock_shared();
  TableObject* o = head_->next;
  Term key = o ? copy_term_deep(h, key_of(*o)) : kNone;
  lock_.unlock_shared();
  return key;
}

Term OrderedTable::last(Heap& h) {
  lock_.lock_shared();
  TableObject* o = head_->prev;
  Term key = o != head_ ? copy_term_deep(h, key_of(*o)) : kNone;
  lock_.unlock_shared();
  return key;
}

/// What stands behind (before) `key`. Others are let in if it has to be searched for.
TableObject* OrderedTable::step_from(Term key, bool reverse, bool* alone) {
  TableObject* last = found_last_.load(std::memory_order_relaxed);
  if (last && order_of_keys(key_of(*last), key) == 0) return step(last, reverse);
  if (*alone) lock_.share();
  *alone = false;
  return start(key, nullptr, reverse);
}

Term OrderedTable::next(Heap& h, Term key) {
  bool alone = lock_.lock_briefly();
  TableObject* o = step_from(key, false, &alone);
  if (o) found_last_.store(o, std::memory_order_relaxed);
  Term found = o ? copy_term_deep(h, key_of(*o)) : kNone;
  lock_.unlock_briefly(alone);
  return found;
}

Term OrderedTable::prev(Heap& h, Term key) {
  bool alone = lock_.lock_briefly();
  TableObject* o = step_from(key, true, &alone);
  if (o != head_) found_last_.store(o, std::memory_order_relaxed);
  Term found = o != head_ ? copy_term_deep(h, key_of(*o)) : kNone;
  lock_.unlock_briefly(alone);
  return found;
}

int OrderedTable::slot(uint64_t n, Visitor& v) {
  lock_.lock_shared();
  const uint64_t count = size();
  if (n < count) {
    TableObject* o = head_->next;
    for (uint64_t i = 0; i < n; ++i) o = o->next;
    show(v, *o);
  }
  lock_.unlock_shared();
  return n < count ? 1 : n == count ? 0 : -1;
}

}  // namespace wb
