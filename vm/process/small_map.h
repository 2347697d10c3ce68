// A map that mostly has few entries: an array, searched from the front; an index beside it once
// there are many.
//
// One allocation for the counts, the entries and the index, none for an empty map: a process has
// five of them and mostly fills one with one entry. No hashing while it is small. The index is a
// table of positions in the array, at most half full, probed one after the other. Entries move when
// one is erased (the last takes its place) or inserted: iterators and references live as long as
// nothing changes. Keys are integers or addresses (term/address.h), of which who inserts and erases
// counts the remote ones.
//
// Rejected: a std::vector and a std::unordered_map (every monitor of a process that has a thousand
// of them made and freed a node), and counts beside the pointer (24 bytes a map, empty or not).
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "base/base.h"
#include "gc/block_pool.h"
#include "term/address.h"

namespace wb {

template <class K, class V>
class SmallMap {
 public:
  struct Entry {
    K first;
    V second;
  };
  using iterator = Entry*;
  static_assert(std::is_trivially_copyable_v<Entry>);

  SmallMap() = default;
  ~SmallMap() { clear(); }
  SmallMap(const SmallMap&) = delete;
  SmallMap& operator=(const SmallMap&) = delete;

  size_t bytes() const { return block_ ? bytes_of(block_->capacity) : 0; }
  iterator begin() { return block_ ? block_->entries() : nullptr; }
  iterator end() { return block_ ? block_->entries() + block_->size : nullptr; }
  size_t size() const { return block_ ? block_->size : 0; }
  bool empty() const { return size() == 0; }

  iterator find(const K& key) {
    if (has_index()) {
      uint32_t at = index()[slot_of(key)];
      return at == kFree ? end() : begin() + at;
    }
    for (Entry& e : *this) {
      if (e.first == key) return &e;
    }
    return end();
  }
  /// As std::unordered_map: an entry that is there stays as it is.
  std::pair<iterator, bool> try_emplace(const K& key, const V& value) {
    if (iterator at = find(key); at != end()) return {at, false};
    if (!block_ || block_->size == block_->capacity) grow();
    *end() = {key, value};
    if (has_index()) index()[slot_of(key)] = block_->size;
    ++block_->size;
    return {end() - 1, true};
  }
  V& operator[](const K& key) { return try_emplace(key, V{}).first->second; }
  void erase(iterator at) {
    Entry& last = end()[-1];
    if (has_index()) {
      unindex(at->first);
      if (at != &last) index()[slot_of(last.first)] = static_cast<uint32_t>(at - begin());
    }
    *at = last;
    if (--block_->size == 0 && block_->capacity > kKept) clear();
  }
  /// Erasing has moved entries: puts them in the order of their keys.
  void sort() {
    auto before = [](const Entry& a, const Entry& b) { return a.first < b.first; };
    if (std::is_sorted(begin(), end(), before)) return;
    std::sort(begin(), end(), before);
    if (has_index()) reindex();
  }
  size_t erase(const K& key) {
    iterator at = find(key);
    if (at == end()) return 0;
    erase(at);
    return 1;
  }

 private:
  static constexpr uint32_t kFew = 16;  // a power of two: more have an index
  static constexpr uint32_t kKept =
      4;  // an empty map keeps room for so many: mostly it is filled again
  static constexpr uint32_t kFree = UINT32_MAX;

  /// Behind it `capacity` entries, and then the index of more than kFew.
  struct alignas(std::max(alignof(Entry), alignof(uint64_t))) Block {
    uint32_t size, capacity;  ///< zero or a power of two
    Entry* entries() { return reinterpret_cast<Entry*>(this + 1); }
  };

  static uint64_t bits_of_key(Address a) { return a.word(); }
  static uint64_t bits_of_key(uint64_t n) { return n; }
  static constexpr size_t bytes_of(size_t capacity) {
    const size_t index = capacity > kFew ? 2 * capacity * sizeof(uint32_t) : 0;
    return sizeof(Block) + capacity * sizeof(Entry) + index;
  }
  bool has_index() const { return block_ && block_->capacity > kFew; }
  uint32_t* index() { return reinterpret_cast<uint32_t*>(block_->entries() + block_->capacity); }
  uint32_t mask() const { return block_->capacity * 2 - 1; }
  uint32_t home(K key) const {
    return static_cast<uint32_t>((bits_of_key(key) * 0x9e3779b97f4a7c15u) >> 32) & mask();
  }
  /// Where the index has `key`, or would have it.
  uint32_t slot_of(K key) {
    uint32_t s = home(key);
    while (index()[s] != kFree && begin()[index()[s]].first != key) s = (s + 1) & mask();
    return s;
  }
  /// Those behind the gap move up, unless they would come before their home.
  void unindex(K key) {
    uint32_t* const index = this->index();
    uint32_t gap = slot_of(key);
    for (uint32_t s = (gap + 1) & mask(); index[s] != kFree; s = (s + 1) & mask()) {
      uint32_t from_home = (s - home(begin()[index[s]].first)) & mask();
      if (from_home < ((s - gap) & mask())) continue;
      index[gap] = index[s];
      gap = s;
    }
    index[gap] = kFree;
  }

  WB_NOINLINE void grow() {
    const uint32_t capacity = block_ ? block_->capacity * 2 : 1;
    auto* block = static_cast<Block*>(must_pool_alloc(bytes_of(capacity), "nlink"));
    block->size = static_cast<uint32_t>(size());
    block->capacity = capacity;
    std::copy(begin(), end(), block->entries());
    clear();
    block_ = block;
    if (has_index()) reindex();
  }
  void reindex() {
    std::fill_n(index(), 2 * block_->capacity, kFree);
    for (uint32_t k = 0; k < block_->size; ++k) index()[slot_of(begin()[k].first)] = k;
  }
  void clear() {
    if (block_) pool_free(block_, bytes());
    block_ = nullptr;
  }

  Block* block_ = nullptr;
};

}  // namespace wb
