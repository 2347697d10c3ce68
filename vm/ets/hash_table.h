// set, bag and duplicate_bag: a hash table that grows one bucket at a time (linear hashing).
//
//   hash ...|bbb|ssss|bbbb|      bucket = low bits, as many as there are buckets, at least 8
//                                 stripe = some of those 8 bits
//
// A bucket is a chain of objects; those of one key stand together, the newest first, and keys in
// the order in which they came. Buckets live in segments that double (256, 256, 512, 1024 ...), so
// growing never moves a bucket and reading needs no lock for the segments. Bucket n splits from
// bucket n without its top bit; both have the low 8 bits in common, so that the same stripe's lock
// guards them.
//
// The order of keys can be seen (first/1, next/2, slot/2, select/3 and all that come of them), so
// it is BEAM's, for keys whose hash is (table_hash.h). What makes it: the number of buckets, which
// is never less than 256, grows by up to five buckets for each key or object of a bag that is put
// in while there are more objects than buckets, and shrinks by up to five for each operation that
// takes something out while there are many fewer (least_objects()); neither while the table is
// fixed. A merged bucket's objects come before those of the bucket it is merged into. Walks go from
// bucket to bucket; with write_concurrency they take each 64th, then those behind them, and so on.
// A stripe has buckets that a walk sees one after another: a run, usually of 16, for one lock.
// With decentralized counters, a stripe's count times 64 stands for the whole.
//
// Invariants
//  - Under a stripe's lock, the bucket of each of its hashes is fixed: `active_` may move because
//    other stripes split, but never so that it changes where this stripe's keys are.
//  - Locks are taken in the order resize_, then stripes by ascending index.
//  - `frozen_` > 0 (a traversal runs, or the table is fixed): no splits and no merges, so that
//    bucket numbers keep their meaning. `fixed_` > 0: deleted objects stay in their chain, marked
//    dead.
//  - Counts are kept per stripe, and `count_` is their sum where growing goes by that: keys that
//    come and go share its line, those that stay share none but their stripe's.
//
// Rejected: one lock for tables without write_concurrency, as BEAM has (reads of one table on many
// cores then share its line); lock-free chains (reclamation costs each reader more than a stripe's
// uncontended lock); rehashing all at once (a pause of seconds for large tables); stripes by the
// lowest bits for all tables (a walk in BEAM's order then takes a lock for each bucket).
#pragma once

