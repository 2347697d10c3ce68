// Literals live in one reserved range of addresses, so "is this a literal?" is one compare.
//
// Module literals, persistent terms and the VM's own constants are allocated here. Nothing in it is
// ever moved or scanned; an area is freed when its module is purged and no process refers to it.
#pragma once

#include "term/heap.h"

namespace wb {

constexpr size_t kLiteralRange = size_t{1} << 36;  // 64 GiB of addresses, memory only where used
extern const char* const literal_base;

WB_INLINE bool in_literal_range(const void* p) {
  return static_cast<size_t>(static_cast<const char*>(p) - literal_base) < kLiteralRange;
}

/// A heap inside the literal range. Freed as a whole.
class LiteralArea final : public Heap {
 public:
  LiteralArea() = default;
  ~LiteralArea();
  LiteralArea(const LiteralArea&) = delete;
  LiteralArea& operator=(const LiteralArea&) = delete;
  size_t words() const { return words_; }
  /// True if `p` points into this area.
  bool contains(const void* p) const;
  /// Calls f(start, end) for each block.
  template <class F>
  void each_block(F f) const {
    for (Block* b = blocks_; b; b = b->next) f(b->data, b->data + b->words);
  }

 private:
  struct Block {
    Block* next;
    size_t words;
    Term data[];
  };
  Term* alloc_slow(size_t n) override;
  Block* blocks_ = nullptr;
  size_t words_ = 0;
};

}  // namespace wb
