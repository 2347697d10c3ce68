#include "vm/process/relations.h"

#include <new>

#include "term/number.h"
#include "vm/core/vm.h"
#include "vm/process/exec.h"
#include "vm/process/table.h"
#include "vm/process/trace_flags.h"

namespace wb {

Relations* Relations::make() { return new (must_pool_alloc(sizeof(Relations), "nlink")) Relations; }
void Relations::destroy(Relations* r) {
  for (auto& [number, m] : r->monitors) {
    if (m.tag_fragment) free_fragments(m.tag_fragment);
  }
  r->~Relations();
  pool_free(r, sizeof(Relations));
}

bool link_to(Exec& c, Term pid) {
  Process& p = *c.p;
  auto [it, fresh] = p.relations().links.try_emplace(pid, 0);
  if (!fresh && it->second == 0) return true;
  it->second = 0;
  Signal* s = new_signal(SignalKind::link);
  s->from = p.id;
  if (push_signal(p.vm(), pid, s)) return true;
  p.links->links.erase(it);
  return false;
}

void unlink_from(Exec& c, Term pid) {
  Process& p = *c.p;
  if (!is_linked(p, pid)) return;
  auto it = p.links->links.find(pid);
  it->second = p.vm().next_ref_number();
  Signal* s = new_signal(SignalKind::unlink);
  s->from = p.id;
  s->ref = it->second;
  if (!push_signal(p.vm(), pid, s)) p.links->links.erase(it);
}

bool is_linked(const Process& p, Term pid) {
  if (!p.links) return false;
  auto it = p.links->links.find(pid);
  return it != p.links->links.end() && it->second == 0;
}

void handle_link(Process& p, Term from) {
  bool fresh = p.relations().links.try_emplace(from, 0).second;
  if (fresh && is_traced(p, traced::procs)) p.vm().hooks->trace_procs(p, am::getting_linked, from);
}
void handle_unlink(Process& p, Term from, uint64_t number) {
  if (is_linked(p, from)) {
    p.links->links.erase(from);
    if (is_traced(p, traced::procs)) p.vm().hooks->trace_procs(p, am::getting_unlinked, from);
  }
  Signal* s = new_signal(SignalKind::unlink_ack);
  s->from = p.id;
  s->ref = number;
  push_signal(p.vm(), from, s);
}
void handle_unlink_ack(Process& p, Term from, uint64_t number) {
  if (!p.links) return;
  auto it = p.links->links.find(from);
  if (it != p.links->links.end() && it->second == number) p.links->links.erase(it);
}
bool take_link(Process& p, Term from) {
  bool linked = is_linked(p, from);
  if (p.links) p.links->links.erase(from);
  return linked;
}

Term monitor_ref(Process& p, Heap& h, uint64_t number, AliasMode alias) {
  return alias == AliasMode::none ? make_ref(h, number) : make_alias_ref(h, number, p.id);
}

static bool is_active(AliasMode mode) {
  return mode != AliasMode::none && mode != AliasMode::ended;
}

bool remove_alias(Process& p, uint64_t number) {
  if (!p.links) return false;
  if (p.links->aliases.erase(number)) return true;
  auto m = p.links->monitors.find(number);
  if (m == p.links->monitors.end() || !is_active(m->second.alias)) return false;
  m->second.alias = AliasMode::ended;
  return true;
}

bool take_alias(Process& p, uint64_t number) {
  if (!p.links) return false;
  auto a = p.links->aliases.find(number);
  if (a != p.links->aliases.end()) {
    bool once = a->second == AliasMode::reply || a->second == AliasMode::reply_demonitor;
    if (once) p.links->aliases.erase(a);
    return true;
  }
  auto m = p.links->monitors.find(number);
  if (m == p.links->monitors.end() || !is_active(m->second.alias)) return false;
  if (m->second.alias == AliasMode::reply_demonitor) remove_monitor(*p.exec, number);
  return true;
}

bool remove_monitor(Exec& c, uint64_t number) {
  Process& p = *c.p;
  if (!p.links) return false;
  auto it = p.links->monitors.find(number);
  if (it == p.links->monitors.end()) {
    auto a = p.links->aliases.find(number);  // of a monitor on oneself
    if (a != p.links->aliases.end() && a->second != AliasMode::explicit_unalias &&
        a->second != AliasMode::reply) {
      p.links->aliases.erase(a);
    }
    return false;
  }
  Monitor m = it->second;
  p.links->monitors.erase(it);
  if (m.tag_fragment) free_fragments(m.tag_fragment);
  if (m.alias == AliasMode::explicit_unalias) p.links->aliases[number] = m.alias;
  if (is_local_process_or_port(m.target)) {
    Signal* s = new_signal(SignalKind::demonitor);
    s->from = p.id;
    s->ref = number;
    push_signal(p.vm(), m.target, s);
  }
  return true;
}

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
