// One virtual machine: everything mutable hangs off it (the atom table and the literal range are
// the two process-wide exceptions; see term/atom.h, term/literal_area.h).
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "term/fault.h"
#include "term/heap.h"

namespace wb {

class Process;
class Scheduler;
class CodeServer;
class ProcessTable;
class EtsTables;
class PersistentTerms;

class Vm {
 public:
  Vm();
  ~Vm();
  Vm(const Vm&) = delete;

  std::unique_ptr<ProcessTable> processes;
  std::unique_ptr<CodeServer> code;
  std::unique_ptr<EtsTables> ets;
  std::unique_ptr<PersistentTerms> persistent_terms;

  // --- references ---------------------------------------------------------------------------------
  Term new_ref(Heap& h);
  /// A magic reference: owns one reference to `object`, which it takes over. `bytes`: what it keeps
  /// alive, for the collector's accounting.
  Term new_magic_ref(Heap& h, OffHeapObject* object, size_t bytes);

  // --- processes ----------------------------------------------------------------------------------
  /// Sends `message` (copied) to local pid `to`; false if there is no such process.
  bool send(Term to, Term message, Process* from = nullptr);
  bool is_alive(Term pid);

 private:
  std::atomic<uint64_t> next_ref_{1};
};

/// The object of a magic reference (Kind::magic_ref).
inline OffHeapObject* magic_object(Term ref) {
  return reinterpret_cast<OffHeapObject*>(boxed_ptr(ref)[1]);
}

}  // namespace wb
