#include "scheduler/ring.h"

#include <catch2/catch.hpp>
#include <thread>

#include "scheduler/metrics.h"

using namespace wb;

TEST_CASE("a ring keeps the newest") {
  Ring<Flow, 8> ring;
  CHECK(ring.snapshot().empty());
  for (uint64_t n = 1; n <= 3; ++n) ring.record({n, n * 10, n * 100, 1, 1});
  auto all = ring.snapshot();
  REQUIRE(all.size() == 3);
  CHECK(all[2].number == 2);
  CHECK(all[2].value.ticks == 3);
  CHECK(all[2].value.from == 30);
  CHECK(all[2].value.to == 300);
  CHECK(ring.snapshot(2).size() == 1);
  for (uint64_t n = 4; n <= 100; ++n) ring.record({n, n, n, uint32_t(n), 1});
  all = ring.snapshot();
  CHECK(all.size() == 7);  // one may be being overwritten
  CHECK(all.back().value.ticks == 100);
  CHECK(all.back().number == 99);
}

TEST_CASE("a ring's readers never see half a record") {
  Ring<Flow, 64> ring;
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    for (uint64_t n = 1; !stop; ++n) ring.record({n, n, n, uint32_t(n), 1});
  });
  for (int k = 0; k < 2000; ++k) {
    for (const auto& r : ring.snapshot()) {
      REQUIRE(r.value.ticks == r.number + 1);
      REQUIRE(r.value.count == uint32_t(r.number + 1));
    }
  }
  stop = true;
  writer.join();
}

TEST_CASE("a histogram counts by powers of two") {
  Histogram h;
  for (uint64_t ticks : {0, 1, 2, 3, 4, 7, 8}) h.add(ticks);
  h.add(UINT64_MAX);
  CHECK(h.count(0) == 1);
  CHECK(h.count(1) == 1);
  CHECK(h.count(2) == 2);
  CHECK(h.count(3) == 2);
  CHECK(h.count(4) == 1);
  CHECK(h.count(Histogram::kBuckets - 1) == 1);
}
