#include "vm/ets/ordered_table.h"

#include <memory>

#include "term/order.h"
#include "vm/ets/deferred_free.h"

namespace wb {
namespace {

/// The caller, a loop, keeps its registers.
WB_PRESERVE_MOST WB_NOINLINE int order_of_large(Term a, Term b) {
  return a == b ? 0 : compare(a, b);
}

WB_INLINE int order(Term a, Term b) {
  if (are_small(a, b)) return small_value(a) < small_value(b) ? -1 : a != b;
  return order_of_large(a, b);
}

struct Chain final : DetachedObjects {
  explicit Chain(TableObject* first) : first(first) {}
  ~Chain() override { free_objects(first); }
  bool free_within(WorkBudget& budget) override { return free_objects(&first, budget); }
  TableObject* first;
};

}  // namespace

Table* new_ordered_table(const TableOptions& options, Term name) {
  return new OrderedTable(options, name);
}

OrderedTable::OrderedTable(const TableOptions& options, Term name) : Table(options, name) {
  Term empty = make_header(Kind::tuple, 0);
  head_ = new_object(make_boxed(&empty), kLevels - 1);
  forget_all();
}

void OrderedTable::forget_all() {
  for (unsigned i = 0; i < kLevels; ++i) {
    head_->link(i) = nullptr;
    finger_[i] = head_;
  }
  head_->prev = head_;
  levels_ = 1;
  found_last_.store(nullptr, std::memory_order_relaxed);
  size_.store(0, std::memory_order_relaxed);
  words_.store(0, std::memory_order_relaxed);
}

OrderedTable::~OrderedTable() { free_objects(head_); }

/// 0 links above the lowest with probability 3/4, 1 with 3/16 ... (Two who ask at once may be told
/// the same.)
unsigned OrderedTable::new_tower() {
  uint64_t z = seed_.load(std::memory_order_relaxed);
  seed_.store(z + 0x9e3779b97f4a7c15, std::memory_order_relaxed);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  z ^= z >> 31;
  unsigned tower = static_cast<unsigned>(__builtin_ctzll(z | uint64_t{1} << 62)) / 2;
  return tower < kLevels - 1 ? tower : kLevels - 1;
}

// --- finding ----------------------------------------------------------------------------------
template <class Before>
WB_INLINE TableObject* OrderedTable::descend(Before before, Path* path) const {
  TableObject* at = head_;
  TableObject* behind = nullptr;  // the first known not to be before, often met again further down
  for (unsigned level = levels_; level-- > 0;) {
    TableObject* o;
    while ((o = at->link(level)) != behind && before(*o)) at = o;
    behind = o;
    if (path) (*path)[level] = at;
  }
  return at;
}

TableObject* OrderedTable::find(Term key) const {
  const uint32_t keypos = options.keypos;
  TableObject* o = descend([=](TableObject& o) { return order(o.key(keypos), key) < 0; })->next;
  return o && order(o->key(keypos), key) == 0 ? o : nullptr;
}

/// The same. Who walks from key to key asks for each.
TableObject* OrderedTable::look_for(Term key) const {
  TableObject* last = found_last_.load(std::memory_order_relaxed);
  return last && last->key(options.keypos) == key ? last : find(key);
}

// --- changing, locked for writing -------------------------------------------------------------
/// The object of `key`, or nullptr; finger_ is where it is or would be.
TableObject* OrderedTable::locate(Term key) {
  const uint32_t keypos = options.keypos;
  TableObject* at = finger_[0];
  int c = at == head_ ? -1 : order(at->key(keypos), key);
  if (c == 0 && at->tower == 0) {
    finger_[0] = at->prev;
    return at;
  }
  if (c < 0) {
    for (int steps = 0; steps < 2; ++steps) {
      TableObject* o = at->next;
      c = o ? order(o->key(keypos), key) : 1;
      if (c >= 0) return c == 0 ? o : nullptr;
      for (unsigned level = 0; level <= o->tower; ++level) finger_[level] = o;
      at = o;
    }
  }
  at = descend([=](TableObject& o) { return order(o.key(keypos), key) < 0; }, &finger_)->next;
  return at && order(at->key(keypos), key) == 0 ? at : nullptr;
}

/// Puts `o` in its place, where nothing is.
void OrderedTable::link(TableObject* o) {
  for (unsigned level = 0; level <= o->tower; ++level) {
    o->link(level) = finger_[level]->link(level);
    finger_[level]->link(level) = o;
  }
  if (levels_ <= o->tower) levels_ = o->tower + 1u;
  o->prev = finger_[0];
  (o->next ? o->next : head_)->prev = o;
  add_counts(1, static_cast<int64_t>(o->bytes()));
}

/// Takes `o` out of its place.
void OrderedTable::unlink(TableObject* o) {
  for (unsigned level = 0; level <= o->tower; ++level) finger_[level]->link(level) = o->link(level);
  (o->next ? o->next : head_)->prev = finger_[0];
  if (found_last_.load(std::memory_order_relaxed) == o)
    found_last_.store(nullptr, std::memory_order_relaxed);
  add_counts(-1, -static_cast<int64_t>(o->bytes()));
}

/// Anybody reads the counts.
void OrderedTable::add_counts(int64_t objects, int64_t bytes) {
  size_.store(size() + static_cast<uint64_t>(objects), std::memory_order_relaxed);
  words_.store(words_.load(std::memory_order_relaxed) + static_cast<uint64_t>(bytes / 8),
               std::memory_order_relaxed);
}

/// `old` is in its place.
void OrderedTable::replace(TableObject* old, TableObject* now) {
  unlink(old);
  link(now);
  free_object(old);
}

void OrderedTable::remove(TableObject* o) {
  unlink(o);
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
    for (size_t i = 0; ok && i < objects.size(); ++i) ok = !find(key_of(*objects[i]));
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
    return;
  }
  TableObject* o = new_object(tuple, words, new_tower());
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
  bool found = find(key) != nullptr;
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
  auto chain = std::make_unique<Chain>(head_->next);
  *count = size();
  forget_all();
  lock_.unlock();
  return chain;
}

uint64_t OrderedTable::memory_words() const {
  return sizeof(OrderedTable) / 8 + head_->bytes() / 8 + words_.load(std::memory_order_relaxed);
}

// --- order ------------------------------------------------------------------------------------
/// Where a traversal begins: nullptr or head_ if nowhere.
TableObject* OrderedTable::start(Term after, const KeyRange* range, bool reverse) const {
  if (after == kNone && !range) return step(head_, reverse);
  auto before = [&](const TableObject& o) {
    const Term key = key_of(o);
    const int inside = range ? range->compare_key(key) : 0;
    if (inside != 0 || after == kNone) return reverse ? inside <= 0 : inside < 0;
    const int c = order(key, after);
    return reverse ? c < 0 : c <= 0;
  };
  TableObject* at = descend(before);
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
  if (last && order(key_of(*last), key) == 0) return step(last, reverse);
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
