// The allocation contract: where new boxed values go.
//
// Whoever builds terms takes a Heap&. alloc(n) gives n consecutive words and never moves anything
// that exists: a process' heap that is full hands out a *fragment* instead and collects at the
// next safe point (the process' interpreter does that, never a builder). So C++ code that builds
// terms needs no roots. Words that alloc() hands out must be filled before the next safe point.
//
// Terms that own something outside the heap (large binaries, magic references, pids of other nodes)
// are linked into the heap's off_heap list (word 1: the object, word 2: the link), so that a
// collection can find those that died and release the object.
//
// Rejected: rooting every local of every builder (Root<> everywhere) so that alloc() may collect.
// It doubles the text of each BIF, and one forgotten root is a rare crash.
#pragma once

#include <atomic>

#include "term/term.h"

namespace wb {

/// Base of what lives outside heaps and is shared by counting. Free when the count falls to 0.
struct OffHeapObject {
  /// In the count of an object that the registry of magic references knows (magic_registry.h).
  static constexpr int64_t kNoted = INT64_MIN;

  std::atomic<int64_t> refs{1};
  void (*destroy)(OffHeapObject*) = nullptr;  ///< called once, by whoever drops the last reference

  void retain() { refs.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    const int64_t before = refs.fetch_sub(1, std::memory_order_acq_rel);
    if (before > 1) return;
    if (WB_LIKELY(before == 1)) return destroy(this);
    release_noted(before);
  }

 private:
  void release_noted(int64_t before);
};

class Heap {
 public:
  /// n words, uninitialised. Never fails and never moves existing terms.
  WB_INLINE Term* alloc(size_t n) {
    if (WB_LIKELY(has_room(n))) {
      Term* p = top_;
      top_ += n;
      return p;
    }
    return alloc_slow(n);
  }

  /// Whether alloc(n) takes them from the main block.
  bool has_room(size_t n) const { return limit_ - top_ >= static_cast<ptrdiff_t>(n); }

  /// Gives back the unused end of the newest allocation: `end` is where the used part stops.
  /// `start` and `n` are what alloc() returned and was asked for.
  void trim(Term* start, size_t n, Term* end) {
    if (start + n == top_)
      top_ = end;
    else
      trim_slow(start, n, end);
  }

  /// Links `boxed` (word 1: its object, whose count it takes over) into the list of owners.
  /// `bytes` is the size of what it keeps alive, for the virtual binary heap.
  void link_off_heap(Term* boxed, size_t bytes) {
    boxed[2] = reinterpret_cast<Word>(off_heap_);
    off_heap_ = boxed;
    off_heap_words_ += bytes / 8;
  }

  Term* off_heap() const { return off_heap_; }

 protected:
  Heap() = default;
  ~Heap() = default;
  virtual Term* alloc_slow(size_t n) = 0;
  /// Default: leaves the rest filled with small zeros (walkable, dead).
  virtual void trim_slow(Term* start, size_t n, Term* end) {
    for (Term* p = end; p < start + n; ++p) *p = make_small(0);
  }

  Term* top_ = nullptr;    // next free word
  Term* limit_ = nullptr;  // end of free words (in a process: the stack's top)
  Term* off_heap_ = nullptr;
  uint64_t off_heap_words_ = 0;  // of off-heap data linked since the last collection
};

// --- the smallest builders -----------------------------------------------------------------------
inline Term cons(Heap& h, Term hd, Term tl) {
  Term* p = h.alloc(2);
  p[0] = hd;
  p[1] = tl;
  return make_cons(p);
}

template <class... T>
inline Term tuple(Heap& h, T... elements) {
  constexpr size_t n = sizeof...(elements);
  Term* p = h.alloc(n + 1);
  p[0] = make_header(Kind::tuple, n);
  size_t i = 1;
  ((p[i++] = elements), ...);
  return make_boxed(p);
}

/// A tuple of n elements for the caller to fill: *elements points at the first.
inline Term new_tuple(Heap& h, size_t n, Term** elements) {
  Term* p = h.alloc(n + 1);
  p[0] = make_header(Kind::tuple, n);
  *elements = p + 1;
  return make_boxed(p);
}

inline Term make_float(Heap& h, double d) {
  Term* p = h.alloc(2);
  p[0] = make_header(Kind::flo, 1);
  memcpy(p + 1, &d, sizeof d);
  return make_boxed(p);
}

}  // namespace wb
