// The prompt of `whitebeam replay --debug`: stops a replay between slices and where functions are
// called, shows what there is, and goes on, or back.
//
// The run is the recorded one whether it is looked at or not: stopping is a function call on the
// worker's thread, before a slice or at a breakpoint, and nothing is asked of processes that they
// would have to answer. So all of them may be looked at as they are; whoever runs is at its call.
// A breakpoint is the observer's (vm/trace/watch.h): programs know nothing of it. What may change
// is when heaps are collected, for a function with a breakpoint is compiled otherwise.
//
// Going back is running again: the program is started anew with the same recording and is silent
// until it comes to that slice. A slice is named by how many there were before it, in every replay
// the same.
//
// Rejected: snapshots by fork() (all threads but one are gone in the copy, and a replay of some
// seconds takes some seconds).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "vm/trace/call_stops.h"

namespace wb {

class Process;
class Recording;
class Vm;

/// Where a replay begins to be looked at.
struct DebuggerStart {
  uint64_t slice = 0;               ///< so many were before
  bool goes_on = false;             ///< does not stop there, but at a breakpoint
  std::vector<std::string> breaks;  ///< M:F/A, M:F, M
  /// Starts the replay anew, with that. Does not return but where it cannot.
  std::function<void(const DebuggerStart&)> restart;
};

class Debugger final : public CallStops {
 public:
  Debugger(Vm& vm, Recording& recording, DebuggerStart start);
  ~Debugger();
  Debugger(const Debugger&) = delete;

  void at_slice(Exec& c) override;
  void at_call(Exec& c, const Breakpoint& b) override;
  /// The run is over.
  void at_end(const char* how);

 private:
  using Words = std::vector<std::string>;
  void stop(Exec& c, const Breakpoint* called);
  std::string place_of_current() const;
  bool set_break(const std::string& text);
  void prompt();
  /// True: the run goes on.
  bool obey(const Words& words);
  bool step(const Words& words);
  bool go_to(uint64_t slice);
  void show_where();
  void show_processes();
  void show_process(const std::string& name);
  void show_stack(const Process& p);

  Vm& vm_;
  Recording& recording_;
  DebuggerStart start_;
  uint64_t stop_at_;  ///< the slice before which it stops next
  bool over_ = false;
  Exec* now_ = nullptr;                 ///< while it is stopped: who runs
  const Breakpoint* called_ = nullptr;  ///< and at the call of which function, if it is at one
};

}  // namespace wb
