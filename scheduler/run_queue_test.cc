#include "scheduler/run_queue.h"

#include <catch2/catch.hpp>
#include <set>
#include <thread>
#include <vector>

namespace wb {

TEST_CASE("run queue: max, high, then first in first out") {
  auto oracle = Oracle::live();
  RunQueue queue;
  std::vector<Runnable> r(6);
  for (size_t i = 0; i < 6; ++i) {
    r[i].priority = uint8_t(i < 2 ? 1 : i < 4 ? 2 : 3);
    queue.push(r[i]);
  }
  CHECK(queue.length() == 6);
  CHECK(queue.urgent());
  for (size_t i : {4, 5, 2, 3, 0, 1}) CHECK(queue.pop(*oracle) == &r[i]);
  CHECK_FALSE(queue.urgent());
  CHECK(queue.pop(*oracle) == nullptr);
}

TEST_CASE("run queue: how many there are of each urgency") {
  auto oracle = Oracle::live();
  RunQueue queue, thief;
  std::vector<Runnable> r(10);
  for (size_t i = 0; i < 10; ++i) {
    r[i].priority = uint8_t(i < 1 ? 0 : i < 3 ? 1 : i < 6 ? 2 : 3);
    queue.push(r[i]);
  }
  auto lengths = [](RunQueue& q) {
    RunQueue::Lengths n = q.lengths();
    return std::vector<uint32_t>(n.of, n.of + 4);
  };
  CHECK(lengths(queue) == std::vector<uint32_t>{1, 2, 3, 4});
  CHECK(queue.pop(*oracle) == &r[6]);
  CHECK(queue.boost(r[0], Runnable::kMax));
  CHECK(lengths(queue) == std::vector<uint32_t>{0, 2, 3, 4});
  CHECK(thief.steal_from(queue) == &r[7]);
  CHECK(lengths(queue) == std::vector<uint32_t>{0, 2, 3, 3});
  while (queue.pop(*oracle)) continue;
  CHECK(lengths(queue) == std::vector<uint32_t>{0, 0, 0, 0});
}

TEST_CASE("run queue: low ones among themselves take turns at once") {
  auto oracle = Oracle::live();
  RunQueue queue;
  std::vector<Runnable> r(3);
  for (Runnable& each : r) {
    each.priority = Runnable::kLow;
    queue.push(each);
  }
  for (size_t i = 0; i < 30; ++i) {
    Runnable* next = queue.pop(*oracle);
    CHECK(next == &r[i % 3]);
    queue.push(*next);
  }
}

TEST_CASE("run queue: a thief takes half, urgent ones first, pinned ones never") {
  auto oracle = Oracle::live();
  RunQueue victim, thief;
  std::vector<Runnable> r(21);
  for (size_t i = 0; i < 21; ++i) {
    r[i].pinned = i % 2;
    if (i == 20) r[i].priority = Runnable::kHigh;
    victim.push(r[i]);
  }
  CHECK(victim.stealable() == 11);
  CHECK(thief.steal_from(victim) == &r[20]);
  CHECK(thief.length() == 0);
  CHECK(thief.steal_from(victim) == &r[0]);
  CHECK(thief.length() == 4);
  CHECK(victim.length() == 15);
  CHECK(victim.stealable() == 5);
  for (size_t i : {2, 4, 6, 8}) CHECK(thief.pop(*oracle) == &r[i]);
  CHECK(victim.take_movable() == &r[10]);
  while (victim.take_movable()) {
  }
  CHECK(victim.length() == 10);
  CHECK(thief.steal_from(victim) == nullptr);
  for (size_t i = 1; i < 20; i += 2) CHECK(victim.pop(*oracle) == &r[i]);
}

TEST_CASE("run queue: a thief of urgent ones takes so many, max before high, and no others") {
  auto oracle = Oracle::live();
  RunQueue victim, thief;
  std::vector<Runnable> r(8);
  for (size_t i = 0; i < 8; ++i) {
    r[i].priority = i < 2 ? Runnable::kNormal : i < 6 ? Runnable::kHigh : Runnable::kMax;
    r[i].pinned = i == 3;
    victim.push(r[i]);
  }
  CHECK(victim.urgent_count() == 6);
  CHECK(thief.steal_urgent(victim, 3) == &r[6]);
  CHECK(thief.urgent_count() == 2);
  CHECK(victim.urgent_count() == 3);
  CHECK(thief.pop(*oracle) == &r[7]);
  CHECK(thief.pop(*oracle) == &r[2]);
  CHECK(thief.steal_urgent(victim, 9) == &r[4]);
  CHECK(thief.pop(*oracle) == &r[5]);
  CHECK(thief.steal_urgent(victim, 9) == nullptr);  // one is pinned, the others are not urgent
  CHECK(victim.length() == 3);
  CHECK(victim.stealable() == 2);
}

TEST_CASE("run queue: a seeded choice repeats and reaches everything") {
  auto order = [](uint64_t seed) {
    auto oracle = Oracle::seeded(seed);
    RunQueue queue;
    std::vector<Runnable> r(40);
    for (Runnable& each : r) queue.push(each);
    std::vector<long> out;
    while (Runnable* next = queue.pop(*oracle)) out.push_back(next - r.data());
    return out;
  };
  CHECK(order(5) == order(5));
  CHECK(order(5) != order(6));
  auto out = order(7);
  CHECK(std::set<long>(out.begin(), out.end()).size() == 40);
}

TEST_CASE("run queue: owners and thieves at once lose and double nothing") {
  constexpr size_t kEach = 20000, kThreads = 3;
  RunQueue queues[kThreads];
  std::vector<Runnable> r(kEach * kThreads);
  std::vector<std::atomic<int>> seen(r.size());
  std::atomic<size_t> total{0};
  auto work = [&](size_t self) {
    auto oracle = Oracle::live();
    auto note = [&](Runnable* x) {
      seen[size_t(x - r.data())].fetch_add(1);
      total.fetch_add(1);
    };
    for (size_t i = 0; i < kEach; ++i) {
      queues[self].push(r[self * kEach + i]);
      if (i % 3 == 0) {
        if (Runnable* x = queues[self].pop(*oracle)) note(x);
      }
    }
    while (total < r.size()) {
      Runnable* x = queues[self].pop(*oracle);
      if (!x) x = queues[self].steal_from(queues[oracle->choose(kThreads)]);
      if (x) note(x);
    }
  };
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kThreads; ++i) threads.emplace_back(work, i);
  for (auto& t : threads) t.join();
  bool once = true;
  for (auto& n : seen) once &= n == 1;
  CHECK(once);
}

}  // namespace wb
