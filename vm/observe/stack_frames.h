// Where a process is: what runs next, then who called it. For the process itself, or for whoever
// holds it still.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "term/term.h"

namespace wb {

class Process;

struct StackFrame {
  std::string function, file;
  uint32_t line = 0;
  std::span<const Term> kept;   ///< its frame: what it needs after the call it is in; catches, too
  const Word* entry = nullptr;  ///< of the function; null: it is not of a module
};

/// Innermost first; `visit` says whether to go on.
void each_frame(Process& p, const std::function<bool(const StackFrame&)>& visit);
/// The same of a process that is at `pc` now.
void each_frame(Process& p, const Word* pc, const std::function<bool(const StackFrame&)>& visit);

}  // namespace wb
