// Keeps workers from beginning a slice while a thread that is no worker looks at processes: the
// break menu.
//
// A worker that comes to a slice waits here, before it touches the process; one that sleeps goes on
// sleeping, or comes here when it is woken. When each does the one or the other, every process
// stands between two slices, with its registers saved, and may be looked at like a parked one;
// signals to it may arrive, which only it takes out of its inbox. Not at rest are what dirty
// threads do and a native function that does not give way: reached() then stays false.
//
// Poller and timers still run, on workers that are asleep in between. Memory that was retired waits
// until the end.
//
// Memory order: the flag (ProcessHost::watch) is set before a worker is seen asleep; one that is
// woken later sees it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>

namespace wb {

class Scheduler;

class Standstill {
 public:
  /// On a worker: until it is over.
  void wait();

  // --- by the one thread that looks; ProcessHost::stand_still sets the flag, too ---
  void begin();
  void end();
  bool reached(Scheduler& s) const;

 private:
  std::mutex lock_;
  std::condition_variable over_;
  bool on_ = false;  ///< under lock_
  std::atomic<uint32_t> waiting_{0};
};

}  // namespace wb
