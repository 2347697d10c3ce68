// A named operating system thread that takes no asynchronous signals: those belong to the main
// thread. (std::thread ends the program when none can be made; this one says so.)
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstddef>

#include "base/instance.h"

namespace wb {

class Thread {
 public:
  using Main = void (*)(void*);
  static constexpr size_t kStackBytes = size_t{4} << 20;

  Thread() = default;
  Thread(const Thread&) = delete;
  ~Thread() { join(); }

  /// False: the operating system refuses another thread.
  bool start(const char* name, Main main, void* argument, size_t stack_bytes = kStackBytes);
  void join();
  bool running() const { return started_; }

 private:
  static void* enter(void* self);

  pthread_t handle_ = {};
  bool started_ = false;
  std::atomic<bool> has_heap_ = false;  ///< see base/allocator.h
  char name_[16] = {};
  Main main_ = nullptr;
  void* argument_ = nullptr;
  Instance* instance_ = nullptr;  ///< of whoever started it: it works for the same
};

}  // namespace wb
