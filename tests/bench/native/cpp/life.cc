// The game of life, its cells in hash tables.
#include <algorithm>
#include <unordered_map>

#include "tests/bench/native/bench.h"
#include "tests/bench/native/cpp/phash2.h"

namespace {

using Cell = std::pair<int, int>;
struct Hash {
  size_t operator()(Cell c) const {
    return std::hash<long>()(long{c.first} * 1'000'003 + c.second);
  }
};
using World = std::unordered_map<Cell, int, Hash>;

World step(const World& world) {
  World counts, next;
  for (auto [cell, _] : world) {
    for (int dx = -1; dx <= 1; ++dx) {
      for (int dy = -1; dy <= 1; ++dy) {
        if (dx != 0 || dy != 0) ++counts[{cell.first + dx, cell.second + dy}];
      }
    }
  }
  for (auto [cell, n] : counts) {
    if (n == 3 || (n == 2 && world.count(cell))) next.emplace(cell, n);
  }
  return next;
}

std::string run() {
  World world;
  for (Cell c : {Cell{1, 0},
                 {2, 1},
                 {0, 2},
                 {1, 2},
                 {2, 2},
                 {20, 20},
                 {21, 20},
                 {22, 20},
                 {30, 5},
                 {31, 5},
                 {30, 6},
                 {32, 6},
                 {31, 7},
                 {10, 30},
                 {11, 30},
                 {12, 30},
                 {12, 31},
                 {11, 29}}) {
    world[c] = 1;
  }
  for (int i = 0; i < 300; ++i) world = step(world);
  std::vector<Cell> cells;
  for (auto [cell, _] : world) cells.push_back(cell);
  std::sort(cells.begin(), cells.end());
  Phash2 hash;
  for (auto [x, y] : cells) hash.tuple(2), hash.number(x), hash.number(y);
  hash.nil();
  return "hash:" + bench::text(long{hash.value() & 0x7ffffff});
}

}  // namespace

int main(int, char** argv) { return bench::main(argv, run); }
