#include "vm/observe/growth.h"

#include <catch2/catch.hpp>

namespace wb {

TEST_CASE("growth is known from the second tick on") {
  Growth g;
  CHECK(!g.noticed());
  g.note(3, 800, false);
  CHECK(g.memory() == 0);
  g.want();
  CHECK(g.wanted());
  CHECK(g.since_tick(3, 800, false) == 0);
  g.note(3, 800, false);
  g.end_tick(1);
  CHECK(g.noted());
  CHECK(g.since_tick(3, 1600, false) == 800);
  CHECK(g.since_tick(3, 400, false) == -400);
  CHECK(g.since_tick(3, 1600, true) == 1600);
  CHECK(g.since_tick(12, 1600, false) == 1600);  // it had nothing
  CHECK(g.in_minute(12, 1600, true) == 0);
  g.forget();
  CHECK(g.memory() == 0);
  CHECK(g.since_tick(3, 1600, false) == 0);
}

TEST_CASE("growth in a minute is that of one that grows evenly, soon and late") {
  Growth g;
  g.want();
  constexpr int64_t kASecond = 8000;
  auto bytes = [](int second) { return uint64_t{1} << 30 | uint64_t(second) * kASecond; };
  for (int second = 0; second < 600; ++second) {
    g.begin_look(second > 0);
    const int64_t grown = g.in_minute(0, bytes(second), false);
    if (second > 0) {
      CHECK(grown > 55 * kASecond);
      CHECK(grown < 65 * kASecond);
    }
    g.note(0, bytes(second), false);
    g.note(1, 4096, false);
    CHECK(g.in_minute(1, 4096, false) == 0);
    CHECK(g.in_minute(1) == 0);
    CHECK(g.in_minute(2) == 0);
    g.end_tick(1);
  }
  // It has become another, which is new; and does not grow.
  g.note(0, 1 << 20, true);
  CHECK(g.in_minute(0) == 0);
}

TEST_CASE("who does not grow any more has grown by nothing after some minutes") {
  Growth g;
  g.want();
  for (int second = 0; second < 1800; ++second) {
    g.begin_look(second > 0);
    g.note(0, second < 60 ? uint64_t{1000} << 20 : uint64_t{2000} << 20, false);
    g.end_tick(1);
  }
  CHECK(g.in_minute(0) == 0);
}

TEST_CASE("of a million, how those grow that have most is known, and who comes to have much") {
  constexpr uint32_t kAll = 1'000'000, kLarge = 500, kSick = 777'777, kOther = 5;
  constexpr uint64_t kSmall = 2600, kGrows = 1 << 20;
  auto bytes = [](uint32_t slot, uint64_t second) -> uint64_t {
    if (slot == kSick) return kSmall + second * kGrows;
    if (slot == kOther) return kSmall + second * 8;
    return slot % (kAll / kLarge) ? kSmall : (100 << 20) + second * 4096;
  };
  Growth g;
  g.want();
  for (uint64_t second = 0; second < 10; ++second) {
    g.begin_look(second > 0);
    for (uint32_t slot = 0; slot < kAll; ++slot) {
      const uint64_t now = bytes(slot, second);
      const bool looks = slot % (kAll / kLarge) == 0 || slot == kSick || slot == kOther;
      if (second > 0 && looks) {
        const int64_t grown = g.since_tick(slot, now, false), all = g.in_minute(slot, now, false);
        const int64_t truth = int64_t(now - bytes(slot, second - 1));
        const auto least = int64_t(g.least());
        CHECK(grown <= truth + 8);
        CHECK(grown >= truth - (second == 1 || slot == kOther ? least : 8));
        if (slot == kSick) CHECK(all > int64_t(50 * (kGrows - kSmall)));
        if (slot == kOther) CHECK((all >= 0 && all < 70 * 8));
      }
      g.note(slot, now, false);
    }
    g.end_tick(1);
    CHECK(g.in_minute(1) == 0);
    CHECK(g.least() <= kSmall + 8);
    CHECK(g.memory() < 500'000);
  }
  // All of them come to have more, and then less again: still bounded, and nobody seems to grow.
  for (const uint64_t now : {uint64_t{1} << 20, kSmall}) {
    for (uint32_t slot = 0; slot < kAll; ++slot) g.note(slot, now + slot, false);
    g.end_tick(1);
    CHECK(g.memory() < 500'000);
  }
  g.begin_look(1);
  for (uint32_t slot = 0; slot < kAll; ++slot) {
    if (g.since_tick(slot, kSmall + slot, false) > 0) FAIL(slot);
  }
}

}  // namespace wb
