// When memory is out and the caller has no way to say so.
//
// Some requests can be refused: a large binary is Erlang's system_limit. What is left (a process'
// heap, a builder in the middle of a term, the machine's own tables) ends the VM with BEAM's words
// and an exit code of its own, before anything is written where it should not be.
//
// Rejected: ending the process that asked for most. Which request fails is an accident, so the
// innocent would die as often; a limit for one process is `max_heap_size`.
#pragma once

#include <cstddef>

#include "base/exit_codes.h"

namespace wb {

/// Ends this thread's instance (base/instance.h); says what could not be allocated (0: unknown).
/// `type`: BEAM's name for what it was wanted for.
[[noreturn]] __attribute__((noinline, cold)) void out_of_memory(const char* type, size_t bytes,
                                                                const char* before = "");

/// malloc, calloc and realloc for those who cannot go on without.
void* must_malloc(size_t bytes, const char* type);
void* must_calloc(size_t count, size_t bytes, const char* type);
void* must_realloc(void* block, size_t bytes, const char* type);

/// From now on a failing `new` ends in out_of_memory, too.
void install_new_handler();

}  // namespace wb