#include <algorithm>
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
  /// Objects of any of these keys, bucket by bucket.
  void visit_keys(std::span<const Term> keys, Visitor& v, bool write);
  bool member(Term key) override;
  void erase(Term key) override;
  bool update(Term key, TableObject* fallback, Updater& u) override;
  std::unique_ptr<DetachedObjects> take_all(uint64_t* count) override;
  uint64_t size() const override;
  uint64_t memory_words() const override;
  RwLock::Waits lock_waits() const override;

  Term first(Heap& h) override { return first_from(h, 0); }
  Term last(Heap& h) override { return first_from(h, 0); }
  Term next(Heap& h, Term key) override;
  Term prev(Heap& h, Term key) override { return next(h, key); }
  int slot(uint64_t n, Visitor& v) override;
  void fix() override;
  bool end_fixation() override;
  void purge(WorkBudget& budget) override;
  void shrink() override;

  /// Visits buckets from number `bucket` on until the visitor is full after one; the number of the
  /// next, or -1 at the end. `fixed`: the table is once fixed for this walk, which needs no places
  /// of what it deletes.
  int64_t traverse(uint64_t bucket, Visitor& v, bool write, bool fixed = false);
  uint64_t buckets() const { return active_.load(std::memory_order_acquire); }
  /// Buckets in use, longest and shortest chain, the sum of squares of lengths, and locks as BEAM
  /// has them (ets:info stats).
  struct Stats {
    uint64_t buckets = 0, objects = 0, kept = 0, longest = 0, shortest = ~uint64_t{0};
    uint64_t locks = 1;
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
  static constexpr unsigned kSegments = 32;
  /// Of a table without options; others are said to be no smaller.
  static constexpr uint32_t kUsualStripes = 16;
  static constexpr unsigned kBaseBits = 8;
  static constexpr uint64_t kBase = uint64_t{1} << kBaseBits;  // buckets of the first segment
  static constexpr unsigned kResized = 5;                      // buckets an operation
  struct Contents;

  ~HashTable() override;
  /// Of a hash or of the number of its bucket.
  uint64_t stripe_index(uint64_t hash) const {
    return (hash >> stripe_shift_) & (stripe_count_ - 1);
  }
  Stripe& stripe_of(uint64_t hash) { return stripes_[stripe_index(hash)]; }
  uint64_t bucket_of(uint64_t hash) const {
    const uint64_t n = buckets(), mask = ~uint64_t{0} >> __builtin_clzll(n - 1);
    const uint64_t b = hash & mask;
    return b < n ? b : b & (mask >> 1);
  }
  WB_INLINE Link* bucket(uint64_t index) const {
    const uintptr_t origin = origins_[segment_of(index)].load(std::memory_order_acquire);
    return reinterpret_cast<Link*>(origin + index * sizeof(Link));
  }
  static unsigned segment_of(uint64_t index) {
    return 64 - kBaseBits - static_cast<unsigned>(__builtin_clzll(index | (kBase - 1)));
  }
  static uint64_t segment_start(unsigned k) { return k == 0 ? 0 : kBase << (k - 1); }
  void set_segment(unsigned k, Link* links);
  /// The link to the first object of `key` in its bucket, or to the end of it.
  WB_INLINE Link* find(Term key, uint64_t hash) const {
    Link* at = bucket(bucket_of(hash));
    while (*at && !same_key(**at, key, hash)) at = &(*at)->next;
    return at;
  }
  WB_INLINE bool same_key(const TableObject& o, Term key, uint64_t hash) const {
    return o.hash == hash && equal_exact(key_of(o), key);
  }
  /// Is one not dead, of the objects of `key` that begin at `run`?
  bool is_live(const Link* run, Term key, uint64_t hash) const {
    const TableObject* o = *run;
    while (o && o->dead) {
      o = o->next;
      if (o && !same_key(*o, key, hash)) return false;
    }
    return o != nullptr;
  }

  bool has_live(Term key, uint64_t hash) const { return is_live(find(key, hash), key, hash); }
  bool insert_locked(TableObject* o);
  void link(Link* at, TableObject* o);
  bool insert_few(Term tuple, size_t words, uint64_t hash, Link* at);
  void insert_some(std::span<TableObject*> objects, uint64_t* counts);
  void insert_many(std::span<TableObject*> objects);
  void look_at_key(Term key, uint64_t hash, Visitor& v);
  uint64_t change_key(Term key, uint64_t hash, Visitor& v);
  void replace(Link* at, TableObject* o, Stripe& s);
  void remove(Link* at, Stripe& s, uint64_t hash, bool own_fixation = false);
  void apply(Link*& at, Visitor& v, Stripe& s, bool own_fixation = false);
  void visit_run(Link* run, Term key, uint64_t hash, Visitor& v, bool write);
  /// The stripe is locked; anybody reads the counts.
  WB_INLINE void account(Stripe& s, int64_t objects, int64_t bytes) {
    auto add = [](std::atomic<int64_t>& count, int64_t n) {
      count.store(count.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
    };
    add(s.live, objects);
    add(s.words, bytes / 8);
    if (one_count_) count_.fetch_add(objects, std::memory_order_relaxed);
  }
  /// How many objects there are to be buckets for.
  uint64_t objects_by(const Stripe& s) const {
    if (one_count_) return static_cast<uint64_t>(count_.load(std::memory_order_relaxed));
    return static_cast<uint64_t>(s.live.load(std::memory_order_relaxed)) * stripe_count_;
  }

  Term first_from(Heap& h, uint64_t bucket);
  template <class F>
  uint64_t walk(uint64_t bucket, bool write, bool dead_too, F visit);
  uint64_t in_order(uint64_t bucket) const;
  /// A run: buckets of one stripe that a walk sees one after the other, in one segment.
  uint64_t next_run(uint64_t bucket) const { return (bucket | run_mask_) + stride_; }
  uint64_t run_end(uint64_t bucket) const { return std::min(next_run(bucket), buckets()); }
  void freeze();
  void thaw();
  bool purge_some(Stripe& s);
  /// After an object more or less, and there were `objects` then.
  WB_INLINE void grow(uint64_t objects) {
    if (objects > buckets()) split_some(objects);
  }
  WB_INLINE void shrink(uint64_t objects) {
    if (objects < least_objects(buckets())) merge_some(objects);
  }
  uint64_t least_objects(uint64_t buckets) const;
  void split_some(uint64_t objects);
  void merge_some(uint64_t objects);
  bool split_one();
  void split_locked();
  bool merge_one();
  void lock_all();
  void unlock_all();
  std::unique_ptr<Contents> detach();

  const uint32_t stripe_count_;
  const uint32_t stride_;  // from a bucket to the next in order
  const uint8_t stripe_shift_;
  const bool one_count_;
  const uint64_t run_mask_;  // what the numbers of a run's buckets differ in
  const std::unique_ptr<Stripe[]> stripes_;
  std::atomic<uint64_t> active_{kBase};
  std::atomic<uintptr_t> origins_[kSegments] = {};  // where the segments' bucket 0 would be
  Link* segments_[kSegments] = {};                  // under resize_
  std::mutex resize_;
  std::atomic<uint32_t> frozen_{0};
  std::atomic<uint32_t> fixed_{0};
  alignas(64) std::atomic<int64_t> count_{0};
};

}  // namespace wb
