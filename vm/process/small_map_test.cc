#include "vm/process/small_map.h"

#include <random>
#include <unordered_map>
#include <vector>

#include <catch2/catch.hpp>

#include "term/atom.h"
#include "term/instance.h"

using namespace wb;

TEST_CASE("a FewMap does what an unordered_map does, small, large and shrinking again") {
  std::mt19937 random(7);
  for (unsigned keys : {3u, 12u, 13u, 300u}) {
    SmallMap<uint64_t, int> map;
    std::unordered_map<uint64_t, int> same;
    for (int step = 0; step < 5000; ++step) {
      uint64_t key = random() % keys;
      switch (random() % 4) {
        case 0:
          CHECK(map.try_emplace(key, step).second == same.try_emplace(key, step).second);
          break;
        case 1:
          map[key] = step, same[key] = step;
          break;
        case 2:
          CHECK(map.erase(key) == same.erase(key));
          break;
        default:
          CHECK((map.find(key) == map.end()) == (same.find(key) == same.end()));
      }
      REQUIRE(map.size() == same.size());
      if (step % 100 == 0) {
        for (auto& [k, v] : map) REQUIRE(same.at(k) == v);
      }
      if (step % 250 == 0) {
        map.sort();
        uint64_t before = 0;
        for (auto& [k, v] : map) {
          REQUIRE(k >= before);
          REQUIRE(map.find(k)->second == same.at(k));
          before = k;
        }
      }
    }
    while (!map.empty()) map.erase(map.begin());
    CHECK(map.find(1) == map.end());
  }
}

TEST_CASE("addresses are keys, here and on other nodes") {
  TermInstance instance;
  InstanceScope scope(instance);
  std::vector<HeldAddress> held;
  for (uint32_t n = 0; n < 100; ++n) {
    held.push_back(HeldAddress(Address::of_local(make_pid(n, 1))));
    held.push_back(HeldAddress(Address::of_local(make_port(n))));
    held.push_back(instance.remotes.hold({am::true_, 1}, Remote::Kind::pid, n));
    held.push_back(instance.remotes.hold({am::true_, 2}, Remote::Kind::pid, n));
  }
  SmallMap<Address, size_t> map;
  for (size_t n = 0; n < held.size(); ++n) REQUIRE(map.try_emplace(held[n], n).second);
  for (size_t n = 0; n < held.size(); ++n) {
    REQUIRE(map.find(held[n]) != map.end());
    REQUIRE(map.find(held[n])->second == n);
  }
  for (size_t n = 0; n < held.size(); n += 2) CHECK(map.erase(held[n]) == 1);
  for (size_t n = 0; n < held.size(); ++n) CHECK((map.find(held[n]) == map.end()) == (n % 2 == 0));
}
