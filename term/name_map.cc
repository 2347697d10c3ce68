#include "term/name_map.h"

namespace wb {

constexpr uint32_t kFewest = 64;

NameMap::NameMap() : newest_(new Array(kFewest)), array_(newest_.get()) {}
NameMap::~NameMap() = default;

void NameMap::Array::put(Term name, Word what) {
  uint32_t at = first(name);
  for (;; at = (at + 1) & mask) {
    const Term key = rows[at].name.load(std::memory_order_relaxed);
    if (key == name) return rows[at].what.store(what, std::memory_order_release);
    if (key == kNone) break;
  }
  ++keys;
  rows[at].what.store(what, std::memory_order_relaxed);
  rows[at].name.store(name, std::memory_order_release);
}

void NameMap::set(Term name, Word what) {
  if (4 * (newest_->keys + 1) > 3 * (newest_->mask + 1)) {
    std::unique_ptr<Array> larger(new Array(2 * (newest_->mask + 1)));
    for (uint32_t k = 0; k <= newest_->mask; ++k) {
      const Row& row = newest_->rows[k];
      const Term key = row.name.load(std::memory_order_relaxed);
      if (key != kNone) larger->put(key, row.what.load(std::memory_order_relaxed));
    }
    larger->outgrown = std::move(newest_);
    newest_ = std::move(larger);
    array_.store(newest_.get(), std::memory_order_release);
  }
  newest_->put(name, what);
}

}  // namespace wb
