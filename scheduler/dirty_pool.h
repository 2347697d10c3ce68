// Threads for native work that takes long: one pool for work that computes, one for work that
// blocks. A scheduler that ran it itself would stop serving its processes.
//
// Threads start when a job finds none idle, as many as are online, and then stay. Jobs go by their
// priorities as in a run queue (run_queue.h), else in the order of their arrival; `run` does the
// work, then `done` reports (usually it enqueues the process that waits), both on the pool's
// thread, which holds no ReaderGuard: a job that reads structures of the workers takes one around
// that part. `stop` waits for running jobs and forgets the others.
//
// Under a simulating oracle there are no threads: the worker runs each job itself, between slices.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "scheduler/metrics.h"
#include "scheduler/runnable.h"
#include "scheduler/thread.h"

namespace wb {

enum class DirtyKind : uint8_t { cpu, io };

/// What a job reads and writes: only what its process owns, or also what others see at once.
enum class Touches : uint8_t { own, shared };

struct DirtyJob {
  using Step = void (*)(DirtyJob&);
  Step run = nullptr;
  Step done = nullptr;  ///< may free the job; nullptr: nothing to report
  DirtyJob* next = nullptr;
  uint8_t priority = Runnable::kNormal;
  Touches touches = Touches::own;

  void execute() {
    Step report = done;
    run(*this);
    if (report) report(*this);
  }
};

/// Max before high before normal and low, of which every eighth is low.
class DirtyQueue {
 public:
  void push(DirtyJob& job);
  DirtyJob* pop();
  bool remove(DirtyJob& job);  ///< false: it is not here
  bool empty() const;

 private:
  struct List {
    DirtyJob* first = nullptr;
    DirtyJob* last = nullptr;
    void append(DirtyJob& job);
    DirtyJob* pop_front();
    bool remove(DirtyJob& job);
  };
  List lists_[Runnable::kMax + 1];
  uint32_t passed_over_ = 0;  ///< low ones, by normal ones
};

class DirtyPool {
 public:
  DirtyPool(const char* name, uint32_t limit);
  ~DirtyPool() { stop(); }

  void submit(DirtyJob& job);
  /// Takes a job back; false: it has begun.
  bool withdraw(DirtyJob& job);
  void stop();

  uint32_t limit() const { return limit_; }
  /// So many jobs at a time; returns how many it was.
  uint32_t set_online(uint32_t threads);
  uint32_t online();
  uint32_t threads();
  uint32_t waiting();  ///< jobs that have not begun
  struct Use {
    uint32_t threads, online, running, waiting;
    uint64_t done;  ///< jobs so far
  };
  Use use();
  /// How long thread `i`, below the limit, has been at work.
  uint64_t busy_ns(uint32_t i) const { return busy_ns(i, now_ns()); }
  uint64_t busy_ns(uint32_t i, uint64_t now_ns) const;

 private:
  static uint64_t now_ns();
  static void thread_main(void* self) { static_cast<DirtyPool*>(self)->serve(); }
  void serve();
  bool wants_thread() const;
  void grow();

  const char* const name_;
  const uint32_t limit_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  DirtyQueue queue_;
  /// Changed under mutex_; who looks for a job reads it without.
  std::atomic<uint32_t> waiting_{0};
  uint32_t idle_ = 0;
  uint32_t looking_ = 0;  ///< of them, awake: nobody needs to wake one for their jobs
  uint32_t running_ = 0;
  uint64_t done_ = 0;
  uint32_t serving_ = 0;  ///< threads that have begun
  uint32_t online_ = limit_;
  bool stopping_ = false;
  std::vector<std::unique_ptr<Thread>> threads_;
  const std::unique_ptr<BusyTime[]> busy_ = std::make_unique<BusyTime[]>(limit_);  ///< by thread
};

}  // namespace wb
