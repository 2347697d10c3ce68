#include "vm/process/relation_lists.h"

#include "term/number.h"
#include "vm/process/relations.h"

namespace wb {

Term link_list(Process& p, Heap& h) {
  Term list = kNil;
  if (!p.links) return list;
  for (auto& [pid, unlinking] : p.links->links) {
    Term state = unlinking ? am::unlinking : am::linked;
    Term id = make_unsigned(h, unlinking);
    list = cons(h, tuple(h, am::erl_link, am::process, pid, state, id), list);
  }
  return list;
}

Term monitor_list(Process& p, Heap& h) {
  Term list = kNil;
  if (!p.links) return list;
  for (auto& [number, m] : p.links->monitors) {
    Term ref = monitor_ref(p, h, number, m.alias);
    Term entry = tuple(h, am::erl_monitor, m.type, am::origin, ref, m.target, m.name);
    list = cons(h, entry, list);
  }
  for (auto& [number, w] : p.links->watchers) {
    Term ref = make_ref(h, number);
    Term entry = tuple(h, am::erl_monitor, am::process, am::target, ref, w.pid, w.name);
    list = cons(h, entry, list);
  }
  return list;
}

}  // namespace wb
