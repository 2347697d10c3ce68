// Shortest paths on a grid with a priority queue and a hash table.
#include <set>
#include <unordered_map>

#include "tests/bench/native/bench.h"

namespace {

constexpr int kSize = 70;

struct Entry {
  int distance, x, y;
  bool operator<(const Entry& o) const {
    return std::tie(distance, x, y) < std::tie(o.distance, o.x, o.y);
  }
};

int cost(int x, int y) { return (x * 7 + y * 13 + x * y) % 17 + 1; }

std::string run() {
  std::set<Entry> queue = {{0, 1, 1}};
  std::unordered_map<int, int> done;
  while (!queue.empty()) {
    Entry e = *queue.begin();
    queue.erase(queue.begin());
    if (!done.emplace(e.x * 1000 + e.y, e.distance).second) continue;
    for (auto [x, y] : {std::pair(e.x + 1, e.y), {e.x - 1, e.y}, {e.x, e.y + 1}, {e.x, e.y - 1}}) {
      if (x >= 1 && x <= kSize && y >= 1 && y <= kSize)
        queue.insert({e.distance + cost(x, y), x, y});
    }
  }
  return bench::tuple(static_cast<long>(done.size()), long{done[kSize * 1000 + kSize]});
}

}  // namespace

int main(int, char** argv) { return bench::main(argv, run); }
