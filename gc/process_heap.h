// The heap and stack of one process: one block, heap growing up, stack growing down.
//
//   start_        high_water_      top_ ->            <- limit_ (stack top)      end_
//   +-------------+----------------+---- free --------+--------------------------+
//   | survived 1  | new            |                  | frames                   |
//   +-------------+----------------+------------------+--------------------------+
//   old_                                 a second block: what survived twice
//   fragments_                           blocks handed out when the first was full
//
// Builders allocate through Heap::alloc, which never moves anything (term/heap.h). Collection
// happens only in collect(), called by the process' owner at safe points with every root named.
// A minor collection promotes what lies below the high-water mark, keeps the rest young; a major
// one copies everything live into one new young block. Fragments die in any collection.
//
// Invariants
//  - The stack between stack() and end_ is always a root; nobody names it.
//  - limit_ is kStackSlack words below the stack's top: what a call may push after any allocation.
//  - Nothing old points to anything younger: terms are immutable and a value only ever refers to
//    values that existed when it was made. Whoever changes a term in place (setelement on a tuple
//    just made, match contexts, writable binaries) must not store a younger pointer into it after a
//    safe point. There is no write barrier and no remembered set because of it.
//  - The first block may be part of the process' control block (init_inline); it is left by the
//    first collection and taken again only by shrink().
//  - Owners of off-heap objects are in one of two lists: off_heap_ (young block and fragments) and
//    old_->off_heap (old block), so a minor collection never walks the old ones.
#pragma once

#include "base/watched.h"
#include "gc/block_pool.h"
#include "gc/fragment.h"
#include "gc/heap_sizes.h"
#include "term/heap.h"

namespace wb {

class ReleasingLiterals;
class WorkBudget;

struct HeapOptions {
  uint32_t min_heap_words = 233;
  uint32_t min_bin_vheap_words = 46422;
  uint16_t fullsweep_after = 65535;
};

struct RootSpan {
  Term* terms;
  size_t count;
};
struct Roots {
  static constexpr size_t kMax = 8;
  RootSpan spans[kMax];
  size_t count = 0;
  void add(Term* terms, size_t n) {
    WB_CHECK(count < kMax);
    if (n) spans[count++] = {terms, n};
  }
  // Roots that do not fit in spans: called with a function to apply to each term. Only terms of
  // this heap: what lies in a message's fragment that was not adopted is nobody's root yet.
  void (*each)(void* context, void (*visit)(void* collector, Term*), void* collector) = nullptr;
  void* context = nullptr;
  /// Asked between the chunks of a long collection, each step a word; whoever runs others then lets
  /// none of them touch this heap or these roots. Its answer does not count: a collection is never
  /// given up.
  WorkBudget* budget = nullptr;
};

struct GcStats {
  uint64_t collections = 0, major = 0, words_copied = 0, words_reclaimed = 0;
};

/// The block of what has survived twice. Most processes never have one, so it is made with it and
/// goes with it.
struct OldGeneration {
  Term *start = nullptr, *top = nullptr, *end = nullptr;
  Term* off_heap = nullptr;
  uint64_t vheap_words = 0, vheap_limit = 0;

  size_t words() const { return static_cast<size_t>(end - start); }
  size_t used_words() const { return static_cast<size_t>(top - start); }
  size_t free_words() const { return static_cast<size_t>(end - top); }
};

class ProcessHeap final : public Heap {
 public:
  ProcessHeap() = default;
  ~ProcessHeap() { destroy(); }
  ProcessHeap(const ProcessHeap&) = delete;
  ProcessHeap& operator=(const ProcessHeap&) = delete;

  /// A first block of `words` words of its own. Ends the VM when memory is out.
  void init(size_t words);
  /// The first block is memory of the caller's that lives as long as this heap and begins less
  /// than 256 words behind it.
  void init_inline(Term* start, size_t words);

  /// Makes at least `need` words free between top and stack, collecting (and moving everything) or
  /// growing as needed. False: memory is out, or young, old and fragments together would be more
  /// than `max_words` (0: no limit); the heap is valid then, but the room is not there. `asked`: a
  /// program wants it, so that it counts however early it is.
  bool collect(size_t need, const Roots& roots, bool force_major = false, GcStats* stats = nullptr,
               size_t max_words = 0, bool asked = false);
  /// True when the next safe point should collect although there is room: fragments or off-heap
  /// data have piled up.
  bool wants_collection() const { return full_ || off_heap_words_ > vheap_limit_; }
  /// The same for a good moment: between two messages what came with the last one is mostly dead,
  /// and a collection frees it without copying.
  bool would_like_collection() const {
    return fragment_words_ * 4 > young_words() + 128 || off_heap_words_ > vheap_limit_;
  }
  /// Waiting begins: was the heap large only because the process was busy?
  bool is_too_large_to_wait() const { return busy_ && young_words() > kWaitingWords; }
  /// Then a collection that makes it small.
  void shrink_for_wait(const Roots& roots, GcStats* stats = nullptr);
  /// The next collection would be a major one.
  bool wants_major() const;
  /// BEAM's first heap would still have room for what there is and `need`: programs are not
  /// notified of this collection.
  bool collects_early(size_t need) const {
    return young_words() < kFirstHeap && !old_words() &&
           used_words() + fragment_words_ + stack_words() + need <= kFirstHeap;
  }
  /// On BEAM nothing would have survived one yet: it gives such a minor collection up for a major
  /// one.
  bool is_first() const { return !old_ && (!recent_words() || !counted_); }
  /// The owner collects often: the next collection makes the young block larger, up to a limit.
  void collect_less_often() {
    grow_next_ |= young_words() < kBusyWords;
    busy_ = kStaysBusy;
  }
  /// Frees everything; the process is dead. init() may follow.
  void destroy();
  /// Shrinks to what is live plus the stack (hibernate).
  void shrink(const Roots& roots, GcStats* stats = nullptr);
  /// A major collection that also copies in what the process uses of `releasing`
  /// (term/releasing_literals.h). False: memory is out.
  bool evict_literals(const ReleasingLiterals& releasing, const Roots& roots,
                      GcStats* stats = nullptr);

