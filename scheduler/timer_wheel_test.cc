#include "scheduler/timer_wheel.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <thread>
#include <vector>

#include "scheduler/oracle.h"

namespace wb {
namespace {

constexpr uint64_t kMs = 1'000'000;

struct Probe : Timer {
  std::vector<Probe*>* fired = nullptr;
  uint64_t* now = nullptr;
  uint64_t fired_at = 0;
};

void record(Worker&, Timer& timer) {
  Probe& probe = static_cast<Probe&>(timer);
  probe.fired_at = *probe.now;
  probe.fired->push_back(&probe);
}

// The wheel never looks at the worker it hands through.
Worker& no_worker() {
  alignas(128) static char bytes[1];
  return *reinterpret_cast<Worker*>(bytes);
}

struct Clock {
  explicit Clock(uint64_t start) : now(start), wheel(start) {}
  void start(Probe& p, uint64_t deadline) {
    p.deadline_ns = deadline;
    p.fire = record;
    p.fired = &fired;
    p.now = &now;
    wheel.start(p);
  }
  void advance_to(uint64_t ns) {
    now = ns;
    wheel.advance(now, ~0u, no_worker());
  }
  uint64_t now;
  TimerWheel wheel;
  std::vector<Probe*> fired;
};

}  // namespace

TEST_CASE("timer wheel: rounds up to the millisecond, never early") {
  Clock clock(5 * kMs + 300'000);
  Probe a, b, c;
  clock.start(a, 6 * kMs + 300'000);  // 1 ms later: tick 7
  clock.start(b, 6 * kMs);
  clock.start(c, 1 * kMs);  // long past
  CHECK(clock.wheel.next_deadline_ns() == 0);
  clock.advance_to(5 * kMs + 400'000);
  CHECK(clock.fired == std::vector<Probe*>{&c});
  CHECK(clock.wheel.next_deadline_ns() == 6 * kMs);
  clock.advance_to(6 * kMs + 999'999);
  CHECK(clock.fired == std::vector<Probe*>{&c, &b});
  clock.advance_to(7 * kMs);
  CHECK(clock.fired.size() == 3);
  CHECK(clock.wheel.next_deadline_ns() == TimerWheel::kNever);
  CHECK(clock.wheel.empty());
}

TEST_CASE("timer wheel: random starts, cancels and turns fire each once and in order") {
  auto oracle = Oracle::seeded(7);
  for (uint64_t range : {100ull, 5000ull, 1000000ull, 1ull << 40}) {
    Clock clock(oracle->random() >> 20);
    std::vector<Probe> probes(3000);
    std::vector<Probe*> expected;
    size_t next = 0;
    while (next < probes.size() || !clock.wheel.empty()) {
      for (uint32_t n = oracle->choose(40); n && next < probes.size(); --n) {
        uint64_t wait = (oracle->random() % range) >> oracle->choose(8);
        clock.start(probes[next], clock.now + wait * kMs + oracle->choose(kMs));
        expected.push_back(&probes[next++]);
      }
      if (!expected.empty() && oracle->choose(2)) {
        size_t victim = oracle->choose(uint32_t(expected.size()));
        if (expected[victim]->fired_at == 0) {
          CHECK(clock.wheel.cancel(*expected[victim], nullptr));
          expected.erase(expected.begin() + long(victim));
        }
      }
      uint64_t deadline = clock.wheel.next_deadline_ns();
      bool jump = oracle->choose(2) || next == probes.size();
      if (jump && deadline != TimerWheel::kNever) {
        clock.advance_to(std::max(deadline, clock.now));
      } else {
        clock.advance_to(clock.now + (oracle->random() % range) * (kMs / 16));
      }
    }
    CHECK(clock.fired.size() == expected.size());
    bool never_early = true, in_order = true;
    for (size_t i = 0; i < clock.fired.size(); ++i) {
      never_early &= clock.fired[i]->fired_at >= clock.fired[i]->deadline_ns;
      in_order &= i == 0 || clock.fired[i - 1]->tick() <= clock.fired[i]->tick() ||
                  clock.fired[i - 1]->fired_at < clock.fired[i]->fired_at;
    }
    CHECK(never_early);
    CHECK(in_order);
  }
}

TEST_CASE("timer wheel: the same tick fires in the order of the starts") {
  Clock clock(0);
  std::vector<Probe> probes(200);
  std::vector<Probe*> expected;
  for (size_t i = 0; i < probes.size(); ++i) {
    clock.start(probes[i], 100'000 * kMs);
    expected.push_back(&probes[i]);
    clock.advance_to(i * 500 * kMs);
  }
  clock.advance_to(100'000 * kMs);
  CHECK(clock.fired == expected);
}

TEST_CASE("timer wheel: a budget divides the work") {
  Clock clock(0);
  std::vector<Probe> probes(1000);
  for (Probe& p : probes) clock.start(p, 70'000 * kMs);
  clock.now = 70'000 * kMs;
  uint32_t turns = 0;
  while (!clock.wheel.empty()) {
    clock.wheel.advance(clock.now, 100, no_worker());
    ++turns;
  }
  CHECK(clock.fired.size() == 1000);
  CHECK(turns > 10);
  CHECK(std::is_sorted(clock.fired.begin(), clock.fired.end()));
}

TEST_CASE("timer wheel: a million timers") {
  Clock clock(123 * kMs);
  auto oracle = Oracle::seeded(3);
  std::vector<Probe> probes(1'000'000);
  clock.fired.reserve(probes.size());
  for (Probe& p : probes) clock.start(p, clock.now + oracle->random() % (60'000 * kMs));
  for (size_t i = 0; i < probes.size(); i += 2) clock.wheel.cancel(probes[i], nullptr);
  CHECK(clock.wheel.count() == 500'000);
  for (uint64_t deadline; (deadline = clock.wheel.next_deadline_ns()) != TimerWheel::kNever;) {
    clock.advance_to(std::max(deadline, clock.now));
  }
  CHECK(clock.fired.size() == 500'000);
  bool ordered = true;
  for (size_t i = 1; i < clock.fired.size(); ++i) {
    ordered &= clock.fired[i - 1]->tick() <= clock.fired[i]->tick();
  }
  CHECK(ordered);
}

TEST_CASE("timer wheel: who looks from another thread sees what is late") {
  Clock clock(100 * kMs);
  Probe a, b;
  CHECK_FALSE(clock.wheel.late(~uint64_t{0} / 2));
  clock.start(a, 103 * kMs);
  clock.start(b, 5000 * kMs);
  CHECK_FALSE(clock.wheel.late(103 * kMs - 1));
  CHECK(clock.wheel.late(103 * kMs));
  clock.advance_to(103 * kMs);
  CHECK(clock.fired == std::vector<Probe*>{&a});
  CHECK_FALSE(clock.wheel.late(104 * kMs));
  CHECK(clock.wheel.late(5000 * kMs));
  clock.wheel.cancel(b, nullptr);
  clock.advance_to(5001 * kMs);
  CHECK_FALSE(clock.wheel.late(~uint64_t{0} / 2));
}

TEST_CASE("timer wheel: two that turn it fire each once and in order") {
  constexpr size_t kTimers = 20'000;
  struct Own : Timer {
    size_t number = 0;
    std::vector<size_t>* fired = nullptr;
  };
  TimerWheel wheel(0);
  std::vector<size_t> fired;  // who advances it may write
  std::vector<Own> timers(kTimers);
  std::atomic<uint64_t> clock{0};
  std::atomic<bool> stop{false};
  auto advance = [&] {
    while (!stop) wheel.advance(clock.load(), 3, no_worker());
  };
  std::thread one(advance), other(advance);
  for (size_t i = 0; i < kTimers; ++i) {
    timers[i].number = i;
    timers[i].fired = &fired;
    timers[i].deadline_ns = (i / 8 + 1) * kMs;
    timers[i].fire = [](Worker&, Timer& t) {
      auto& own = static_cast<Own&>(t);
      own.fired->push_back(own.number);
    };
    wheel.start(timers[i]);
    if (i % 8 == 7) clock += kMs;
  }
  while (!wheel.empty()) std::this_thread::yield();
  stop = true;
  one.join();
  other.join();
  REQUIRE(fired.size() == kTimers);
  CHECK(std::is_sorted(fired.begin(), fired.end()));
}

TEST_CASE("timer wheel: cancel from another thread waits for the callback") {
  uint64_t now = 0;
  TimerWheel wheel(now);
  struct Own : Timer {
    std::atomic<int> runs{0};
  };
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> clock{0};
  std::thread turner([&] {
    while (!stop) wheel.advance(clock += kMs, 100, no_worker());
  });
  int fired = 0, stopped = 0;
  while (clock == 0) std::this_thread::yield();  // until it advances
  for (int i = 0; i < 3000 || fired == 0; ++i) {
    auto own = std::make_unique<Own>();
    own->deadline_ns = clock + kMs * uint64_t(i % 5);
    own->fire = [](Worker&, Timer& t) { static_cast<Own&>(t).runs.fetch_add(1); };
    wheel.start(*own);
    for (int n = 0; n < i % 200; ++n) cpu_relax();
    if (i % 100 == 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
    bool won = wheel.cancel(*own, nullptr);
    if (own->runs.load() != (won ? 0 : 1)) ++stopped;
    fired += !won;
  }
  stop = true;
  turner.join();
  CHECK(stopped == 0);
  CHECK(fired > 0);
}

}  // namespace wb
