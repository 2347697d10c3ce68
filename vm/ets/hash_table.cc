#include "vm/ets/hash_table.h"

#include <algorithm>

#include "term/hash.h"
#include "term/order.h"

namespace wb {

Table* new_hash_table(const TableOptions& options, Term name) {
  return new HashTable(options, name);
}

// --- finding ----------------------------------------------------------------------------------
bool HashTable::member(Term key) {
  uint64_t hash = map_hash(key);
  Stripe& s = stripe_of(hash);
  const bool alone = s.lock.lock_briefly();
  const bool found = has_live(key, hash);
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

void HashTable::insert_into_run(Link* run, TableObject* o) {
  Stripe& s = stripe_of(o->hash);
  if (!is_bag()) return replace(run, o, s);
  if (options.type == TableType::bag) {
    Term key = key_of(*o);
    for (TableObject* p = *run; p && same_key(*p, key, o->hash); p = p->next) {
      if (p->dead || !same_objects(*p, *o)) continue;
      free_object(o);
      return;
    }
  }
  link(run, o);
}

/// Puts `o` in front of *at.
void HashTable::link(Link* at, TableObject* o) {
  o->next = *at;
  *at = o;
  account(stripe_of(o->hash), 1, static_cast<int64_t>(o->bytes()));
}

void HashTable::insert_locked(TableObject* o) {
  Link* chain = bucket(bucket_of(o->hash));
  if (Link* run = find(key_of(*o), o->hash, chain)) return insert_into_run(run, o);
  link(chain, o);
}

// --- operations -------------------------------------------------------------------------------
bool HashTable::insert(std::span<TableObject*> objects, bool only_new, InsertPermission* p) {
  if (objects.empty()) return true;
  make_room(objects.size());
  uint64_t stripes = 0;
  for (TableObject* o : objects) {
    o->hash = map_hash(key_of(*o));
    stripes |= uint64_t{1} << (o->hash & (stripe_count_ - 1));
  }
  for (uint64_t m = stripes; m; m &= m - 1) stripes_[__builtin_ctzll(m)].lock.lock();
  bool ok = !p || p->holds();
  if (only_new)
    for (size_t i = 0; ok && i < objects.size(); ++i)
      ok = !has_live(key_of(*objects[i]), objects[i]->hash);
  const uint64_t last = objects.back()->hash;
  if (ok)
    for (TableObject* o : objects) insert_locked(o);
  for (uint64_t m = stripes; m; m &= m - 1) stripes_[__builtin_ctzll(m)].lock.unlock();
  if (ok)
    for (size_t i = 0; i < objects.size(); i += 2) adapt(stripe_of(last));
  else
    for (TableObject* o : objects) free_object(o);
  return ok;
}

/// Of a tuple of so few words that it is copied under the lock.
void HashTable::insert_few(Term tuple, size_t words, uint64_t hash, Link* chain, Link* run) {
  const Term key = tuple_elements(tuple)[options.keypos - 1];
  if (run && options.type == TableType::bag) {
    for (TableObject* p = *run; p && same_key(*p, key, hash); p = p->next)
      if (!p->dead && equal_exact(p->tuple(), tuple)) return;
  }
  if (run && !is_bag() && fits_over(**run, words)) {
    copy_into(*run, 0, words, tuple);
    return;
  }
  TableObject* o = new_object(tuple, words, 0);
  o->hash = hash;
  if (run && !is_bag())
    replace(run, o, stripe_of(hash));
  else
    link(run ? run : chain, o);
}

bool HashTable::insert_tuple(Term tuple, bool only_new) {
  const Term key = tuple_elements(tuple)[options.keypos - 1];
  const uint64_t hash = map_hash(key);
  Stripe& s = stripe_of(hash);
  s.lock.lock();
  Link* chain = bucket(bucket_of(hash));
  Link* run = find(key, hash, chain);
  const bool there = only_new && is_live(run, key, hash);
  const size_t words = there ? 0 : few_words(tuple);
  if (words) insert_few(tuple, words, hash, chain, run);
  s.lock.unlock();
  if (words) adapt(s);
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
  uint64_t hash = map_hash(key);
  Stripe& s = stripe_of(hash);
  if (!write) return look_at_key(key, hash, v);
  s.lock.lock();
  if (Link* run = find_run(key, hash)) visit_run(run, key, hash, v, write);
  s.lock.unlock();
  adapt(s);
}

void HashTable::look_at_key(Term key, uint64_t hash, Visitor& v) {
  constexpr uint32_t kMuch = 200;  // words
  Stripe& s = stripe_of(hash);
  bool alone = s.lock.lock_briefly();
  if (Link* run = find_run(key, hash)) {
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
  uint64_t hash = map_hash(key);
  Stripe& s = stripe_of(hash);
  s.lock.lock();
  Link* at = find_run(key, hash);
  const bool found = at && !(*at)->dead;
  TableObject* old = found ? *at : fallback;
  TableObject* now = old ? updated(u, old) : nullptr;
  if (found && now && now != old) replace(at, now, s);
  if (!found && now) {
    if (now != fallback) free_object(fallback);
    now->hash = hash;
    insert_locked(now);
    fallback = nullptr;
  }
  s.lock.unlock();
  if (fallback) free_object(fallback);
  adapt(s);
  return old != nullptr;
}

uint64_t HashTable::size() const {
  int64_t n = 0;
  for (uint32_t i = 0; i < stripe_count_; ++i)
    n += stripes_[i].live.load(std::memory_order_relaxed);
  return n < 0 ? 0 : static_cast<uint64_t>(n);
}

uint64_t HashTable::memory_words() const {
  int64_t words = 0;
  for (uint32_t i = 0; i < stripe_count_; ++i)
    words += stripes_[i].words.load(std::memory_order_relaxed);
  return static_cast<uint64_t>(words) + buckets() +
         (sizeof(HashTable) + std::max(stripe_count_, kUsualStripes) * sizeof(Stripe)) / 8;
}

}  // namespace wb
