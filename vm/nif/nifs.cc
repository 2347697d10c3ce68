#include "vm/nif/nifs.h"

#include <cstring>

#include "scheduler/scheduler.h"
#include "term/magic_registry.h"
#include "vm/nif/checker.h"
#include "vm/nif/library.h"
#include "vm/process/signal.h"
#include "vm/process/table.h"

namespace wb {

Nifs::Nifs(Vm& vm) : vm_(vm) {
  if (const NifChecks how = vm.options.check_nifs; how != NifChecks::off)
    checker = std::make_unique<NifChecker>(how == NifChecks::abort);
  add_machine_of_threads(vm);
}
Nifs::~Nifs() {
  remove_machine_of_threads(vm_);
  for (auto& t : types_) {
    if (t->owner) t->owner->release();
  }
}
void Nifs::stop() {
  stopped_.store(true);
  selected.clear();
}

// --- callbacks -----------------------------------------------------------------------------------
void Nifs::run_later(void* nifs) { static_cast<Nifs*>(nifs)->run_posted(); }

/// Who finds the queue empty has it emptied.
void Nifs::post(NifCallback& callback) {
  NifCallback* first = posted_.load(std::memory_order_relaxed);
  do {
    callback.next = first;
  } while (!posted_.compare_exchange_weak(first, &callback, std::memory_order_acq_rel));
  if (!first) vm_.scheduler->when_all_passed(this, run_later);
}

void Nifs::run_posted() {
  if (stopped()) return;
  NifCallback *newest = posted_.exchange(nullptr, std::memory_order_acq_rel), *oldest = nullptr;
  while (newest) {
    NifCallback* next = newest->next;
    newest->next = oldest;
    oldest = newest;
    newest = next;
  }
  while (NifCallback* c = oldest) {
    oldest = c->next;
    c->run(*c);
  }
}

// --- types ---------------------------------------------------------------------------------------
ErlNifResourceType* Nifs::type_named(Term module, Term name, bool create) {
  std::lock_guard lock(types_lock_);
  for (auto& t : types_) {
    // One that was closed stays that of its resources, whose library it keeps: the next one of the
    // name is another.
    const bool is_past = !t->open.load() && (t->owner || t->count.load());
    if (t->module == module && t->name == name && !is_past) return t.get();
  }
  if (!create) return nullptr;
  types_.push_back(std::make_unique<ErlNifResourceType>(*this, module, name));
  return types_.back().get();
}

void Nifs::open_type(ErlNifResourceType& type, NifLibrary& owner,
                     const ErlNifResourceTypeInit& callbacks) {
  NifLibrary* before;
  {
    std::lock_guard lock(types_lock_);
    before = std::exchange(type.owner, &owner);
    type.callbacks = callbacks;
    type.open.store(true);
  }
  owner.retain();
  if (before) before->release();
}

void Nifs::close_types(NifLibrary& owner) {
  std::vector<ErlNifResourceType*> closed;
  {
    std::lock_guard lock(types_lock_);
    for (auto& t : types_) {
      if (t->owner != &owner) continue;
      t->open.store(false);
      closed.push_back(t.get());
    }
  }
  for (ErlNifResourceType* t : closed) release_owner(*t);
}

/// A type without callbacks keeps no library for its resources.
static bool has_callbacks(const ErlNifResourceType& t) {
  return t.callbacks.dtor || t.callbacks.stop || t.callbacks.down || t.callbacks.dyncall;
}
void Nifs::release_owner(ErlNifResourceType& type) {
  NifLibrary* owner = nullptr;
  {
    std::lock_guard lock(types_lock_);
    const bool calls = type.count.load() != 0 && has_callbacks(type);
    if (!type.open.load() && !calls) owner = std::exchange(type.owner, nullptr);
  }
  if (owner) owner->release();
}

// --- monitors ------------------------------------------------------------------------------------
namespace {
/// What an ErlNifMonitor is.
struct MonitorName {
  uint64_t number;
  Term pid;
  uint64_t resource;
  uint64_t zero;
};
static_assert(sizeof(MonitorName) == sizeof(ErlNifMonitor));

MonitorName name_of(const ErlNifMonitor& m) {
  MonitorName name;
  memcpy(&name, &m, sizeof name);
  return name;
}
Term resource_number(const Resource& r) {
  return make_small(static_cast<int64_t>(r.number & ~kMagicNumber));
}
bool send_monitor_signal(Vm& vm, Term pid, SignalKind kind, uint64_t number, Term from) {
  Process* p = vm.processes->find(pid);
  if (!p) return false;
  Signal* s = new_signal(kind);
  s->from = Address::of_local(from);
  s->ref = number;
  return push_signal(*p, s);
}
}  // namespace

int Nifs::monitor(Resource& r, Term pid, ErlNifMonitor* monitor, bool shown) {
  Reading reading(*vm_.scheduler);
  const MonitorName name{vm_.next_ref_number(), pid, r.number, 0};
  if (shown) {
    FragmentHeap h(8);
    r.retain();
    note_magic(boxed_ptr(r.term(h)));
  }
  {
    std::lock_guard lock(monitors_lock_);
    monitors_[name.number] = {&r, pid};
    auto* numbers = r.monitors.load(std::memory_order_relaxed);
    if (!numbers) r.monitors.store(numbers = new std::vector<uint64_t>, std::memory_order_release);
    numbers->push_back(name.number);
  }
  if (!send_monitor_signal(vm_, pid, SignalKind::monitor, name.number, resource_number(r))) {
    take_monitor(name.number, &r, nullptr, nullptr);
    return 1;
  }
  if (monitor) memcpy(monitor, &name, sizeof name);
  return 0;
}

/// Takes it out, if it is there and of that resource (any, if none is given). A share of the
/// resource for `resource`, or null there if it is just going.
bool Nifs::take_monitor(uint64_t number, Resource* of, Resource** resource, Term* pid) {
  std::lock_guard lock(monitors_lock_);
  auto it = monitors_.find(number);
  if (it == monitors_.end() || (of && it->second.resource != of)) return false;
  Resource* r = it->second.resource;
  if (pid) *pid = it->second.pid;
  if (resource) *resource = r->retain_if_alive() ? r : nullptr;
  monitors_.erase(it);
  std::erase(*r->monitors.load(std::memory_order_relaxed), number);
  return true;
}

int Nifs::demonitor(Resource& r, const ErlNifMonitor& monitor) {
  const MonitorName name = name_of(monitor);
  if (!take_monitor(name.number, &r, nullptr, nullptr)) return 1;
  Reading reading(*vm_.scheduler);
  send_monitor_signal(vm_, name.pid, SignalKind::demonitor, name.number, resource_number(r));
  return 0;
}

/// Of a resource whose last share has gone.
void Nifs::forget_monitors(Resource& r) {
  std::vector<std::pair<uint64_t, Term>> all;
  {
    std::lock_guard lock(monitors_lock_);
    const auto* numbers = r.monitors.load(std::memory_order_relaxed);
    if (!numbers) return;
    for (uint64_t n : *numbers) {
      auto it = monitors_.find(n);
      all.push_back({n, it->second.pid});
      monitors_.erase(it);
    }
    delete r.monitors.exchange(nullptr);
  }
  Reading reading(*vm_.scheduler);
  for (auto [number, pid] : all) {
    send_monitor_signal(vm_, pid, SignalKind::demonitor, number, resource_number(r));
  }
}

/// Called where the process ends, or where the monitor's signal came too late.
bool Nifs::monitored(Term, Signal* s) {
  const bool down = s->kind == SignalKind::down;
  const uint64_t number = s->ref;
  free_signal(s);
  if (!down || stopped()) return true;
  Resource* r = nullptr;
  Term pid = kNone;
  if (!take_monitor(number, nullptr, &r, &pid) || !r) return true;
  if (ErlNifResourceDown* callback = r->type->callbacks.down) {
    OwnEnv env(vm_, NifEnv::Kind::callback, r->type->owner);
    const MonitorName name{number, pid, r->number, 0};
    ErlNifMonitor monitor;
    memcpy(&monitor, &name, sizeof monitor);
    ErlNifPid who{pid};
    CheckedCall call(env, {.library = r->type->owner, .callback = "down"});
    callback(&env, r->data(), &who, &monitor);
  }
  r->release();
  return true;
}

// --- libraries -----------------------------------------------------------------------------------
void Nifs::add_taint(Term module) {
  std::lock_guard lock(taints_lock_);
  for (Term m : taints_) {
    if (m == module) return;
  }
  taints_.push_back(module);
}
std::vector<Term> Nifs::taints() {
  std::lock_guard lock(taints_lock_);
  return taints_;
}

}  // namespace wb

using namespace wb;

int enif_monitor_process(ErlNifEnv* env, void* obj, const ErlNifPid* target,
                         ErlNifMonitor* monitor) {
  Resource* r = Resource::of(obj);
  if (!r->type->callbacks.down) return -1;
  if (!this_instance) vm_of_thread();
  if (!is_local_pid(target->pid)) return 1;
  return r->nifs().monitor(*r, target->pid, monitor, true);
}
int enif_demonitor_process(ErlNifEnv*, void* obj, const ErlNifMonitor* monitor) {
  Resource* r = Resource::of(obj);
  if (!this_instance) vm_of_thread();
  return r->nifs().demonitor(*r, *monitor);
}
int enif_compare_monitors(const ErlNifMonitor* a, const ErlNifMonitor* b) {
  return memcmp(a, b, sizeof *a);
}
ERL_NIF_TERM enif_make_monitor_term(ErlNifEnv* env, const ErlNifMonitor* monitor) {
  return make_ref(*env->heap, name_of(*monitor).number);
}
