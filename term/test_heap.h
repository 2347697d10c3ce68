// A heap for unit tests: blocks that live as long as it does, owners released at the end.
#pragma once

#include <cstdlib>
#include <vector>

#include "term/heap.h"

namespace wb {

class TestHeap final : public Heap {
 public:
  TestHeap() = default;
  TestHeap(const TestHeap&) = delete;
  ~TestHeap() {
    for (Term* p = off_heap_; p; p = reinterpret_cast<Term*>(p[2])) {
      reinterpret_cast<OffHeapObject*>(p[1])->release();
    }
    for (void* block : blocks_) free(block);
  }

 private:
  Term* alloc_slow(size_t n) override {
    size_t words = n > 512 ? n : 4096;
    Term* block = static_cast<Term*>(malloc(words * sizeof(Term)));
    WB_CHECK(block);
    blocks_.push_back(block);
    if (words == n) return block;  // a block of its own
    top_ = block + n;
    limit_ = block + words;
    return block;
  }

  std::vector<void*> blocks_;
};

}  // namespace wb
