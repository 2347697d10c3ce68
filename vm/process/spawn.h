// Making processes.
#pragma once

#include <cstdint>

#include "term/term.h"
#include "vm/process/bounded_mailbox.h"
#include "vm/process/policy.h"
#include "vm/process/process.h"

namespace wb {

class Group;
class Vm;

/// Somebody who has to do with a child before it begins.
class SpawnWitness {
 public:
  virtual void added(Process& child) = 0;   ///< it has its pid; nothing is traced yet
  virtual void traced(Process& child) = 0;  ///< it begins next

 protected:
  ~SpawnWitness() = default;
};

struct SpawnOptions {
  uint32_t min_heap_size = 0;  ///< words; 0: not given, the first heap is the control block's rest
  uint32_t min_bin_vheap_size = 46422;
  uint32_t fullsweep_after = 65535;
  uint64_t max_heap_size = 0;
  bool max_heap_kill = true, max_heap_log = true, max_heap_shared = false;
  Priority priority = Priority::normal;
  bool off_heap_messages = false;
  bool async_dist = false;  ///< sends to other nodes never suspend it
  bool link = false;
  bool priority_link = false;  ///< with `link`: its exit overtakes other messages of the parent
  uint64_t monitor = 0;  ///< reference number under which the parent watches the child; 0: not
  bool system = false;
  bool asleep = false;         ///< begins when the first signal comes
  uint32_t scheduler = 0;      ///< bound to this one, counted from 1; 0: to none
  uint32_t mailbox_limit = 0;  ///< messages; 0: unbounded
  WhenFull when_full{};
  SpawnWitness* witness = nullptr;
  PolicyChoice policy;
  Group* group = nullptr;  ///< null: the parent's
};

/// A new process that calls module:function(args...). `args` is a proper list, copied. `parent` may
/// be null (the first process). Returns its pid, or kSystemLimit.
Term spawn_process(Vm& vm, Process* parent, Term module, Term function, Term args,
                   const SpawnOptions& options = {});

}  // namespace wb
