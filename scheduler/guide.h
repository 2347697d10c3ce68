// Who takes part in a seeded run: chooses in the generator's place, and learns that nothing can
// happen any more.
//
// A seeded oracle (oracle.h) asks its guide, if there is one, at each choice. All of it happens on
// the worker that simulates, between two slices.
#pragma once

#include <cstdint>
#include <span>

namespace wb {

class Outside;
class Worker;
struct Runnable;

class Guide {
 public:
  virtual ~Guide() = default;

  /// Does it choose? If not, the generator does, and none of the next three is asked.
  virtual bool chooses() const { return false; }
  /// Comes before each choice: when the next timer fires (TimerWheel::kNever: there is none).
  virtual void next_timer(uint64_t deadline_ns) {}
  /// Which of those that stand in the queue, the urgent ones first, each in the order in which it
  /// came; there is at least one. Null: none now, because it has moved the clock on to the next
  /// timer (Oracle::idle_until).
  virtual Runnable* next(std::span<Runnable* const> waiting) { return waiting.front(); }
  virtual int32_t slice_reductions(int32_t usual) { return usual; }

  /// Nothing is runnable, no timer is set for the next ten years, no descriptor watched, no job
  /// left: whatever comes has to come from outside. True: the machine ends.
  virtual bool stuck(Worker&) { return false; }

  /// What goes wrong outside (vm/io/outside.h), not owned; null: nothing that the system does not
  /// say.
  Outside* outside = nullptr;
  /// Somebody has opened a file to write, or changed a directory.
  bool changes_files = false;
};

}  // namespace wb
