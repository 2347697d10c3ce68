#include "vm/process/slice_marks.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <thread>
#include <vector>

namespace wb {

TEST_CASE("marks of slices") {
  SliceMarks marks;
  marks.mark(3);  // nobody looks
  REQUIRE(marks.start(1000));
  CHECK(marks.on());
  CHECK(marks.read_eight(0) == 0);
  marks.mark(17);
  marks.mark(16);
  CHECK(marks.read_eight(0) == uint64_t{SliceMarks::kSet} << 16);
  marks.begin_look(1000);
  CHECK(marks.is_set(2));
  marks.finish_look(2, false);
  CHECK(!marks.is_set(2));
  marks.mark(16);
  marks.begin_look(1000);
  marks.mark(16);  // again, before it is looked at
  marks.finish_look(2, false);
  CHECK(marks.is_set(2));
  marks.begin_look(1000);
  marks.finish_look(2, true);  // it runs
  CHECK(marks.is_set(2));
  marks.forget();
  CHECK(marks.read_eight(0) == 0);
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
  REQUIRE(marks.start(kProcesses));
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
  std::vector<uint64_t> known(kProcesses);
  auto look = [&] {
    marks.begin_look(kProcesses);
    for (uint32_t m = 0; m < kProcesses / SliceMarks::kSlots; ++m) {
      if (!marks.is_set(m)) continue;
      bool again = false;
      for (uint32_t s = m * SliceMarks::kSlots; s < (m + 1) * SliceMarks::kSlots; ++s) {
        again |= all[s].running.load(std::memory_order_acquire);
        known[s] = all[s].slices.load(std::memory_order_relaxed);
      }
      marks.finish_look(m, again);
    }
  };
  while (ended.load() < 2) look();
  one.join();
  another.join();
  look();
  for (uint32_t s = 0; s < kProcesses; ++s) CHECK(known[s] == all[s].slices.load());
  for (uint32_t m = 0; m < kProcesses / SliceMarks::kSlots; ++m) CHECK(!marks.is_set(m));
}

}  // namespace wb
