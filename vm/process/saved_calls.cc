#include "vm/process/saved_calls.h"

#include "loader/code_table.h"
#include "term/atom.h"
#include "term/identifiers.h"
#include "vm/core/vm.h"
#include "vm/process/extra.h"
#include "vm/process/trace_flags.h"

namespace wb {

Term SavedCalls::list(Heap& h) const {
  Term list = kNil;
  uint32_t at = next_;
  for (uint32_t k = 0; k < count_; ++k) {
    at = (at ? at : size_) - 1;
    Word what = ring_[at];
    if (!is_atom(what)) {
      auto* e = reinterpret_cast<const Export*>(what);
      what = tuple(h, e->module, e->function, make_small(e->arity));
    }
    list = cons(h, what, list);
  }
  return list;
}

uint32_t saved_calls_size(const Process& p) {
  return rare_of(p) && rare_of(p)->saved_calls ? rare_of(p)->saved_calls->size() : 0;
}
uint32_t set_saved_calls(Process& p, uint32_t n) {
  uint32_t old = saved_calls_size(p);
  if (!n && !old) return 0;
  p.rare().saved_calls.reset(n ? new SavedCalls(n) : nullptr);
  if (bool(n) == bool(old)) return old;
  p.vm().hooks->mark(p, traced::saves_calls, n != 0);
  p.vm().hooks->calls_are_saved(p.vm(), n != 0);
  return old;
}

void save_call(Process& p, const Export& e) { p.extra->rare->saved_calls->add(e); }
void save_event(Process& p, Term event) { p.extra->rare->saved_calls->add(event); }
void save_send(Process& p, Term to, bool by_operator) {
  if (by_operator) save_call(p, *p.vm().code->export_entry(am::erlang, am::send, 2));
  if (is_tuple(to)) {  // {Name, Node}: what goes to other nodes is not saved
    const Term* e = tuple_elements(to);
    if (!is_tuple_of(to, 2) || !is_atom(e[0]) || e[1] != local_node().name) return;
  } else if (is_external(to) && !is_port(to)) {
    return;
  }
  save_event(p, am::send);
}

}  // namespace wb
