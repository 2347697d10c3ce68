// Sorts by a 32-bit number, stably, in time that is linear: three passes over digits of 11 bits,
// each of which moves the items to another array. Hashes have no order that a comparison could
// foresee, so every second one of a quicksort would be a branch predicted wrongly.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "base/work_budget.h"

namespace wb {

/// Fewer items are sorted sooner by comparing them.
constexpr size_t kLeastForRadixSort = 512;

/// key(item): its number. False: the budget has stopped it, and the order is any.
template <class T, class Key>
bool budgeted_radix_sort(std::vector<T>& items, Key key, WorkBudget& budget) {
  constexpr unsigned kBits = 11, kPasses = 3;
  constexpr size_t kDigits = size_t{1} << kBits, kChunk = 1024;
  auto digit = [&](const T& item, unsigned pass) {
    return (key(item) >> (pass * kBits)) & (kDigits - 1);
  };
  auto in_pieces = [&](auto visit) {
    for (size_t at = 0; at < items.size(); at += kChunk) {
      const size_t end = std::min(items.size(), at + kChunk);
      for (size_t i = at; i < end; ++i) visit(items[i]);
      if (!budget.steps(static_cast<int64_t>(end - at) / 4)) return false;
    }
    return true;
  };
  std::vector<size_t> places(kPasses * kDigits);
  bool on = in_pieces([&](const T& item) {
    for (unsigned pass = 0; pass < kPasses; ++pass) ++places[pass * kDigits + digit(item, pass)];
  });
  std::vector<T> moved(items.size());
  for (unsigned pass = 0; on && pass < kPasses; ++pass) {
    size_t* place = places.data() + pass * kDigits;
    for (size_t d = 0, before = 0; d < kDigits; ++d) before += std::exchange(place[d], before);
    on = in_pieces([&](const T& item) { moved[place[digit(item, pass)]++] = item; });
    items.swap(moved);
  }
  return on;
}

}  // namespace wb
