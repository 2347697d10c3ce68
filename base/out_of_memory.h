// When memory is out and the caller has no way to say so.
//
// Most allocations can answer Erlang's system_limit, or end one process. What is left (a builder in
// the middle of a term, the literal range) ends the VM in plain words instead of a crash later.
#pragma once

#include <cstddef>

namespace wb {

/// Prints what could not be allocated and ends the program.
[[noreturn]] __attribute__((noinline, cold)) void out_of_memory(const char* what, size_t bytes);

}  // namespace wb
