#include "vm/observe/last_tick.h"

#include <catch2/catch.hpp>

namespace wb {

TEST_CASE("the last tick knows what it was told, however much") {
  LastTick t;
  t.make_room(10);
  CHECK(t.at(3)->reductions == 0);
  t.note(3, {17, 4}, 0);
  t.note(4, {uint64_t{1} << 40, 5}, 0);
  t.note(5, {6, 100'000}, 0);
  CHECK(t.at(3)->reductions == 17);
  CHECK(t.at(3)->messages == 4);
  CHECK(t.at(4)->reductions == uint64_t{1} << 40);
  CHECK(t.at(4)->messages == 5);
  CHECK(t.at(5)->messages == 100'000);
  t.note(4, {1, 1}, 0);  // another process
  CHECK(t.at(4)->reductions == 1);
  t.make_room(20);
  CHECK(t.at(5)->messages == 100'000);
  t.forget();
  CHECK(t.slots() == 0);
}

TEST_CASE("what is too much of too many is not known") {
  LastTick t;
  t.make_room(5000);
  for (uint32_t k = 0; k < 5000; ++k) t.note(k, {uint64_t{1} << 33, k}, 0);
  CHECK(t.at(0)->reductions == uint64_t{1} << 33);
  CHECK(!t.at(4999));
  CHECK(t.memory() < 5000 * 6 + 400'000);
}

TEST_CASE("time in collections, once it is asked for") {
  LastTick t;
  t.make_room(8);
  t.note(1, {0, 0}, 1 << 20);
  CHECK(t.collected(1) == 0);
  CHECK(!t.notes_collected());
  t.note_collected();
  CHECK(t.wants_collected());
  t.make_room(8);
  t.note(1, {0, 0}, 640);
  t.all_noted();
  CHECK(t.notes_collected());
  CHECK(t.collected(1) == 10);
}

}  // namespace wb
