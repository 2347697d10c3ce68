#include "scheduler/slice_clock.h"

#include <catch2/catch.hpp>
#include <vector>

namespace wb {
namespace {

/// Slices that end at a time of the test's own.
struct Slices {
  SliceClock clock;
  uint64_t now = 1'000'000;
  uint32_t readings = 0;
  Slices() { clock.set(now); }
  /// What the clock says of the end of one that took so long.
  uint64_t end(uint64_t took, int32_t reductions = 10) {
    now += took;
    return clock.slice_ended(reductions, [&] { return ++readings, now; });
  }
};

TEST_CASE("of short slices one in eight reads the clock, and none is far from the truth") {
  Slices s;
  uint64_t last = 0;
  for (int k = 0; k < 800; ++k) {
    uint64_t said = s.end(300);
    CHECK(said > last);
    CHECK(said <= s.now);
    CHECK(s.now - said < 8 * 300);
    last = said;
  }
  CHECK(s.readings <= 102);
}

TEST_CASE("times of short slices add up for each of those that take turns") {
  Slices s;
  std::vector<uint64_t> took(8);
  uint64_t last = s.now;
  for (uint32_t k = 0; k < 8000; ++k) {
    uint64_t said = s.end(300);
    took[k % 8] += said - last;
    last = said;
  }
  for (uint64_t t : took) {
    CHECK(t > 1000 * 240);
    CHECK(t < 1000 * 600);
  }
}

TEST_CASE("long slices read the clock each, and those of many reductions") {
  Slices s;
  for (int k = 0; k < 100; ++k) CHECK(s.end(100'000) == s.now);
  CHECK(s.readings == 100);
  for (int k = 0; k < 100; ++k) s.end(300);
  CHECK(s.end(300, 4000) == s.now);
}

TEST_CASE("a long slice among short ones is seen, at most eight later") {
  Slices s;
  for (int k = 0; k < 80; ++k) s.end(300);
  uint64_t before = s.now;
  s.end(1'000'000);
  uint64_t said = 0;
  for (int k = 0; k < 8; ++k) said = s.end(300);
  CHECK(said > before + 1'000'000);
  CHECK(s.end(1'000'000) == s.now);  // they read it again
}

TEST_CASE("an event is never earlier than the one before it, and what happens between counts") {
  Slices s;
  uint64_t last = 0;
  for (int k = 0; k < 1000; ++k) {
    uint64_t said = s.end(k % 16 ? 400 : 50);
    CHECK(said >= last);
    last = said;
    if (k % 5 == 0) {
      s.now += 10'000;  // it slept
      last = s.clock.set(s.now);
      CHECK(last >= s.now);
      CHECK(last < s.now + 8 * 400);
    }
  }
}

}  // namespace
}  // namespace wb
