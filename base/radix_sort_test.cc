#include "base/radix_sort.h"

#include <catch2/catch.hpp>
#include <random>

using namespace wb;

namespace {
struct Item {
  uint32_t key;
  uint32_t came;
};
}  // namespace

TEST_CASE("radix sort: as std::stable_sort") {
  UnlimitedBudget budget;
  std::mt19937 random(5);
  for (size_t n : {0, 1, 2, 1023, 1024, 1025, 100000}) {
    for (uint32_t mask : {0u, 3u, 0x7ffu, 0x003ff800u, 0xffc00000u, ~0u}) {
      std::vector<Item> items, expected;
      for (uint32_t i = 0; i < n; ++i) items.push_back({static_cast<uint32_t>(random()) & mask, i});
      expected = items;
      std::sort(expected.begin(), expected.end(), [](const Item& a, const Item& b) {
        return a.key != b.key ? a.key < b.key : a.came < b.came;
      });
      CHECK(budgeted_radix_sort(items, [](const Item& i) { return i.key; }, budget));
      CHECK(std::equal(
          items.begin(), items.end(), expected.begin(), expected.end(),
          [](const Item& a, const Item& b) { return a.key == b.key && a.came == b.came; }));
    }
  }
}

TEST_CASE("radix sort: stops with its budget") {
  struct Stopping : WorkBudget {
    Stopping() : WorkBudget(600) {}
    bool refill() override {
      left_ = 1;
      stopped_ = true;
      return false;
    }
  } budget;
  std::vector<Item> items(10000, {7, 1});
  CHECK(!budgeted_radix_sort(items, [](const Item& i) { return i.key; }, budget));
  CHECK(items.size() == 10000);
}
