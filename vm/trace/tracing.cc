#include "vm/trace/tracing.h"

#include "loader/code_table.h"
#include "vm/core/settings.h"
#include "vm/core/vm.h"
#include "vm/port/ports.h"
#include "vm/process/table.h"
#include "vm/trace/ports.h"

namespace wb {

Tracing::Tracing(Vm& vm)
    : breakpoints(vm), watch(vm), modules(vm), ports(std::make_unique<TracedPorts>(vm)), vm_(vm) {
  vm.ports->tracer = ports.get();
  vm.settings->tracer_modules = &modules;
}
Tracing::~Tracing() = default;

bool Tracing::gone(Address tracer) const {
  if (ModuleTracers::is_module(tracer)) return !modules.find(tracer);
  if (tracer.is_local_port()) return !vm_.ports->takes_traces(tracer.local_term());
  return tracer && !vm_.processes->find(tracer);
}

/// The flags of trace/3; under lock_.
static uint32_t flags_of(const Process& p) {
  return p.trace_flags.load(std::memory_order_relaxed) & traced::all;
}
static void set(Process& p, uint32_t flags, Address tracer) {
  uint32_t others = p.trace_flags.load(std::memory_order_relaxed) & ~traced::all;
  p.tracer.store(flags ? tracer : Address(), std::memory_order_relaxed);
  p.trace_flags.store(flags | others, std::memory_order_release);
}

std::optional<Address> Tracing::tracer_of(const TraceFlagList& list, ModuleTracerRef* module) {
  if (!is_atom(list.tracer)) return Address::of_local(list.tracer);
  if (modules.wants_sweep()) sweep_modules();
  *module = modules.tracer(list.tracer, list.state);
  if (!*module) return {};
  return (*module)->address();
}
void Tracing::sweep_modules() {
  std::lock_guard lock(lock_);
  std::vector<Address> named = {new_tracer_,
                                vm_.settings->sequential_tracer.load(std::memory_order_relaxed)};
  vm_.processes->each(
      [&](Process& p) { named.push_back(p.tracer.load(std::memory_order_relaxed)); });
  ports->name_tracers(&named);
  modules.sweep(named);
}
Term Tracing::tracer_term(Heap& h, Address tracer) const {
  if (!tracer) return kNil;
  return ModuleTracers::is_module(tracer) ? modules.term_of(h, tracer) : tracer.local_term();
}
bool Tracing::wants(Process& p, Address tracer, Term tag) {
  if (!ModuleTracers::is_module(tracer)) return true;
  const TracerAnswer answer = modules.enabled(tracer, tag, p.id);
  if (answer == TracerAnswer::remove) {
    std::lock_guard lock(lock_);
    if (p.tracer.load(std::memory_order_relaxed) == tracer) set(p, 0, Address());
  }
  return answer == TracerAnswer::trace;
}
void Tracing::ask_tracer(Process& p) {
  wants(p, p.tracer.load(std::memory_order_relaxed), am::trace_status);
}

void Tracing::set_watched(Process& p, uint32_t flags) {
  std::lock_guard lock(lock_);
  uint32_t others = p.trace_flags.load(std::memory_order_relaxed) & ~traced::watched;
  p.trace_flags.store(flags | others, std::memory_order_release);
}
void Tracing::set_new_watched(uint32_t flags) {
  std::lock_guard lock(lock_);
  uint32_t others = vm_.traces_new.load(std::memory_order_relaxed) & ~traced::watched;
  vm_.traces_new.store(flags | others, std::memory_order_release);
}

bool Tracing::mark(Process& p, uint32_t mark, bool on) {
  std::lock_guard lock(lock_);
  uint32_t flags = p.trace_flags.load(std::memory_order_relaxed);
  uint32_t next = on ? flags | mark : flags & ~mark;
  p.trace_flags.store(next, std::memory_order_relaxed);
  return flags & mark;
}

void Tracing::drop_ended_tracer(Process& p) {
  if (gone(p.tracer.load(std::memory_order_relaxed))) set(p, 0, Address());
}

bool Tracing::change(Process& p, bool on, uint32_t flags, Address tracer) {
  std::lock_guard lock(lock_);
  drop_ended_tracer(p);
  uint32_t old = flags_of(p);
  Address now = p.tracer.load(std::memory_order_relaxed);
  if (!on) {
    set(p, old & ~flags, now);
    return true;
  }
  if (now && now != tracer) return false;
  if (!gone(tracer)) set(p, old | flags, tracer);
  return true;
}

bool Tracing::replace(Process& p, uint32_t off, uint32_t on, Address tracer) {
  std::lock_guard lock(lock_);
  drop_ended_tracer(p);
  uint32_t old = flags_of(p);
  Address before = p.tracer.load(std::memory_order_relaxed);
  uint32_t next = (old & ~off) | on;
  if (!tracer || gone(tracer)) next = 0;
  set(p, next, tracer);
  return next != old || (next && before != tracer);
}

void Tracing::set_filter(Message kind, TraceEventFilter filter) {
  bool plain = !filter.nothing && !filter.spec;
  auto next = plain ? nullptr : std::make_shared<const TraceEventFilter>(std::move(filter));
  std::lock_guard lock(filter_lock_);
  filters_[kind].swap(next);
}
std::shared_ptr<const TraceEventFilter> Tracing::filter(Message kind) const {
  std::lock_guard lock(filter_lock_);
  return filters_[kind];
}

/// Of processes to come, the observer's apart; under lock_.
void Tracing::set_new(uint32_t flags, Address tracer) {
  uint32_t others = vm_.traces_new.load(std::memory_order_relaxed) & ~traced::all;
  new_tracer_ = flags ? tracer : Address();
  vm_.traces_new.store(flags | others, std::memory_order_relaxed);
}
void Tracing::change_new(bool on, uint32_t flags, Address tracer) {
  std::lock_guard lock(lock_);
  uint32_t now = vm_.traces_new.load(std::memory_order_relaxed) & traced::all;
  uint32_t old = gone(new_tracer_) ? 0 : now;
  uint32_t next = on ? gone(tracer) ? 0 : old | flags : old & ~flags;
  set_new(next, on ? tracer : new_tracer_);
}

Tracing::State Tracing::state(Process& p) {
  std::lock_guard lock(lock_);
  drop_ended_tracer(p);
  return {flags_of(p), p.tracer.load(std::memory_order_relaxed)};
}

Tracing::State Tracing::new_state() {
  std::lock_guard lock(lock_);
  return new_state_now();
}

Tracing::State Tracing::new_state_now() {
  if (gone(new_tracer_)) set_new(0, Address());
  return {vm_.traces_new.load(std::memory_order_relaxed) & traced::all, new_tracer_};
}

void Tracing::inherit(Process* parent, Process& child, bool linked) {
  std::lock_guard lock(lock_);
  State s = new_state_now();
  uint32_t watched = vm_.traces_new.load(std::memory_order_relaxed) & traced::watched;
  if (parent) {
    inherit_from(*parent, linked, &s);
    uint32_t flags = parent->trace_flags.load(std::memory_order_relaxed) & traced::watched;
    if (flags & traced::watch_children) watched |= flags;
  }
  set(child, s.flags, s.tracer);
  if (watched) child.trace_flags.fetch_or(watched, std::memory_order_release);
}
/// What the program's flags of `parent` say; under lock_.
void Tracing::inherit_from(Process& parent, bool linked, State* s) {
  drop_ended_tracer(parent);
  uint32_t flags = flags_of(parent);
  uint32_t all_children = traced::set_on_spawn | (linked ? traced::set_on_link : 0);
  uint32_t first_child = traced::set_on_first_spawn | (linked ? traced::set_on_first_link : 0);
  if (!(flags & (all_children | first_child))) return;
  Address tracer = parent.tracer.load(std::memory_order_relaxed);
  if (flags & first_child) {  // the first one is the last, whatever else was said
    uint32_t over = 0;
    if (flags & traced::set_on_first_spawn)
      over |= traced::set_on_first_spawn | traced::set_on_spawn;
    if (linked && flags & traced::set_on_first_link)
      over |= traced::set_on_first_link | traced::set_on_link;
    flags &= ~over;
    set(parent, flags, tracer);
  }
  *s = {flags, tracer};
}

}  // namespace wb
