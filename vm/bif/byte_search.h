// Finding byte strings in bytes: what binary:match, matches, split and compile_pattern stand on.
//
// One needle: memchr for its last byte while that is rare, else sixteen starts at a time by first
// and last byte; when comparing the rest costs more than looking, memmem, which is linear. Several:
// an Aho-Corasick automaton as a table state x byte class -> state. A byte class is a byte that
// occurs in a needle, or "any other", so the table stays small and hot. The match wanted is the
// leftmost, then longest one: having seen a match that starts at s, the search goes on as long as
// the automaton's state still begins at or before s.
//
// Rejected: Boyer-Moore for one needle (memmem's two-way search has better worst and average cases
// on today's machines), and trying each start with a trie (quadratic on hostile input).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/work_budget.h"

namespace wb {

struct ByteMatch {
  size_t at, length;
};

/// The first `needle` that lies within bytes[from, end). Steps as ByteSearch::find.
bool find_needle(std::string_view needle, const uint8_t* bytes, size_t from, size_t end,
                 ByteMatch* match, WorkBudget& budget);

class ByteSearch {
 public:
  /// None of the needles is empty. nullptr if together they are too large.
  static std::unique_ptr<ByteSearch> make(const std::vector<std::string>& needles);

  bool single() const { return classes_ == 0; }
  /// The first match that lies within bytes[from, end). A step for 16 bytes; false, too, when
  /// `budget` stopped it.
  bool find(const uint8_t* bytes, size_t from, size_t end, ByteMatch* match,
            WorkBudget& budget) const;
  size_t memory() const;

 private:
  using State = uint32_t;
  void add(std::string_view needle);
  void finish();
  State& next(State s, unsigned byte_class) { return next_[size_t{s} * classes_ + byte_class]; }

  std::string needle_;          // single
  unsigned classes_ = 0;        // 0: single
  uint8_t class_of_[256] = {};  // 0: in no needle, if there is such a byte
  std::vector<State> next_;
  std::vector<uint32_t> depth_;    // length of the string that leads to a state
  std::vector<uint32_t> longest_;  // length of the longest needle that ends there, 0: none
  bool starts_[256] = {};          // bytes that leave the root
};

}  // namespace wb
