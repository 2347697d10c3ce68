// What waits on a dirty thread, perhaps for ever, learns here that nobody wants it any more: its
// process has ended, or the machine stops.
#pragma once

#include <atomic>

namespace wb {

class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;

  void request();  ///< by any thread
  bool requested() const { return requested_.load(std::memory_order_acquire); }
  /// Until `fd` (-1: none) has some of poll's `events`, so many milliseconds are over (-1: for
  /// ever), or the end is requested: then it says false.
  bool wait(int fd, short events, int most_ms = -1);

 private:
  const int event_;  ///< -1: the system has none left
  std::atomic<bool> requested_{false};
};

}  // namespace wb
