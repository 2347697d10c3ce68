#include "vm/observe/growth.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace wb {

uint32_t Growth::units(uint64_t bytes) {
  return static_cast<uint32_t>(std::min<uint64_t>(bytes / kUnit, UINT32_MAX));
}
uint32_t Growth::Amounts::most() const {
  return std::max(then, mean < 4e9f ? static_cast<uint32_t>(mean) : UINT32_MAX);
}

// --- who is kept ---------------------------------------------------------------------------------
/// Where it is, or would be: there is always a free place.
size_t Growth::place_of(uint32_t slot) const {
  constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;
  const size_t last = places_.size() - 1;
  size_t at = (slot * kOdd) >> (64 - std::bit_width(last));
  while (places_[at].slot != slot && places_[at].slot != kNobody) at = (at + 1) & last;
  return at;
}
const Growth::Amounts* Growth::find(uint32_t slot) const {
  if (places_.empty()) return nullptr;
  const Amounts& a = places_[place_of(slot)];
  return a.slot == slot ? &a : nullptr;
}

/// Without those that have too little.
void Growth::rebuild(size_t places) {
  const std::vector<Amounts> old = std::exchange(places_, std::vector<Amounts>(places));
  used_ = 0;
  for (const Amounts& a : old) {
    if (a.slot == kNobody || a.most() < std::max(least_, 1u)) continue;
    places_[place_of(a.slot)] = a;
    ++used_;
  }
}

/// Three quarters of the places are used at most. Who has least makes room where all would be
/// too many: half of them, and all that are equal.
void Growth::make_room() {
  constexpr size_t kFewest = 64;
  if (places_.empty()) return rebuild(kFewest);
  if (used_ < kMost && 4 * (used_ + 1) <= 3 * places_.size()) return;
  if (used_ < kMost) return rebuild(2 * places_.size());
  std::vector<uint32_t> amounts;
  for (const Amounts& a : places_) {
    if (a.slot != kNobody) amounts.push_back(a.most());
  }
  const auto middle = amounts.begin() + kMost / 2;
  std::ranges::nth_element(amounts, middle);
  const auto equal = static_cast<size_t>(std::ranges::count(amounts, *middle));
  least_ = std::max(least_, *middle + (equal > kMost / 4));
  rebuild(places_.size());
}

void Growth::add(const Amounts& amounts) {
  make_room();
  if (amounts.then < std::max(least_, 1u)) return;
  places_[place_of(amounts.slot)] = amounts;
  ++used_;
}

// --- how much they have grown --------------------------------------------------------------------
void Growth::begin_look(double seconds) {
  const double all = seconds_ + seconds;
  scale_ = all > 0 ? 1 / (1 - std::exp(-all / kMinute)) : 0;
}

int64_t Growth::since_tick(uint32_t slot, uint64_t bytes, bool is_new) const {
  if (!noted_) return 0;
  const int64_t now = units(bytes);
  if (is_new) return now * kUnit;
  const Amounts* kept = find(slot);
  return (kept ? now - kept->then : std::max<int64_t>(now - least_, 0)) * kUnit;
}

int64_t Growth::in_minute(uint32_t slot, uint64_t bytes, bool is_new) const {
  if (!noted_ || is_new) return 0;
  const double now = units(bytes);
  const Amounts* kept = find(slot);
  return scaled(kept ? now - double{kept->mean} : std::max(now - least_, 0.0));
}
int64_t Growth::in_minute(uint32_t slot) const {
  if (!noted_) return 0;
  const Amounts* kept = find(slot);
  return kept ? scaled(kept->then - double{kept->mean}) : 0;
}

void Growth::note(uint32_t slot, uint64_t bytes, bool is_new) {
  if (!noticed()) return;
  const uint32_t now = units(bytes);
  const Amounts* kept = find(slot);
  if (!kept && now < std::max(least_, 1u)) return;
  const auto mean = static_cast<float>(is_new ? now : least_);
  if (!kept) return add({slot, now, mean});
  Amounts& amounts = places_[static_cast<size_t>(kept - places_.data())];
  amounts.then = now;
  if (is_new) amounts.mean = mean;
}

void Growth::end_tick(double seconds) {
  if (!noticed()) return;
  // At the first tick the mean is what there is.
  const double share = noted_ ? 1 - std::exp(-seconds / kMinute) : 1;
  if (noted_) seconds_ += seconds;
  noted_ = true;
  // A step that is too small for the mean would never bring it to what there is.
  constexpr float kNear = 1.0f / (1 << 18);
  for (Amounts& a : places_) {
    const auto now = static_cast<float>(a.then);
    const float way = now - a.mean;
    const bool there = std::abs(way) < std::max(1.0f, now * kNear);
    a.mean = there ? now : a.mean + way * static_cast<float>(share);
  }
}

}  // namespace wb
