// A scheduler without threads: what runs when, what it says of the next step, and how it ends.
#include "scheduler/stepper.h"

#include <poll.h>

#include <catch2/catch.hpp>
#include <functional>
#include <thread>

#include "scheduler/scheduler.h"

namespace wb {
namespace {

struct Task : Runnable {
  std::function<After()> body;
};
struct TestHost : Host {
  After run_slice(Worker&, Runnable& r) override { return static_cast<Task&>(r).body(); }
  void worker_started(Worker&) override { ++started; }
  void worker_stopping(Worker&) override { ++stopped; }
  int started = 0, stopped = 0;
};
Scheduler::Options stepped() {
  Scheduler::Options options;
  options.stepped = true;
  return options;
}
// A time that no step needs, however long the computer lets the thread wait.
constexpr uint64_t kAmple = 60'000'000'000;
bool is_readable(int fd, int ms) {
  pollfd p{fd, POLLIN, 0};
  return poll(&p, 1, ms) == 1;
}

}  // namespace

TEST_CASE("stepper: runs on the caller's thread, until the time is up or nothing is left") {
  TestHost host;
  Scheduler s(stepped(), host);
  s.start();
  CHECK(s.worker_count() == 1);
  CHECK(s.next_step_ns() == 0);
  Task endless, brief;
  int slices = 0;
  const auto here = std::this_thread::get_id();
  bool elsewhere = false;
  endless.body = [&] {
    elsewhere |= std::this_thread::get_id() != here;
    return ++slices < 1'000'000'000 ? After::requeue : After::gone;
  };
  bool ran = false;
  brief.body = [&] { return ran = true, After::parked; };
  s.enqueue(brief);
  CHECK(s.step(kAmple));
  CHECK(ran);
  CHECK(Scheduler::current() == nullptr);
  CHECK(s.next_step_ns() == ~uint64_t{0});
  s.enqueue(endless);
  CHECK(is_readable(s.poll_descriptor(), 0));
  CHECK(s.next_step_ns() == 0);
  const uint64_t begin = s.now_ns();
  CHECK(s.step(2'000'000));
  CHECK(s.now_ns() - begin >= 2'000'000);
  while (slices < 2) CHECK(s.step(2'000'000));
  CHECK(s.next_step_ns() == 0);
  CHECK(!elsewhere);
  s.stop();
  CHECK(host.started == 1);
  CHECK(host.stopped == 1);
  CHECK(!s.step(1000));
}

TEST_CASE("stepper: a timer is the next step; a push by another thread makes it readable") {
  TestHost host;
  Scheduler s(stepped(), host);
  Task task;
  task.body = [] { return After::parked; };
  struct Due : Timer {
    bool fired = false;
  } due;
  s.step(0);
  const uint64_t deadline = s.now_ns() + 5'000'000;
  s.start_timer(due, deadline, [](Worker&, Timer& t) { static_cast<Due&>(t).fired = true; });
  s.step(0);
  while (s.next_step_ns() == 0) s.step(1000);
  CHECK(!is_readable(s.poll_descriptor(), 0));
  while (!due.fired) {  // the wheel may want to turn before, once
    REQUIRE(s.next_step_ns() != TimerWheel::kNever);
    while (s.now_ns() < s.next_step_ns()) std::this_thread::yield();
    s.step(kAmple);
  }
  CHECK(s.now_ns() >= deadline);
  std::thread([&] { s.enqueue(task); }).join();
  CHECK(is_readable(s.poll_descriptor(), 5000));
  bool retired = false;
  s.retire(&retired, [](void* r) { *static_cast<bool*>(r) = true; });
  s.step(kAmple);
  s.stop();
  CHECK(retired);
}

TEST_CASE("stepper: not by another thread, not within itself; never stepped at all") {
  TestHost host;
  {
    Scheduler never(stepped(), host);
    never.start();
  }
  CHECK(host.started == 0);
  Scheduler s(stepped(), host);
  Task task;
  bool within = true, elsewhere = true;
  task.body = [&] { return within = s.step(1000), After::parked; };
  s.enqueue(task);
  s.step(kAmple);
  CHECK(!within);
  std::thread([&] { elsewhere = s.step(1000); }).join();
  CHECK(!elsewhere);
}

}  // namespace wb
