#include "vm/trace/tracing.h"

#include <algorithm>

#include "loader/code_table.h"
#include "vm/core/settings.h"
#include "vm/core/vm.h"
#include "vm/port/ports.h"
#include "vm/process/table.h"
#include "vm/trace/pattern.h"
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
  return tracer && !vm_.is_alive(tracer.local_term());
}

/// The flags of trace/3.
uint32_t Tracing::flags_of(const Process& p) const {
  const uint32_t flags = p.trace_flags.load(std::memory_order_relaxed);
  if (WB_LIKELY(!(flags & traced::in_sessions))) return flags & traced::all;
  auto own = own_.find(p.id);
  return own == own_.end() ? 0 : own->second;
}
void Tracing::set(Process& p, uint32_t flags, Address tracer) {
  p.tracer.store(flags ? tracer : Address(), std::memory_order_relaxed);
  unite(p, flags);
}
/// Those of `mask` become `bits`. Others are somebody else's, who may write them at this moment.
static void replace_flags(Process& p, uint32_t mask, uint32_t bits) {
  uint32_t now = p.trace_flags.load(std::memory_order_relaxed);
  while (!p.trace_flags.compare_exchange_weak(now, (now & ~mask) | bits, std::memory_order_release,
                                              std::memory_order_relaxed)) {
  }
}
/// Its word of flags becomes what the usual session (`own`) and all others want.
void Tracing::unite(Process& p, uint32_t own) {
  uint32_t all = own;
  bool others = false;
  for (auto& [id, s] : sessions_) {
    auto in = s.traced.find(p.id);
    if (in == s.traced.end()) continue;
    all |= in->second;
    others = true;
  }
  if (others)
    own_[p.id] = own;
  else
    own_.erase(p.id);
  replace_flags(p, traced::all | traced::in_sessions, all | (others ? traced::in_sessions : 0));
}
void Tracing::set_in(Process& p, Session& s, uint32_t flags) {
  const uint32_t own = flags_of(p);
  if (flags)
    s.traced[p.id] = flags;
  else
    s.traced.erase(p.id);
  unite(p, own);
  if (own_.size() >= forget_at_) forget_ended();
}

