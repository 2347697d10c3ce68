#include "vm/ets/ordered_table.h"

#include <memory>

#include "term/order.h"
#include "vm/ets/graveyard.h"

namespace wb {
namespace {

WB_INLINE int order(Term a, Term b) {
  if (are_small(a, b)) return small_value(a) < small_value(b) ? -1 : a != b;
  return a == b ? 0 : compare(a, b);
}

struct Chain final : Corpse {
  explicit Chain(TableObject* first) : first(first) {}
  ~Chain() override { free_objects(first); }
  bool dissolve(Pace& pace) override { return free_objects(&first, pace); }
  TableObject* first;
};

}  // namespace

Table* new_ordered_table(const TableOptions& options, Term name) {
  return new OrderedTable(options, name);
}

OrderedTable::OrderedTable(const TableOptions& options, Term name) : Table(options, name) {
  Term empty = make_header(Kind::tuple, 0);
  head_ = new_object(make_boxed(&empty), kLevels - 1);
  for (unsigned i = 0; i < kLevels; ++i) head_->link(i) = nullptr;
  head_->prev = head_;
}

OrderedTable::~OrderedTable() { free_objects(head_); }

/// 0 links above the lowest with probability 3/4, 1 with 3/16 ...
unsigned OrderedTable::new_tower() {
  uint64_t z = seed_.fetch_add(0x9e3779b97f4a7c15, std::memory_order_relaxed);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  z ^= z >> 31;
  unsigned tower = static_cast<unsigned>(__builtin_ctzll(z | uint64_t{1} << 62)) / 2;
  return tower < kLevels - 1 ? tower : kLevels - 1;
}

// --- finding ----------------------------------------------------------------------------------
template <class Before>
TableObject* OrderedTable::descend(Before before, Path* path) const {
  TableObject* at = head_;
  for (unsigned level = kLevels; level-- > 0;) {
    for (TableObject* o = at->link(level); o && before(*o); o = at->link(level)) at = o;
    if (path) (*path)[level] = at;
  }
  return at;
}

TableObject* OrderedTable::find(Term key, Path* path) const {
  TableObject* at =
      descend([&](const TableObject& o) { return order(key_of(o), key) < 0; }, path)->next;
  return at && order(key_of(*at), key) == 0 ? at : nullptr;
}

// --- changing, locked for writing -------------------------------------------------------------
void OrderedTable::link(TableObject* o, Path& path) {
  for (unsigned level = 0; level <= o->tower; ++level) {
    o->link(level) = path[level]->link(level);
    path[level]->link(level) = o;
  }
  o->prev = path[0];
  (o->next ? o->next : head_)->prev = o;
  size_.fetch_add(1, std::memory_order_relaxed);
  words_.fetch_add(o->bytes() / 8, std::memory_order_relaxed);
}

void OrderedTable::unlink(TableObject* o, Path& path) {
  for (unsigned level = 0; level <= o->tower; ++level) path[level]->link(level) = o->link(level);
  (o->next ? o->next : head_)->prev = path[0];
  if (found_last_.load(std::memory_order_relaxed) == o)
    found_last_.store(nullptr, std::memory_order_relaxed);
  size_.fetch_sub(1, std::memory_order_relaxed);
  words_.fetch_sub(o->bytes() / 8, std::memory_order_relaxed);
}

void OrderedTable::replace(TableObject* old, TableObject* now) {
  Path path;
  find(key_of(*old), &path);
  unlink(old, path);
  link(now, path);
  free_object(old);
}

void OrderedTable::remove(TableObject* o) {
  Path path;
  find(key_of(*o), &path);
  unlink(o, path);
  free_object(o);
}

/// Shows `o` to the visitor and does what it says.
bool OrderedTable::apply(TableObject* o, Visitor& v, bool write) {
  Visitor::Verdict verdict = show(v, *o);
  if (!write || verdict == Visitor::Verdict::keep) return false;
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
      Path path;
      if (TableObject* old = find(key_of(*o), &path)) {
        unlink(old, path);
        free_object(old);
      }
      link(o, path);
    }
  }
  lock_.unlock();
  if (!ok)
    for (TableObject* o : objects) free_object(o);
  return ok;
}

void OrderedTable::visit_key(Term key, Visitor& v, bool write) {
  write ? lock_.lock() : lock_.lock_shared();
  if (TableObject* o = find(key)) apply(o, v, write);
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
  if (TableObject* o = find(key)) remove(o);
  lock_.unlock();
}

bool OrderedTable::update(Term key, TableObject* fallback, Updater& u) {
  lock_.lock();
  Path path;
  TableObject* found = find(key, &path);
  TableObject* old = found ? found : fallback;
  TableObject* now = old ? updated(u, old) : nullptr;
  if (found && now && now != old) {
    unlink(old, path);
    link(now, path);
    free_object(old);
  }
  if (!found && now) {
    if (now != fallback) free_object(fallback);
    link(now, path);
    fallback = nullptr;
  }
  lock_.unlock();
  if (fallback) free_object(fallback);
  return old != nullptr;
}

std::unique_ptr<Corpse> OrderedTable::take_all(uint64_t* count) {
  lock_.lock();
  auto chain = std::make_unique<Chain>(head_->next);
  *count = size();
  for (unsigned i = 0; i < kLevels; ++i) head_->link(i) = nullptr;
  head_->prev = head_;
  found_last_.store(nullptr, std::memory_order_relaxed);
  size_.store(0, std::memory_order_relaxed);
  words_.store(0, std::memory_order_relaxed);
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
    if (after == kNone) {
      int c = range->compare_key(key_of(o));
      return reverse ? c <= 0 : c < 0;
    }
    int c = order(key_of(o), after);
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

Term OrderedTable::next(Heap& h, Term key) {
  lock_.lock_shared();
  TableObject* last = found_last_.load(std::memory_order_relaxed);
  bool goes_on = last && order(key_of(*last), key) == 0;
  TableObject* o = goes_on ? last->next : start(key, nullptr, false);
  if (o) found_last_.store(o, std::memory_order_relaxed);
  Term found = o ? copy_term_deep(h, key_of(*o)) : kNone;
  lock_.unlock_shared();
  return found;
}

Term OrderedTable::prev(Heap& h, Term key) {
  lock_.lock_shared();
  TableObject* o = start(key, nullptr, true);
  Term found = o != head_ ? copy_term_deep(h, key_of(*o)) : kNone;
  lock_.unlock_shared();
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
