// One VM of the several that a program may hold, as far as the layers below it must know.
//
// Equality, order, print, the external format and the allocation of heaps are called everywhere, by
// code that has nothing but a term or a size in its hands: from within a sort, a table of keys, the
// last release of a shared object. What they need of the VM hangs on the thread instead: a thread
// works for one instance at a time, which InstanceScope says; a Thread that is started works for
// the instance of whoever starts it. So nothing is process-wide, and no comparison carries a
// parameter.
//
// Rejected: globals (one VM in a program), and a pointer to its VM in each heap, table and object
// (a word in everything, and still no answer for two terms that are compared).
#pragma once

#include <cstddef>

#include "base/live_bytes.h"

namespace wb {

class Recording;

class Instance {
 public:
  Instance(const Instance&) = delete;

  bool poisons_freed = false;  ///< memory that is given back is overwritten (--gc-stress)
  /// Seeded, recorded or replayed: nothing may depend on what other threads do meanwhile.
  bool is_repeatable = false;
  size_t memory_limit = 0;     ///< bytes; 0: what the machine or its container has
  LiveCells live;
  Recording* recording = nullptr;  ///< of what it asks of the outside (recording.h); null: none

  /// Called on the thread that cannot go on, with what to tell the user. If it returns, the thread
  /// never runs again, and whatever it holds stays held. Null: the program ends.
  using FatalHandler = void (*)(void* host, int exit_code, const char* message);
  FatalHandler on_fatal = nullptr;
  void* host = nullptr;

 protected:
  Instance() = default;  // term/instance.h has the rest
  ~Instance() = default;
};

inline constinit thread_local Instance* this_instance = nullptr;
/// A copy of Instance::poisons_freed: asked at each block that is freed.
inline constinit thread_local bool poisons_freed = false;

/// This thread works for an instance. They nest.
class InstanceScope {
 public:
  explicit InstanceScope(Instance& instance) : before_(this_instance), cell_(live_cell) {
    enter(&instance, nullptr);
  }
  ~InstanceScope() {
    if (live_cell) this_instance->live.give_back(live_cell);
    enter(before_, cell_);
  }
  InstanceScope(const InstanceScope&) = delete;

 private:
  static void enter(Instance* instance, LiveCell* cell) {
    this_instance = instance;
    live_cell = cell;
    poisons_freed = instance && instance->poisons_freed;
  }
  Instance* before_;
  LiveCell* cell_;
};

/// Ends this thread's instance: nothing can go on, `message` says why.
[[noreturn]] void end_instance(int exit_code, const char* message);

}  // namespace wb
