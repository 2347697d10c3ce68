// The heap and stack of one process: one block, heap growing up, stack growing down.
//
//   start_        high_water_      top_ ->            <- limit_ (stack top)      end_
//   +-------------+----------------+---- free --------+--------------------------+
//   | survived 1  | new            |                  | frames                   |
//   +-------------+----------------+------------------+--------------------------+
//   old_start_ .. old_top_ .. old_end_   a second block: what survived twice
//   fragments_                           blocks handed out when the first was full
//
// Builders allocate through Heap::alloc, which never moves anything (term/heap.h). Collection
// happens only in collect(), called by the process' owner at safe points with every root named.
// A minor collection promotes what lies below the high-water mark, keeps the rest young; a major
// one copies everything live into one new young block. Fragments die in any collection.
#pragma once

#include "term/heap.h"

namespace wb {

struct HeapOptions {
  uint32_t min_heap_words = 233;
  uint32_t min_bin_vheap_words = 46422;
  uint32_t fullsweep_after = 65535;
};

/// Next size at or above `words` in OTP's growth schedule (12 38 51 90 142 233 376 ...).
size_t heap_size_at_least(size_t words);

/// A block of heap outside the main one. Terms in `data`; `owners` is its off-heap list.
struct HeapFragment {
  HeapFragment* next;
  size_t words;     // capacity
  size_t used;
  Term* off_heap;   // list of owners inside this fragment
  uint64_t off_heap_words;
  Term data[];
};

/// Builds terms into a fresh fragment of a size known beforehand (message copies, timers, other
/// threads). Grows by chaining further fragments when asked for more.
class FragmentHeap final : public Heap {
 public:
  explicit FragmentHeap(size_t words);
  ~FragmentHeap();  // frees what was not taken
  HeapFragment* take();

 private:
  Term* alloc_slow(size_t n) override;
  HeapFragment* first_ = nullptr;
};
/// Frees a chain of fragments and what their terms own.
void free_fragments(HeapFragment* f);

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
  // Roots that do not fit in spans: called with a function to apply to each term.
  void (*each)(void* context, void (*visit)(void* collector, Term*), void* collector) = nullptr;
  void* context = nullptr;
};

struct GcStats {
  uint64_t collections = 0, major = 0, words_copied = 0, words_reclaimed = 0;
};

class ProcessHeap final : public Heap {
 public:
  ProcessHeap() = default;
  ~ProcessHeap();
  ProcessHeap(const ProcessHeap&) = delete;

  void init(size_t words);
  /// Makes at least `need` words free between top and stack, collecting (and moving everything) or
  /// growing as needed. false: memory is out or over `max_words` (0: no limit).
  bool collect(size_t need, const Roots& roots, bool force_major = false, GcStats* stats = nullptr);
  /// True when the next safe point should collect although there is room: fragments or off-heap
  /// data have piled up.
  bool wants_collection() const {
    return fragment_words_ > 0 && fragment_words_ * 2 > young_words() / 2 + 64
               ? true
               : off_heap_words_ > vheap_limit_;
  }
  /// Frees everything; the process is dead.
  void destroy();
  /// Shrinks to what is live plus the given roots' needs (hibernate).
  void shrink(const Roots& roots);

  /// Takes over a message's fragments: their terms become part of this heap.
  void adopt(HeapFragment* f);

  // Interpreter's view: it keeps top and stack in registers and stores them here around calls.
  Term*& top() { return top_; }
  Term*& stack() { return limit_; }
  Term* stack_base() const { return end_; }
  Term* start() const { return start_; }
  size_t free_words() const { return static_cast<size_t>(limit_ - top_); }
  size_t young_words() const { return static_cast<size_t>(end_ - start_); }
  size_t stack_words() const { return static_cast<size_t>(end_ - limit_); }
  size_t used_words() const { return static_cast<size_t>(top_ - start_); }
  size_t old_words() const { return static_cast<size_t>(old_end_ - old_start_); }
  size_t old_used_words() const { return static_cast<size_t>(old_top_ - old_start_); }
  size_t recent_words() const { return static_cast<size_t>(high_water_ - start_); }
  size_t fragment_words() const { return fragment_words_; }
  size_t vheap_limit() const { return vheap_limit_; }
  size_t old_vheap_words() const { return old_vheap_words_; }
  uint32_t minor_since_major() const { return minor_since_major_; }
  HeapFragment* fragments() const { return fragments_; }
  bool contains(const Term* p) const;  // for checks and tests

  uint32_t min_heap_words = 233;
  uint32_t min_bin_vheap_words = 46422;
  uint32_t fullsweep_after = 65535;
  uint32_t max_heap_words = 0;  // only consulted by the owner

 private:
  friend class Collector;
  Term* alloc_slow(size_t n) override;
  void trim_slow(Term* start, size_t n, Term* end) override;

  Term *start_ = nullptr, *end_ = nullptr, *high_water_ = nullptr;
  Term *old_start_ = nullptr, *old_top_ = nullptr, *old_end_ = nullptr;
  HeapFragment* fragments_ = nullptr;
  size_t fragment_words_ = 0;
  uint64_t vheap_limit_ = 46422;
  uint64_t old_vheap_words_ = 0;
  uint32_t minor_since_major_ = 0;
};

/// Process-wide switch: poison the old space after each collection (--gc-stress).
extern bool gc_poison;

}  // namespace wb
