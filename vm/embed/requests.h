// What calls and attached threads share: requests to processes of whitebeam_host, and letters.
#pragma once

#include "scheduler/reading.h"
#include "vm/embed/environment.h"

namespace wb {

/// {Key, Request} to a process of whitebeam_host. False: it has ended.
bool key_request(EmbeddedVm& vm, Term pid, uint64_t key, Term request, Heap& h);
/// Into an environment of the program's own.
wb_result take_letter(wb_env* env, Letter& l, wb_term* term);
/// Not on a thread that works for the machine.
wb_result may_wait(EmbeddedVm& vm);

}  // namespace wb
