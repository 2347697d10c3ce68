// Walking a hash table: by key, by slot, bucket by bucket; and what keeps walks meaningful while
// others change the table (fixation, frozen buckets).
#include <cmath>

#include "term/hash.h"
#include "vm/ets/hash_table.h"

namespace wb {

/// Objects that are purged under one lock.
constexpr size_t kPurged = 256;

/// The first live key at or after bucket `b`.
Term HashTable::first_from(Heap& h, uint64_t b) {
  for (;; ++b) {
    Stripe& s = stripe_of(b);
    s.lock.lock_shared();
    Term key = kNone;
    const bool inside = b < buckets();
    if (inside)
      for (TableObject* o = *bucket(b); o && key == kNone; o = o->next)
        if (!o->dead) key = copy_term_deep(h, key_of(*o));
    s.lock.unlock_shared();
    if (key != kNone || !inside) return key;
  }
}

Term HashTable::next(Heap& h, Term key) {
  uint64_t hash = map_hash(key);
  Stripe& s = stripe_of(hash);
  s.lock.lock_shared();
  uint64_t b = bucket_of(hash);
  Link* run = find(key, hash, bucket(b));
  Term found = kNone;
  if (run) {
    TableObject* o = *run;
    while (o && (o->dead || same_key(*o, key, hash))) o = o->next;
    if (o) found = copy_term_deep(h, key_of(*o));
  }
  s.lock.unlock_shared();
  if (!run) return kBadarg;
  return found != kNone ? found : first_from(h, b + 1);
}

int HashTable::slot(uint64_t n, Visitor& v) {
  Stripe& s = stripe_of(n);
  s.lock.lock_shared();
  const uint64_t count = buckets();
  if (n < count)
    for (TableObject* o = *bucket(n); o; o = o->next)
      if (!o->dead) show(v, *o);
  s.lock.unlock_shared();
  return n < count ? 1 : n == count ? 0 : -1;
}

int64_t HashTable::traverse(uint64_t b, Visitor& v, bool write, bool fixed) {
  freeze();
  const bool dead_too = v.wants_dead();
  int64_t next = -1;
  Stripe* held = nullptr;
  auto release = [&] {
    if (held) write ? held->lock.unlock() : held->lock.unlock_shared();
    held = nullptr;
  };
  for (;; ++b) {
    Stripe& s = stripe_of(b);
    if (held != &s) {
      release();
      write ? s.lock.lock() : s.lock.lock_shared();
      held = &s;
    }
    if (b >= buckets()) break;
    for (Link* at = bucket(b); *at;) {
      if (!(*at)->dead && write)
        apply(at, v, s, fixed);
      else {
        if (!(*at)->dead || dead_too) show(v, **at);
        at = &(*at)->next;
      }
    }
    if (v.full()) {
      next = static_cast<int64_t>(b + 1);
      break;
    }
  }
  release();
  thaw();
  return next;
}

HashTable::Stats HashTable::stats() {
  Stats r;
  freeze();
  for (uint64_t b = 0;; ++b) {
    Stripe& s = stripe_of(b);
    s.lock.lock_shared();
    const bool inside = b < buckets();
    uint64_t n = 0;
    if (inside)
      for (TableObject* o = *bucket(b); o; o = o->next) ++(o->dead ? r.kept : n);
    s.lock.unlock_shared();
    if (!inside) break;
    ++r.buckets;
    r.objects += n;
    r.squares += static_cast<double>(n) * static_cast<double>(n);
    if (n > r.longest) r.longest = n;
    if (n < r.shortest) r.shortest = n;
  }
  thaw();
  return r;
}

// --- fixation ---------------------------------------------------------------------------------
void HashTable::freeze() {
  std::lock_guard lock(resize_);  // after this no split is under way
  frozen_.fetch_add(1, std::memory_order_relaxed);
}
void HashTable::thaw() { frozen_.fetch_sub(1, std::memory_order_relaxed); }

void HashTable::fix() {
  freeze();
  fixed_.fetch_add(1, std::memory_order_acq_rel);
}

bool HashTable::end_fixation() {
  const bool last = fixed_.fetch_sub(1, std::memory_order_acq_rel) == 1;
  thaw();
  return last;
}

/// If the table has been fixed again, the dead may hold somebody's place, and whoever unfixes last
/// will purge them.
void HashTable::purge(Pace& pace) {
  for (uint32_t i = 0; i < stripe_count_; ++i)
    while (purge_some(stripes_[i]) && pace.steps(kPurged)) {
    }
  if (!pace.stopped()) return;
  NoPace rest;
  purge(rest);
}

/// True: there are more.
bool HashTable::purge_some(Stripe& s) {
  s.lock.lock();
  size_t n = fixed_.load(std::memory_order_acquire) == 0 ? s.dead.size() : 0;
  const size_t left = n > kPurged ? n - kPurged : 0;
  for (; n > left; --n) {
    for (Link* at = bucket(bucket_of(s.dead[n - 1])); *at;) {
      TableObject* o = *at;
      if (!o->dead)
        at = &o->next;
      else {
        *at = o->next;
        free_object(o);
      }
    }
  }
  if (left > 0)
    s.dead.resize(left);
  else if (fixed_.load(std::memory_order_acquire) == 0)
    std::vector<uint64_t>().swap(s.dead);
  s.lock.unlock();
  return left > 0;
}

}  // namespace wb
