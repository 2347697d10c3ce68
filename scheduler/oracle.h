// All nondeterminism of a run passes here: the time, which runnable next, for how long, whom to
// rob, and random numbers.
//
// Three twins stand behind one interface. The live one asks the machine. The seeded one runs the
// whole VM on one worker in virtual time: time moves only with the work done (a fixed price per
// reduction) and jumps to the next timer when nothing is runnable, and every choice comes from one
// generator, so `--seed N` repeats exactly, however loaded the machine is, and a test that sleeps
// for an hour takes a millisecond. What stays outside: input that arrives by file descriptors.
// A guide (guide.h) may choose in the generator's place. The recorded one runs the whole VM on one
// worker, too, in real time: what the system says of the time is kept in a recording
// (base/recording.h), or comes from one, and nothing is chosen at random; dirty jobs have their
// threads (recorded_jobs.h). Between slices time stands still until the worker looks (tick, woke).
//
// Only the worker that simulates may call a seeded oracle's choices; reading its time is safe from
// everywhere.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace wb {

class Guide;
class Recording;

class Oracle {
 public:
  virtual ~Oracle() = default;
  static std::unique_ptr<Oracle> live();
  static std::unique_ptr<Oracle> seeded(uint64_t seed);
  static std::unique_ptr<Oracle> recorded(Recording& recording);

  /// One worker, whose run can be repeated?
  bool simulates() const { return simulates_; }
  /// The same in virtual time, with choices from a seed?
  bool has_virtual_time() const { return simulates_ && !recording_; }
  Recording* recording() const { return recording_; }  ///< null: nothing is recorded

  virtual uint64_t now_ns() = 0;                   ///< monotonic
  virtual uint64_t read_ns() { return now_ns(); }  ///< the same, asked by a program
  virtual uint64_t system_ns() = 0;                ///< since 1970
  virtual uint64_t random() = 0;            ///< 64 random bits; live: from the operating system
  virtual uint32_t choose(uint32_t n) = 0;  ///< below n (n > 0)
  /// How many reductions a slice may take that normally takes `usual`.
  int32_t slice_reductions(int32_t usual) { return simulates_ ? choose_slice(usual) : usual; }

  /// Of a seeded oracle, not owned; null: nobody. Before the run, or by its worker.
  void follow(Guide* guide);
  Guide* guide() const { return guide_; }
  /// The guide, if it chooses.
  Guide* chooser() const { return chooser_; }

  // --- simulation only: the live twin does nothing ---
  virtual void tick() {}                            ///< the worker looks at the clock
  virtual void woke() {}                            ///< it has slept
  virtual void worked(int64_t reductions) {}        ///< a slice has ended
  virtual void idle_until(uint64_t deadline_ns) {}  ///< nothing to run before

 protected:
  explicit Oracle(bool simulates, Recording* recording = nullptr)
      : simulates_(simulates), recording_(recording) {}

 private:
  virtual int32_t choose_slice(int32_t usual) { return usual; }
  const bool simulates_;
  Recording* const recording_;
  Guide* guide_ = nullptr;
  Guide* chooser_ = nullptr;
};

}  // namespace wb
