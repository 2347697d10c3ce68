#include "vm/observe/growth.h"

#include <catch2/catch.hpp>

namespace wb {

TEST_CASE("growth is known from the second tick on") {
  Growth g;
  CHECK(!g.noticed());
  g.make_room(10);
  CHECK(g.memory() == 0);
  g.want();
  g.make_room(10);
  CHECK(g.wanted());
  CHECK(g.since_tick(3, 800, false) == 0);
  g.note(3, 800, false);
  g.end_tick(1);
  CHECK(g.noted());
  CHECK(g.since_tick(3, 1600, false) == 800);
  CHECK(g.since_tick(3, 400, false) == -400);
  CHECK(g.since_tick(3, 1600, true) == 1600);
  CHECK(g.since_tick(12, 1600, false) == 1600);  // there is no room for it yet
  CHECK(g.in_minute(12, 1600, false) == 0);
  g.forget();
  CHECK(g.memory() == 0);
  CHECK(g.since_tick(3, 1600, false) == 0);
}

TEST_CASE("growth in a minute is that of one that grows evenly, soon and late") {
  Growth g;
  g.want();
  g.make_room(3);
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
  g.make_room(1);
  for (int second = 0; second < 1800; ++second) {
    g.begin_look(second > 0);
    g.note(0, second < 60 ? uint64_t{1000} << 20 : uint64_t{2000} << 20, false);
    g.end_tick(1);
  }
  CHECK(g.in_minute(0) == 0);
}

}  // namespace wb
