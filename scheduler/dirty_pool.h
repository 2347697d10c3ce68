// Threads for native work that takes long: one pool for work that computes, one for work that
// blocks. A scheduler that ran it itself would stop serving its processes.
//
// Threads start when a job finds none idle, up to the pool's limit, and then stay. Jobs run in the
// order of their arrival; `run` does the work, then `done` reports (usually it enqueues the process
// that waits), both on the pool's thread, which holds no ReaderGuard: a job that reads structures
// of the workers takes one around that part. `stop` waits for running jobs and forgets the others.
//
// Under a simulating oracle there are no threads: the worker runs each job itself, between slices.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "scheduler/thread.h"

namespace wb {

enum class DirtyKind : uint8_t { cpu, io };

struct DirtyJob {
  using Step = void (*)(DirtyJob&);
  Step run = nullptr;
  Step done = nullptr;  ///< may free the job; nullptr: nothing to report
  DirtyJob* next = nullptr;

  void execute() {
    Step report = done;
    run(*this);
    if (report) report(*this);
  }
};

/// Jobs in the order of their arrival.
struct DirtyQueue {
  DirtyJob* first = nullptr;
  DirtyJob* last = nullptr;

  void push(DirtyJob& job) {
    job.next = nullptr;
    (last ? last->next : first) = &job;
    last = &job;
  }
  DirtyJob* pop() {
    DirtyJob* job = first;
    if (job && !(first = job->next)) last = nullptr;
    return job;
  }
  /// False: it is not here.
  bool remove(DirtyJob& job) {
    DirtyJob *before = nullptr, *j = first;
    for (; j != &job; before = j, j = j->next) {
      if (!j) return false;
    }
    (before ? before->next : first) = job.next;
    if (last == &job) last = before;
    return true;
  }
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
  uint32_t threads();
  uint32_t waiting();  ///< jobs that have not begun

 private:
  static void thread_main(void* self) { static_cast<DirtyPool*>(self)->serve(); }
  void serve();
  void grow();

  const char* const name_;
  const uint32_t limit_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  DirtyQueue queue_;
  uint32_t waiting_ = 0;
  uint32_t idle_ = 0;
  bool stopping_ = false;
  std::vector<std::unique_ptr<Thread>> threads_;
};

}  // namespace wb
