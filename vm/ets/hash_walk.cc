// Walking a hash table: by key, by slot, bucket by bucket; and what keeps walks meaningful while
// others change the table (fixation, frozen buckets).
#include <algorithm>
#include <cmath>

#include "base/stack.h"
#include "vm/ets/hash_table.h"
#include "vm/ets/table_hash.h"

namespace wb {

/// Objects that are purged under one lock.
constexpr size_t kPurged = 256;

/// Runs of buckets that are visited under one lock.
constexpr unsigned kRuns = 8;
/// Buckets whose first object is on its way from memory while another is looked at.
constexpr unsigned kAhead = 4;
/// Behind the last bucket.
constexpr uint64_t kEnd = UINT64_MAX;

/// `b`, or where its order goes on if there is no such bucket.
uint64_t HashTable::in_order(uint64_t b) const {
  if (b < buckets()) return b;
  b = (b & (stride_ - 1)) + 1;
  return b < stride_ ? b : kEnd;
}

/// Calls visit(bucket, stripe) for bucket `b` and those that come after it in order, if there is
/// anything in them, until that is true: the number of the next bucket then, or kEnd.
template <class F>
WB_INLINE uint64_t HashTable::walk(uint64_t b, bool write, bool dead_too, F visit) {
  bool done = false;
  for (b = in_order(b); b != kEnd && !done; b = in_order(b)) {
    Stripe& s = stripe_of(b);
    if (!dead_too && s.live.load(std::memory_order_relaxed) == 0) {
      b = next_run(b);
      continue;
    }
    write ? s.lock.lock() : s.lock.lock_shared();
    unsigned runs = 0;
    do {
      const uint64_t end = run_end(b);
      for (Link* at = bucket(b); b < end && !done; b += stride_, at += stride_) {
        if (b + kAhead * stride_ < end) __builtin_prefetch(at[kAhead * stride_]);
        if (*at) done = visit(at, s);
      }
    } while (!done && ++runs < kRuns && b < buckets() && &stripe_of(b) == &s);
    write ? s.lock.unlock() : s.lock.unlock_shared();
  }
  return b;
}

static Term copied(Heap& h, Term key) { return is_immediate(key) ? key : copy_term_deep(h, key); }

static TableObject* first_live(TableObject* o) {
  while (o && o->dead) o = o->next;
  return o;
}

/// The first live key at or after bucket `b`.
Term HashTable::first_from(Heap& h, uint64_t b) {
  Term key = kNone;
  walk(b, false, false, [&](Link* chain, Stripe&) {
    TableObject* o = first_live(*chain);
    if (o) key = copied(h, key_of(*o));
    return o != nullptr;
  });
  return key;
}

Term HashTable::next(Heap& h, Term key) {
  const uint64_t hash = table_hash(key);
  Stripe& s = stripe_of(hash);
  const bool alone = s.lock.lock_briefly();
  uint64_t b = bucket_of(hash);
  TableObject* o = *find(key, hash);
  const bool there = o != nullptr;
  Term found = kNone;
  if (there) {
    while (o && (o->dead || same_key(*o, key, hash))) o = o->next;
    if (!o) {  // looked for in this run, then by first_from() from `b` on
      const uint64_t end = run_end(b);
      const Link* at = bucket(b);
      for (b += stride_; !o && b < end; b += stride_) o = first_live(*(at += stride_));
    }
    if (o) found = copied(h, key_of(*o));
  }
  s.lock.unlock_briefly(alone);
  if (!there) return kBadarg;
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
  const uint64_t next = walk(b, write, dead_too, [&](Link* at, Stripe& s) {
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

/// Keys in the order of their first mention, but all those of a bucket as they stand in it.
void HashTable::visit_keys(std::span<const Term> keys, Visitor& v, bool write) {
  Stack<uint64_t, 8> hashes;
  for (Term key : keys) hashes.push(table_hash(key));
  if (keys.size() == 1) {
    write ? void(change_key(keys[0], hashes[0], v)) : look_at_key(keys[0], hashes[0], v);
    return;
  }
  auto wanted = [&](const TableObject& o) {
    for (size_t i = 0; i < keys.size(); ++i)
      if (same_key(o, keys[i], hashes[i])) return true;
    return false;
  };
  freeze();
  for (size_t i = 0; i < keys.size(); ++i) {
    const uint64_t b = bucket_of(hashes[i]);
    auto same_bucket = [&](uint64_t hash) { return bucket_of(hash) == b; };
    if (std::any_of(hashes.begin(), hashes.begin() + i, same_bucket)) continue;
    Stripe& s = stripe_of(b);
    write ? s.lock.lock() : s.lock.lock_shared();
    for (Link* at = bucket(b); *at;) {
      if (write && !(*at)->dead && wanted(**at)) {
        apply(at, v, s);
      } else {
        if (!(*at)->dead && wanted(**at)) show(v, **at);
        at = &(*at)->next;
      }
    }
    write ? s.lock.unlock() : s.lock.unlock_shared();
  }
  thaw();
}

HashTable::Stats HashTable::stats() {
  Stats r;
  uint64_t used = 0;
  freeze();
  r.buckets = buckets();
  r.locks = stride_;
  walk(0, false, true, [&](Link* chain, Stripe&) {
    uint64_t n = 0;
    for (TableObject* o = *chain; o; o = o->next) ++(o->dead ? r.kept : n);
    ++used;
    r.objects += n;
    r.squares += static_cast<double>(n) * static_cast<double>(n);
    r.longest = std::max(r.longest, n);
    r.shortest = std::min(r.shortest, n);
    return false;
  });
  thaw();
  if (used < r.buckets) r.shortest = 0;
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
void HashTable::purge(WorkBudget& budget) {
  for (uint32_t i = 0; i < stripe_count_; ++i)
    while (purge_some(stripes_[i]) && budget.steps(kPurged)) {
    }
  if (!budget.stopped()) return;
  UnlimitedBudget rest;
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
