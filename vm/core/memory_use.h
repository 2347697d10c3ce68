// What memory is used for, in bytes.
#pragma once

#include <cstdint>

namespace wb {

class Vm;

struct MemoryUse {
  int64_t heaps;     ///< of processes, their control blocks and fragments
  int64_t binaries;  ///< outside of heaps
  int64_t tables;    ///< ETS
  int64_t timers;    ///< of programs
  int64_t atoms, code;
  int64_t other;  ///< all that is resident and none of the first four: atoms and code are in it
};
MemoryUse memory_use(Vm& vm);

}  // namespace wb
