#include "vm/ets/hash_table.h"

#include <algorithm>

#include "term/hash.h"
#include "term/order.h"

namespace wb {

Table* new_hash_table(const TableOptions& options, Term name) {
  return new HashTable(options, name);
}

// --- finding ----------------------------------------------------------------------------------
bool HashTable::same_key(const TableObject& o, Term key, uint64_t hash) const {
  return o.hash == hash && equal_exact(key_of(o), key);
}

/// The link to the first object of `key` at or after `from`, or nullptr.
HashTable::Link* HashTable::find(Term key, uint64_t hash, Link* from) const {
  for (Link* at = from; *at; at = &(*at)->next)
    if (same_key(**at, key, hash)) return at;
  return nullptr;
}

bool HashTable::has_live(Term key, uint64_t hash) {
  Link* at = find_run(key, hash);
  for (; at && *at && same_key(**at, key, hash); at = &(*at)->next)
    if (!(*at)->dead) return true;
  return false;
}

bool HashTable::member(Term key) {
  uint64_t hash = map_hash(key);
  Stripe& s = stripe_of(hash);
  s.lock.lock_shared();
  bool found = has_live(key, hash);
  s.lock.unlock_shared();
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
  o->next = *run;
  *run = o;
  account(s, 1, static_cast<int64_t>(o->bytes()));
}

void HashTable::insert_locked(TableObject* o) {
  Link* chain = bucket(bucket_of(o->hash));
  if (Link* run = find(key_of(*o), o->hash, chain)) return insert_into_run(run, o);
  o->next = *chain;
  *chain = o;
  account(stripe_of(o->hash), 1, static_cast<int64_t>(o->bytes()));
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

void HashTable::visit_run(Link* run, Term key, uint64_t hash, Visitor& v, bool write) {
  Stripe& s = stripe_of(hash);
  for (Link* at = run; *at && same_key(**at, key, hash);) {
    if ((*at)->dead)
      at = &(*at)->next;
    else if (write)
      apply(at, v, s);
    else {
      show(v, **at);
      at = &(*at)->next;
    }
  }
}

void HashTable::visit_key(Term key, Visitor& v, bool write) {
  uint64_t hash = map_hash(key);
  Stripe& s = stripe_of(hash);
  write ? s.lock.lock() : s.lock.lock_shared();
  if (Link* run = find_run(key, hash)) visit_run(run, key, hash, v, write);
  write ? s.lock.unlock() : s.lock.unlock_shared();
  if (write) adapt(s);
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
