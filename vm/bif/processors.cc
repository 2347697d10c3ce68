#include "vm/bif/processors.h"

#include "loader/code_table.h"
#include "scheduler/scheduler.h"
#include "term/lists.h"
#include "term/number.h"
#include "vm/core/settings.h"
#include "vm/core/vm.h"
#include "vm/process/native.h"

namespace wb {

static Term cpu_term(Heap& h, const Cpu& c) {
  Term* e;
  const Term t = new_tuple(h, 7, &e);
  e[0] = intern("cpu");
  const int32_t numbers[] = {c.node, c.processor, c.processor_node, c.core, c.thread, c.logical};
  for (size_t k = 0; k < std::size(numbers); ++k) e[k + 1] = make_small(numbers[k]);
  return t;
}
static Term topology_term(Heap& h, const CpuTopology& t) {
  if (t.empty()) return am::undefined;
  ListBuilder list(h);
  for (const Cpu& c : t) list.add(cpu_term(h, c));
  return list.finish();
}
/// False: it is no list of such.
static bool to_topology(Term list, CpuTopology* t) {
  constexpr int64_t kMost = 65535;
  if (list == am::undefined) return true;
  for (; is_cons(list); list = tail(list)) {
    if (!is_tuple_of(head(list), 7)) return false;
    const Term* e = tuple_elements(head(list));
    if (e[0] != intern("cpu")) return false;
    Cpu c;
    int32_t* const numbers[] = {&c.node, &c.processor, &c.processor_node,
                                &c.core, &c.thread,    &c.logical};
    for (size_t k = 0; k < std::size(numbers); ++k) {
      if (!is_small(e[k + 1]) || small_value(e[k + 1]) < -1 || small_value(e[k + 1]) > kMost)
        return false;
      *numbers[k] = static_cast<int32_t>(small_value(e[k + 1]));
    }
    t->push_back(c);
  }
  return is_nil(list) && settle(t).empty();
}

static Term format_topology(Process& p, const char* function, Term topology) {
  return p.trap(p.vm().code->export_entry(am::erlang, intern(function), 1), {topology});
}

Term internal_cpu_topology(Process& p, Term which) {
  CpuBinding& cpus = p.vm().settings->cpus;
  if (which == am::used) return topology_term(p.heap, cpus.used());
  if (which == am::defined) return topology_term(p.heap, cpus.defined());
  return which == am::detected ? topology_term(p.heap, cpus.detected()) : kBadarg;
}
Term cpu_topology(Process& p, Term which) {
  const Term t = internal_cpu_topology(p, which);
  return is_fault(t) ? t : format_topology(p, "format_cpu_topology", t);
}
Term set_cpu_topology(Process& p, Term topology) {
  return format_topology(p, "set_cpu_topology", topology);
}
Term set_internal_cpu_topology(Process& p, Term topology) {
  CpuTopology t;
  if (!to_topology(topology, &t)) return kBadarg;
  const Term before = internal_cpu_topology(p, am::used);
  p.vm().settings->cpus.define(std::move(t));
  return before;
}

Term scheduler_bind_type(Vm& vm) { return intern(name_of(vm.settings->cpus.type())); }
Term set_scheduler_bind_type(Process& p, Term type) {
  const auto wanted = is_atom(type) ? bind_type_of_name(atom_text(type)) : std::nullopt;
  if (!wanted) return kBadarg;
  const Term before = scheduler_bind_type(p.vm());
  return p.vm().settings->cpus.bind(*wanted) ? before : kBadarg;
}
Term scheduler_bindings(Vm& vm, Heap& h) {
  Term* e;
  const std::vector<int32_t> all = vm.settings->cpus.bindings(vm.scheduler->worker_count());
  const Term t = new_tuple(h, all.size(), &e);
  for (int32_t logical : all)
    *e++ = logical == CpuBinding::kUnbound ? am::unbound : make_small(logical);
  return t;
}

}  // namespace wb
