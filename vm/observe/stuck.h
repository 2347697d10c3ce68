// Who waits for what, when nothing can happen any more.
//
// In a seeded run the clock jumps to the next timer when nobody can run. Without a timer, and with
// nothing to come from outside (descriptors, jobs, threads of native libraries), what waits now
// waits for ever: instead of hanging the run says so and ends with kExitStuck. A booted machine
// goes on sleeping, because signals of the system are a part of its life.
//
// All of it is written by the worker that simulates, between slices, when every process is parked.
#pragma once

#include <functional>
#include <string>

#include "scheduler/guide.h"

namespace wb {

class Process;
class Vm;
struct Module;

/// A process as stories name it: its pid, its registered name and what it was started as.
std::string shown_process(Process& p);
/// What it was started as, or the fun it runs.
std::string shown_start(Process& p);
/// What it waits for: in which function and line, for whom, and what is in its queue.
std::string shown_wait(Process& p);
/// A line for each process but the machine's own, and for each circle of those that wait for each
/// other.
std::string who_waits(Vm& vm, const std::function<bool(const Process&)>& concerns);

/// Is a module of OTP's or Elixir's own, and not of the program?
bool is_library(const Vm& vm, const Module& m);

/// Could a thread that is no worker wake somebody?
bool has_outside(Vm& vm);

class StuckRun final : public Guide {
 public:
  explicit StuckRun(Vm& vm) : vm_(vm) {}
  bool stuck(Worker&) override;

 private:
  Vm& vm_;
};

}  // namespace wb
