// A map that mostly has few entries: an array, searched from the front; an index beside it once
// there are many.
//
// One allocation for the first entries instead of one an entry and one for the buckets; no hashing
// while it is small. The index is a table of positions in the array, at most half full, probed one
// after the other. Entries move when one is erased (the last takes its place) or inserted:
// iterators and references live as long as nothing changes. Keys are integers or addresses
// (term/address.h), of which who inserts and erases counts the remote ones.
//
// Rejected: a std::vector and a std::unordered_map (twice the size when empty, and every monitor of
// a process that has a thousand of them made and freed a node).
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

  size_t bytes() const {
    return capacity_ * sizeof(Entry) + (index_ ? slots() * sizeof(uint32_t) : 0);
  }
  iterator begin() { return entries_; }
  iterator end() { return entries_ + size_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  iterator find(const K& key) {
    if (index_) {
      uint32_t at = index_[slot_of(key)];
      return at == kFree ? end() : entries_ + at;
    }
    for (Entry& e : *this) {
      if (e.first == key) return &e;
    }
    return end();
  }
  /// As std::unordered_map: an entry that is there stays as it is.
  std::pair<iterator, bool> try_emplace(const K& key, const V& value) {
    if (iterator at = find(key); at != end()) return {at, false};
    if (size_ == capacity_) grow();
    entries_[size_] = {key, value};
    if (index_) index_[slot_of(key)] = size_;
    ++size_;
    return {end() - 1, true};
  }
  V& operator[](const K& key) { return try_emplace(key, V{}).first->second; }
  void erase(iterator at) {
    Entry& last = entries_[size_ - 1];
    if (index_) unindex(at->first);
    if (index_ && at != &last) index_[slot_of(last.first)] = static_cast<uint32_t>(at - entries_);
    *at = last;
    if (--size_ == 0 && capacity_ > kKept) clear();
  }
  /// Erasing has moved entries: puts them in the order of their keys.
  void sort() {
    auto before = [](const Entry& a, const Entry& b) { return a.first < b.first; };
    if (std::is_sorted(begin(), end(), before)) return;
    std::sort(begin(), end(), before);
    if (index_) reindex();
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

  static uint64_t bits_of_key(Address a) { return a.word(); }
  static uint64_t bits_of_key(uint64_t n) { return n; }
  size_t slots() const { return size_t{2} * capacity_; }
  uint32_t mask() const { return capacity_ * 2 - 1; }
  uint32_t home(K key) const {
    return static_cast<uint32_t>((bits_of_key(key) * 0x9e3779b97f4a7c15u) >> 32) & mask();
  }
  /// Where the index has `key`, or would have it.
  uint32_t slot_of(K key) const {
    uint32_t s = home(key);
    while (index_[s] != kFree && entries_[index_[s]].first != key) s = (s + 1) & mask();
    return s;
  }
  /// Those behind the gap move up, unless they would come before their home.
  void unindex(K key) {
    uint32_t gap = slot_of(key);
    for (uint32_t s = (gap + 1) & mask(); index_[s] != kFree; s = (s + 1) & mask()) {
      uint32_t from_home = (s - home(entries_[index_[s]].first)) & mask();
      if (from_home < ((s - gap) & mask())) continue;
      index_[gap] = index_[s];
      gap = s;
    }
    index_[gap] = kFree;
  }

  WB_NOINLINE void grow() {
    uint32_t capacity = capacity_ ? capacity_ * 2 : 1;
    auto* entries = static_cast<Entry*>(must_pool_alloc(capacity * sizeof(Entry), "nlink"));
    std::copy(begin(), end(), entries);
    uint32_t size = size_;
    clear();
    entries_ = entries;
    capacity_ = capacity;
    size_ = size;
    if (capacity_ <= kFew) return;
    index_ = static_cast<uint32_t*>(must_pool_alloc(slots() * sizeof(uint32_t), "nlink"));
    reindex();
  }
  void reindex() {
    std::fill(index_, index_ + slots(), kFree);
    for (uint32_t k = 0; k < size_; ++k) index_[slot_of(entries_[k].first)] = k;
  }
  void clear() {
    if (entries_) pool_free(entries_, capacity_ * sizeof(Entry));
    if (index_) pool_free(index_, slots() * sizeof(uint32_t));
    entries_ = nullptr;
    index_ = nullptr;
    size_ = capacity_ = 0;
  }

  Entry* entries_ = nullptr;
  uint32_t* index_ = nullptr;
  uint32_t size_ = 0;
  uint32_t capacity_ = 0;  // zero or a power of two
};

}  // namespace wb
