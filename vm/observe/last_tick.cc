#include "vm/observe/last_tick.h"

#include <algorithm>

namespace wb {

template <class T>
static void grow(std::vector<T>& v, size_t size) {
  if (v.size() >= size) return;
  if (v.capacity() < size) v.reserve(size + size / 64);  // they are large: no doubling
  v.resize(size);
}

void LastTick::make_room(uint32_t slots) {
  grow(reductions_, slots);
  grow(messages_, slots);
  if (wants_collected_) grow(collected_, slots);
}

void LastTick::forget() { *this = {}; }
void LastTick::forget_collected() {
  collected_ = {};
  wants_collected_ = notes_collected_ = false;
}

size_t LastTick::memory() const {
  size_t bytes = reductions_.capacity() * sizeof(uint32_t) + messages_.capacity();
  bytes += collected_.capacity() * sizeof(uint16_t);
  return bytes + apart_.size() * (sizeof(Counts) + 32);
}

void LastTick::note(uint32_t slot, Counts counts, uint32_t collected_for) {
  if (slot >= slots()) return;
  bool was_apart = reductions_[slot] == kMuch || messages_[slot] == kMany;
  bool is_apart = counts.reductions >= kMuch || counts.messages >= kMany;
  reductions_[slot] = static_cast<uint32_t>(std::min<uint64_t>(counts.reductions, kMuch));
  messages_[slot] = static_cast<uint8_t>(std::min<uint32_t>(counts.messages, kMany));
  if (is_apart && (apart_.size() < kMostApart || apart_.contains(slot))) apart_[slot] = counts;
  if (was_apart && !is_apart) apart_.erase(slot);
  if (slot < collected_.size()) {
    collected_[slot] = static_cast<uint16_t>(collected_for >> kCollectedShift);
  }
}

}  // namespace wb
