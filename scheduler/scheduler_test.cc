#include "scheduler/scheduler.h"

#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <thread>

namespace wb {
namespace {

struct Task : Runnable {
  std::function<After(Worker&, Task&)> body;
  uint64_t slices = 0;
};

struct TestHost : Host {
  After run_slice(Worker& w, Runnable& r) override {
    Task& task = static_cast<Task&>(r);
    ++task.slices;
    return task.body(w, task);
  }
  void worker_started(Worker&) override { ++started; }
  void worker_stopping(Worker&) override { ++stopped; }
  std::atomic<int> started{0}, stopped{0};
};

Scheduler::Options workers(uint32_t n) {
  Scheduler::Options options;
  options.workers = n;
  return options;
}

template <class Condition>
bool eventually(Condition condition, int ms = 30'000) {
  for (int i = 0; i < ms * 10 && !condition(); ++i) usleep(100);
  return condition();
}

// For what the system's own scheduling may spoil: true if one of several attempts is.
template <class Attempt>
bool once_of(int attempts, Attempt attempt) {
  while (attempts-- > 0) {
    if (attempt()) return true;
  }
  return false;
}

uint64_t cpu_us() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  auto us = [](timeval t) { return uint64_t(t.tv_sec) * 1'000'000 + uint64_t(t.tv_usec); };
  return us(usage.ru_utime) + us(usage.ru_stime);
}

// A task that parks and is woken by messages: the state word decides who wakes it.
struct Actor : Task {
  enum : int { waiting, ready };
  std::atomic<int> state{waiting};
  std::atomic<int> mail{0};

  void send(Scheduler& s) {
    mail.fetch_add(1);
    int expected = waiting;
    if (state.compare_exchange_strong(expected, ready)) s.enqueue(*this);
  }
  After park() {
    state.store(waiting);
    int expected = waiting;
    if (mail.load() && state.compare_exchange_strong(expected, ready)) return After::requeue;
    return After::parked;
  }
};

void ping_pong(uint32_t n_workers, int pairs, int rounds) {
  TestHost host;
  std::vector<Actor> actors(size_t(pairs) * 2);
  std::atomic<int> done{0};
  Scheduler s(workers(n_workers), host);
  for (size_t i = 0; i < actors.size(); ++i) {
    Actor* other = &actors[i ^ 1];
    auto left = std::make_shared<int>(rounds);
    actors[i].body = [&s, &done, other, left](Worker&, Task& t) {
      Actor& self = static_cast<Actor&>(t);
      int got = self.mail.exchange(0);
      for (; got; --got) {
        if (--*left == 0) ++done;
        if (*left >= 0) other->send(s);
      }
      return self.park();
    };
  }
  s.start();
  for (size_t i = 0; i < actors.size(); i += 2) actors[i].send(s);
  CHECK(eventually([&] { return done == pairs * 2; }));
  s.stop();
  CHECK(host.started == int(n_workers));
  CHECK(host.stopped == int(n_workers));
}

}  // namespace

TEST_CASE("scheduler: ping-pong loses no wake-up") {
  ping_pong(1, 1, 20000);
  ping_pong(2, 1, 20000);
  ping_pong(4, 16, 2000);
}

TEST_CASE("scheduler: a push from outside always reaches a worker, however sleepy") {
  for (uint32_t n : {1u, 2u, 4u}) {
    TestHost host;
    Scheduler s(workers(n), host);
    s.start();
    std::atomic<int> ran{0};
    Task task;
    task.body = [&](Worker&, Task&) {
      ++ran;
      return After::parked;
    };
    bool lost = false;
    for (int i = 0; i < 2000 && !lost; ++i) {
      task.home = uint16_t(i % n);
      task.pinned = i % 2;
      s.enqueue(task);
      for (uint64_t spins = 0; ran <= i && !lost; ++spins) {
        cpu_relax();
        if (spins > 2000) sched_yield();
        lost = spins > 20'000'000;
      }
      for (int pause = i * 7 % 400; pause; --pause) cpu_relax();
    }
    CHECK_FALSE(lost);
    s.stop();
  }
}

