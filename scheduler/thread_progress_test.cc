#include "scheduler/thread_progress.h"

#include <catch2/catch.hpp>
#include <thread>

namespace wb {
namespace {

void set(void* flag) { *static_cast<bool*>(flag) = true; }

struct Node {
  std::atomic<uint64_t> alive{0x600d};
};

void mark_freed(void* object) {
  static_cast<Node*>(object)->alive = 0xdead;
  delete static_cast<Node*>(object);
}

}  // namespace

TEST_CASE("thread progress: waits for every online worker, not for offline ones") {
  ThreadProgress progress(3);
  bool passed = false;
  progress.online(0);
  progress.online(1);
  progress.when_all_passed(&passed, set, 0);
  progress.reclaim();
  CHECK_FALSE(passed);
  progress.quiescent(0);
  progress.reclaim();
  CHECK_FALSE(passed);
  progress.online(2);  // came later: cannot hold it
  progress.offline(1);
  progress.reclaim();
  CHECK(passed);
  CHECK_FALSE(progress.pending());
}

TEST_CASE("thread progress: a batch waits in its buffer until it is full or flushed") {
  ThreadProgress progress(1);
  bool freed = false;
  progress.online(0);
  progress.retire(&freed, set, 0);
  CHECK_FALSE(progress.pending());
  progress.flush(0);
  CHECK(progress.pending());
  progress.quiescent(0);
  progress.reclaim();
  CHECK(freed);
  bool late = false;
  progress.retire(&late, set, 0);
  progress.offline(0);
  progress.drain();
  CHECK(late);
}

TEST_CASE("thread progress: from outside, and held up by a reader") {
  ThreadProgress progress(1);
  bool now = false, later = false;
  progress.when_all_passed(&now, set, ThreadProgress::kNobody);
  progress.reclaim();
  CHECK(now);
  {
    ReaderGuard first(progress);
    ReaderGuard second(progress);
    progress.retire(&later, set, ThreadProgress::kNobody);
    CHECK_FALSE(later);
  }
  CHECK(later);
}

TEST_CASE("thread progress: who retires may hold the lock that the callback takes") {
  ThreadProgress progress(1);
  bool locked = true;
  auto burial = [](void* locked) { CHECK_FALSE(*static_cast<bool*>(locked)); };
  progress.retire(&locked, burial, ThreadProgress::kNobody);
  progress.when_all_passed(&locked, burial, ThreadProgress::kNobody);
  CHECK(progress.pending());
  locked = false;
  progress.reclaim();
  CHECK_FALSE(progress.pending());
}

TEST_CASE("thread progress: readers never meet what was freed") {
  constexpr uint32_t kWorkers = 2;
  ThreadProgress progress(kWorkers);
  std::atomic<Node*> shared{new Node};
  std::atomic<bool> stop{false};
  std::atomic<int> dead{0};
  auto read = [&] {
    for (int i = 0; i < 20; ++i) {
      Node* node = shared.load(std::memory_order_acquire);
      if (node->alive != 0x600d) ++dead;
    }
  };
  std::vector<std::thread> threads;
  for (uint32_t who = 0; who < kWorkers; ++who) {
    threads.emplace_back([&, who] {
      while (!stop) {
        progress.online(who);
        for (int slice = 0; slice < 10; ++slice) {
          read();
          if (who == 0) {
            Node* old = shared.exchange(new Node, std::memory_order_acq_rel);
            progress.retire(old, mark_freed, who);
          }
          progress.quiescent(who);
        }
        progress.flush(who);
        progress.offline(who);
        progress.reclaim();
      }
    });
  }
  threads.emplace_back([&] {
    while (!stop) {
      ReaderGuard guard(progress);
      read();
    }
  });
  for (int i = 0; i < 300; ++i) {
    Node* old = shared.exchange(new Node, std::memory_order_acq_rel);
    progress.retire(old, mark_freed, ThreadProgress::kNobody);
    std::this_thread::yield();
  }
  stop = true;
  for (auto& t : threads) t.join();
  CHECK(dead == 0);
  progress.drain();
  delete shared.load();
}

}  // namespace wb
