// The interpreter as the rest of the VM sees it.
#pragma once

#include "vm/process/exec.h"

namespace wb {

/// Addresses of all handlers by handler_index(). `stress`: every safe point collects.
const Word* make_handler_table(bool stress);
/// The usual ones, but for those that ask first (vm/process/points.h).
const Word* make_handler_table_with_points();

/// Runs from `I` until the slice ends; Exec says how.
void enter_interpreter(const Word* I, Exec* c);

/// erlang:hibernate/3 with its arguments in x.
const Word* hibernate(Exec& c);
/// erlang:hibernate/0, at its own entry `I`: the stack stays, and it returns when there is a
/// message.
const Word* hibernate_in_place(Exec& c, const Word* I);

}  // namespace wb
