// Options that spawn_opt, process_flag, monitor and alias share.
#pragma once

#include "vm/process/relations.h"
#include "vm/process/spawn.h"

namespace wb {

/// low, normal, high, max.
bool to_priority(Term t, Priority* priority);
Term priority_atom(Priority priority);

struct MaxHeap {
  uint64_t words = 0;                            ///< 0: no limit
  bool kill = true, log = true, shared = false;  ///< shared: binaries outside of the heap count
};
/// A size in words, or #{size := N, kill => Bool, error_logger => Bool} and, from OTP 27 on,
/// include_shared_binaries => Bool. What a map does not say stays as it is in `*max`.
bool to_max_heap(Term t, MaxHeap* max);
Term max_heap_map(Heap& h, const MaxHeap& max);
MaxHeap max_heap_of(const RareParts& rare);

/// A non-negative number that fits 32 bits; larger ones are cut to the maximum.
bool to_limit(Term t, uint32_t* limit);

/// A size of the schedule (heap_sizes.h), at least `smallest`.
constexpr uint32_t kMinHeapSize = 233, kMinBinVheapSize = 46422;
bool to_size(Term t, uint32_t smallest, uint32_t* size);

/// The option list of monitor/3: {tag, T}, {alias, Mode} and, from OTP 28 on, priority.
struct MonitorOptions {
  Term tag = kNone;
  AliasMode alias = AliasMode::none;
  bool priority = false;
};
/// `priority` in a list of options: there is none before OTP 28.
bool is_priority_option(Term option);
/// The option list of link/2 and exit/3: only `priority`.
bool to_priority_option(Term list, bool* priority);
bool to_monitor_options(Term list, MonitorOptions* options);

/// A monitor entry with these options; the tag is copied. `target` is counted: it is the entry's.
Monitor new_monitor(const MonitorOptions& options, HeldAddress target);

}  // namespace wb
