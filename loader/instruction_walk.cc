#include "loader/instruction_walk.h"

namespace wb {

size_t loaded_size(Instr i, const Word* at) {
  const InstrInfo& info = info_of(i);
  if (info.continuation) {
    return static_cast<size_t>(reinterpret_cast<const Word*>(at[info.continuation]) - at);
  }
  return info.words + (info.count ? at[info.count] : 0);
}

}  // namespace wb
