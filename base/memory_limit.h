// How much memory an instance may use, and looking in time.
//
// The kernel promises more memory than there is, and who touches the last page is killed without a
// word. So large requests are measured against the limit before they are made, and the schedulers
// look every few milliseconds whether the small ones add up to it. What counts is what is resident
// now, for an instance's own limit (--max-memory) less what other instances of the program have on
// heaps and in binaries; no instance may take more than the machine or its container (cgroup) has.
// Without /proc nothing is known and nothing is refused.
#pragma once

#include <cstddef>

namespace wb {

constexpr size_t kLargeRequest = size_t{1} << 20;

/// Of this thread's instance, or else of the machine.
size_t memory_limit();

/// What one reservation of mere addresses may take: a quarter of what `ulimit -v` allows.
size_t reservation_limit();

/// What is resident now; 0: unknown.
size_t resident_bytes();

/// May a large request be made? (A system call: not for small ones.)
bool memory_has_room(size_t bytes);

/// Ends this thread's instance if what it uses has reached the limit.
void check_memory_limit();

}  // namespace wb
