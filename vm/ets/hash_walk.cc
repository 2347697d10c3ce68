// Walking a hash table: by key, by slot, bucket by bucket; and what keeps walks meaningful while
// others change the table (fixation, frozen buckets).
#include <algorithm>
#include <cmath>

#include "term/hash.h"
#include "vm/ets/hash_table.h"

namespace wb {

/// Objects that are purged under one lock.
constexpr size_t kPurged = 256;

/// Buckets that are visited under one lock.
constexpr unsigned kBuckets = 32;
/// Behind the last bucket.
constexpr uint64_t kEnd = UINT64_MAX;

/// Calls visit(bucket, stripe) for bucket `b` and those that come after it, until that is true: the
/// number of the next bucket then, or kEnd.
template <class F>
WB_INLINE uint64_t HashTable::walk(uint64_t b, bool write, F visit) {
  for (bool done = false; b != kEnd && !done;) {
    Stripe& s = stripe_of(b);
    write ? s.lock.lock() : s.lock.lock_shared();
    for (unsigned n = 0; n < kBuckets && b < buckets() && !done; ++n, b += stripe_count_)
      done = visit(bucket(b), s);
    const bool more = b < buckets();
    write ? s.lock.unlock() : s.lock.unlock_shared();
    if (more) continue;
    b = (b & (stripe_count_ - 1)) + 1;
    if (b == stripe_count_) b = kEnd;
  }
  return b;
}

static TableObject* first_live(TableObject* o) {
  while (o && o->dead) o = o->next;
  return o;
}

/// The first live key at or after bucket `b`.
Term HashTable::first_from(Heap& h, uint64_t b) {
  Term key = kNone;
  walk(b, false, [&](Link* chain, Stripe&) {
    TableObject* o = first_live(*chain);
    if (o) key = copy_term_deep(h, key_of(*o));
    return o != nullptr;
  });
  return key;
}

Term HashTable::next(Heap& h, Term key) {
  uint64_t hash = map_hash(key);
  Stripe& s = stripe_of(hash);
  const bool alone = s.lock.lock_briefly();
  uint64_t b = bucket_of(hash);
  Link* run = find(key, hash, bucket(b));
  Term found = kNone;
  if (run) {
    TableObject* o = *run;
    while (o && (o->dead || same_key(*o, key, hash))) o = o->next;
    // Looked for a while under this lock, then by first_from() from `b` on.
    const uint64_t end = std::min(buckets(), b + kBuckets * stripe_count_);
    for (b += stripe_count_; !o && b < end; b += stripe_count_) o = first_live(*bucket(b));
    if (o) found = copy_term_deep(h, key_of(*o));
  }
  s.lock.unlock_briefly(alone);
  if (!run) return kBadarg;
  return found != kNone ? found : first_from(h, b);
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
  const uint64_t next = walk(b, write, [&](Link* at, Stripe& s) {
    while (*at) {
      if (!(*at)->dead && write) {
        apply(at, v, s, fixed);
      } else {
        if (!(*at)->dead || dead_too) show(v, **at);
        at = &(*at)->next;
      }
    }
    return v.full();
  });
  thaw();
  return next == kEnd ? -1 : static_cast<int64_t>(next);
}

HashTable::Stats HashTable::stats() {
  Stats r;
  freeze();
  walk(0, false, [&](Link* chain, Stripe&) {
    uint64_t n = 0;
    for (TableObject* o = *chain; o; o = o->next) ++(o->dead ? r.kept : n);
    ++r.buckets;
    r.objects += n;
    r.squares += static_cast<double>(n) * static_cast<double>(n);
    r.longest = std::max(r.longest, n);
    r.shortest = std::min(r.shortest, n);
    return false;
  });
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
