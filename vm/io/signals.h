// SIGINT and SIGTERM end the machine as halt does: what was printed is complete, the exit code is
// 128 and the signal's number. A second one ends the OS process at once.
//
// The signals are blocked in every thread (construct this before the machine starts its own) and
// one thread waits for them: nothing ever runs inside a signal handler.
#pragma once

#include <atomic>
#include <csignal>
#include <thread>

namespace wb {

class Vm;

class EndingSignals {
 public:
  explicit EndingSignals(Vm& vm);
  ~EndingSignals();
  EndingSignals(const EndingSignals&) = delete;

 private:
  void serve();

  Vm& vm_;
  sigset_t set_, before_;
  std::atomic<bool> over_{false};
  std::thread thread_;
};

}  // namespace wb
