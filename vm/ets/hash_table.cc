#include "vm/ets/hash_table.h"

#include <algorithm>

#include "term/order.h"
#include "vm/ets/table_hash.h"

namespace wb {

Table* new_hash_table(const TableOptions& options, Term name) {
  return new HashTable(options, name);
}

uint32_t table_hash_slow(Term key) {
  return is_atom(key) ? atom_hash(key) : internal_hash_slow(key);
}

// --- finding ----------------------------------------------------------------------------------
bool HashTable::member(Term key) {
  const uint64_t hash = table_hash(key);
  Stripe& s = stripe_of(hash);
  const bool alone = s.lock.lock_briefly();
  const bool found = is_live(find(key, hash), key, hash);
  s.lock.unlock_briefly(alone);
  return found;
}

// --- changing one object, its stripe locked ---------------------------------------------------
void HashTable::replace(Link* at, TableObject* o, Stripe& s) {
  TableObject* old = *at;
  o->next = old->next;
  o->hash = old->hash;
  *at = o;
  if (old->dead)
    account(s, 1, static_cast<int64_t>(o->bytes()));
  else
    account(s, 0, static_cast<int64_t>(o->bytes()) - static_cast<int64_t>(old->bytes()));
  free_object(old);
}

/// Unlinks *at, or marks it dead if the table is fixed (by others than whoever removes it).
void HashTable::remove(Link* at, Stripe& s, uint64_t hash, bool own_fixation) {
  TableObject* o = *at;
  account(s, -1, -static_cast<int64_t>(o->bytes()));
  if (fixed_.load(std::memory_order_acquire) > uint32_t{own_fixation}) {
    o->dead = true;
    s.dead.push_back(hash);
    return;
  }
  *at = o->next;
  free_object(o);
}

/// Shows *at to the visitor and moves `at` on.
void HashTable::apply(Link*& at, Visitor& v, Stripe& s, bool own_fixation) {
  TableObject* o = *at;
  switch (show(v, *o)) {
    case Visitor::Verdict::keep:
      break;
    case Visitor::Verdict::replace:
      replace(at, v.replacement, s);
      break;
    case Visitor::Verdict::erase:
      remove(at, s, o->hash, own_fixation);
      if (*at != o) return;
      break;
  }
  at = &(*at)->next;
}

/// Puts `o` in front of *at.
void HashTable::link(Link* at, TableObject* o) {
  o->next = *at;
  *at = o;
  account(stripe_of(o->hash), 1, static_cast<int64_t>(o->bytes()));
}

/// True: there is one more place taken.
bool HashTable::insert_locked(TableObject* o) {
  Link* at = find(key_of(*o), o->hash);
  if (*at && !is_bag()) {
    replace(at, o, stripe_of(o->hash));
    return false;
  }
  if (options.type == TableType::bag) {
    Term key = key_of(*o);
    for (TableObject* p = *at; p && same_key(*p, key, o->hash); p = p->next) {
      if (p->dead || !same_objects(*p, *o)) continue;
      free_object(o);
      return false;
    }
  }
  link(at, o);
  return true;
}

// --- operations -------------------------------------------------------------------------------
/// Few objects. How many there were to be buckets for after each that is new.
void HashTable::insert_some(std::span<TableObject*> objects, uint64_t* counts) {
  for (size_t i = 0; i < objects.size(); ++i) {
    const Stripe& s = stripe_of(objects[i]->hash);
    counts[i] = insert_locked(objects[i]) ? objects_by(s) : 0;
  }
}

/// Every lock is held, so that chains need not become long before there are more buckets.
void HashTable::insert_many(std::span<TableObject*> objects) {
  const bool may_grow = frozen_.load(std::memory_order_relaxed) == 0;
  for (TableObject* o : objects) {
    const Stripe& s = stripe_of(o->hash);
    if (!insert_locked(o) || !may_grow) continue;
    for (unsigned n = 0; n < kResized && objects_by(s) > buckets(); ++n) split_locked();
  }
}

bool HashTable::insert(std::span<TableObject*> objects, bool only_new, InsertPermission* p) {
  constexpr size_t kFew = 32;
  if (objects.empty()) return true;
  const bool few = objects.size() <= kFew;
  uint64_t stripes = 0, counts[kFew] = {};
  for (TableObject* o : objects) {
    o->hash = table_hash(key_of(*o));
    stripes |= uint64_t{1} << stripe_index(o->hash);
  }
  std::unique_lock resizing(resize_, std::defer_lock);
  if (!few) {
    stripes = ~uint64_t{0} >> (64 - stripe_count_);
    resizing.lock();
  }
  for (uint64_t m = stripes; m; m &= m - 1) stripes_[__builtin_ctzll(m)].lock.lock();
  bool ok = !p || p->holds();
  if (only_new)
    for (size_t i = 0; ok && i < objects.size(); ++i)
      ok = !has_live(key_of(*objects[i]), objects[i]->hash);
  if (ok) few ? insert_some(objects, counts) : insert_many(objects);
  for (uint64_t m = stripes; m; m &= m - 1) stripes_[__builtin_ctzll(m)].lock.unlock();
  if (few)
    for (size_t i = 0; i < objects.size(); ++i) grow(counts[i]);
  if (!ok)
    for (TableObject* o : objects) free_object(o);
  return ok;
}

/// Of a tuple of so few words that it is copied under the lock. True: one more place is taken.
bool HashTable::insert_few(Term tuple, size_t words, uint64_t hash, Link* at) {
  const Term key = tuple_elements(tuple)[options.keypos - 1];
  if (options.type == TableType::bag) {
    for (TableObject* p = *at; p && same_key(*p, key, hash); p = p->next)
      if (!p->dead && equal_exact(p->tuple(), tuple)) return false;
  }
  const bool there = *at && !is_bag();
  if (there && fits_over(**at, words)) {
    copy_into(*at, 0, words, tuple);
    return false;
  }
  TableObject* o = new_object(tuple, words);
  o->hash = hash;
  if (there)
    replace(at, o, stripe_of(hash));
  else
    link(at, o);
  return !there;
}

bool HashTable::insert_tuple(Term tuple, bool only_new) {
  const Term key = tuple_elements(tuple)[options.keypos - 1];
  const uint64_t hash = table_hash(key);
  Stripe& s = stripe_of(hash);
  s.lock.lock();
  Link* at = find(key, hash);
  const bool there = only_new && is_live(at, key, hash);
  const size_t words = there ? 0 : few_words(tuple);
  const bool more = words && insert_few(tuple, words, hash, at);
  const uint64_t objects = more ? objects_by(s) : 0;
  s.lock.unlock();
  grow(objects);
  if (there || words) return !there;
  TableObject* o = make_object(tuple);
  return insert({&o, 1}, only_new, nullptr);
}

/// `run`: the first object of `key`.
void HashTable::visit_run(Link* run, Term key, uint64_t hash, Visitor& v, bool write) {
  Stripe& s = stripe_of(hash);
  Link* at = run;
  do {
    if (!(*at)->dead && write) {
      apply(at, v, s);
    } else {
      if (!(*at)->dead) show(v, **at);
      at = &(*at)->next;
    }
  } while (is_bag() && *at && same_key(**at, key, hash));
}

void HashTable::visit_key(Term key, Visitor& v, bool write) {
  const uint64_t hash = table_hash(key);
  if (!write) return look_at_key(key, hash, v);
  shrink(change_key(key, hash, v));
}

/// How many objects are left to be buckets for, if there are fewer, else any number.
uint64_t HashTable::change_key(Term key, uint64_t hash, Visitor& v) {
  Stripe& s = stripe_of(hash);
  s.lock.lock();
  const int64_t before = s.live.load(std::memory_order_relaxed);
  Link* run = find(key, hash);
  if (*run) visit_run(run, key, hash, v, true);
  const bool fewer = s.live.load(std::memory_order_relaxed) < before;
  const uint64_t objects = fewer ? objects_by(s) : UINT64_MAX;
  s.lock.unlock();
  return objects;
}

void HashTable::look_at_key(Term key, uint64_t hash, Visitor& v) {
  constexpr uint32_t kMuch = 200;  // words
  Stripe& s = stripe_of(hash);
  bool alone = s.lock.lock_briefly();
  Link* run = find(key, hash);
  if (*run) {
    if (alone && (is_bag() || (*run)->words > kMuch)) {
      s.lock.share();
      alone = false;
    }
    visit_run(run, key, hash, v, false);
  }
  s.lock.unlock_briefly(alone);
}

void HashTable::erase(Term key) {
  struct Eraser final : Visitor {
    Verdict visit(const TableObject&) override { return Verdict::erase; }
  } eraser;
  visit_key(key, eraser, true);
}

bool HashTable::update(Term key, TableObject* fallback, Updater& u) {
  const uint64_t hash = table_hash(key);
  Stripe& s = stripe_of(hash);
  s.lock.lock();
  Link* at = find(key, hash);
  const bool found = *at && !(*at)->dead;
  uint64_t objects = 0;
  TableObject* old = found ? *at : fallback;
  TableObject* now = old ? updated(u, old) : nullptr;
  if (found && now && now != old) replace(at, now, s);
  if (!found && now) {
    if (now != fallback) free_object(fallback);
    now->hash = hash;
    if (*at)
      replace(at, now, s);
    else
      link(at, now), objects = objects_by(s);
    fallback = nullptr;
  }
  // It was put in, and is taken out again: while the table is fixed its key is known from then on.
  if (!found && !now && fallback && !*at && fixed_.load(std::memory_order_acquire)) {
    fallback->hash = hash;
    link(at, fallback);
    remove(at, s, hash, false);
    fallback = nullptr;
  }
  s.lock.unlock();
  if (fallback) free_object(fallback);
  grow(objects);
  return old != nullptr;
}

uint64_t HashTable::size() const {
  int64_t n = count_.load(std::memory_order_relaxed);
  if (one_count_) return n < 0 ? 0 : static_cast<uint64_t>(n);
  for (uint32_t i = 0; i < stripe_count_; ++i)
    n += stripes_[i].live.load(std::memory_order_relaxed);
  return n < 0 ? 0 : static_cast<uint64_t>(n);
}

RwLock::Waits HashTable::lock_waits() const {
  RwLock::Waits sum;
  for (uint32_t i = 0; i < stripe_count_; ++i) {
    const RwLock::Waits w = stripes_[i].lock.waits();
    sum.count += w.count, sum.ns += w.ns;
  }
  return sum;
}

uint64_t HashTable::memory_words() const {
  int64_t words = 0;
  for (uint32_t i = 0; i < stripe_count_; ++i)
    words += stripes_[i].words.load(std::memory_order_relaxed);
  return static_cast<uint64_t>(words) + buckets() +
         (sizeof(HashTable) + std::max(stripe_count_, kUsualStripes) * sizeof(Stripe)) / 8;
}

}  // namespace wb
