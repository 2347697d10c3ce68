// Edit distance row by row.
#include <algorithm>

#include "tests/bench/native/bench.h"

namespace {

long distance(const std::string& a, const std::string& b) {
  std::vector<long> row;
  for (size_t i = 0; i <= b.size(); ++i) row.push_back(static_cast<long>(i));
  for (size_t n = 1; n <= a.size(); ++n) {
    std::vector<long> next = {static_cast<long>(n)};
    for (size_t i = 0; i < b.size(); ++i) {
      long cost = row[i] + (a[n - 1] == b[i] ? 0 : 1);
      next.push_back(std::min(cost, std::min(row[i + 1], next.back()) + 1));
    }
    row = std::move(next);
  }
  return row.back();
}

std::string run() {
  std::vector<std::string> words;
  for (int n = 1; n <= 60; ++n) {
    words.emplace_back();
    for (int k = 1; k <= 8 + n % 9; ++k) words.back() += static_cast<char>('a' + n * k * 7 % 26);
  }
  long sum = 0;
  for (const auto& a : words) {
    for (const auto& b : words) sum += distance(a, b);
  }
  return bench::text(sum);
}

}  // namespace

int main(int, char** argv) { return bench::main(argv, run); }
