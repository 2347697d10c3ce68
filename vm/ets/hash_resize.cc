// The buckets of a hash table: where they are, growing and shrinking by one, taking all away.
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <utility>

#include "base/out_of_memory.h"
#include "vm/ets/graveyard.h"
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
struct HashTable::Contents final : Corpse {
  Link* segments[kSegments] = {};
  uint64_t base = 0;
  uint64_t active = 0;
  unsigned segment = 0;  // where dissolve() is
  uint64_t at = 0;

  ~Contents() override {
    NoPace pace;
    dissolve(pace);
  }
  bool dissolve(Pace& pace) override {
    for (; segment < kSegments; ++segment, at = 0) {
      Link* links = segments[segment];
      const uint64_t start = segment == 0 ? 0 : base << (segment - 1);
      const uint64_t size = segment == 0 ? base : start;
      for (; links && at < size && start + at < active; ++at)
        if (!free_objects(&links[at], pace)) return false;
      free(std::exchange(segments[segment], nullptr));
    }
    return true;
  }
};

HashTable::HashTable(const TableOptions& o, Term name)
    : Table(o, name),
      stripe_count_(stripes_for(o, kUsualStripes)),
      base_bits_(static_cast<unsigned>(std::bit_width(std::max(stripe_count_, kUsualStripes))) - 1),
      base_(uint64_t{1} << base_bits_),
      stripes_(new Stripe[stripe_count_]),
      active_(base_) {
  segments_[0].store(new_segment(base_), std::memory_order_release);
}

HashTable::~HashTable() { detach(); }

/// Takes all objects out. The caller holds every lock, or is alone.
std::unique_ptr<HashTable::Contents> HashTable::detach() {
  auto contents = std::make_unique<Contents>();
  contents->base = base_;
  contents->active = buckets();
  for (unsigned k = 0; k < kSegments; ++k)
    contents->segments[k] = segments_[k].exchange(nullptr, std::memory_order_acq_rel);
  for (uint32_t i = 0; i < stripe_count_; ++i) {
    stripes_[i].live.store(0, std::memory_order_relaxed);
    stripes_[i].words.store(0, std::memory_order_relaxed);
    stripes_[i].dead.clear();
  }
  return contents;
}

void HashTable::lock_all() {
  for (uint32_t i = 0; i < stripe_count_; ++i) stripes_[i].lock.lock();
}
void HashTable::unlock_all() {
  for (uint32_t i = 0; i < stripe_count_; ++i) stripes_[i].lock.unlock();
}

std::unique_ptr<Corpse> HashTable::take_all(uint64_t* count) {
  *count = 0;
  if (buckets() == base_ && size() == 0) return nullptr;
  Link* fresh = new_segment(base_);
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
      segments_[0].store(fresh, std::memory_order_release);
      active_.store(base_, std::memory_order_release);
      fresh = nullptr;
    }
    unlock_all();
  }
  free(fresh);
  return contents;
}

// --- growing and shrinking --------------------------------------------------------------------
/// One bucket holds about one object; a stripe's count stands for the whole.
void HashTable::adapt(const Stripe& s) {
  const auto estimate =
      static_cast<uint64_t>(s.live.load(std::memory_order_relaxed)) * stripe_count_;
  if (estimate > buckets()) {
    for (int i = 0; i < 3 && estimate > buckets(); ++i)
      if (!split_one()) return;
  } else {
    for (int i = 0; i < 4 && buckets() > base_ && estimate * 3 < buckets(); ++i)
      if (!merge_one()) return;
  }
}

/// Many objects are about to come at once: chains must not become long before adapt() is asked.
void HashTable::make_room(uint64_t objects) {
  constexpr uint64_t kFew = 8;
  if (objects <= kFew) return;
  for (uint64_t wanted = size() + objects; buckets() < wanted;)
    if (!split_one()) return;
}

bool HashTable::split_one() {
  std::unique_lock lock(resize_, std::try_to_lock);
  if (!lock || frozen_.load(std::memory_order_relaxed) > 0) return false;
  const uint64_t n = buckets(), top = std::bit_floor(n);
  const unsigned k = segment_of(n);
  if (k >= kSegments) return false;
  if (!segments_[k].load(std::memory_order_relaxed))
    segments_[k].store(new_segment(n), std::memory_order_release);
  Stripe& s = stripe_of(n);
  s.lock.lock();
  Link* stay = bucket(n ^ top);
  Link* go = bucket(n);
  for (TableObject* o = *stay; o; o = o->next) {
    Link*& end = o->hash & top ? go : stay;
    *end = o;
    end = &o->next;
  }
  *stay = *go = nullptr;
  active_.store(n + 1, std::memory_order_release);
  s.lock.unlock();
  return true;
}

bool HashTable::merge_one() {
  std::unique_lock lock(resize_, std::try_to_lock);
  const uint64_t n = buckets() - 1;
  if (!lock || frozen_.load(std::memory_order_relaxed) > 0 || n < base_) return false;
  const unsigned k = segment_of(n);
  Stripe& s = stripe_of(n);
  s.lock.lock();
  Link* end = bucket(n ^ std::bit_floor(n));
  while (*end) end = &(*end)->next;
  *end = *bucket(n);
  *bucket(n) = nullptr;
  active_.store(n, std::memory_order_release);
  s.lock.unlock();
  if (n == base_ << (k - 1)) free(segments_[k].exchange(nullptr, std::memory_order_acq_rel));
  return true;
}

}  // namespace wb
