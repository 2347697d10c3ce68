// What a process does about literals that are being released (vm/process/literal_collector.h).
#pragma once

#include "vm/process/signal.h"

namespace wb {

/// Request `s` (a copy_literals task) came in: it is answered after the next safe point.
void request_eviction(Process& p, const Signal& s);
/// At a safe point: copies the literals being released among the process' terms, and answers.
/// False: memory is out.
bool evict_releasing(Exec& c, uint32_t live);
/// Answers what was asked and not done: the process has ended.
void reply_evictions(Process& p);

}  // namespace wb
