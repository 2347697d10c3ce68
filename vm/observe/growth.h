// How much each process has grown in one respect (memory, mailbox, binaries): since the last tick,
// and in a minute. By slot of the table of processes, while somebody asks for it: eight bytes a
// slot.
//
// Growth in a minute is the distance to a mean of what there was, in which a moment counts 1/e as
// much when it is a minute old: of what grows evenly that is what it grows by in a minute. One
// number a process is enough for it, and it has no moment at which it begins anew. While there is
// less than a minute to go by it is scaled up.
//
// Rejected: what there was a minute ago (a table of sixty ticks); two tables that take turns
// (growth seems to fall each time they do).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace wb {

class Growth {
 public:
  /// From the next pass over all on it is `noted()`.
  void want() { wanted_ = true; }
  void forget() { *this = {}; }
  bool wanted() const { return wanted_ && !noted_; }
  bool noted() const { return noted_; }
  bool noticed() const { return wanted_ || noted_; }
  void make_room(uint32_t slots);
  size_t memory() const { return (then_.capacity() + mean_.capacity()) * sizeof(uint32_t); }

  /// A pass begins, so long after the last tick.
  void begin_look(double seconds);
  /// Of one that has `bytes` now. Those that are new have grown by all they have since the last
  /// tick, and are looked at from now on.
  int64_t since_tick(uint32_t slot, uint64_t bytes, bool is_new) const;
  int64_t in_minute(uint32_t slot, uint64_t bytes, bool is_new) const;
  /// Of one that has what it had at the last tick.
  int64_t in_minute(uint32_t slot) const;
  /// By a pass over all, which makes a new tick. Not of slots there is no room for.
  void note(uint32_t slot, uint64_t bytes, bool is_new);
  /// That pass is over, so long after the one before.
  void end_tick(double seconds);

 private:
  static constexpr uint32_t kUnit = 8;  ///< bytes
  static constexpr double kMinute = 60;
  static uint32_t units(uint64_t bytes);
  int64_t scaled(float units) const {
    return static_cast<int64_t>(static_cast<double>(units) * kUnit * scale_);
  }

  std::vector<uint32_t> then_;
  std::vector<float> mean_;
  bool wanted_ = false, noted_ = false;
  double seconds_ = 0;  ///< since it is noted
  double scale_ = 0;
};

}  // namespace wb
