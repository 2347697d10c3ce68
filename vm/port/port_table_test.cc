#include "vm/port/port_table.h"

#include <catch2/catch.hpp>
#include <thread>

using namespace wb;

namespace {

/// What the table never looks into: a number in the place of a port.
std::shared_ptr<Port> stand_in(uint64_t number) {
  auto owner = std::make_shared<uint64_t>(number);
  return {owner, reinterpret_cast<Port*>(owner.get())};
}
uint64_t number_of(const std::shared_ptr<Port>& p) { return *reinterpret_cast<uint64_t*>(p.get()); }

}  // namespace

TEST_CASE("ports are found by their identifiers until they are taken out") {
  PortTable table;
  CHECK(table.find(make_port(7)) == nullptr);
  CHECK(table.take_out(make_port(7)) == nullptr);
  for (uint64_t n = 0; n < 1000; ++n) table.insert(make_port(n * 3), stand_in(n * 3));
  table.insert(make_port(3), stand_in(99));  // taken already
  CHECK(table.count() == 1000);
  CHECK(number_of(table.find(make_port(3))) == 3);
  CHECK_FALSE(table.contains(make_port(4)));
  CHECK(table.has(make_port(6), [](const Port&) { return true; }));
  CHECK_FALSE(table.has(make_port(6), [](const Port&) { return false; }));
  CHECK_FALSE(table.has(make_port(7), [](const Port&) { return true; }));

  const auto all = table.all();
  REQUIRE(all.size() == 1000);
  for (size_t i = 0; i < all.size(); ++i) CHECK(number_of(all[i].second) == i * 3);
  CHECK(number_of(table.take_out(make_port(6))) == 6);
  CHECK(table.find(make_port(6)) == nullptr);
  CHECK(table.count() == 999);
}

TEST_CASE("threads open, find and close ports at once") {
  PortTable table;
  constexpr uint64_t kThreads = 4, kEach = 2000;
  std::atomic<uint64_t> wrong{0};
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (uint64_t k = 0; k < kEach; ++k) {
        const uint64_t mine = k * kThreads + t;
        table.insert(make_port(mine), stand_in(mine));
        const auto other = table.find(make_port(mine ^ 1));
        if (other && number_of(other) != (mine ^ 1)) ++wrong;
        if (k % 2 == 0) continue;
        const auto taken = table.take_out(make_port(mine));
        if (!taken || number_of(taken) != mine) ++wrong;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  CHECK(wrong == 0);
  CHECK(table.count() == kThreads * kEach / 2);
  CHECK(table.all().size() == table.count());
}
