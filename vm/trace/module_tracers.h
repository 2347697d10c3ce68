// Tracers that are modules of native functions (erl_tracer): {tracer, Module, State}.
//
// A process, a port or a pattern says who its tracer is by an Address; that of a module with its
// state is a number, as that of a native library's resource is, and here is the table of numbers.
// The same module with an equal state has the same number, so that addresses are compared as words.
//
// What happens is asked and told on the thread on which it happens, in an environment of its own:
// first `enabled` (or enabled_call ...), and if that says `trace`, `trace` (or trace_call ...).
// Any other answer than `trace` or `discard`, or a library that has gone, ends the tracing.
// Nothing is held then.
//
// Lifetime. A number is found by a reader that holds nothing, so nobody counts: when the table has
// grown, those that no process, port or pattern names are dropped, and a number is never used
// again. One that was named by nobody in two sweeps is gone: what a child inherits may be on its
// way between them. Patterns hold their tracer.
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/ranked_lock.h"
#include "term/address.h"
#include "vm/ets/object.h"
#include "vm/process/process.h"
#include "vm/process/sequential.h"

namespace wb {

struct ModuleTracer {
  ModuleTracer(Term m, Term s, int64_t n) : module(m), state(s), number(n) {}
  const Term module;
  const KeptTerm state;
  const int64_t number;
  bool unnamed = false;  ///< in the sweep before; under ModuleTracers::lock_
  Address address() const { return Address::of_local(make_small(number)); }
};
using ModuleTracerRef = std::shared_ptr<ModuleTracer>;

/// One event, as the functions of a tracer module get it.
struct TracedEvent {
  Term tag;
  Term about;               ///< the pid or port that is traced
  Term what;                ///< the first term
  Term extra = kNone;       ///< the second one
  Term verdict = kNone;     ///< of a match specification
  uint32_t flags = 0;       ///< what else is to be told: time, scheduler
  Process* self = nullptr;  ///< who does it, where the tracer may ask
};

enum class TracerAnswer : uint8_t { trace, discard, remove };

class ModuleTracers final : public TracerModules {
 public:
  explicit ModuleTracers(Vm& vm) : vm_(vm) {}

  static bool is_module(Address tracer) { return tracer.is_resource(); }
  /// nullptr: the module has no native functions of a tracer.
  ModuleTracerRef tracer(Term module, Term state);
  ModuleTracerRef find(Address tracer) const;
  /// {Module, State}, or [] if it has gone.
  Term term_of(Heap& h, Address tracer) const override;

  Address address_of(Term module, Term state) override;
  bool is_there(Address tracer) const override { return find(tracer) != nullptr; }
  void tell_sequential(Address tracer, Term about, Term label, Term what, uint32_t stamp) override;
  bool is_tracer_port(Address port) const override;
  /// In the external format.
  void tell_port(Address port, Term message) override;

  /// Does it want to know of `tag`? am::trace_status asks only whether it is still there.
  TracerAnswer enabled(Address tracer, Term tag, Term about);
  void trace(Address tracer, const TracedEvent& e);

  // --- what nobody names is dropped --------------------------------------------------------------
  bool wants_sweep() const;
  void sweep(const std::vector<Address>& named);

 private:
  static constexpr size_t kFewest = 32;

  Vm& vm_;
  mutable RankedLock<LockRank::module_tracers> lock_;  ///< a leaf: ports ask under their own
  std::unordered_map<int64_t, ModuleTracerRef> tracers_;
  int64_t last_ = 0;
  size_t limit_ = kFewest;
};

}  // namespace wb
