// How object files and bitcode say which of their functions is which handler: in a section of their
// own, a list for each instruction (handler.h, fill). Who reads them knows no symbol's name.
#pragma once

#include <cstdint>

namespace wb {

#define WB_HANDLER_LISTS "wb_handler_lists"

template <class Handler, unsigned n>
struct HandlerList {
  uint32_t instr;       ///< of Instr
  uint32_t count;       ///< as many as its shape has variants (bytecode/instructions.h)
  Handler handlers[n];  ///< in their order
};

}  // namespace wb
