// A native stack of its own, and switching to it.
//
// What runs on one fiber stops in the middle of a C++ function when it switches to another, and
// goes on right there when somebody switches back. All fibers of a group are used by one thread:
// compiled code may keep addresses of thread-local variables across a call.
//
// Switching is swapcontext: two system calls, half a microsecond, for something that happens once a
// millisecond; no assembly. The sanitizers are notified of every switch.
#pragma once

#include <ucontext.h>

#include <cstddef>

namespace wb {

class Fiber {
 public:
  using Main = void (*)(void* argument);

  /// The calling thread's own stack.
  Fiber();
  ~Fiber();
  Fiber(const Fiber&) = delete;

  /// One that runs main(argument) when first switched to, which must never return. nullptr: the
  /// operating system has no more memory for it.
  static Fiber* make(Main main, void* argument);
  /// From the fiber that runs now (this) to `next`; returns when somebody switches back.
  void switch_to(Fiber& next);

  Fiber* next = nullptr;  ///< for lists of the owner

 private:
  explicit Fiber(void* memory);
  static void enter(unsigned high, unsigned low);

  ucontext_t context_;
  void* memory_ = nullptr;  ///< the stack's pages, the lowest a guard; null: the thread's own
  Main main_ = nullptr;
  void* argument_ = nullptr;
  // --- for the sanitizers ---
  const void* bottom_ = nullptr;
  size_t bytes_ = 0;
  void* fake_stack_ = nullptr;
  void* tsan_fiber_ = nullptr;
  Fiber* from_ = nullptr;  ///< who switched here last
};

}  // namespace wb
