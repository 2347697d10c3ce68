#include "vm/process/slice_marks.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <thread>
#include <vector>

namespace wb {
namespace {

constexpr auto kTable = SliceMarks::Reader::table, kSuspects = SliceMarks::Reader::suspects;

}  // namespace

TEST_CASE("marks of slices") {
  SliceMarks marks;
  marks.mark(3);  // nobody looks
  REQUIRE(marks.start(kTable, 1000));
  CHECK(marks.on());
  CHECK(marks.read_eight(kTable, 0) == 0);
  marks.mark(17);
  marks.mark(16);
  CHECK(marks.read_eight(kTable, 0) == uint64_t{2} << 16);
  marks.begin_look(kTable, 1000);
  CHECK(marks.is_set(kTable, 2));
  marks.finish_look(kTable, 2, false);
  CHECK(!marks.is_set(kTable, 2));
  marks.mark(16);
  marks.begin_look(kTable, 1000);
  marks.mark(16);  // again, before it is looked at
  marks.finish_look(kTable, 2, false);
  CHECK(marks.is_set(kTable, 2));
  marks.begin_look(kTable, 1000);
  marks.finish_look(kTable, 2, true);  // it runs
  CHECK(marks.is_set(kTable, 2));
  marks.forget(kTable);
  CHECK(marks.read_eight(kTable, 0) == 0);
}

TEST_CASE("each reader of marks of slices looks at its own time") {
  SliceMarks marks;
  REQUIRE(marks.start(kTable, 1000));
  REQUIRE(marks.start(kSuspects, 1000));
  marks.mark(16);
  marks.begin_look(kTable, 1000);
  marks.finish_look(kTable, 2, false);
  CHECK(!marks.is_set(kTable, 2));
  CHECK(marks.is_set(kSuspects, 2));
  marks.begin_look(kSuspects, 1000);
  marks.mark(16);  // for both, one of which looks
  marks.finish_look(kSuspects, 2, false);
  CHECK(marks.is_set(kTable, 2));
  CHECK(marks.is_set(kSuspects, 2));
  marks.begin_look(kTable, 1000);
  marks.finish_look(kTable, 2, false);
  marks.finish_look(kTable, 3, true);
  CHECK(marks.read_eight(kTable, 0) == uint64_t{2} << 24);
  CHECK(marks.read_eight(kSuspects, 0) == uint64_t{2} << 16);
  marks.forget(kTable);
  CHECK(marks.on());
  CHECK(marks.is_set(kSuspects, 2));
  marks.forget(kSuspects);
  CHECK(!marks.on());
  CHECK(!marks.is_set(kSuspects, 2));
}

TEST_CASE("no slice is missed") {
  constexpr uint32_t kProcesses = 64;
  constexpr uint32_t kSlices = 20'000;
  struct Ran {
    std::atomic<bool> running{false};
    std::atomic<uint64_t> slices{0};
  };
  std::vector<Ran> all(kProcesses);
  SliceMarks marks;
  REQUIRE(marks.start(kTable, kProcesses));
  REQUIRE(marks.start(kSuspects, kProcesses));
  std::atomic<uint32_t> ended{0};
  auto run = [&](uint32_t first) {
    for (uint32_t k = 0; k < kSlices; ++k) {
      uint32_t slot = first + k % (kProcesses / 2);
      Ran& p = all[slot];
      p.running.store(true, std::memory_order_relaxed);
      marks.mark(slot);
      p.slices.store(p.slices.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
      p.running.store(false, std::memory_order_release);
    }
    ended.fetch_add(1);
  };
  std::thread one(run, 0), another(run, kProcesses / 2);
  struct Look {
    SliceMarks::Reader reader;
    std::vector<uint64_t> known;
  };
  Look looks[] = {{kTable, std::vector<uint64_t>(kProcesses)},
                  {kSuspects, std::vector<uint64_t>(kProcesses)}};
  auto look = [&](Look& l) {
    marks.begin_look(l.reader, kProcesses);
    for (uint32_t m = 0; m < kProcesses / SliceMarks::kSlots; ++m) {
      if (!marks.is_set(l.reader, m)) continue;
      bool again = false;
      for (uint32_t s = m * SliceMarks::kSlots; s < (m + 1) * SliceMarks::kSlots; ++s) {
        again |= all[s].running.load(std::memory_order_acquire);
        l.known[s] = all[s].slices.load(std::memory_order_relaxed);
      }
      marks.finish_look(l.reader, m, again);
    }
  };
  for (uint32_t k = 0; ended.load() < 2; ++k) look(looks[k % 3 == 0]);
  one.join();
  another.join();
  for (Look& l : looks) {
    look(l);
    for (uint32_t s = 0; s < kProcesses; ++s) CHECK(l.known[s] == all[s].slices.load());
    for (uint32_t m = 0; m < kProcesses / SliceMarks::kSlots; ++m)
      CHECK(!marks.is_set(l.reader, m));
  }
}

}  // namespace wb
