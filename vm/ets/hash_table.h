// set, bag and duplicate_bag: a hash table that grows one bucket at a time (linear hashing).
//
//   hash ...|bbbbbbb|ssss|      stripe = low bits of the hash
//           bucket ------|      bucket = low bits, as many as there are buckets
//
// Walks go through the buckets of one stripe before those of the next: one lock for many buckets.
//
// A bucket is a chain of objects; those of one key stand together, the newest first. Buckets live
// in segments that double (base, base, 2*base, 4*base ...), so growing never moves a bucket and
// reading needs no lock for the segments. Bucket n splits from bucket n without its top bit; there
// are never fewer buckets than stripes, so both are guarded by the same stripe's lock.
//
// Invariants
//  - Under a stripe's lock, the bucket of each of its hashes is fixed: `active_` may move because
//    other stripes split, but never so that it changes where this stripe's keys are.
//  - Locks are taken in the order resize_, then stripes by ascending index.
//  - `frozen_` > 0 (a traversal runs, or the table is fixed): no splits and no merges, so that
//  bucket
//    numbers keep their meaning. `fixed_` > 0: deleted objects stay in their chain, marked dead.
//  - Counts are kept per stripe: inserting on several cores shares no line but the stripe's.
//
// Rejected: one lock for tables without write_concurrency, as BEAM has (reads of one table on many
// cores then share its line); lock-free chains (reclamation costs each reader more than a stripe's
// uncontended lock); rehashing all at once (a pause of seconds for large tables).
#pragma once

#include <bit>
#include <memory>

#include "term/order.h"
#include "vm/ets/rw_lock.h"
#include "vm/ets/table.h"

namespace wb {

class HashTable final : public Table {
 public:
  HashTable(const TableOptions& options, Term name);

  bool insert(std::span<TableObject*> objects, bool only_new, InsertPermission* p) override;
  bool insert_tuple(Term tuple, bool only_new) override;
  void visit_key(Term key, Visitor& v, bool write) override;
  bool member(Term key) override;
  void erase(Term key) override;
  bool update(Term key, TableObject* fallback, Updater& u) override;
  std::unique_ptr<Corpse> take_all(uint64_t* count) override;
  uint64_t size() const override;
  uint64_t memory_words() const override;

  Term first(Heap& h) override { return first_from(h, 0); }
  Term last(Heap& h) override { return first_from(h, 0); }
  Term next(Heap& h, Term key) override;
  Term prev(Heap& h, Term key) override { return next(h, key); }
  int slot(uint64_t n, Visitor& v) override;
  void fix() override;
  bool end_fixation() override;
  void purge(Pace& pace) override;

  /// Visits buckets from number `bucket` on until the visitor is full after one; the number of the
  /// next, or -1 at the end. `fixed`: the table is once fixed for this walk, which needs no places
  /// of what it deletes.
  int64_t traverse(uint64_t bucket, Visitor& v, bool write, bool fixed = false);
  uint64_t buckets() const { return active_.load(std::memory_order_acquire); }
  /// Buckets in use, longest and shortest chain, and the sum of squares of lengths (ets:info
  /// stats).
  struct Stats {
    uint64_t buckets = 0, objects = 0, kept = 0, longest = 0, shortest = ~uint64_t{0};
    double squares = 0;
  };
  Stats stats();

 private:
  using Link = TableObject*;
  struct alignas(64) Stripe {
    RwLock lock;
    std::atomic<int64_t> live{0};   // objects, without dead ones
    std::atomic<int64_t> words{0};  // of objects
    std::vector<uint64_t> dead;     // hashes of objects deleted while fixed
  };
  static constexpr unsigned kSegments = 48;
  /// Of a table without options; others are said to be no smaller.
  static constexpr uint32_t kUsualStripes = 16;
  struct Contents;

  ~HashTable() override;
  Stripe& stripe_of(uint64_t hash) { return stripes_[hash & (stripe_count_ - 1)]; }
  uint64_t bucket_of(uint64_t hash) const {
    const uint64_t n = buckets(), mask = std::bit_ceil(n) - 1;
    uint64_t b = hash & mask;
    return b < n ? b : b & (mask >> 1);
  }
  WB_INLINE Link* bucket(uint64_t index) const {
    const unsigned k = segment_of(index);
    const uint64_t start = k == 0 ? 0 : uint64_t{1} << (base_bits_ + k - 1);
    return segments_[k].load(std::memory_order_acquire) + (index - start);
  }
  unsigned segment_of(uint64_t index) const {
    return static_cast<unsigned>(std::bit_width(index >> base_bits_));
  }
  /// The link to the first object of `key` at or after `from`, or nullptr.
  WB_INLINE Link* find(Term key, uint64_t hash, Link* from) const {
    for (Link* at = from; *at; at = &(*at)->next)
      if (same_key(**at, key, hash)) return at;
    return nullptr;
  }
  Link* find_run(Term key, uint64_t hash) const { return find(key, hash, bucket(bucket_of(hash))); }
  WB_INLINE bool same_key(const TableObject& o, Term key, uint64_t hash) const {
    return o.hash == hash && equal_exact(key_of(o), key);
  }
  /// Is one not dead, of the objects of `key` that begin at `run`?
  bool is_live(const Link* run, Term key, uint64_t hash) const {
    if (!run) return false;
    for (const TableObject* o = *run; o->dead;) {
      o = o->next;
      if (!o || !same_key(*o, key, hash)) return false;
    }
    return true;
  }

  bool has_live(Term key, uint64_t hash) const { return is_live(find_run(key, hash), key, hash); }
  void insert_locked(TableObject* o);
  void insert_into_run(Link* run, TableObject* o);
  void link(Link* at, TableObject* o);
  void insert_few(Term tuple, size_t words, uint64_t hash, Link* chain, Link* run);
  void look_at_key(Term key, uint64_t hash, Visitor& v);
  void replace(Link* at, TableObject* o, Stripe& s);
  void remove(Link* at, Stripe& s, uint64_t hash, bool own_fixation = false);
  void apply(Link*& at, Visitor& v, Stripe& s, bool own_fixation = false);
  void visit_run(Link* run, Term key, uint64_t hash, Visitor& v, bool write);
  /// The stripe is locked; anybody reads the counts.
  static void account(Stripe& s, int64_t objects, int64_t bytes) {
    auto add = [](std::atomic<int64_t>& count, int64_t n) {
      count.store(count.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
    };
    add(s.live, objects);
    add(s.words, bytes / 8);
  }

  Term first_from(Heap& h, uint64_t bucket);
  template <class F>
  uint64_t walk(uint64_t bucket, bool write, F visit);
  void freeze();
  void thaw();
  bool purge_some(Stripe& s);
  void adapt(const Stripe& s);
  void make_room(uint64_t objects);
  bool split_one();
  bool merge_one();
  void lock_all();
  void unlock_all();
  std::unique_ptr<Contents> detach();

  uint32_t stripe_count_;
  unsigned base_bits_;
  uint64_t base_;  // buckets of the first segment: 1 << base_bits_
  std::unique_ptr<Stripe[]> stripes_;
  std::atomic<Link*> segments_[kSegments] = {};
  std::atomic<uint64_t> active_;
  std::mutex resize_;
  std::atomic<uint32_t> frozen_{0};
  std::atomic<uint32_t> fixed_{0};
};

}  // namespace wb
