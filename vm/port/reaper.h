// Waits for the end of children, so that none stays a zombie, whether or not their port still
// exists.
//
// A descriptor for the process (pidfd) goes into the poller and is ready when it has ended: no
// signal handler, no thread, and nobody else's children are touched. Where there is none (an old
// kernel, no descriptors left) a timer looks, at first often, then ten times a second.
#pragma once

#include <sys/types.h>

#include <memory>
#include <mutex>
#include <unordered_map>

#include "scheduler/io_poller.h"
#include "scheduler/timer_wheel.h"

namespace wb {

class Port;
class Vm;
class Worker;

class Reaper {
 public:
  explicit Reaper(Vm& vm) : vm_(vm) {}
  ~Reaper();  ///< nothing runs any more; who still lives is left to the system

  /// `port` is notified, if it still exists.
  void watch(pid_t pid, std::weak_ptr<Port> port);
  /// Another child, that nobody watches, has taken the place of that one.
  void replace(pid_t pid, pid_t by);

 private:
  struct Entry : FdWatch, Timer {
    Reaper* reaper = nullptr;
    pid_t pid = 0;
    std::weak_ptr<Port> port;
    uint64_t pause_ns = 1'000'000;
  };
  static void by_descriptor(Worker&, FdWatch& watch, uint32_t);
  static void by_timer(Worker&, Timer& timer);
  void check_child(Entry& e);
  void check_child_later(Entry& e);

  Vm& vm_;
  std::mutex lock_;
  std::unordered_map<pid_t, std::unique_ptr<Entry>> entries_;
};

}  // namespace wb
