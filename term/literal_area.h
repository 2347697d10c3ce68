// Literals live in one reserved range of addresses, so "is this a literal?" is one compare.
//
// Module literals, persistent terms and the VM's own constants are allocated here. Nothing in it is
// ever moved or scanned; an area is freed when its module is purged and no process refers to it.
//
// The range is reserved once, without memory, before main; pages get memory when an area needs them
// and lose it when the area dies. Areas take whole pages, so a page belongs to one area.
//
// Rejected: a fixed address known at compile time. It saves one load that is in the cache anyway,
// and there is no address that is free under every kernel, sanitizer and emulator. Also rejected: a
// tag bit for literals (every pointer test would pay) and a table of areas (a search per pointer).
#pragma once

#include "term/heap.h"

namespace wb {

constexpr size_t kLiteralRange = size_t{1} << 36;  // 64 GiB of addresses, memory only where used
struct LiteralRange {
  LiteralRange();
  const char* base;
  size_t bytes;  // kLiteralRange, or less where addresses are limited (ulimit -v)
};
extern const LiteralRange literal_range;

WB_INLINE bool in_literal_range(const void* p) {
  return static_cast<size_t>(static_cast<const char*>(p) - literal_range.base) <
         literal_range.bytes;
}

/// A heap inside the literal range. Freed as a whole.
class LiteralArea final : public Heap {
 public:
  LiteralArea() = default;
  ~LiteralArea();
  LiteralArea(const LiteralArea&) = delete;
  LiteralArea& operator=(const LiteralArea&) = delete;
  /// Words reserved, used or not.
  size_t words() const { return words_; }
  /// True if `p` points into this area.
  bool contains(const void* p) const;
  /// Calls f(start, end) for each block; words not used yet are zero.
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

/// Bytes of the literal range that areas hold now.
size_t literal_bytes_used();

}  // namespace wb
