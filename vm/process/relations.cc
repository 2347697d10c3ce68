#include "vm/process/relations.h"

#include <algorithm>
#include <new>

#include "term/external.h"
#include "term/number.h"
#include "vm/core/vm.h"
#include "vm/process/exec.h"
#include "vm/process/route.h"
#include "vm/process/trace_flags.h"

namespace wb {

Relations* Relations::make() { return new (must_pool_alloc(sizeof(Relations), "nlink")) Relations; }
WB_COLD static void release_ends(Relations& r) {
  for (auto& [to, unlinking] : r.links) to.release();
  for (auto& [number, m] : r.monitors) m.target.release();
  for (auto& [number, watcher] : r.watchers) watcher.who.release();
}
void Relations::destroy(Relations* r) {
  for (auto& [number, m] : r->monitors) {
    if (m.tag_fragment) free_fragments(m.tag_fragment);
  }
  if (WB_UNLIKELY(r->remote)) release_ends(*r);
  r->~Relations();
  pool_free(r, sizeof(Relations));
}

// --- links ---------------------------------------------------------------------------------------
bool Relations::add_link(Address to) {
  bool is_new = links.try_emplace(to, 0).second;
  if (is_new && WB_UNLIKELY(to.is_remote())) to.retain(), remote = true;
  return is_new;
}
void Relations::erase_link(SmallMap<Address, uint64_t>::iterator at) {
  const Address to = at->first;
  links.erase(at);
  to.release();
}

bool link_to(Exec& c, Address to, bool priority) {
  Process& p = *c.p;
  Relations& r = p.relations();
  if (WB_UNLIKELY(priority)) r.priority_links[to] = true;
  if (!priority && !r.priority_links.empty()) r.priority_links.erase(to);
  if (!r.add_link(to)) {
    auto it = r.links.find(to);
    if (it->second == 0) return true;
    it->second = 0;
  }
  Signal* s = new_signal(SignalKind::link);
  s->from = p.address();
  if (route(p.vm(), to, s)) return true;
  r.priority_links.erase(to);
  r.erase_link(r.links.find(to));
  return false;
}

void unlink_from(Exec& c, Address to) {
  Process& p = *c.p;
  if (!is_linked(p, to)) return;
  auto it = p.links->links.find(to);
  it->second = p.vm().next_ref_number();
  p.links->priority_links.erase(to);
  Signal* s = new_signal(SignalKind::unlink);
  s->from = p.address();
  s->ref = it->second;
  if (!route(p.vm(), to, s)) p.links->erase_link(it);
}

bool is_linked(const Process& p, Address to) {
  if (!p.links) return false;
  auto it = p.links->links.find(to);
  return it != p.links->links.end() && it->second == 0;
}

void handle_link(Process& p, Address from) {
  bool fresh = p.relations().add_link(from);
  if (fresh && is_traced(p, traced::procs)) {
    p.vm().hooks->trace_procs(p, am::getting_linked, term_of(from, p.heap));
  }
}
void handle_unlink(Process& p, Address from, uint64_t number) {
  if (is_linked(p, from)) {
    p.links->priority_links.erase(from);
    p.links->erase_link(p.links->links.find(from));
    if (is_traced(p, traced::procs)) {
      p.vm().hooks->trace_procs(p, am::getting_unlinked, term_of(from, p.heap));
    }
  }
  Signal* s = new_signal(SignalKind::unlink_ack);
  s->from = p.address();
  s->ref = number;
  route(p.vm(), from, s);
}
void handle_unlink_ack(Process& p, Address from, uint64_t number) {
  if (!p.links) return;
  auto it = p.links->links.find(from);
  if (it != p.links->links.end() && it->second == number) p.links->erase_link(it);
}
Reception take_link(Process& p, Address from) {
  if (!p.links) return Reception::refused;
  auto it = p.links->links.find(from);
  if (it == p.links->links.end()) return Reception::refused;
  const bool linked = it->second == 0;
  const bool priority = p.links->priority_links.erase(from);
  p.links->erase_link(it);
  if (!linked) return Reception::refused;
  return priority ? Reception::priority : Reception::ordinary;
}

// --- monitors, aliases ---------------------------------------------------------------------------
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

static Reception reception(const Alias& a) {
  return a.priority ? Reception::priority : Reception::ordinary;
}

Reception take_alias(Process& p, uint64_t number) {
  if (!p.links) return Reception::refused;
  auto a = p.links->aliases.find(number);
  if (a != p.links->aliases.end()) {
    const Alias alias = a->second;
    bool once = alias.mode == AliasMode::reply || alias.mode == AliasMode::reply_demonitor;
    if (once) p.links->aliases.erase(a);
    return reception(alias);
  }
  auto m = p.links->monitors.find(number);
  if (m == p.links->monitors.end() || !is_active(m->second.alias)) return Reception::refused;
  if (m->second.alias == AliasMode::reply_demonitor) remove_monitor(*p.exec, number);
  return Reception::ordinary;
}

Reception alias_reception(Process& p, uint64_t number) {
  if (!p.links) return Reception::refused;
  auto a = p.links->aliases.find(number);
  if (a != p.links->aliases.end()) return reception(a->second);
  auto m = p.links->monitors.find(number);
  const bool active = m != p.links->monitors.end() && is_active(m->second.alias);
  return active ? Reception::ordinary : Reception::refused;
}

bool takes_priority_messages(Process& p) {
  if (!p.links) return false;
  Relations& r = *p.links;
  if (!r.priority_links.empty()) return true;
  auto takes = [](const auto& entry) { return entry.second.priority; };
  return std::any_of(r.aliases.begin(), r.aliases.end(), takes) ||
         std::any_of(r.monitors.begin(), r.monitors.end(), takes);
}

bool remove_monitor(Exec& c, uint64_t number) {
  Process& p = *c.p;
  if (!p.links) return false;
  auto it = p.links->monitors.find(number);
  if (it == p.links->monitors.end()) {
    auto a = p.links->aliases.find(number);  // of a monitor on oneself
    if (a != p.links->aliases.end() && a->second.mode != AliasMode::explicit_unalias &&
        a->second.mode != AliasMode::reply) {
      p.links->aliases.erase(a);
    }
    return false;
  }
  Monitor m = it->second;
  p.links->monitors.erase(it);
  if (m.tag_fragment) free_fragments(m.tag_fragment);
  if (m.alias == AliasMode::explicit_unalias) p.links->aliases[number] = {m.alias};
  const bool active = !is_of_old_incarnation(m.target);
  if (takes_signals(m.target)) {
    Signal* s = new_signal(SignalKind::demonitor);
    s->from = p.address();
    s->ref = number;
    route(p.vm(), m.target, s);
  }
  m.target.release();
  return active;
}

Term link_list(Process& p, Heap& h) {
  Term list = kNil;
  if (!p.links) return list;
  for (auto& [to, unlinking] : p.links->links) {
    Term state = unlinking ? am::unlinking : am::linked;
    Term id = make_unsigned(h, unlinking);
    list = cons(h, tuple(h, am::erl_link, am::process, term_of(to, h), state, id), list);
  }
  return list;
}

Term monitor_list(Process& p, Heap& h) {
  Term list = kNil;
  if (!p.links) return list;
  for (auto& [number, m] : p.links->monitors) {
    Term ref = monitor_ref(p, h, number, m.alias);
    Term entry = tuple(h, am::erl_monitor, m.type, am::origin, ref, term_of(m.target, h), m.name);
    list = cons(h, entry, list);
  }
  for (auto& [number, w] : p.links->watchers) {
    Term ref = make_ref(h, number);
    const Term who = watcher_term(h, w);
    if (is_fault(who)) continue;
    Term entry = tuple(h, am::erl_monitor, am::process, am::target, ref, who, w.name);
    list = cons(h, entry, list);
  }
  return list;
}

}  // namespace wb
