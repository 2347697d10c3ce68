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
  auto left = static_cast<size_t>(end - at);
  size_t size = 1, count = 0;
  for (const char* letter = info_of(i).operands; *letter; ++letter) {
    if (*letter == '*') {
      size += count;
      continue;
    }
    if (size >= left) return 0;
    if (*letter == 'n') count = at[size];
    if (*letter == 'c') return static_cast<size_t>(reinterpret_cast<const Word*>(at[size]) - at);
    ++size;
  }
  return size <= left ? size : 0;
}

}  // namespace wb
