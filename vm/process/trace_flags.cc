#include "vm/process/trace_flags.h"

#include "term/atom.h"
#include "term/lists.h"

namespace wb {

namespace {
struct Flag {
  Term name;
  uint32_t bit;
};
constexpr Flag kFlags[] = {
#define TRACE_FLAG(name, atom, bit) {am::atom, traced::name},
#include "vm/process/trace_flags.def"
#undef TRACE_FLAG
};
}  // namespace

uint32_t to_trace_flag(Term name) {
  if (name == am::all) return traced::all;
  for (const Flag& f : kFlags) {
    if (f.name == name) return f.bit;
  }
  return 0;
}

Term module_tracer(Term module, Term state) {
  if (module != am::erl_tracer) return is_atom(module) ? module : kNone;
  return is_local_pid(state) || is_local_port(state) ? state : kNil;
}

std::optional<TraceFlagList> to_trace_flags(Term list) {
  TraceFlagList r;
  for (; is_cons(list); list = tail(list)) {
    Term t = head(list);
    if (is_tuple(t)) {
      const Term* e = tuple_elements(t);
      uint64_t n = tuple_arity(t);
      if (n < 2 || n > 3 || e[0] != am::tracer) return {};
      if (n == 2 && !is_local_pid(e[1]) && !is_local_port(e[1])) return {};
      r.tracer = n == 3 ? module_tracer(e[1], e[2]) : e[1];
      if (is_fault(r.tracer)) return {};
      if (n == 3) r.state = e[2];
    } else if (t == am::cpu_timestamp) {
      r.cpu_timestamp = true;
    } else if (uint32_t flag = to_trace_flag(t)) {
      r.flags |= flag;
    } else {
      return {};
    }
  }
  if (!is_nil(list)) return {};
  return r;
}

Term trace_flag_list(Heap& h, uint32_t flags) {
  ListBuilder list(h);
  for (const Flag& f : kFlags) {
    if (flags & f.bit) list.add(f.name);
  }
  return list.finish();
}

}  // namespace wb