TEST_CASE("scheduler: who wants to know is told where workers fall asleep, and may wake them") {
  struct : TestHost {
    void falls_asleep(Worker& w) override {
      ++notified[w.index()];
      if (next && w.index() == 0) w.scheduler().enqueue(*std::exchange(next, nullptr));
    }
    std::atomic<int> notified[2] = {};
    Runnable* next = nullptr;  ///< worker 0's
  } host;
  Scheduler s(workers(2), host);
  std::atomic<int> ran{0};
  Task task, second;
  task.body = second.body = [&](Worker&, Task&) {
    ++ran;
    return After::parked;
  };
  task.pinned = 1, task.home = 0;
  auto all_asleep = [&] { return s.worker(0).asleep() && s.worker(1).asleep(); };
  s.start();
  CHECK(eventually(all_asleep));
  s.enqueue(task);
  CHECK(eventually([&] { return ran == 1 && all_asleep(); }));
  CHECK(host.notified[0] + host.notified[1] == 0);
  // What it makes runnable there runs at once; then it falls asleep again.
  host.next = &second;
  s.notify_of_sleep(true);
  s.enqueue(task);
  CHECK(eventually([&] { return ran == 3 && host.notified[0] >= 2 && all_asleep(); }));
  s.stop();
}

TEST_CASE(
    "scheduler: a worker that has run something, and then nothing for a second, says so once") {
  struct : TestHost {
    void has_been_idle(Worker& w) override { ++idle[w.index()]; }
    std::atomic<int> idle[2] = {};
  } host;
  Scheduler s(workers(2), host);
  Task task;
  task.body = [](Worker&, Task&) { return After::parked; };
  task.pinned = 1, task.home = 0;
  s.start();
  for (int times = 1; times <= 2; ++times) {
    s.enqueue(task);
    CHECK(eventually([&] { return host.idle[0] == times; }));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(1'200));
  CHECK(host.idle[0] == 2);
  CHECK(host.idle[1] == 0);
  s.stop();
}

TEST_CASE("scheduler: the first worker that wakes up says so to who waits for it, once") {
  TestHost host;
  Scheduler s(workers(2), host);
  const int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  auto written = [fd, all = uint64_t{0}]() mutable {  // so far
    uint64_t n;
    return read(fd, &n, sizeof n) == sizeof n ? all += n : all;
  };
  std::atomic<int> ran{0};
  std::atomic<bool> held{false};
  Task task;
  task.body = [&](Worker&, Task&) {
    ++ran;
    while (held) sched_yield();
    return After::parked;
  };
  s.start();
  for (int times = 1; times <= 300; ++times) {
    CHECK(eventually([&] { return s.await_waking(fd); }));
    CHECK(written() == uint64_t(times - 1));
    s.enqueue(task);
    CHECK(eventually([&] { return ran == times && written() == uint64_t(times); }));
  }
  // Somebody is awake.
  held = true;
  s.enqueue(task);
  CHECK(eventually([&] { return ran == 301; }));
  CHECK_FALSE(s.await_waking(fd));
  held = false;
  // Nobody waits any more.
  CHECK(eventually([&] { return s.await_waking(fd); }));
  s.stop_awaiting_waking();
  s.enqueue(task);
  CHECK(eventually([&] { return ran == 302 && s.worker(0).asleep() && s.worker(1).asleep(); }));
  CHECK(written() == 300);
  s.stop();
  close(fd);
}

TEST_CASE("scheduler: what stands in no queue when it is boosted is urgent in the next one, once") {
  TestHost host;
  Scheduler s(workers(2), host);
  Task task, other;
  s.boost(task, Runnable::kMax);
  RunQueue queue;
  queue.push(other);
  queue.push(task);
  CHECK(task.effective_priority() == Runnable::kMax);
  CHECK(queue.pop(s.oracle()) == &task);
  queue.push(task);
  CHECK(task.effective_priority() == Runnable::kNormal);
  CHECK(queue.pop(s.oracle()) == &other);
  CHECK(queue.pop(s.oracle()) == &task);
}

TEST_CASE("scheduler: work spreads by stealing, pinned work stays") {
  TestHost host;
  Scheduler s(workers(4), host);
  constexpr int kTasks = 64;
  std::vector<Task> tasks(kTasks);
  std::atomic<int> done{0}, strayed{0};
  for (int i = 0; i < kTasks; ++i) {
    tasks[size_t(i)].pinned = i % 4 == 0;
    tasks[size_t(i)].home = uint16_t(i % 4 == 0 ? i / 4 % 4 : 0);
    tasks[size_t(i)].body = [&, i](Worker& w, Task& t) {
      usleep(50);
      if (t.pinned && w.index() != uint32_t(i) / 4 % 4) ++strayed;
      if (t.slices < 20) return After::requeue;
      ++done;
      return After::gone;
    };
  }
  s.start();
  for (Task& t : tasks) s.enqueue(t);
  CHECK(eventually([&] { return done == kTasks; }));
  CHECK(strayed == 0);
  uint64_t slices = 0;
  for (uint32_t i = 0; i < 4; ++i) {
    slices += s.worker(i).counters.slices.value();
    CHECK(s.worker(i).counters.slices.value() > 0);
  }
  CHECK(slices == kTasks * 20);
  s.stop();
}

TEST_CASE("scheduler: offline workers give their work away, dedicated ones take one each") {
  TestHost host;
  Scheduler::Options options = workers(3);
  options.dedicated = 1;
  Scheduler s(options, host);
  std::vector<Task> tasks(30);
  std::atomic<bool> stop{false};
  std::atomic<int> gone{0};
  std::atomic<uint32_t> highest{0};
  for (Task& t : tasks) {
    t.body = [&](Worker& w, Task&) {
      if (w.index() > highest) highest = w.index();
      usleep(20);
      if (stop) ++gone;
      return stop ? After::gone : After::requeue;
    };
    s.enqueue(t);
  }
  s.start();
  CHECK(eventually([&] { return highest == 2; }));
  s.set_online(1);
  CHECK(eventually([&] { return s.worker(1).asleep() && s.worker(2).asleep(); }));
  highest = 0;
  usleep(5000);
  CHECK(highest == 0);
  s.set_online(99);
  CHECK(s.online() == 3);
  CHECK(eventually([&] { return highest == 2; }));
  Task own, second;
  std::atomic<int> own_slices{0}, elsewhere{0};
  own.body = [&](Worker& w, Task& t) {
    if (t.slices > 1 && w.index() != 3) ++elsewhere;
    if (t.slices == 1) CHECK(s.dedicate(t));
    ++own_slices;
    if (t.slices == 100) s.undedicate(t);
    return t.slices < 100 ? After::requeue : After::gone;
  };
  CHECK(s.dedicate(second));
  CHECK_FALSE(s.dedicate(own));
  s.undedicate(second);
  s.enqueue(own);
  CHECK(eventually([&] { return own_slices == 100; }));
  CHECK(elsewhere == 0);
  CHECK(eventually([&] { return s.worker(3).counters.slices.value() == 99; }));
  stop = true;
  CHECK(eventually([&] { return gone == 30; }));
  s.stop();
  CHECK(host.stopped == 4);
}

TEST_CASE("scheduler: max and high starve the rest, a low one gets an eighth") {
  TestHost host;
  Scheduler s(workers(1), host);
  std::vector<Task> tasks(5);
  std::string order;
  std::atomic<bool> done{false};
  const char names[] = "nlLhm";
  const uint8_t priorities[] = {1, 0, 0, 2, 3};
  for (size_t i = 0; i < 5; ++i) {
    tasks[i].priority = priorities[i];
    tasks[i].body = [&, i](Worker&, Task& t) {
      if (order.size() < 1020) order += names[i];
      if (i >= 3) return t.slices < 10 ? After::requeue : After::gone;
      if (order.size() == 1020) done = true;
      return order.size() < 1020 ? After::requeue : After::gone;
    };
  }
  for (Task& t : tasks) s.enqueue(t);
  s.start();
  CHECK(eventually([&] { return done.load(); }));
  s.stop();
  CHECK(order.substr(0, 20) == "mmmmmmmmmmhhhhhhhhhh");
  CHECK(std::count(order.begin(), order.end(), 'n') == 800);
  CHECK(std::count(order.begin(), order.end(), 'l') == 100);
  CHECK(std::count(order.begin(), order.end(), 'L') == 100);
}

TEST_CASE("scheduler: high ones of one worker come before normal ones of another") {
  TestHost host;
  Scheduler s(workers(2), host);
  std::vector<Task> tasks(6);
  std::atomic<bool> stop{false};
  std::atomic<int> gone{0}, normal{0}, high{0};
  for (size_t i = 0; i < 6; ++i) {
    tasks[i].priority = i % 3 == 0 ? Runnable::kHigh : Runnable::kNormal;
    tasks[i].body = [&](Worker& w, Task& t) {
      w.label = t.slices;  // slices in a row of one label are one record
      for (int n = 0; n < 100; ++n) cpu_relax();
      (t.priority == Runnable::kHigh ? high : normal).fetch_add(1, std::memory_order_relaxed);
      if (stop) ++gone;
      return stop ? After::gone : After::requeue;
    };
    s.enqueue(tasks[i]);  // all to worker 0
  }
  s.start();
  CHECK(eventually([&] { return high > 1000; }));
  normal = high = 0;
  CHECK(eventually([&] { return high > 5000; }));
  CHECK(normal < 500);
  stop = true;
  CHECK(eventually([&] { return gone == 6; }));
  auto events = s.worker(0).events.snapshot();
  CHECK(events.size() > 10);
  CHECK(events.back().ticks >= events.front().ticks);
  CHECK(s.event_clock().to_ns(events.back().ticks) <= s.now_ns() + 1'000'000);
  CHECK(s.worker(0).active_ns() > 0);
  s.stop();
}

TEST_CASE("scheduler: slices that take turns are records of their own, those in a row are one") {
  TestHost host;
  Scheduler s(workers(1), host);
  std::vector<Task> tasks(2);
  std::atomic<int> gone{0};
  for (Task& task : tasks) {
    task.body = [&](Worker& w, Task& t) {
      w.label = uint64_t(&t - tasks.data());
      if (t.slices < (&t == &tasks[0] ? 20 : 40)) return After::requeue;
      ++gone;
      return After::gone;
    };
    s.enqueue(task);
  }
  s.start();
  CHECK(eventually([&] { return gone == 2; }));
  s.stop();
  std::string order;
  for (const Event& e : s.worker(0).events.snapshot()) {
    if (e.kind == EventKind::requeued) order += e.argument ? 'b' : 'a';
    if (e.kind == EventKind::gone) order += e.argument ? 'B' : 'A';
  }
  std::string turns;
  for (int i = 0; i < 19; ++i) turns += "ab";
  CHECK(order == turns + "AbB");
}

TEST_CASE("scheduler: the few that one wakes run in its order, also while others look for work") {
  TestHost host;
  Scheduler s(workers(2), host);
  constexpr int kWoken = 5, kRounds = 3000;
  std::vector<Task> woken(kWoken);
  Task driver;
  std::atomic<int> ran{0}, disorder{0}, strayed{0}, rounds{0};
  std::atomic<uint32_t> at{0};
  for (int i = 0; i < kWoken; ++i) {
    woken[size_t(i)].body = [&, i](Worker& w, Task&) {
      w.reductions_used = 10;
      for (int n = 0; n < 100; ++n) cpu_relax();
      disorder += ran.exchange(i + 1) != i;
      strayed += w.index() != at;
      return After::parked;
    };
  }
  driver.body = [&](Worker& w, Task&) {
    w.reductions_used = 10;
    disorder += rounds != 0 && ran != kWoken;
    if (rounds++ == kRounds) return After::gone;
    ran = 0;
    at = w.index();
    for (Task& t : woken) s.enqueue(t);
    return After::requeue;
  };
  s.start();
  s.enqueue(driver);
  while (rounds <= kRounds) {
    s.retire(nullptr, [](void*) {});  // wakes a sleeper, who looks around
    usleep(20);
  }
  s.stop();
  CHECK(disorder == 0);
  CHECK(strayed == 0);
}

bool three_share_two_workers() {
  TestHost host;
  Scheduler s(workers(2), host);
  std::vector<Task> tasks(3);
  std::atomic<bool> done{false};
  std::atomic<uint64_t> shares[3] = {};
  for (size_t i = 0; i < 3; ++i) {
    tasks[i].body = [&, i](Worker&, Task&) {
      for (int n = 0; n < 200; ++n) cpu_relax();
      shares[i].fetch_add(1, std::memory_order_relaxed);
      return done ? After::gone : After::requeue;
    };
    s.enqueue(tasks[i]);
  }
  s.start();
  usleep(200'000);
  done = true;
  CHECK(eventually([&] { return s.worker(0).asleep() && s.worker(1).asleep(); }));
  s.stop();
  uint64_t all = shares[0] + shares[1] + shares[2];
  UNSCOPED_INFO("shares " << shares[0] << ", " << shares[1] << ", " << shares[2]);
  return std::ranges::all_of(shares, [&](auto& share) { return share > all / 8; });
}

TEST_CASE("scheduler: three busy runnables share two workers") {
  CHECK(once_of(5, three_share_two_workers));
}

bool many_urgent_share_two_workers() {
  TestHost host;
  Scheduler s(workers(2), host);
  constexpr size_t kUrgent = 40, kAll = 140;
  std::vector<Task> tasks(kAll);
  std::atomic<bool> done{false}, counts{false};
  std::atomic<uint64_t> slices[kAll] = {};
  for (size_t i = 0; i < kAll; ++i) {
    if (i < kUrgent) tasks[i].priority = Runnable::kHigh;
    tasks[i].body = [&, i](Worker&, Task&) {
      for (int n = 0; n < 200; ++n) cpu_relax();
      if (counts) slices[i].fetch_add(1, std::memory_order_relaxed);
      return done ? After::gone : After::requeue;
    };
    s.enqueue(tasks[i]);
  }
  s.start();
  usleep(100'000);
  counts = true;
  usleep(300'000);
  counts = false;
  done = true;
  CHECK(eventually([&] { return s.worker(0).asleep() && s.worker(1).asleep(); }));
  s.stop();
  uint64_t least = UINT64_MAX, urgent = 0, others = 0;
  for (size_t i = 0; i < kAll; ++i) {
    if (i < kUrgent) least = std::min(least, slices[i].load());
    (i < kUrgent ? urgent : others) += slices[i];
  }
  CHECK(others == 0);
  UNSCOPED_INFO("least " << least << " of " << urgent);
  return least > urgent / kUrgent / 3;
}

TEST_CASE("scheduler: many urgent runnables share two workers, and leave none to others") {
  CHECK(once_of(5, many_urgent_share_two_workers));
}

TEST_CASE("scheduler: timers fire in order, never early, and also beside busy runnables") {
  TestHost host;
  Scheduler s(workers(2), host);
  struct T : Timer {
    Scheduler* s;
    std::vector<int>* fired;
    int number;
    std::atomic<int>* early;
  };
  std::vector<int> fired;
  std::atomic<int> early{0};
  std::vector<T> timers(50);
  std::atomic<bool> stop{false};
  Task busy[2];
  for (Task& t : busy) {
    t.body = [&](Worker&, Task&) { return stop ? After::gone : After::requeue; };
    s.enqueue(t);
  }
  uint64_t now = s.now_ns();
  for (int i = 49; i >= 0; --i) {
    T& t = timers[size_t(i)];
    t.s = &s, t.fired = &fired, t.number = i, t.early = &early;
    s.start_timer(t, now + uint64_t(i) * 2'000'000, [](Worker& w, Timer& timer) {
      T& self = static_cast<T&>(timer);
      if (self.s->now_ns() < self.deadline_ns) ++*self.early;
      self.fired->push_back(self.number);
    });
  }
  CHECK(s.cancel_timer(timers[7]));
  CHECK_FALSE(s.cancel_timer(timers[7]));
  CHECK(s.worker(0).timer_count() == 49);
  s.start();
  CHECK(eventually([&] { return s.worker(0).timer_count() == 0; }));
  stop = true;
  s.stop();
  CHECK(early == 0);
  CHECK(fired.size() == 49);
  CHECK(std::is_sorted(fired.begin(), fired.end()));
}

TEST_CASE("scheduler: timers of a worker that is in a long slice fire on another") {
  TestHost host;
  Scheduler s(workers(2), host);
  struct Alarm : Timer {
    std::atomic<const Worker*> fired_on{nullptr};
  } alarm;
  std::atomic<const Worker*> stuck_on{nullptr};
  std::atomic<bool> over{false};
  Task busy, stuck;
  busy.body = [&](Worker& w, Task&) {  // fills whichever worker is not stuck
    w.reductions_used = 4000;
    return over ? After::gone : After::requeue;
  };
  stuck.body = [&](Worker& w, Task&) {
    stuck_on = &w;
    s.start_timer(alarm, s.now_ns() + 1'000'000,
                  [](Worker& w, Timer& t) { static_cast<Alarm&>(t).fired_on = &w; });
    eventually([&] { return alarm.fired_on.load() != nullptr; });
    over = true;
    return After::gone;
  };
  s.start();
  s.enqueue(busy);
  auto runs = [&] {
    return s.worker(0).counters.slices.value() + s.worker(1).counters.slices.value();
  };
  CHECK(eventually([&] { return runs() > 0 && (s.worker(0).asleep() || s.worker(1).asleep()); }));
  s.enqueue(stuck);
  CHECK(eventually([&] { return over.load(); }));
  s.stop();
  REQUIRE(alarm.fired_on.load() != nullptr);
  CHECK(alarm.fired_on.load() != stuck_on.load());
}

TEST_CASE("scheduler: a sleeping VM wakes for a timer started from outside and uses no time") {
  TestHost host;
  Scheduler s(workers(4), host);
  s.start();
  auto all_asleep = [&] {
    for (uint32_t i = 0; i < 4; ++i) {
      if (!s.worker(i).asleep()) return false;
    }
    return true;
  };
  CHECK(eventually(all_asleep));
  static std::atomic<int> fired;
  fired = 0;
  Timer timer;
  uint64_t begin = s.now_ns();
  s.start_timer(timer, begin + 30'000'000, [](Worker&, Timer&) { ++fired; });
  CHECK(eventually([&] { return fired == 1; }));
  CHECK(s.now_ns() - begin >= 30'000'000);
  CHECK(eventually(all_asleep));
  CHECK(once_of(5, [] {
    uint64_t used = cpu_us();
    usleep(200'000);
    return cpu_us() - used < 4000;  // 2 %, with the test's own sleeping
  }));
  s.stop();
}

TEST_CASE("scheduler: descriptors wake a sleeping VM, once an arming") {
  TestHost host;
  Scheduler s(workers(2), host);
  s.start();
  int ends[2];
  CHECK(pipe(ends) == 0);
  struct W : FdWatch {
    std::atomic<int> reports{0};
  } watch;
  watch.fd = ends[0];
  watch.ready = [](Worker&, FdWatch& w, uint32_t) { ++static_cast<W&>(w).reports; };
  CHECK(s.watch_fd(watch, EPOLLIN) == 0);
  CHECK(write(ends[1], "ab", 2) == 2);
  CHECK(eventually([&] { return watch.reports == 1; }));
  usleep(5000);
  CHECK(watch.reports == 1);
  CHECK(s.watch_fd(watch, EPOLLIN) == 0);
  CHECK(eventually([&] { return watch.reports == 2; }));
  CHECK(s.watch_fd(watch, EPOLLIN) == 0);
  s.unwatch_fd(watch);
  close(ends[0]);
  close(ends[1]);
  FdWatch bad;
  bad.fd = ends[0];
  CHECK(s.watch_fd(bad, EPOLLIN) == EBADF);
  s.stop();
}

TEST_CASE("scheduler: two that talk through a socket do not wake another worker for each line") {
  struct Talker : Actor, FdWatch {};
  auto wakes_in_talk = [](int most, uint64_t turn_ns) {
    TestHost host;
    Scheduler s(workers(2), host);
    int ends[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0);
    Talker talkers[2];
    std::atomic<int> lines{0}, lost{0};
    for (int i = 0; i < 2; ++i) {
      Talker& t = talkers[i];
      t.fd = ends[i];
      t.FdWatch::ready = [](Worker& w, FdWatch& own, uint32_t) {
        static_cast<Talker&>(own).send(w.scheduler());
      };
      t.body = [&s, &lines, &lost, turn_ns](Worker& w, Task& task) {
        Talker& self = static_cast<Talker&>(task);
        self.mail = 0;
        char line[8];
        [[maybe_unused]] ssize_t got = read(self.fd, line, sizeof line);
        ++lines;
        const uint64_t until = s.now_ns() + turn_ns;
        while (s.now_ns() < until) cpu_relax();
        w.reductions_used = 4000;  // a block is decrypted, and counts as a slice
        s.watch_fd(self, EPOLLIN);
        lost += write(self.fd, "x", 1) != 1;
        return self.park();
      };
    }
    s.start();
    s.watch_fd(talkers[1], EPOLLIN);
    talkers[0].send(s);
    CHECK(eventually([&] { return lines >= most; }));
    CHECK(lost == 0);
    const uint64_t wakes = s.worker(0).counters.wakes.value() + s.worker(1).counters.wakes.value();
    s.stop();
    for (Talker& t : talkers) s.unwatch_fd(t);
    for (int end : ends) close(end);
    return wakes;
  };
  CHECK(once_of(5, [&] { return wakes_in_talk(4000, 20'000) < 400; }));
  CHECK(once_of(5, [&] { return wakes_in_talk(500, 600'000) < 100; }));
}

TEST_CASE("scheduler: another worker watches the descriptors while slices are long") {
  struct Report : FdWatch {
    std::atomic<uint64_t> at{0};
  };
  auto late_reports = [] {
    TestHost host;
    Scheduler s(workers(2), host);
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    Report report;
    report.fd = ends[0];
    report.ready = [](Worker& w, FdWatch& own, uint32_t) {
      static_cast<Report&>(own).at = w.scheduler().now_ns();
    };
    std::atomic<int> slices{0};
    std::atomic<bool> enough{false};
    Task busy;
    busy.body = [&](Worker& w, Task&) {
      ++slices;
      const uint64_t until = s.now_ns() + 20'000'000;
      while (s.now_ns() < until) cpu_relax();
      w.reductions_used = 4000;
      return enough ? After::parked : After::requeue;
    };
    s.start();
    s.enqueue(busy);
    int late = 0;
    for (int round = 1; round <= 20; ++round) {
      eventually([&] { return slices > round; });
      s.watch_fd(report, EPOLLIN);
      const uint64_t written_at = s.now_ns();
      char byte = 'x';
      const bool wrote = write(ends[1], &byte, 1) == 1;
      const bool reported = eventually([&] { return report.at >= written_at; }, 1000);
      late += !wrote || !reported || report.at - written_at > 5'000'000;
      if (read(ends[0], &byte, 1) != 1) ++late;
    }
    enough = true;
    s.stop();
    s.unwatch_fd(report);
    for (int end : ends) close(end);
    return late;
  };
  CHECK(once_of(5, [&] { return late_reports() <= 3; }));
}

TEST_CASE("scheduler: dirty jobs run beside the workers and report back") {
  TestHost host;
  Scheduler s(workers(1), host);
  struct Job : DirtyJob {
    Scheduler* s;
    Task* task;
  };
  std::atomic<int> resumed{0};
  std::vector<Task> tasks(20);
  std::vector<Job> jobs(20);
  for (size_t i = 0; i < 20; ++i) {
    jobs[i].s = &s, jobs[i].task = &tasks[i];
    jobs[i].run = [](DirtyJob&) { usleep(2000); };
    jobs[i].done = [](DirtyJob& j) { static_cast<Job&>(j).s->enqueue(*static_cast<Job&>(j).task); };
    tasks[i].body = [&, i](Worker&, Task& t) {
      if (t.slices == 1) {
        s.submit_dirty(i % 2 ? DirtyKind::cpu : DirtyKind::io, jobs[i]);
        return After::parked;
      }
      ++resumed;
      return After::gone;
    };
    s.enqueue(tasks[i]);
  }
  s.start();
  CHECK(eventually([&] { return resumed == 20; }));
  CHECK(s.dirty(DirtyKind::cpu).threads() == 1);
  CHECK(s.dirty(DirtyKind::io).threads() > 1);
  s.stop();
}

TEST_CASE("scheduler: retired memory is freed, also when everybody sleeps") {
  TestHost host;
  Scheduler s(workers(3), host);
  static std::atomic<int> freed;
  freed = 0;
  auto count = [](void*) { ++freed; };
  s.start();
  Task task;
  task.body = [&](Worker&, Task&) {
    for (int i = 0; i < 100; ++i) s.retire(nullptr, count);
    return After::parked;
  };
  s.enqueue(task);
  CHECK(eventually([&] { return freed == 100; }));
  s.when_all_passed(nullptr, count);
  CHECK(eventually([&] { return freed == 101; }));
  {
    ReaderGuard guard(s.progress());
    s.when_all_passed(nullptr, count);
    usleep(2000);
    CHECK(freed == 101);
  }
  CHECK(eventually([&] { return freed == 102; }));
  s.stop();
}

TEST_CASE("scheduler: starts and stops at any moment") {
  for (int i = 0; i < 60; ++i) {
    TestHost host;
    std::vector<Task> tasks(10);
    Scheduler s(workers(uint32_t(i % 4) + 1), host);
    for (Task& t : tasks) {
      t.body = [](Worker&, Task&) { return After::requeue; };
      s.enqueue(t);
    }
    s.start();
    if (i % 3 == 0) usleep(useconds_t(i * 10));
    s.stop();
    if (i % 5 == 0) {
      s.start();
      s.stop();
    }
  }
  TestHost host;
  Scheduler s(workers(2), host);
  Task last;
  last.body = [](Worker& w, Task&) {
    w.scheduler().request_stop();
    return After::gone;
  };
  s.enqueue(last);
  s.run();
  CHECK(host.stopped == 2);
}

namespace {

struct ListeningHost : TestHost {
  void noted(Worker&, EventKind kind, uint64_t) override {
    hash = (hash ^ uint64_t(kind)) * 0x100000001b3u;
    ends += kind == EventKind::gone;
  }
  uint64_t hash = 0, ends = 0;
};

// Sleepers, talkers and low ones; the order of everything as a number.
uint64_t simulate(uint64_t seed) {
  auto oracle = Oracle::seeded(seed);
  ListeningHost host;
  Scheduler::Options options;
  options.oracle = oracle.get();
  Scheduler s(options, host);
  struct Alarm : Timer {
    Task* task;
  };
  std::vector<Task> tasks(20);
  std::vector<Alarm> alarms(20);
  uint64_t hash = 0;
  int left = 20;
  for (size_t i = 0; i < tasks.size(); ++i) {
    tasks[i].priority = i % 5 == 0 ? 0 : 1;
    tasks[i].body = [&, i](Worker& w, Task& t) {
      hash = (hash ^ i ^ (uint64_t(w.slice_reductions) << 8) ^ s.now_ns()) * 0x100000001b3u;
      if (t.slices == 50) {
        if (--left == 0) s.request_stop();
        return After::gone;
      }
      if (t.slices % 7 == 0) {
        alarms[i].task = &t;
        s.start_timer(alarms[i], s.now_ns() + 3'600'000'000'000, [](Worker& w, Timer& timer) {
          w.scheduler().enqueue(*static_cast<Alarm&>(timer).task);
        });
        return After::parked;
      }
      return After::requeue;
    };
    s.enqueue(tasks[i]);
  }
  s.run();
  CHECK(s.now_ns() > uint64_t(7 * 3600) * 1'000'000'000);
  CHECK(host.ends == tasks.size());
  return hash ^ host.hash;
}

}  // namespace

TEST_CASE("scheduler: a seeded run repeats exactly, sleeps cost nothing, seeds differ") {
  uint64_t one = simulate(1);
  CHECK(one == simulate(1));
  CHECK(one != simulate(2));
  CHECK(simulate(2) == simulate(2));
}

}  // namespace wb
