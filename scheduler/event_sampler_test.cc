#include "scheduler/event_sampler.h"

#include <catch2/catch.hpp>

namespace wb {
namespace {

TEST_CASE("what happens rarely is chosen always, once it is known to be rare") {
  EventSampler s;
  uint64_t now = 1'000'000, sum = 0;
  for (int k = 0; k < 100; ++k, now += 1'000'000) {
    REQUIRE(s.is_sampled(1));
    sum += s.take_sample(now);
  }
  CHECK(sum == 100);
  CHECK(s.count() == 100);
}

TEST_CASE("what happens often is chosen rarely, and sums are right") {
  EventSampler s;
  uint64_t now = 1'000'000, sum = 0, passed = 0;
  uint32_t chosen = 0;
  for (int k = 0; k < 1'000'000; ++k, now += 100) {
    ++passed;
    if (!s.is_sampled(1)) continue;
    ++chosen;
    sum += s.take_sample(now);
    REQUIRE(sum == passed);
  }
  CHECK(chosen > 100);  // 400 times 250,000 ticks
  CHECK(chosen < 2000);
}

TEST_CASE("a rhythm is met as often as it is there") {
  EventSampler s;
  uint64_t now = 1'000'000, even = 0, all = 0;
  for (int k = 0; k < 4'000'000; ++k, now += 200) {
    if (!s.is_sampled(1)) continue;
    uint32_t n = s.take_sample(now);
    all += n;
    if (k % 2 == 0) even += n;
  }
  CHECK(even > all * 4 / 10);
  CHECK(even < all * 6 / 10);
}

TEST_CASE("each look begins with everything and forgets nothing") {
  EventSampler s;
  uint64_t now = 1'000'000, sum = 0;
  for (int k = 0; k < 100'000; ++k, now += 100) {
    if (s.is_sampled(1)) sum += s.take_sample(now);
  }
  REQUIRE(s.is_sampled(2));
  sum += s.take_sample(now);
  CHECK(sum == 100'001);
}

}  // namespace
}  // namespace wb
