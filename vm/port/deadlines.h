// When those who wait for a socket want to hear that it took too long.
//
// Deadlines come and go far more often than they pass. So they are not timers: whoever waits keeps
// its own deadline, and here are only alarms, timers of the wheel, of which one always rings no
// later than the earliest deadline. An alarm that rings too early (whoever waited has its answer)
// does nothing. Nobody cancels one but the end, without the lock.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "scheduler/timer_wheel.h"

namespace wb {

class Port;

class Deadlines {
 public:
  static constexpr uint64_t kNever = TimerWheel::kNever;
  /// Called with the port's lock held, when an alarm rings.
  using Ring = void (*)(void* context, uint64_t now_ns);

  Deadlines(Port& port, Ring ring, void* context) : port_(port), ring_(ring), context_(context) {}

  uint64_t in_ms(uint32_t ms) const;  ///< from now; ~0: kNever
  /// Somebody waits until then.
  void add(uint64_t deadline_ns);
  /// Ends all of them; without the lock, and nobody adds any more.
  void cancel();
  bool any() const { return !alarms_.empty(); }

 private:
  struct Alarm : Timer {
    Deadlines* deadlines = nullptr;
    bool running = false;
  };
  static void rings(Worker&, Timer& timer);

  Port& port_;
  const Ring ring_;
  void* const context_;
  std::vector<std::unique_ptr<Alarm>> alarms_;
};

}  // namespace wb
