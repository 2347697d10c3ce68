#include "vm/observe/growth.h"

#include <algorithm>
#include <cmath>

namespace wb {

uint32_t Growth::units(uint64_t bytes) {
  return static_cast<uint32_t>(std::min<uint64_t>(bytes / kUnit, UINT32_MAX));
}

void Growth::make_room(uint32_t slots) {
  if (!noticed() || then_.size() >= slots) return;
  if (then_.capacity() < slots) {  // they are large: no doubling
    then_.reserve(slots + slots / 64);
    mean_.reserve(slots + slots / 64);
  }
  then_.resize(slots);
  mean_.resize(slots);
}

void Growth::begin_look(double seconds) {
  const double all = seconds_ + seconds;
  scale_ = all > 0 ? 1 / (1 - std::exp(-all / kMinute)) : 0;
}

int64_t Growth::since_tick(uint32_t slot, uint64_t bytes, bool is_new) const {
  if (!noted_) return 0;
  const bool knows = !is_new && slot < then_.size();
  const int64_t now = units(bytes), then = knows ? then_[slot] : 0;
  return (now - then) * kUnit;
}

int64_t Growth::in_minute(uint32_t slot, uint64_t bytes, bool is_new) const {
  if (!noted_ || is_new || slot >= then_.size()) return 0;
  return scaled(static_cast<float>(units(bytes)) - mean_[slot]);
}
int64_t Growth::in_minute(uint32_t slot) const {
  if (!noted_ || slot >= then_.size()) return 0;
  return scaled(static_cast<float>(then_[slot]) - mean_[slot]);
}

void Growth::note(uint32_t slot, uint64_t bytes, bool is_new) {
  if (slot >= then_.size()) return;
  then_[slot] = units(bytes);
  if (is_new) mean_[slot] = static_cast<float>(then_[slot]);
}

void Growth::end_tick(double seconds) {
  if (!noticed()) return;
  // At the first tick the mean is what there is.
  const double share = noted_ ? 1 - std::exp(-seconds / kMinute) : 1;
  if (noted_) seconds_ += seconds;
  noted_ = true;
  // A step that is too small for the mean would never bring it to what there is.
  constexpr float kNear = 1.0f / (1 << 18);
  for (size_t k = 0; k < then_.size(); ++k) {
    const auto now = static_cast<float>(then_[k]);
    const float way = now - mean_[k];
    const bool there = std::abs(way) < std::max(1.0f, now * kNear);
    mean_[k] = there ? now : mean_[k] + way * static_cast<float>(share);
  }
}

}  // namespace wb
