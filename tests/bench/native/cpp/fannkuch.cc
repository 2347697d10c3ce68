// Flips of all permutations.
#include <algorithm>

#include "tests/bench/native/bench.h"

namespace {

using Deck = std::vector<int>;

int flips(Deck p) {
  int count = 0;
  for (; p[0] != 1; ++count) std::reverse(p.begin(), p.begin() + p[0]);
  return count;
}

int permute(const Deck& left, const Deck& chosen, int most) {
  if (left.empty()) return std::max(most, flips(chosen));
  for (size_t i = 0; i < left.size(); ++i) {
    Deck rest = left, more = {left[i]};
    rest.erase(rest.begin() + static_cast<long>(i));
    more.insert(more.end(), chosen.begin(), chosen.end());
    most = permute(rest, more, most);
  }
  return most;
}

std::string run() { return bench::text(long{permute({1, 2, 3, 4, 5, 6, 7, 8}, {}, 0)}); }

}  // namespace

int main(int, char** argv) { return bench::main(argv, run); }
