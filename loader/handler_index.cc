#include "loader/handler_index.h"

#include <algorithm>

namespace wb {

namespace {
// Small: a program that says hello touches all of it.
constexpr unsigned kSlotBits = 13;
constexpr size_t kSlots = size_t{1} << kSlotBits;
size_t slot_of(uint32_t distance) { return (distance * 0x9e3779b1u) >> (32 - kSlotBits); }
}  // namespace

HandlerIndex::HandlerIndex(const Word* handlers)
    : lowest_(*std::min_element(handlers, handlers + kHandlerCount)), table_(kSlots) {
  WB_CHECK(kHandlerCount <= kSlots / 4 * 3);
  for (unsigned h = 0; h < kHandlerCount; ++h) {
    Word distance = handlers[h] - lowest_;
    WB_CHECK(distance <= UINT32_MAX);
    auto d = static_cast<uint32_t>(distance);
    size_t k = slot_of(d);
    while (table_[k].index != kNoHandler && table_[k].distance != d) k = (k + 1) % kSlots;
    if (table_[k].index == kNoHandler) table_[k] = {d, static_cast<uint16_t>(h)};
  }
}

unsigned HandlerIndex::find(Word address) const {
  auto d = static_cast<uint32_t>(address - lowest_);
  if (address - lowest_ != d) return kNoHandler;
  size_t k = slot_of(d);
  while (table_[k].index != kNoHandler && table_[k].distance != d) k = (k + 1) % kSlots;
  return table_[k].index;
}

size_t loaded_size(Instr i, const Word* at, const Word* end) {
  const InstrInfo& info = info_of(i);
  auto left = static_cast<size_t>(end - at);
  if (info.words > left) return 0;
  if (info.continuation) {
    return static_cast<size_t>(reinterpret_cast<const Word*>(at[info.continuation]) - at);
  }
  size_t listed = info.count ? at[info.count] : 0;
  return listed <= left - info.words ? info.words + listed : 0;
}

}  // namespace wb
