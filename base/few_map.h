// A map that mostly has few entries: an array, searched from the front; an index beside it once
// there are many.
//
// One allocation for the first entries instead of one an entry and one for the buckets; no hashing
// while it is small. Entries move when one is erased (the last takes its place) or inserted:
// iterators and references live as long as nothing changes.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace wb {

template <class K, class V>
class FewMap {
 public:
  struct Entry {
    K first;
    V second;
  };
  using iterator = Entry*;

  iterator begin() { return entries_.data(); }
  iterator end() { return entries_.data() + entries_.size(); }
  size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }

  iterator find(const K& key) {
    if (index_) {
      auto at = index_->find(key);
      return at == index_->end() ? end() : begin() + at->second;
    }
    for (Entry& e : entries_) {
      if (e.first == key) return &e;
    }
    return end();
  }
  /// As std::unordered_map: an entry that is there stays as it is.
  template <class U>
  std::pair<iterator, bool> try_emplace(const K& key, U&& value) {
    if (iterator at = find(key); at != end()) return {at, false};
    if (index_) index_->emplace(key, entries_.size());
    entries_.push_back({key, V(std::forward<U>(value))});
    if (!index_ && entries_.size() > kFew) make_index();
    return {end() - 1, true};
  }
  template <class U>
  std::pair<iterator, bool> emplace(const K& key, U&& value) {
    return try_emplace(key, std::forward<U>(value));
  }
  V& operator[](const K& key) { return try_emplace(key, V{}).first->second; }
  void erase(iterator at) {
    if (index_) {
      index_->erase(at->first);
      if (at != end() - 1) (*index_)[entries_.back().first] = static_cast<size_t>(at - begin());
    }
    if (at != end() - 1) *at = std::move(entries_.back());
    entries_.pop_back();
    if (index_ && entries_.empty()) *this = {};
  }
  size_t erase(const K& key) {
    iterator at = find(key);
    if (at == end()) return 0;
    erase(at);
    return 1;
  }

 private:
  static constexpr size_t kFew = 12;
  void make_index() {
    index_ = std::make_unique<std::unordered_map<K, size_t>>();
    for (size_t k = 0; k < entries_.size(); ++k) index_->emplace(entries_[k].first, k);
  }
  std::vector<Entry> entries_;
  std::unique_ptr<std::unordered_map<K, size_t>> index_;
};

}  // namespace wb
