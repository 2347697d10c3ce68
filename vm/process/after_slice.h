// What a slice leaves to be done when it is over, once, however often it was asked for.
//
// A process that sends a hundred messages to another node makes the socket write once: each send
// appends to what goes out and adds the write here (vm/dist/connection_out.cc). The slice ends by
// itself soon, since it is bounded by reductions; where a native call yields in the middle it ends
// for this purpose, too (native_yield.cc). A native function that computes long without yielding
// holds up what its process has left here, as on BEAM, where a port's tasks wait in the queue of
// the same scheduler.
//
// Each worker has one, which its own thread touches and nobody else. An action holds no lock, may
// send signals, and does not yield.
//
// Rejected: a thread that writes for all (a wake for what takes a microsecond); a timer (a
// millisecond is a long time for a round trip); the write at once for the first message of a slice
// (a call is a monitor and a message, so two writes where one does).
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "base/base.h"
#include "scheduler/after.h"

namespace wb {

class AfterSlice {
 public:
  using Action = void (*)(void* what);

  void begin() { in_slice_ = true; }
  /// Does what was left to be done; actions find in `noted` how the slice has ended.
  void end(After how, After& noted) {
    in_slice_ = false;
    if (WB_LIKELY(left_.empty())) return;
    noted = how;
    run();
  }
  /// action(what) when the slice is over. False: there is none.
  template <class T>
  bool add(const std::shared_ptr<T>& what, Action action) {
    if (!in_slice_) return false;
    for (const Left& l : left_) {
      if (l.what.get() == what.get() && l.action == action) return true;
    }
    left_.push_back({what, action});
    return true;
  }

 private:
  struct Left {
    std::shared_ptr<void> what;
    Action action;
  };
  WB_COLD void run() {
    for (Left& l : std::exchange(left_, {})) l.action(l.what.get());
  }
  std::vector<Left> left_;
  bool in_slice_ = false;
};

}  // namespace wb
