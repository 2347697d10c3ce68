#include "term/literal_pool.h"

#include <algorithm>
#include <bit>

namespace wb {

/// Four sizes for each power of two.
size_t LiteralPool::rounded(size_t words) {
  const size_t step = std::max<size_t>(std::bit_floor(words) / 4, 2);
  return (words + step - 1) / step * step;
}

Term* LiteralPool::allocate(size_t words) {
  if (words >= kLarge) {
    auto area = std::make_unique<LiteralArea>();
    Term* block = area->alloc(words);
    large_.emplace(block, std::move(area));
    return block;
  }
  const size_t size = rounded(words);
  std::vector<Term*>& free = free_[size];
  if (free.empty()) return small_.alloc(size);
  Term* block = free.back();
  free.pop_back();
  return block;
}

void LiteralPool::give_back(Term* block, size_t words) {
  if (words >= kLarge)
    large_.erase(block);
  else
    free_[rounded(words)].push_back(block);
}

}  // namespace wb
