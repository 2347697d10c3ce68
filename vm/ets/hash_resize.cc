// The buckets of a hash table: where they are, growing and shrinking by one, taking all away.
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <utility>

#include "base/out_of_memory.h"
#include "vm/ets/deferred_free.h"
#include "vm/ets/hash_table.h"

namespace wb {
namespace {

TableObject** new_segment(uint64_t buckets) {
  auto** segment =
      static_cast<TableObject**>(must_calloc(buckets, sizeof(TableObject*), "db_segment"));
  return segment;
}

uint32_t stripes_for(const TableOptions& o, uint32_t usual) {
  if (o.protection == Protection::private_) return 1;
  return o.write_concurrency != am::false_ || o.read_concurrency ? 64 : usual;
}

}  // namespace

/// Everything a table holds, taken out of it.
struct HashTable::Contents final : DetachedObjects {
  Link* segments[kSegments] = {};
  uint64_t active = 0;   // buckets in which there is anything
  unsigned segment = 0;  // where free_within() is
  uint64_t at = 0;

  ~Contents() override {
    UnlimitedBudget budget;
    free_within(budget);
  }
  bool free_within(WorkBudget& budget) override {
    for (; segment < kSegments && segments[segment]; ++segment, at = 0) {
      Link* links = segments[segment];
      const uint64_t start = segment_start(segment), end = segment_start(segment + 1);
      for (uint64_t n = std::min(end, active), b = start + at; b < n; ++b) {
        if (!links[b - start] || free_objects(&links[b - start], budget)) continue;
        at = b - start;
        return false;
      }
      free(std::exchange(segments[segment], nullptr));
    }
    return true;
  }
};

HashTable::HashTable(const TableOptions& o, Term name)
    : Table(o, name),
      stripe_count_(stripes_for(o, kUsualStripes)),
      stride_(stripe_count_ > 1 && o.write_concurrency != am::false_ ? stripe_count_ : 1),
      stripe_shift_(
          static_cast<uint8_t>(stride_ > 1 ? 0 : std::bit_width(kBase / stripe_count_) - 1)),
      one_count_(stripe_count_ > 1 && !o.decentralized_counters),
      run_mask_(stride_ > 1 ? kBase - stride_ : kBase / stripe_count_ - 1),
      stripes_(new Stripe[stripe_count_]) {
  set_segment(0, new_segment(kBase));
}

void HashTable::set_segment(unsigned k, Link* links) {
  segments_[k] = links;
  const uintptr_t place = reinterpret_cast<uintptr_t>(links);
  origins_[k].store(place - segment_start(k) * sizeof(Link), std::memory_order_release);
}

HashTable::~HashTable() { detach(); }

/// Takes all objects out. The caller holds every lock, or is alone.
std::unique_ptr<HashTable::Contents> HashTable::detach() {
  auto contents = std::make_unique<Contents>();
  for (unsigned k = 0; k < kSegments && segments_[k]; ++k)
    contents->segments[k] = std::exchange(segments_[k], nullptr);
  for (uint32_t i = 0; i < stripe_count_; ++i) {
    Stripe& s = stripes_[i];
    if (s.live.load(std::memory_order_relaxed) > 0 || !s.dead.empty()) contents->active = buckets();
    s.live.store(0, std::memory_order_relaxed);
    s.words.store(0, std::memory_order_relaxed);
    s.dead.clear();
  }
  count_.store(0, std::memory_order_relaxed);
  return contents;
}

void HashTable::lock_all() {
  for (uint32_t i = 0; i < stripe_count_; ++i) stripes_[i].lock.lock();
}
void HashTable::unlock_all() {
  for (uint32_t i = 0; i < stripe_count_; ++i) stripes_[i].lock.unlock();
}

std::unique_ptr<DetachedObjects> HashTable::take_all(uint64_t* count) {
  *count = 0;
  if (buckets() == kBase && size() == 0) return nullptr;
  Link* fresh = new_segment(kBase);
  std::unique_ptr<Contents> contents;
  {
    std::lock_guard lock(resize_);
    lock_all();
    *count = size();
    if (fixed_.load(std::memory_order_acquire) > 0 && alive()) {
      for (uint64_t b = 0; b < buckets(); ++b)
        for (Link* at = bucket(b); *at;) {
          TableObject* o = *at;
          if (!o->dead) remove(at, stripe_of(b), o->hash);
          if (*at == o) at = &o->next;  // else its last fixation has just ended
        }
    } else {
      contents = detach();
      set_segment(0, fresh);
      active_.store(kBase, std::memory_order_release);
      fresh = nullptr;
    }
    unlock_all();
  }
  free(fresh);
  return contents;
}

// --- growing and shrinking --------------------------------------------------------------------
/// A table with fewer objects has too many buckets: half of those that all but the last two of its
/// 2048s have, but none below that many, nor where the count of a stripe says too little.
uint64_t HashTable::least_objects(uint64_t buckets) const {
  constexpr uint64_t kPart = 2048, kFewParts = kBase + 2 * kPart, kSample = 100;
  const uint64_t places = kBase + (buckets - kBase + kPart - 1) / kPart * kPart;
  const bool sampled = stripe_count_ > 1 && !one_count_;
  if (places < kFewParts || (sampled && places < kSample * stripe_count_)) return 0;
  return (places - kPart) / 2;
}

void HashTable::split_some(uint64_t objects) {
  for (unsigned n = 0; n < kResized && objects > buckets(); ++n)
    if (!split_one()) return;
}

void HashTable::merge_some(uint64_t objects) {
  for (unsigned n = 0; n < kResized && objects < least_objects(buckets()); ++n)
    if (!merge_one()) return;
}

void HashTable::shrink() {
  const Stripe& s = stripes_[0];
  shrink(one_count_ || stripe_count_ == 1 ? objects_by(s) : size());
}

bool HashTable::split_one() {
  std::unique_lock lock(resize_, std::try_to_lock);
  if (!lock || frozen_.load(std::memory_order_relaxed) > 0) return false;
  Stripe& s = stripe_of(buckets());
  s.lock.lock();
  split_locked();
  s.lock.unlock();
  return true;
}

/// The caller may resize, and has locked the stripe.
void HashTable::split_locked() {
  const uint64_t n = buckets(), top = std::bit_floor(n);
  const unsigned k = segment_of(n);
  WB_CHECK(k < kSegments);
  if (!segments_[k]) set_segment(k, new_segment(n));
  Link* stay = bucket(n ^ top);
  Link* go = bucket(n);
  for (TableObject* o = *stay; o; o = o->next) {
    Link*& end = o->hash & top ? go : stay;
    *end = o;
    end = &o->next;
  }
  *stay = *go = nullptr;
  active_.store(n + 1, std::memory_order_release);
}

bool HashTable::merge_one() {
  std::unique_lock lock(resize_, std::try_to_lock);
  const uint64_t n = buckets() - 1;
  if (!lock || frozen_.load(std::memory_order_relaxed) > 0 || n < kBase) return false;
  const unsigned k = segment_of(n);
  Stripe& s = stripe_of(n);
  s.lock.lock();
  Link* into = bucket(n ^ std::bit_floor(n));
  Link* end = bucket(n);
  while (*end) end = &(*end)->next;
  *end = *into;
  *into = std::exchange(*bucket(n), nullptr);
  active_.store(n, std::memory_order_release);
  s.lock.unlock();
  if (n == segment_start(k)) free(std::exchange(segments_[k], nullptr));
  return true;
}

}  // namespace wb
