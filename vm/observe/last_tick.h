// What there was at the last tick, by slot of the table of processes: so that changes can be
// reported, and the busiest and those with the longest queues be found without looking at the
// others.
//
// Five bytes a slot: reductions as four, messages as one; who has more of either is in a map
// besides (it has computed for minutes, or is in trouble: there are few). Two more for the time in
// collections, while somebody asks how that changes.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace wb {

class LastTick {
 public:
  struct Counts {
    uint64_t reductions;
    uint32_t messages;
  };
  /// Time in collections is noted in so many units of ProcessHeap::collected_for; two bytes of them
  /// are some seconds, of a tick of one second.
  static constexpr uint32_t kCollectedShift = 6;

  void make_room(uint32_t slots);
  void forget();
  size_t memory() const;
  uint32_t slots() const { return static_cast<uint32_t>(reductions_.size()); }

  /// From the next pass over all on, `notes_collected()` is so.
  void note_collected() { wants_collected_ = true; }
  void forget_collected();
  bool wants_collected() const { return wants_collected_ && !notes_collected_; }
  bool notes_collected() const { return notes_collected_; }
  void all_noted() { notes_collected_ = wants_collected_; }

  /// Of a slot below slots(). Nothing: it was too much, of too many.
  std::optional<Counts> at(uint32_t slot) const;
  uint16_t collected(uint32_t slot) const {
    return slot < collected_.size() ? collected_[slot] : 0;
  }
  /// Not of slots there is no room for.
  void note(uint32_t slot, Counts counts, uint32_t collected_for);

 private:
  static constexpr uint32_t kMuch = UINT32_MAX;
  static constexpr uint8_t kMany = UINT8_MAX;
  static constexpr size_t kMostApart = 4096;

  std::vector<uint32_t> reductions_;
  std::vector<uint8_t> messages_;
  std::vector<uint16_t> collected_;
  std::unordered_map<uint32_t, Counts> apart_;  ///< of kMuch or kMany
  bool wants_collected_ = false, notes_collected_ = false;
};

inline std::optional<LastTick::Counts> LastTick::at(uint32_t slot) const {
  if (reductions_[slot] != kMuch && messages_[slot] != kMany) [[likely]] {
    return Counts{reductions_[slot], messages_[slot]};
  }
  auto known = apart_.find(slot);
  return known == apart_.end() ? std::nullopt : std::optional(known->second);
}

}  // namespace wb
