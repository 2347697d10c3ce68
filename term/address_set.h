// A set of addresses of words: a bit each, in bitmaps of pages that are found by hashing.
//
// Walks over large terms ask it once for each object. Objects that stand together share a cache
// line here, and a page that has one costs 72 bytes, so that a set of millions stays small.
#pragma once

#include <vector>

#include "term/term.h"

namespace wb {

class AddressSet {
 public:
  /// False if it was there.
  bool insert(const Term* p) {
    uint64_t& word = page(number_of(p)).bits[bit_of(p) / 64];
    const uint64_t bit = uint64_t{1} << (bit_of(p) % 64);
    const bool is_new = (word & bit) == 0;
    word |= bit;
    return is_new;
  }
  bool contains(const Term* p) const {
    if (pages_.empty()) return false;
    const Page& page = pages_[slot_of(number_of(p))];
    return page.number != 0 && (page.bits[bit_of(p) / 64] >> (bit_of(p) % 64) & 1) != 0;
  }
  bool empty() const { return used_ == 0; }

 private:
  static constexpr unsigned kPageBits = 12;
  struct Page {
    uint64_t number = 0;  // 0: none
    uint64_t bits[(1 << kPageBits) / sizeof(Term) / 64] = {};
  };

  static uint64_t number_of(const Term* p) { return reinterpret_cast<uint64_t>(p) >> kPageBits; }
  static unsigned bit_of(const Term* p) {
    return static_cast<unsigned>(reinterpret_cast<uint64_t>(p) / sizeof(Term)) %
           (8 * sizeof Page::bits);
  }
  /// Where the page is, or would be.
  size_t slot_of(uint64_t number) const {
    size_t i = number * 0x9e3779b97f4a7c15 >> 20;
    for (;; ++i) {
      const uint64_t there = pages_[i & (pages_.size() - 1)].number;
      if (there == number || there == 0) return i & (pages_.size() - 1);
    }
  }
  Page& page(uint64_t number) {
    if (WB_UNLIKELY(used_ * 2 >= pages_.size())) grow();
    Page& page = pages_[slot_of(number)];
    if (page.number == 0) {
      page.number = number;
      ++used_;
    }
    return page;
  }
  WB_COLD void grow() {
    std::vector<Page> old(pages_.empty() ? 16 : pages_.size() * 4);
    old.swap(pages_);
    for (const Page& p : old)
      if (p.number != 0) pages_[slot_of(p.number)] = p;
  }

  std::vector<Page> pages_;  // a power of two
  size_t used_ = 0;
};

}  // namespace wb
