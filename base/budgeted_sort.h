// Sorting within a work budget.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "base/work_budget.h"

namespace wb {

/// Sorts by less(a, b): short runs first, which are then merged. A few steps an element and round;
/// false when `budget` stopped it. T is trivial.
template <class T, class Less>
bool budgeted_sort(std::vector<T>& v, Less less, WorkBudget& budget) {
  constexpr size_t kRun = 512;
  constexpr int64_t kRunSteps = 4;  // an element: nine comparisons
  const size_t n = v.size();
  for (size_t at = 0; at < n; at += kRun) {
    const size_t end = std::min(n, at + kRun);
    std::sort(v.begin() + static_cast<ptrdiff_t>(at), v.begin() + static_cast<ptrdiff_t>(end),
              less);
    if (!budget.steps(kRunSteps * static_cast<int64_t>(end - at))) return false;
  }
  if (n <= kRun) return true;
  std::unique_ptr<T[]> spare(new T[n]);
  T *from = v.data(), *to = spare.get();
  for (size_t width = kRun; width < n; width *= 2, std::swap(from, to)) {
    for (size_t at = 0; at < n; at += 2 * width) {
      const T *a = from + at, *middle = from + std::min(n, at + width), *b = middle;
      const T* end = from + std::min(n, at + 2 * width);
      T* out = to + at;
      while (a != middle || b != end) {
        *out++ = a != middle && (b == end || !less(*b, *a)) ? *a++ : *b++;
        if (!budget.step()) return false;
      }
    }
  }
  if (from == v.data()) return true;
  return in_chunks(n, budget,
                   [&](size_t at, size_t m) { std::copy_n(from + at, m, v.data() + at); });
}

}  // namespace wb
