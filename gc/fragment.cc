#include "gc/fragment.h"

#include "base/out_of_memory.h"
#include "gc/block_pool.h"

namespace wb {

namespace {
size_t bytes_of(size_t words) { return sizeof(HeapFragment) + words * sizeof(Term); }
constexpr size_t kMaxWords = size_t{1} << 58;
}  // namespace

HeapFragment* new_fragment(size_t words) {
  if (words >= kMaxWords) out_of_memory("heap_frag", 0);
  auto* f = static_cast<HeapFragment*>(must_pool_alloc(bytes_of(words), "heap_frag"));
  f->next = nullptr;
  f->words = words;
  f->used = 0;
  f->off_heap = nullptr;
  f->off_heap_words = 0;
  return f;
}

void free_fragment_memory(HeapFragment* f) { pool_free(f, bytes_of(f->words)); }

void release_owners(Term* list) {
  while (Term* p = list) {
    list = reinterpret_cast<Term*>(p[2]);
    reinterpret_cast<OffHeapObject*>(p[1])->release();
  }
}

void free_fragments(HeapFragment* f) {
  // An owner may stand in any fragment of the chain: lists first, memory after.
  for (HeapFragment* i = f; i; i = i->next) release_owners(i->off_heap);
  while (f) {
    HeapFragment* next = f->next;
    free_fragment_memory(f);
    f = next;
  }
}

FragmentHeap::FragmentHeap(size_t words) {
  if (!words) return;
  newest_ = new_fragment(words);
  top_ = newest_->data;
  limit_ = top_ + words;
}

FragmentHeap::~FragmentHeap() { free_fragments(take_fragments()); }

void FragmentHeap::close() {
  if (newest_) newest_->used = static_cast<size_t>(top_ - newest_->data);
}

Term* FragmentHeap::alloc_slow(size_t n) {
  close();
  size_t words = newest_ ? newest_->words * 2 : 0;
  HeapFragment* f = new_fragment(words > n ? words : n);
  f->next = newest_;
  newest_ = f;
  top_ = f->data + n;
  limit_ = f->data + f->words;
  return f->data;
}

HeapFragment* FragmentHeap::take_fragments() {
  close();
  HeapFragment* f = newest_;
  if (f) {
    f->off_heap = off_heap_;
    f->off_heap_words = off_heap_words_;
  }
  newest_ = nullptr;
  top_ = limit_ = off_heap_ = nullptr;
  off_heap_words_ = 0;
  return f;
}

}  // namespace wb
