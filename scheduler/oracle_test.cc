#include "scheduler/oracle.h"

#include <catch2/catch.hpp>

namespace wb {

TEST_CASE("oracle: the seeded twin's time moves with work and jumps when idle") {
  auto oracle = Oracle::seeded(1);
  CHECK(oracle->simulates());
  uint64_t begin = oracle->now_ns();
  CHECK(oracle->now_ns() == begin);
  oracle->worked(4000);
  CHECK(oracle->now_ns() == begin + 100'000);
  oracle->idle_until(begin + 3'600'000'000'000);
  CHECK(oracle->now_ns() == begin + 3'600'000'000'000);
  oracle->idle_until(begin);  // never back
  CHECK(oracle->now_ns() == begin + 3'600'000'000'000);
}

TEST_CASE("oracle: same seed, same answers; slices stay within bounds") {
  auto a = Oracle::seeded(42), b = Oracle::seeded(42), c = Oracle::seeded(43);
  bool differs = false, usual = false, tiny = false;
  for (int i = 0; i < 200; ++i) {
    int32_t slice = a->slice_reductions(4000);
    CHECK(slice == b->slice_reductions(4000));
    CHECK(slice >= 1);
    CHECK(slice <= 4000);
    usual |= slice == 4000;
    tiny |= slice <= 32;
    uint64_t bits = a->random();
    CHECK(bits == b->random());
    differs |= bits != c->random();
    CHECK(a->choose(7) < 7);
    b->choose(7);
  }
  CHECK(differs);
  CHECK(usual);
  CHECK(tiny);
}

TEST_CASE("oracle: the live twin asks the machine") {
  auto oracle = Oracle::live();
  CHECK_FALSE(oracle->simulates());
  uint64_t before = oracle->now_ns();
  CHECK(oracle->now_ns() >= before);
  CHECK(oracle->system_ns() > 1'600'000'000'000'000'000u);
  CHECK(oracle->random() != oracle->random());
  CHECK(oracle->slice_reductions(4000) == 4000);
}

}  // namespace wb
