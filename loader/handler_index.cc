#include "loader/handler_index.h"

namespace wb {

namespace {
constexpr size_t kSlots = 1 << 14;
size_t slot_of(Word address) { return (address * 0x9e3779b97f4a7c15) >> 50; }
}  // namespace

HandlerIndex::HandlerIndex(const Word* handlers) : table_(kSlots) {
  static_assert(kSlots == size_t{1} << (64 - 50));
  WB_CHECK(kHandlerCount < kSlots / 2);
  for (unsigned h = 0; h < kHandlerCount; ++h) {
    size_t k = slot_of(handlers[h]);
    while (table_[k].address && table_[k].address != handlers[h]) k = (k + 1) % kSlots;
    if (!table_[k].address) table_[k] = {handlers[h], static_cast<uint16_t>(h)};
  }
}

unsigned HandlerIndex::find(Word address) const {
  for (size_t k = slot_of(address); table_[k].address; k = (k + 1) % kSlots) {
    if (table_[k].address == address) return table_[k].index;
  }
  return kNoHandler;
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
