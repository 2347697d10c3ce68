#include "scheduler/guide.h"

#include <catch2/catch.hpp>
#include <functional>
#include <vector>

#include "scheduler/scheduler.h"

namespace wb {
namespace {

struct Task : Runnable {
  std::function<After(Worker&, Task&)> body;
  int number = 0;
};
struct TaskHost : Host {
  After run_slice(Worker& w, Runnable& r) override {
    Task& task = static_cast<Task&>(r);
    return task.body(w, task);
  }
};

/// The last in the queue runs; the clock moves first when it is told to.
struct LastFirst : Guide {
  explicit LastFirst(Oracle& o) : oracle(o) {}
  bool chooses() const override { return true; }
  void next_timer(uint64_t deadline_ns) override { deadline = deadline_ns; }
  Runnable* next(std::span<Runnable* const> waiting) override {
    if (moves_clock && deadline != TimerWheel::kNever) {
      moves_clock = false;
      oracle.idle_until(deadline);
      return nullptr;
    }
    return waiting.back();
  }
  int32_t slice_reductions(int32_t) override { return 17; }
  bool stuck(Worker& w) override {
    w.scheduler().request_stop();
    return was_stuck = true;
  }
  Oracle& oracle;
  uint64_t deadline = TimerWheel::kNever;
  bool moves_clock = false, was_stuck = false;
};

struct Guided {
  std::unique_ptr<Oracle> oracle = Oracle::seeded(1);
  LastFirst guide{*oracle};
  TaskHost host;
  Scheduler::Options options;
  std::unique_ptr<Scheduler> scheduler;
  Guided() {
    oracle->follow(&guide);
    options.oracle = oracle.get();
    scheduler = std::make_unique<Scheduler>(options, host);
  }
};

}  // namespace

TEST_CASE("guide: it chooses who runs and for how long, and learns when nobody ever will again") {
  Guided g;
  std::vector<int> order;
  std::vector<Task> tasks(4);
  for (int k = 0; k < 4; ++k) {
    tasks[size_t(k)].number = k;
    tasks[size_t(k)].body = [&](Worker& w, Task& t) {
      CHECK(w.slice_reductions == 17);
      order.push_back(t.number);
      return After::gone;
    };
  }
  tasks[1].priority = Runnable::kHigh;  // the urgent ones are the first of those who wait
  for (Task& t : tasks) g.scheduler->enqueue(t);
  g.scheduler->run();
  CHECK(order == std::vector<int>{3, 2, 0, 1});
  CHECK(g.guide.was_stuck);
}

TEST_CASE("guide: the clock can move before those who can run") {
  Guided g;
  std::vector<int> order;
  Task task;
  struct Alarm : Timer {
    std::vector<int>* order;
  } alarm;
  alarm.order = &order;
  task.body = [&](Worker&, Task&) {
    order.push_back(1);
    if (order.size() > 2) return After::gone;
    if (order.size() == 1) {
      g.scheduler->start_timer(alarm, g.scheduler->now_ns() + 2'000'000, [](Worker&, Timer& t) {
        static_cast<Alarm&>(t).order->push_back(2);
      });
      g.guide.moves_clock = true;
    }
    return After::requeue;
  };
  const uint64_t begin = g.scheduler->now_ns();
  g.scheduler->enqueue(task);
  g.scheduler->run();
  CHECK(order == std::vector<int>{1, 2, 1});
  CHECK(g.scheduler->now_ns() - begin >= 2'000'000);
}

TEST_CASE("guide: a timer that is set is something that can still happen") {
  Guided g;
  bool stuck_before = true;
  struct Own : Timer {
    Guided* g;
    bool* stuck_before;
  } own;
  own.g = &g, own.stuck_before = &stuck_before;
  Task task;
  task.body = [&](Worker&, Task&) {
    g.scheduler->start_timer(own, g.scheduler->now_ns() + 1'000'000, [](Worker&, Timer& t) {
      *static_cast<Own&>(t).stuck_before = static_cast<Own&>(t).g->guide.was_stuck;
    });
    return After::gone;
  };
  g.scheduler->enqueue(task);
  g.scheduler->run();
  CHECK(!stuck_before);
  CHECK(g.guide.was_stuck);
}

}  // namespace wb
