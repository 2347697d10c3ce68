#include "vm/trace/module_tracers.h"

#include <array>
#include <unordered_set>

#include "scheduler/scheduler.h"
#include "term/copy.h"
#include "term/external.h"
#include "term/map.h"
#include "term/order.h"
#include "vm/core/settings.h"
#include "vm/core/vm.h"
#include "vm/nif/loaded.h"
#include "vm/port/ports.h"
#include "vm/process/trace_flags.h"

namespace wb {

namespace {

/// Which functions of the module an event is for, if it has them; else `enabled` and `trace`.
struct Functions {
  const char* enabled;
  const char* trace;
};
constexpr Functions kPlain = {"enabled", "trace"};

Functions functions_for(Term tag, bool port) {
  switch (tag) {
    case am::trace_status:
    case am::seq_trace:
      return kPlain;
    case am::send:
    case am::send_to_non_existing_process:
      return {"enabled_send", "trace_send"};
    case am::receive:
      return {"enabled_receive", "trace_receive"};
    case am::call:
    case am::return_from:
    case am::return_to:
    case am::exception_from:
      return {"enabled_call", "trace_call"};
    case am::in:
    case am::out:
    case am::in_exiting:
    case am::out_exiting:
    case am::out_exited:
      if (port) return {"enabled_running_ports", "trace_running_ports"};
      return {"enabled_running_procs", "trace_running_procs"};
    case am::gc_major_start:
    case am::gc_major_end:
    case am::gc_minor_start:
    case am::gc_minor_end:
      return {"enabled_garbage_collection", "trace_garbage_collection"};
    default:
      if (port) return {"enabled_ports", "trace_ports"};
      return {"enabled_procs", "trace_procs"};
  }
}

Term time_option(uint32_t flags) {
  if (flags & traced::timestamp) return am::timestamp;
  if (flags & traced::strict_monotonic_timestamp) return am::strict_monotonic;
  return flags & traced::monotonic_timestamp ? am::monotonic : kNone;
}

Term options(Heap& h, const TracedEvent& e) {
  Worker* w = Scheduler::current();
  const Term scheduler = make_small(w ? int64_t{w->index()} + 1 : 0);
  Term map = empty_map(h);
  auto put = [&](Term key, Term value) {
    if (is_value(value)) map = map_put(h, map, key, value);
  };
  put(am::extra, e.extra);
  put(am::match_spec_result, e.verdict);
  put(am::scheduler_id, e.flags & traced::scheduler_id ? scheduler : kNone);
  put(am::timestamp, time_option(e.flags));
  return map;
}

}  // namespace

ModuleTracerRef ModuleTracers::tracer(Term module, Term state) {
  if (!has_native_function(vm_, module, "enabled", 3)) return nullptr;
  if (!has_native_function(vm_, module, "trace", 5)) return nullptr;
  std::lock_guard lock(lock_);
  for (auto& [number, t] : tracers_) {
    if (t->module == module && equal_exact(t->state.get(), state)) return t;
  }
  auto made = std::make_shared<ModuleTracer>(module, state, ++last_);
  tracers_.emplace(last_, made);
  return made;
}

ModuleTracerRef ModuleTracers::find(Address tracer) const {
  std::lock_guard lock(lock_);
  auto found = tracers_.find(small_value(tracer.local_term()));
  return found == tracers_.end() ? nullptr : found->second;
}

Term ModuleTracers::term_of(Heap& h, Address tracer) const {
  const ModuleTracerRef t = find(tracer);
  return t ? tuple(h, t->module, copy_term_deep(h, t->state.get())) : kNil;
}

Address ModuleTracers::address_of(Term module, Term state) {
  const ModuleTracerRef t = tracer(module, state);
  return t ? t->address() : Address();
}
/// The module is asked about the process, and told of the label.
void ModuleTracers::tell_sequential(Address tracer, Term about, Term label, Term what,
                                    uint32_t stamp) {
  switch (enabled(tracer, am::seq_trace, about)) {
    case TracerAnswer::trace:
      return trace(tracer, {.tag = am::seq_trace, .about = label, .what = what, .flags = stamp});
    case TracerAnswer::discard:
      return;
    case TracerAnswer::remove:
      vm_.settings->sequential_tracer.compare_exchange_strong(tracer, Address());
  }
}

bool ModuleTracers::is_tracer_port(Address port) const {
  return vm_.ports->takes_traces(port.local_term());
}
void ModuleTracers::tell_port(Address port, Term message) {
  const std::shared_ptr<Port> found = vm_.ports->find(port.local_term());
  if (!found) return;
  std::vector<uint8_t> bytes;
  if (encode_term(message, {}, &bytes)) found->traced(bytes.data(), bytes.size());
}

bool ModuleTracers::wants_sweep() const {
  std::lock_guard lock(lock_);
  return tracers_.size() >= limit_;
}

void ModuleTracers::sweep(const std::vector<Address>& named) {
  const std::unordered_set<Word> words = [&] {
    std::unordered_set<Word> all;
    for (Address a : named) all.insert(a.word());
    return all;
  }();
  std::lock_guard lock(lock_);
  std::erase_if(tracers_, [&](auto& entry) {
    ModuleTracer& t = *entry.second;
    const bool unnamed = !words.contains(t.address().word()) && entry.second.use_count() == 1;
    return std::exchange(t.unnamed, unnamed) && unnamed;
  });
  limit_ = 2 * tracers_.size() + kFewest;
}

TracerAnswer ModuleTracers::enabled(Address tracer, Term tag, Term about) {
  const ModuleTracerRef t = find(tracer);
  if (!t) return TracerAnswer::remove;
  const std::array<Term, 3> arguments = {tag, t->state.get(), about};
  const char* name = functions_for(tag, is_port(about)).enabled;
  switch (call_native_function(vm_, t->module, name, kPlain.enabled, arguments)) {
    case am::trace:
      return TracerAnswer::trace;
    case am::discard:
      return TracerAnswer::discard;
    default:
      return TracerAnswer::remove;
  }
}

void ModuleTracers::trace(Address tracer, const TracedEvent& e) {
  const ModuleTracerRef t = find(tracer);
  if (!t) return;
  FragmentHeap h(16);
  const std::array<Term, 5> arguments = {e.tag, t->state.get(), e.about, e.what, options(h, e)};
  const char* name = functions_for(e.tag, is_port(e.about)).trace;
  call_native_function(vm_, t->module, name, kPlain.trace, arguments, e.self);
}

}  // namespace wb
