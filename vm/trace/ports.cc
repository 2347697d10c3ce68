#include "vm/trace/ports.h"

#include "vm/core/vm.h"
#include "vm/port/ports.h"
#include "vm/trace/message.h"
#include "vm/trace/system_monitor.h"

namespace wb {

static void set(Port& p, uint32_t flags, Address tracer) {
  p.tracer.store(flags ? tracer : Address(), std::memory_order_relaxed);
  p.trace_flags.store(flags, std::memory_order_release);
}

void TracedPorts::drop_ended_tracer(Port& p) {
  if (vm_.tracing->gone(p.tracer.load(std::memory_order_relaxed))) set(p, 0, Address());
}

bool TracedPorts::change(Port& p, bool on, uint32_t flags, Address tracer) {
  std::lock_guard lock(lock_);
  drop_ended_tracer(p);
  const uint32_t old = p.trace_flags.load(std::memory_order_relaxed);
  const Address now = p.tracer.load(std::memory_order_relaxed);
  if (!on) {
    set(p, old & ~flags, now);
    return true;
  }
  if (now && now != tracer) return false;
  if (!vm_.tracing->gone(tracer)) set(p, old | flags, tracer);
  return true;
}

Tracing::State TracedPorts::new_state_now() {
  if (vm_.tracing->gone(new_.tracer)) new_ = {};
  return new_;
}
void TracedPorts::change_new(bool on, uint32_t flags, Address tracer) {
  std::lock_guard lock(lock_);
  Tracing::State s = new_state_now();
  if (on) s.tracer = tracer;
  s.flags = on ? s.flags | flags : s.flags & ~flags;
  const bool nobody = !s.flags || !s.tracer || vm_.tracing->gone(s.tracer);
  new_ = nobody ? Tracing::State{} : s;
}
Tracing::State TracedPorts::state(Port& p) {
  std::lock_guard lock(lock_);
  drop_ended_tracer(p);
  return {p.trace_flags.load(std::memory_order_relaxed), p.tracer.load(std::memory_order_relaxed)};
}
Tracing::State TracedPorts::new_state() {
  std::lock_guard lock(lock_);
  return new_state_now();
}
void TracedPorts::name_tracers(std::vector<Address>* named) {
  {
    std::lock_guard lock(lock_);
    named->push_back(new_.tracer);
  }
  for (Term id : vm_.ports->all()) {
    if (auto port = vm_.ports->find(id)) {
      named->push_back(port->tracer.load(std::memory_order_relaxed));
    }
  }
}

void TracedPorts::made(Port& p) {
  std::lock_guard lock(lock_);
  const Tracing::State s = new_state_now();
  set(p, s.flags, s.tracer);
}

void TracedPorts::took(Port& p, PortTask task, uint64_t since_ns) {
  constexpr std::string_view kNames[] = {"undefined", "input", "output", "timeout", "proc_sig"};
  monitor_port_task(vm_, p.id, kNames[static_cast<size_t>(task)],
                    vm_.scheduler->now_ns() - since_ns);
}

void TracedPorts::happened(Port& p, Term tag, Term what, Term extra) {
  const Address tracer = p.tracer.load(std::memory_order_relaxed);
  const uint32_t flags = p.trace_flags.load(std::memory_order_relaxed);
  if (!tracer || tracer.is_local_port() || !flags) return;
  if (ModuleTracers::is_module(tracer)) {
    ModuleTracers& modules = vm_.tracing->modules;
    switch (modules.enabled(tracer, tag, p.id)) {
      case TracerAnswer::trace:
        return modules.trace(
            tracer, {.tag = tag, .about = p.id, .what = what, .extra = extra, .flags = flags});
      case TracerAnswer::discard:
        return;
      case TracerAnswer::remove:
        break;
    }
    p.trace_flags.store(0, std::memory_order_relaxed);
    p.tracer.store(Address(), std::memory_order_relaxed);
    return;
  }
  if (is_value(extra)) {
    send_trace_message(vm_, p.id, tracer, flags, tag, {what, extra});
  } else {
    send_trace_message(vm_, p.id, tracer, flags, tag, {what});
  }
}

}  // namespace wb
