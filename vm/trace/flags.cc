#include "vm/trace/flags.h"

#include "term/atom.h"
#include "vm/bif/bif.h"

namespace wb {

static constexpr Term kNames[] = {
#define TRACE_FLAG(name, atom) am::atom,
#include "vm/trace/flags.def"
#undef TRACE_FLAG
};

uint32_t to_trace_flag(Term name) {
  if (name == am::all) return traced::all;
  for (uint32_t k = 0; k < traced::number::count; ++k) {
    if (kNames[k] == name) return 1u << k;
  }
  return 0;
}

std::optional<TraceFlagList> to_trace_flags(Term list) {
  TraceFlagList r;
  for (; is_cons(list); list = tail(list)) {
    Term t = head(list);
    if (is_tuple(t)) {
      const Term* e = tuple_elements(t);
      uint64_t n = tuple_arity(t);
      if (n < 2 || n > 3 || e[0] != am::tracer) return {};
      r.module = n == 3 || is_atom(e[1]);
      if (n == 3 ? !is_atom(e[1]) : !is_local_pid(e[1]) && !is_local_port(e[1])) return {};
      r.tracer = n == 3 ? kNil : e[1];
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
  for (uint32_t k = 0; k < traced::number::count; ++k) {
    if (flags >> k & 1) list.add(kNames[k]);
  }
  return list.finish();
}

}  // namespace wb
