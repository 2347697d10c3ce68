// Blocks of heap outside a process' main one.
//
// A fragment is where terms go that were not foreseen: messages from others (FragmentHeap), and
// what a builder allocates when the main block is full (ProcessHeap::alloc_slow). A collection
// moves what lives in a process' fragments into the young block and frees them; a fragment is never
// collected by itself.
#pragma once

#include "term/heap.h"

namespace wb {

/// Terms are in data[0..used); `off_heap` lists the owners among them (heap.h).
struct HeapFragment {
  HeapFragment* next;
  size_t words;  // capacity
  size_t used;
  Term* off_heap;
  uint64_t off_heap_words;
  Term data[];

  bool contains(const Term* p) const { return static_cast<size_t>(p - data) < words; }
};

/// A fragment without terms. Ends the VM when memory is out.
HeapFragment* new_fragment(size_t words);
/// Frees one fragment's memory; what its terms own is not touched.
void free_fragment_memory(HeapFragment* f);
/// Frees a chain of fragments and what their terms own.
void free_fragments(HeapFragment* f);
/// Releases every object of a list of owners.
void release_owners(Term* list);

/// Builds terms into a fresh fragment of a size known beforehand (message copies, timers, other
/// threads). Grows by chaining further fragments when asked for more. Has a cache line of its own:
/// fields are written two at a time, and a pair across two lines stalled every send.
class alignas(64) FragmentHeap final : public Heap {
 public:
  explicit FragmentHeap(size_t words);
  ~FragmentHeap();  // frees what was not taken
  FragmentHeap(const FragmentHeap&) = delete;
  FragmentHeap& operator=(const FragmentHeap&) = delete;
  /// What was built; nullptr if nothing was. The caller owns it.
  HeapFragment* take_fragments();

 private:
  Term* alloc_slow(size_t n) override;
  void close();  // notes how far the newest fragment is used
  HeapFragment* newest_ = nullptr;
};

}  // namespace wb
