// What a process does about its signals: by itself, at the begin of a slice and where it would
// park.
#pragma once

#include "vm/process/signal.h"

namespace wb {

/// Handles all that has come in. Returns false if the process ended meanwhile.
bool handle_signals(Exec& c);
/// Closes the inbox and answers what came in too late.
void close_inbox(Process& p);
/// Frees what is in the inbox; nobody pushes any more.
void abandon_inbox(Process& p);

}  // namespace wb
