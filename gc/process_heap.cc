#include "gc/process_heap.h"

#include <algorithm>

#include "base/instance.h"
#include "base/out_of_memory.h"

namespace wb {

namespace {
constexpr size_t kMaxBlockWords = size_t{1} << 44;
/// Whose block is full collects soon, as code does whose allocation finds no room: builders may put
/// a quarter of the block's size into fragments before. What comes with messages may be more, it
/// stands for itself. And a process that ends soon ends without a collection.
constexpr size_t kMostInFragments = 512;
constexpr size_t kFirstFragmentWords = 57;  // with its head, 62 words: half a KiB
constexpr size_t kMaxFragmentGrowth = size_t{1} << 20;
}  // namespace

Term* ProcessHeap::new_block(size_t words) {
  if (words > kMaxBlockWords) return nullptr;
  return static_cast<Term*>(pool_alloc(std::max<size_t>(words, 1) * sizeof(Term)));
}

void ProcessHeap::free_block(Term* start, size_t words) {
  if (!start) return;
  if (start != inline_start()) return pool_free(start, std::max<size_t>(words, 1) * sizeof(Term));
  if (poisons_freed) memset(start, 0xee, words * sizeof(Term));  // ...ee: a wild boxed pointer
}

void ProcessHeap::own(Term* start, size_t words) {
  start_ = top_ = high_water_ = start;
  end_ = start + words;
  set_stack(end_);
  vheap_limit_ = min_bin_vheap_words;
}

void ProcessHeap::init(size_t words) {
  Term* block = new_block(words);
  if (!block) out_of_memory("heap", words * sizeof(Term));
  own(block, words);
}

void ProcessHeap::init_inline(Term* start, size_t words) {
  const ptrdiff_t offset = start - reinterpret_cast<Term*>(this);
  WB_CHECK(words <= UINT8_MAX && offset >= 0 && offset <= UINT8_MAX);
  inline_words_ = static_cast<uint8_t>(words);
  inline_offset_ = static_cast<uint8_t>(offset);
  own(start, words);
}

OldGeneration* ProcessHeap::make_old(Term* start, Term* end) {
  void* memory = pool_alloc(sizeof(OldGeneration));
  if (!memory) return nullptr;
  old_ = new (memory) OldGeneration{start, start, end};
  old_->vheap_limit = vheap_limit_;
  return old_;
}

void ProcessHeap::free_old() {
  if (!old_) return;
  free_block(old_->start, old_->words());
  pool_free(old_, sizeof(OldGeneration));
  old_ = nullptr;
}

void ProcessHeap::destroy() {
  release_owners(off_heap_);
  if (old_) release_owners(old_->off_heap);
  off_heap_ = nullptr;
  off_heap_words_ = 0;
  while (HeapFragment* f = fragments_) {
    fragments_ = f->next;
    free_fragment_memory(f);
  }
  fragment_words_ = 0;
  free_block(start_, young_words());
  free_old();
  start_ = top_ = end_ = high_water_ = nullptr;
  limit_ = nullptr;
  minor_since_major_ = 0;
  full_ = grow_next_ = counted_ = false;
}

Term* ProcessHeap::alloc_slow(size_t n) {
  HeapFragment* f = fragments_;
  fragment_words_ += n;
  if (WB_UNLIKELY(!f || f->words - f->used < n)) {
    full_ |= fragment_words_ > young_words() / 4 + kMostInFragments;
    size_t words = f ? std::min(f->words * 2, kMaxFragmentGrowth) : kFirstFragmentWords;
    f = new_fragment(std::max(n, words));
    f->next = fragments_;
    fragments_ = f;
  }
  Term* p = f->data + f->used;
  f->used += n;
  return p;
}

void ProcessHeap::trim_slow(Term* start, size_t n, Term* end) {
  HeapFragment* f = fragments_;
  if (!f || start + n != f->data + f->used) return Heap::trim_slow(start, n, end);
  size_t unused = static_cast<size_t>(start + n - end);
  f->used -= unused;
  fragment_words_ -= unused;
}

void ProcessHeap::adopt(HeapFragment* f) {
  while (f) {
    HeapFragment* next = f->next;
    if (Term* first = f->off_heap) {
      Term* last = first;
      while (last[2]) last = reinterpret_cast<Term*>(last[2]);
      last[2] = reinterpret_cast<Word>(off_heap_);
      off_heap_ = first;
      off_heap_words_ += f->off_heap_words;
      f->off_heap = nullptr;
    }
    fragment_words_ += f->used;
    // Behind the newest, which may have room for builders still.
    HeapFragment** link = fragments_ ? &fragments_->next : &fragments_;
    f->next = *link;
    *link = f;
    f = next;
  }
  full_ |= fragment_words_ > 2 * young_words() + kMostInFragments;
}

bool ProcessHeap::contains(const Term* p) const {
  bool found = false;
  each_range([&](const Term* begin, const Term* end) { found |= p >= begin && p < end; });
  return found;
}

}  // namespace wb
