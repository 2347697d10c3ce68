// A worker without a thread: its loop runs on the thread of whoever calls Scheduler::step(), a
// while at a time.
//
// The loop keeps no state that could be returned from: a native call that has yielded lies on the
// stack that the loop ran upon then (Worker::serve_on_new_stack). So the loop has a stack of its
// own, a Fiber, and step() switches to it; when the time is up, or there is nothing to do, the loop
// switches back, from whichever stack it has come to by then, and goes on right there at the next
// step.
//
//   caller's stack   step() ............. returns          step() ...
//   loop's stacks           slice slice |pause                    | slice ...
//
// While it pauses the worker is as one that sleeps: it holds up no reclamation, and if it has
// nothing to do it stands among the idle ones with its parker in poll, so that whoever makes
// something runnable makes the descriptor of the poller readable, for which the caller may wait.
//
// One thread makes all steps: compiled code may keep addresses of thread-local variables across a
// pause, as across any switch of fibers.
//
// Rejected: a thread of its own that only runs while step() waits for it (native functions would
// not be called by the thread that owns the window, the device, the interpreter of another
// language); a loop that returns (only a machine whose native functions never yield could have it).
#pragma once

#include <pthread.h>

#include <cstdint>
#include <memory>

#include "base/fiber.h"

namespace wb {

struct Stepper {
  enum class State : uint8_t { fresh, paused, running, ended };

  std::unique_ptr<Fiber> loop;  ///< where it begins
  Fiber* paused = nullptr;      ///< where it goes on
  Fiber* caller = nullptr;      ///< of the step that runs
  State state = State::fresh;
  uint64_t until_ns = 0;  ///< of this step
  uint64_t next_ns = 0;   ///< when there is something to do; 0: now
  pthread_t thread{};     ///< who makes the steps

  /// To the caller; returns in the next step.
  void pause(uint64_t next) {
    Fiber here;
    paused = &here;
    next_ns = next;
    here.switch_to(*caller);
  }
};

}  // namespace wb