std::optional<Address> Tracing::tracer_of(const TraceFlagList& list, ModuleTracerRef* module) {
  if (!is_atom(list.tracer)) return Address::of_local(list.tracer);
  if (modules.wants_sweep()) sweep_modules();
  *module = modules.tracer(list.tracer, list.state);
  if (!*module) return {};
  return (*module)->address();
}
void Tracing::sweep_modules() {
  std::vector<Address> named;
  ports->name_tracers(&named);
  std::lock_guard lock(lock_);
  named.push_back(new_tracer_);
  named.push_back(vm_.settings->sequential_tracer.load(std::memory_order_relaxed));
  vm_.processes->each(
      [&](Process& p) { named.push_back(p.tracer.load(std::memory_order_relaxed)); });
  for (auto& [id, s] : sessions_) named.push_back(s.tracer);
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

void Tracing::set_watched(Process& p, uint32_t flags) { replace_flags(p, traced::watched, flags); }
void Tracing::set_new_watched(uint32_t flags) {
  std::lock_guard lock(lock_);
  uint32_t others = vm_.traces_new.load(std::memory_order_relaxed) & ~traced::watched;
  vm_.traces_new.store(flags | others, std::memory_order_release);
}

bool Tracing::mark(Process& p, uint32_t mark, bool on) {
  const uint32_t before = on ? p.trace_flags.fetch_or(mark, std::memory_order_relaxed)
                             : p.trace_flags.fetch_and(~mark, std::memory_order_relaxed);
  return before & mark;
}

void Tracing::drop_ended_tracer(Process& p) {
  if (gone(p.tracer.load(std::memory_order_relaxed))) set(p, 0, Address());
}

bool Tracing::change(Process& p, bool on, uint32_t flags, Address tracer, SessionId session) {
  std::lock_guard lock(lock_);
  if (session != kUsualSession) {
    Session* s = session_at(session);
    if (!s) return true;
    const uint32_t old = s->traced.contains(p.id) ? s->traced[p.id] : 0;
    set_in(p, *s, gone(s->tracer) ? 0 : on ? old | flags : old & ~flags);
    return true;
  }
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

bool Tracing::replace(Process& p, uint32_t off, uint32_t on, Address tracer, SessionId session) {
  std::lock_guard lock(lock_);
  if (session != kUsualSession) {
    Session* s = session_at(session);
    if (!s) return false;
    const uint32_t old = s->traced.contains(p.id) ? s->traced[p.id] : 0;
    const uint32_t next = gone(s->tracer) ? 0 : (old & ~off) | on;
    set_in(p, *s, next);
    return next != old;
  }
  drop_ended_tracer(p);
  uint32_t old = flags_of(p);
  Address before = p.tracer.load(std::memory_order_relaxed);
  uint32_t next = (old & ~off) | on;
  if (!tracer || gone(tracer)) next = 0;
  set(p, next, tracer);
  return next != old || (next && before != tracer);
}

void Tracing::set_filter(Message kind, TraceEventFilter filter, SessionId session) {
  bool plain = !filter.nothing && !filter.spec;
  auto next = plain ? nullptr : std::make_shared<const TraceEventFilter>(std::move(filter));
  std::lock_guard lock(filter_lock_);
  filters_[session][kind].swap(next);
}
std::shared_ptr<const TraceEventFilter> Tracing::filter(Message kind, SessionId session) const {
  std::lock_guard lock(filter_lock_);
  auto found = filters_.find(session);
  return found == filters_.end() ? nullptr : found->second[kind];
}

// --- processes to come ---------------------------------------------------------------------------
void Tracing::set_new(uint32_t flags, Address tracer) {
  new_flags_ = flags;
  new_tracer_ = flags ? tracer : Address();
  unite_new();
}
/// The observer's apart.
void Tracing::unite_new() {
  uint32_t flags = new_flags_;
  for (auto& [id, s] : sessions_) flags |= s.new_flags;
  uint32_t others = vm_.traces_new.load(std::memory_order_relaxed) & ~traced::all;
  vm_.traces_new.store(flags | others, std::memory_order_relaxed);
}
void Tracing::change_new(bool on, uint32_t flags, Address tracer, SessionId session) {
  std::lock_guard lock(lock_);
  if (session != kUsualSession) {
    Session* s = session_at(session);
    if (!s) return;
    s->new_flags = gone(s->tracer) ? 0 : on ? s->new_flags | flags : s->new_flags & ~flags;
    return unite_new();
  }
  uint32_t old = gone(new_tracer_) ? 0 : new_flags_;
  uint32_t next = on ? gone(tracer) ? 0 : old | flags : old & ~flags;
  set_new(next, on ? tracer : new_tracer_);
}

Tracing::State Tracing::state(Process& p, SessionId session) {
  std::lock_guard lock(lock_);
  if (session == kUsualSession) {
    drop_ended_tracer(p);
    return {flags_of(p), p.tracer.load(std::memory_order_relaxed)};
  }
  Session* s = session_at(session);
  auto in = s ? s->traced.find(p.id) : decltype(s->traced.end()){};
  if (!s || in == s->traced.end()) return {};
  if (!gone(s->tracer)) return {in->second, s->tracer};
  set_in(p, *s, 0);
  return {};
}

Tracing::State Tracing::new_state(SessionId session) {
  std::lock_guard lock(lock_);
  if (session == kUsualSession) return new_state_now();
  Session* s = session_at(session);
  if (!s || !s->new_flags || gone(s->tracer)) return {};
  return {s->new_flags, s->tracer};
}

Tracing::State Tracing::new_state_now() {
  if (gone(new_tracer_)) set_new(0, Address());
  return {new_flags_, new_tracer_};
}

void Tracing::inherit(Process* parent, Process& child, bool linked) {
  std::lock_guard lock(lock_);
  for (auto& [id, session] : sessions_) session.traced.erase(child.id);  // of a process that had it
  own_.erase(child.id);
  State s = new_state_now();
  uint32_t watched = vm_.traces_new.load(std::memory_order_relaxed) & traced::watched;
  if (parent) {
    inherit_from(*parent, linked, &s);
    uint32_t flags = parent->trace_flags.load(std::memory_order_relaxed) & traced::watched;
    if (flags & traced::watch_children) watched |= flags;
  }
  set(child, s.flags, s.tracer);
  for (auto& [id, session] : sessions_) inherit_in(session, parent, child, linked);
  if (watched) child.trace_flags.fetch_or(watched, std::memory_order_release);
}

/// What the flags of a parent say of its child: these, or nothing. *left: what the parent has then.
static std::optional<uint32_t> inherited(uint32_t flags, bool linked, uint32_t* left) {
  uint32_t all_children = traced::set_on_spawn | (linked ? traced::set_on_link : 0);
  uint32_t first_child = traced::set_on_first_spawn | (linked ? traced::set_on_first_link : 0);
  *left = flags;
  if (!(flags & (all_children | first_child))) return {};
  if (flags & first_child) {  // the first one is the last, whatever else was said
    uint32_t over = 0;
    if (flags & traced::set_on_first_spawn)
      over |= traced::set_on_first_spawn | traced::set_on_spawn;
    if (linked && flags & traced::set_on_first_link)
      over |= traced::set_on_first_link | traced::set_on_link;
    *left = flags & ~over;
  }
  return *left;
}
void Tracing::inherit_from(Process& parent, bool linked, State* s) {
  drop_ended_tracer(parent);
  const uint32_t flags = flags_of(parent);
  uint32_t left;
  const auto given = inherited(flags, linked, &left);
  if (!given) return;
  const Address tracer = parent.tracer.load(std::memory_order_relaxed);
  if (left != flags) set(parent, left, tracer);
  *s = {*given, tracer};
}
void Tracing::inherit_in(Session& s, Process* parent, Process& child, bool linked) {
  if (gone(s.tracer)) return;
  uint32_t flags = s.new_flags;
  auto in = parent ? s.traced.find(parent->id) : s.traced.end();
  if (in != s.traced.end()) {
    uint32_t left;
    if (const auto given = inherited(in->second, linked, &left)) {
      flags = *given;
      if (left != in->second) set_in(*parent, s, left);
    }
  }
  if (flags) set_in(child, s, flags);
}

// --- sessions ------------------------------------------------------------------------------------
Session* Tracing::session_at(SessionId id) {
  auto found = sessions_.find(id);
  return found == sessions_.end() ? nullptr : &found->second;
}

SessionId Tracing::create_session(Term name, Address tracer, std::shared_ptr<SessionLife> life) {
  sweep();
  std::lock_guard lock(lock_);
  const SessionId id = ++last_session_;
  Session& s = sessions_[id];
  s.name = name, s.tracer = tracer, s.life = std::move(life);
  return id;
}

bool Tracing::destroy_session(SessionId id) {
  {
    std::lock_guard lock(lock_);
    auto found = sessions_.find(id);
    if (found == sessions_.end()) return false;
    const auto traced = std::move(found->second.traced);
    sessions_.erase(found);
    for (auto& [pid, flags] : traced) {
      if (Process* p = vm_.processes->find(pid)) unite(*p, flags_of(*p));
    }
    unite_new();
  }
  {
    std::lock_guard lock(filter_lock_);
    filters_.erase(id);
  }
  {
    std::lock_guard lock(vm_.settings->lock);
    if (vm_.settings->monitors.erase(id)) vm_.hooks->monitor_changed();
  }
  forget_patterns(vm_, id);
  return true;
}

bool Tracing::has_session(SessionId id) {
  sweep();
  std::lock_guard lock(lock_);
  return session_at(id);
}
bool Tracing::find_session(Term t, SessionId* id) {
  if (!to_session_id(t, id) || !has_session(*id)) return false;
  return is_strong_session(t) || session_name(*id) == tuple_elements(t)[0];
}
std::optional<Term> Tracing::session_name(SessionId id) {
  std::lock_guard lock(lock_);
  const Session* s = session_at(id);
  return s ? std::optional(s->name) : std::nullopt;
}
Address Tracing::session_tracer(SessionId id) {
  std::lock_guard lock(lock_);
  const Session* s = session_at(id);
  return s && !gone(s->tracer) ? s->tracer : Address();
}
Address Tracing::session_owner(SessionId id) {
  std::lock_guard lock(lock_);
  const Session* s = session_at(id);
  return s ? s->tracer : Address();
}
std::vector<SessionId> Tracing::sessions() {
  std::lock_guard lock(lock_);
  std::vector<SessionId> all;
  for (auto s = sessions_.rbegin(); s != sessions_.rend(); ++s) all.push_back(s->first);
  all.push_back(kUsualSession);
  return all;
}

void Tracing::sweep() {
  std::vector<SessionId> over;
  {
    std::lock_guard lock(lock_);
    for (auto& [id, s] : sessions_) {
      if (s.life->over.load(std::memory_order_acquire)) over.push_back(id);
    }
  }
  for (SessionId id : over) destroy_session(id);
}

void Tracing::forget_ended() {
  auto ended = [&](const auto& entry) { return !vm_.processes->find(entry.first); };
  std::erase_if(own_, ended);
  for (auto& [id, s] : sessions_) std::erase_if(s.traced, ended);
  forget_at_ = std::max<size_t>(64, own_.size() * 2);
}

std::vector<Listener> Tracing::listeners(Process& p, uint32_t flags) {
  std::vector<Listener> all;
  const Address self = p.address();
  std::lock_guard lock(lock_);
  drop_ended_tracer(p);
  const uint32_t own = flags_of(p);
  const Address tracer = p.tracer.load(std::memory_order_relaxed);
  if (own & flags && tracer && tracer != self) all.push_back({kUsualSession, tracer, own});
  for (auto& [id, s] : sessions_) {
    auto in = s.traced.find(p.id);
    if (in == s.traced.end() || !(in->second & flags)) continue;
    if (s.life->over.load(std::memory_order_acquire)) continue;
    if (s.tracer != self && !gone(s.tracer)) all.push_back({id, s.tracer, in->second});
  }
  return all;
}

}  // namespace wb
