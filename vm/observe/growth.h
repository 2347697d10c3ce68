// How much each process has grown in one respect (memory, mailbox, binaries): since the last tick,
// and in a minute. By slot of the table of processes, while somebody asks for it.
//
// Growth in a minute is the distance to a mean of what there was, in which a moment counts 1/e as
// much when it is a minute old: of what grows evenly that is what it grows by in a minute. One
// number a process is enough for it, and it has no moment at which it begins anew. While there is
// less than a minute to go by it is scaled up.
//
// Who has grown by much has much. So what there was is kept of kMost processes, those that have
// most: of all that have had `least()` or more. Any other one had less than that at the last tick,
// and so it has grown by what it has beyond that at least, which is what is told; of 16,384 that
// have most among a million no more than a sixteen-thousandth of all that there is is left out. In
// smaller machines it is 0, and growth exact. It rises when there are too many, and never falls
// while somebody asks: how much those had that come back is not known.
//
// Rejected: eight bytes of each process (24 MB of three kinds at a million); what there was a
// minute ago (a table of sixty ticks); two tables that take turns (growth seems to fall each time
// they do).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace wb {

class Growth {
 public:
  static constexpr size_t kMost = 16'384;

  /// From the next pass over all on it is `noted()`.
  void want() { wanted_ = true; }
  void forget() { *this = {}; }
  bool wanted() const { return wanted_ && !noted_; }
  bool noted() const { return noted_; }
  bool noticed() const { return wanted_ || noted_; }
  size_t memory() const { return places_.capacity() * sizeof(Amounts); }
  /// Of those that have had less than so many bytes nothing is kept.
  uint64_t least() const { return uint64_t{least_} * kUnit; }

  /// A pass begins, so long after the last tick.
  void begin_look(double seconds);
  /// Of one that has `bytes` now. Those that are new have grown by all they have since the last
  /// tick, and are looked at from now on.
  int64_t since_tick(uint32_t slot, uint64_t bytes, bool is_new) const;
  int64_t in_minute(uint32_t slot, uint64_t bytes, bool is_new) const;
  /// Of one that has what it had at the last tick.
  int64_t in_minute(uint32_t slot) const;
  /// By a pass over all, which makes a new tick.
  void note(uint32_t slot, uint64_t bytes, bool is_new);
  /// That pass is over, so long after the one before.
  void end_tick(double seconds);

 private:
  static constexpr uint32_t kUnit = 8;  ///< bytes
  static constexpr double kMinute = 60;
  static constexpr uint32_t kNobody = UINT32_MAX;
  struct Amounts {
    uint32_t slot = kNobody, then = 0;
    float mean = 0;
    uint32_t most() const;
  };

  static uint32_t units(uint64_t bytes);
  int64_t scaled(double units) const { return static_cast<int64_t>(units * kUnit * scale_); }
  size_t place_of(uint32_t slot) const;
  const Amounts* find(uint32_t slot) const;
  void add(const Amounts& amounts);
  void make_room();
  void rebuild(size_t places);

  std::vector<Amounts> places_;  ///< by a hash of the slot, or in the next one that is free
  size_t used_ = 0;
  uint32_t least_ = 0;
  bool wanted_ = false, noted_ = false;
  double seconds_ = 0;  ///< since it is noted
  double scale_ = 0;
};

}  // namespace wb
