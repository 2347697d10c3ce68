#include "vm/process/wait_times.h"

#include <catch2/catch.hpp>

using namespace wb;

TEST_CASE("codes of waits are in order and at most an eighth too small") {
  uint8_t last = 1;
  for (uint64_t waited = 1; waited < uint64_t{1} << 32; waited += 1 + waited / 50) {
    uint8_t code = WaitTimes::encode(static_cast<uint32_t>(waited));
    REQUIRE(code >= last);
    uint64_t back = WaitTimes::ticks(code) >> WaitTimes::kShift;
    REQUIRE(back <= waited);
    REQUIRE(waited - back <= waited / 8);
    last = code;
  }
  CHECK(WaitTimes::encode(0) == 1);  // 0 says that nothing was measured
  CHECK(WaitTimes::encode(UINT32_MAX) == 239);
}

TEST_CASE("median and 99th percentile come near the true ones") {
  WaitEstimate e;
  uint64_t random = 7;
  for (uint32_t n = 0; n < 200'000; ++n) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    e.add(1 + static_cast<uint32_t>(random % 1000), n);
  }
  auto value = [](uint8_t code) { return WaitTimes::ticks(code) >> WaitTimes::kShift; };
  CHECK(value(e.p50) > 400);
  CHECK(value(e.p50) < 600);
  CHECK(value(e.p99) > 890);
  CHECK(value(e.p99) <= 1024);
}
