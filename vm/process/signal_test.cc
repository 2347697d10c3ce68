// The inbox: pushed to by many threads while its owner drains and parks. No signal is lost or
// doubled, those of one sender keep their order, each parking is ended by exactly one wake-up.
#include "vm/process/signal.h"
#include "vm/process/handle_signals.h"

#include <catch2/catch.hpp>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "scheduler/scheduler.h"
#include "vm/machine/machine.h"
#include "vm/process/exec.h"
#include "vm/process/extra.h"

namespace wb {
namespace {

constexpr int kSenders = 3;
constexpr int64_t kMessages = 30'000;

/// Runs slices that only take messages off.
struct Reader final : Host {
  std::atomic<int64_t> received{0};
  std::atomic<int> out_of_order{0}, at_once{0}, inside{0};
  int64_t last[kSenders] = {};

  After run_slice(Worker& w, Runnable& r) override {
    if (inside.fetch_add(1) != 0) ++at_once;  // woken twice: it runs in two places
    auto& p = static_cast<Process&>(r);
    Exec c;
    c.p = &p;
    c.vm = p.vm_;
    c.worker = &w;
    handle_signals(c);
    for (Signal *s = p.messages, *next; s; s = next) {
      next = s->next;
      const int64_t text = small_value(s->term), sender = text / kMessages;
      if (last[sender] != text % kMessages) ++out_of_order;
      ++last[sender];
      received.fetch_add(1);
      free_signal(s);
    }
    p.messages = nullptr;
    p.messages_end = p.save = &p.messages;
    inside.fetch_sub(1);
    return park(p) ? After::parked : After::requeue;
  }
};

bool push_number(Process& p, int64_t n) {
  return push_signal(p, new_signal(SignalKind::message, make_small(n)));
}

}  // namespace

TEST_CASE("inbox: many senders, one owner that parks in between") {
  Reader reader;
  Machine vm{VmOptions{}};
  InstanceScope scope(vm.instance);
  Scheduler::Options options;
  options.workers = 2;
  vm.scheduler = std::make_unique<Scheduler>(options, reader);
  vm.scheduler->start();
  auto p = std::make_unique<Process>();
  p->vm_ = &vm;
  vm.scheduler->enqueue(*p);
  std::vector<std::thread> senders;
  for (int64_t i = 0; i < kSenders; ++i) {
    senders.emplace_back([&, i] {
      for (int64_t n = 0; n < kMessages; ++n) {
        push_number(*p, i * kMessages + n);
        if (n % 100 == 0) std::this_thread::yield();  // so that it parks now and then
      }
    });
  }
  for (std::thread& t : senders) t.join();
  // A lost wake-up leaves it parked with signals: ctest's timeout would tell.
  while (reader.received < kSenders * kMessages) std::this_thread::yield();
  vm.scheduler->stop();
  CHECK(reader.received == kSenders * kMessages);
  CHECK(reader.out_of_order == 0);
  CHECK(reader.at_once == 0);
  abandon_inbox(*p);
  CHECK_FALSE(push_number(*p, 1));
}

TEST_CASE("inbox: what is pushed while it closes is taken or refused, never both") {
  Machine vm{VmOptions{}};  // never started: its worker counts
  InstanceScope scope(vm.instance);
  for (int round = 0; round < 300; ++round) {
    auto p = std::make_unique<Process>();
    std::atomic<int> accepted{0};
    std::atomic<bool> go{false};
    std::vector<std::thread> senders;
    for (int i = 0; i < kSenders; ++i) {
      senders.emplace_back([&] {
        while (!go) std::this_thread::yield();
        while (push_number(*p, 1)) ++accepted;
      });
    }
    go = true;
    if (round % 2) std::this_thread::yield();
    // Counted by draining, then closed.
    Exec c;
    c.p = p.get();
    c.vm = &vm;
    c.worker = &vm.scheduler->worker(0);
    handle_signals(c);
    int taken = static_cast<int>(p->message_count);
    for (Signal *s = p->messages, *next; s; s = next) next = s->next, free_signal(s);
    p->messages = nullptr;
    abandon_inbox(*p);
    for (std::thread& t : senders) t.join();
    CHECK(taken <= accepted);
    CHECK_FALSE(push_number(*p, 1));
  }
}

TEST_CASE("a timeout that comes too late does not end a receive that waits for ever") {
  Machine vm{VmOptions{}};
  InstanceScope scope(vm.instance);
  Process p;
  p.vm_ = &vm;
  Exec c;
  c.p = &p;
  c.vm = &vm;
  c.worker = &vm.scheduler->worker(0);
  auto expire = [&](uint64_t number) {
    Signal* s = new_signal(SignalKind::timeout);
    s->ref = number;
    push_signal(p, s);
    handle_signals(c);
    return std::exchange(p.timed_out, false);
  };
  ReceiveTimer& timer = p.receives().timer;
  timer.number = 7;
  p.timer_set = timer.running = true;
  CHECK(!expire(6));
  CHECK(expire(7));
  CHECK(!timer.running);
  // The next receive: no timer, and the number is still the last one's.
  CHECK(!expire(7));
}

}  // namespace wb