  /// Takes over a message's fragments: their terms become part of this heap.
  void adopt(HeapFragment* f);

  // Interpreter's view: it keeps top and stack in registers and stores them here around calls.
  Term*& top() { return top_; }
  /// Heap::limit_ stays kStackSlack words below the stack's top, so that after any allocation a
  /// call can still push its return address.
  static constexpr int64_t kStackSlack = 2;
  /// What a busy process may have although less would do.
  static constexpr size_t kBusyWords = 6772;
  /// And what it keeps of that when it begins to wait.
  static constexpr size_t kWaitingWords = 987;
  Term* stack() const { return limit_ + kStackSlack; }
  void set_stack(Term* e) { limit_ = e - kStackSlack; }
  Term* stack_base() const { return end_; }
  Term* start() const { return start_; }
  ptrdiff_t free_words() const { return limit_ - top_; }
  size_t young_words() const { return static_cast<size_t>(end_ - start_); }
  size_t stack_words() const { return static_cast<size_t>(end_ - stack()); }
  size_t used_words() const { return static_cast<size_t>(top_ - start_); }
  size_t old_words() const { return old_ ? old_->words() : 0; }
  size_t old_used_words() const { return old_ ? old_->used_words() : 0; }
  size_t recent_words() const { return static_cast<size_t>(high_water_ - start_); }
  size_t fragment_words() const { return fragment_words_; }
  /// In memory that the caller of init_inline gave it.
  bool is_inline() const { return start_ == inline_start(); }
  /// Everything this heap occupies, used or not.
  size_t total_words() const { return young_words() + old_words() + fragment_words_; }
  /// Of these, what is not in the block that the first heap came in.
  size_t outer_words() const { return total_words() - (is_inline() ? young_words() : 0); }
  size_t vheap_words() const { return off_heap_words_; }
  size_t vheap_limit() const { return vheap_limit_; }
  size_t old_vheap_words() const { return old_ ? old_->vheap_words : 0; }
  size_t old_vheap_limit() const { return old_ ? old_->vheap_limit : vheap_limit_; }
  uint32_t minor_since_major() const { return minor_since_major_; }
  HeapFragment* fragments() const { return fragments_; }
  Term* old_start() const { return old_ ? old_->start : nullptr; }
  Term* old_off_heap() const { return old_ ? old_->off_heap : nullptr; }
  bool contains(const Term* p) const;  // for checks and tests
  /// Calls f(begin, end) for each range of terms and headers: young, old, fragments. For looking
  /// (observer, purge, crash dump): dead terms are among them. The stack is not.
  template <class F>
  void each_range(F f) const {
    f(start_, top_);
    if (old_) f(old_->start, old_->top);
    for (HeapFragment* i = fragments_; i; i = i->next) f(i->data, i->data + i->used);
  }

  uint32_t min_heap_words = 233;
  uint32_t min_bin_vheap_words = 46422;
  Watched<uint32_t> collected_for;   ///< time in collections, in kPauseTicks, until that is full
  uint16_t fullsweep_after = 65535;  ///< as wide as BEAM's

 private:
  uint16_t minor_since_major_ = 0;  // stands here so that no word is half empty
  friend class Collector;
  Term* alloc_slow(size_t n) override;
  void trim_slow(Term* start, size_t n, Term* end) override;
  void own(Term* start, size_t words);
  Term* new_block(size_t words);
  void free_block(Term* start, size_t words);
  /// nullptr: memory is out.
  OldGeneration* make_old(Term* start, Term* end);
  void free_old();
  /// This heap itself, where no block begins, if there is none.
  Term* inline_start() const {
    return reinterpret_cast<Term*>(reinterpret_cast<Word>(this)) + inline_offset_;
  }
  // collect.cc
  size_t young_size(size_t live, size_t need) const;
  bool make_old_block();
  bool minor_collection(size_t need, const Roots& roots, bool early, GcStats& stats);
  bool major_collection(size_t need, const Roots& roots, const ReleasingLiterals* releasing,
                        GcStats& stats);
  bool resize(size_t words, const Roots& roots, GcStats& stats);
  bool fit(size_t need, const Roots& roots, bool after_major, size_t max_words, GcStats& stats);

  Term *start_ = nullptr, *end_ = nullptr, *high_water_ = nullptr;
  OldGeneration* old_ = nullptr;
  HeapFragment* fragments_ = nullptr;
  size_t fragment_words_ = 0;  // used words of fragments
  uint64_t vheap_limit_ = 46422;
  uint8_t inline_words_ = 0;
  uint8_t inline_offset_ = 0;   // words from this heap to its first block
  bool full_ : 1 = false;       // as many words lie in fragments as may
  bool grow_next_ : 1 = false;  // the last collection left too little free
  bool counted_ : 1 = false;    // one was not so early that programs are not notified
  uint8_t busy_ = 0;            // for so many collections more it keeps kBusyWords
  static constexpr uint8_t kStaysBusy = 8;
};

}  // namespace wb
