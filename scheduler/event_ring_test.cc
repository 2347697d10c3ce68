#include "scheduler/event_ring.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <thread>

namespace wb {

TEST_CASE("event ring: keeps the newest, from where the reader left off") {
  EventRing ring;
  CHECK(ring.snapshot().empty());
  for (uint64_t i = 0; i < 10; ++i) ring.record(EventKind::stolen, i, 100 + i);
  auto events = ring.snapshot(7);
  CHECK(events.size() == 3);
  CHECK(events[0].number == 7);
  CHECK(events[0].argument == 7);
  CHECK(events[0].ticks == 107);
  CHECK(events[0].kind == EventKind::stolen);
  CHECK(!strcmp(event_name(events[0].kind), "stolen"));
  for (uint64_t i = 10; i < 3 * EventRing::kSize; ++i) ring.record(EventKind::parked, i, 100 + i);
  events = ring.snapshot();
  CHECK(events.size() == EventRing::kSize - 1);
  CHECK(events.back().argument == 3 * EventRing::kSize - 1);
}

TEST_CASE("event ring: what goes on is one record") {
  EventRing ring;
  ring.prolong(EventKind::requeued, 0, 90);
  CHECK(ring.recorded() == 1);
  ring.record(EventKind::awake, 0, 100);
  for (uint64_t i = 1; i <= 2 * EventRing::kSize; ++i) {
    ring.prolong(EventKind::requeued, 7, 100 + i);
  }
  ring.prolong(EventKind::requeued, 8, 20000);
  ring.record(EventKind::spawn, 9, 20001);
  ring.prolong(EventKind::requeued, 8, 20002);
  auto events = ring.snapshot();
  CHECK(events.size() == 6);
  CHECK(events[1].kind == EventKind::awake);
  CHECK(events[2].argument == 7);
  CHECK(events[2].ticks == 100 + 2 * EventRing::kSize);
  CHECK(events[3].ticks == 20000);
  CHECK(events[5].ticks == 20002);
}

TEST_CASE("event ring: a reader beside the writer sees whole events only") {
  EventRing ring;
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    for (uint64_t i = 0; !stop; ++i) ring.record(EventKind(i % 5), i, i);
  });
  bool whole = true;
  while (ring.recorded() == 0) std::this_thread::yield();
  for (int i = 0; i < 200; ++i) {
    for (const Event& e : ring.snapshot()) {
      whole &= e.argument == e.number && e.ticks == e.number && uint64_t(e.kind) == e.number % 5;
    }
  }
  stop = true;
  writer.join();
  CHECK(whole);
}

TEST_CASE("event clock: between and beyond its two moments") {
  EventClock clock{1000, 5000, 3000, 6000};
  CHECK(clock.to_ns(1000) == 5000);
  CHECK(clock.to_ns(2000) == 5500);
  CHECK(clock.to_ns(5000) == 7000);
  CHECK(clock.to_ns(0) == 4500);
}

}  // namespace wb
