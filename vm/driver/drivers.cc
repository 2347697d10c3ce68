#include "vm/driver/drivers.h"

#include <dlfcn.h>

#include <algorithm>
#include <iterator>

#include "term/copy.h"
#include "term/lists.h"
#include "term/utf8.h"
#include "vm/core/vm.h"
#include "vm/driver/functions.h"
#include "vm/nif/claims.h"
#include "vm/nif/library_file.h"
#include "vm/port/ports.h"
#include "vm/process/route.h"
#include "vm/process/signal.h"

namespace wb {

namespace {
constexpr std::string_view kOwn[] = {"tcp_inet", "udp_inet", "ram_file_drv", "tty_sl"};
constexpr int kFirstOpenError = -10;

bool is_own(std::string_view name) { return std::ranges::count(kOwn, name); }

Term error(Heap& h, Term why) { return tuple(h, am::error, why); }
Term error(Heap& h, std::string_view why) { return error(h, intern(why)); }
Term ok(Heap& h, std::string_view status) { return tuple(h, am::ok, intern(status)); }

void user_ended(ErlNifEnv* env, void*, ErlNifPid* pid, ErlNifMonitor*) {
  drivers_of(env->vm).user_gone(pid->pid);
}
}  // namespace

Drivers& drivers_of(Vm& vm) { return *static_cast<Drivers*>(vm.ports->drivers); }

Drivers::Drivers(Vm& vm) : vm_(vm) {
  WB_CHECK(!driver_functions().empty());  // so they are linked, all of them
}
/// Nothing of a driver's is called any more; their libraries stay for who may still be in them.
Drivers::~Drivers() {
  if (users_) Resource::of(users_)->release();
}

// --- the table -----------------------------------------------------------------------------------
Drivers::Driver Drivers::find(std::string_view name) {
  for (const Driver& d : drivers_) {
    if (d->name == name) return d;
  }
  return nullptr;
}
bool Drivers::remove(const LoadedDriver& d) {
  return std::erase_if(drivers_, [&](const Driver& other) { return other.get() == &d; });
}
static std::string first_word(const std::string& command) {
  return command.substr(0, command.find(' '));
}
bool Drivers::knows(const std::string& command) {
  std::lock_guard guard(lock_);
  return !drivers_.empty() && find(first_word(command));
}

Term Drivers::open(Process& owner, const PortOptions& given) {
  Driver d;
  {
    std::lock_guard guard(lock_);
    d = find(first_word(given.command));
    if (!d) return am::badarg;
    ++d->ports;
  }
  PortOptions options = given;
  options.kind = PortOptions::Kind::linked;
  auto port = vm_.ports->make_linked(owner, options, d->lock);
  Term started;
  {
    Port::Guard guard(*port, Port::Guard::Looking{});
    auto linked = std::make_unique<LinkedPort>(*port, d);
    LinkedPort& p = *linked;
    port->set_driver(std::move(linked));
    started = p.start();
    if (started == am::ok)
      port->tell_linked();
    else
      port->discard();
  }
  if (started == am::ok) return port->id;
  vm_.ports->discard_linked(owner, *port);
  return started;
}

void Drivers::port_made(LoadedDriver& d) {
  std::lock_guard guard(lock_);
  ++d.ports;
}
void Drivers::job_begins(LoadedDriver& d) {
  std::lock_guard guard(lock_);
  ++d.jobs;
}
void Drivers::make_permanent(LoadedDriver& d) {
  std::lock_guard guard(lock_);
  d.permanent = true;
}

void Drivers::add_entry(ErlDrvEntry* entry) {
  auto d = std::make_shared<LoadedDriver>(*this, entry->driver_name, "");
  d->entry = entry;
  d->linked_in = true;
  if (!(d->flags() & ERL_DRV_FLAG_USE_PORT_LOCKING)) d->lock = std::make_shared<Port::Lock>();
  std::lock_guard guard(lock_);
  drivers_.push_back(std::move(d));
}
bool Drivers::remove_entry(const ErlDrvEntry* entry) {
  std::lock_guard guard(lock_);
  return std::erase_if(drivers_, [&](const Driver& d) { return d->entry == entry; });
}

// --- libraries -----------------------------------------------------------------------------------
static bool is_compatible(const ErlDrvEntry& e) {
  if (e.extended_marker != static_cast<int>(ERL_DRV_EXTENDED_MARKER)) return false;
  if (e.major_version < ERL_DRV_MIN_REQUIRED_MAJOR_VERSION_ON_LOAD) return false;
  return e.major_version < ERL_DRV_EXTENDED_MAJOR_VERSION ||
         (e.major_version == ERL_DRV_EXTENDED_MAJOR_VERSION &&
          e.minor_version <= ERL_DRV_EXTENDED_MINOR_VERSION);
}

/// am::ok, or the reason. Nothing is held.
Term Drivers::open_library(const Request& r, LoadedDriver& d) {
  const std::string file = r.path + "/" + r.name + ".so";
  std::string text;
  if (text = damage_of_library_file(file); !text.empty()) {
    // What dlopen would die of.
  } else if (d.handle = dlopen(file.c_str(), RTLD_NOW); !d.handle) {
    text = dlerror();
    if (text.starts_with(file + ": ")) text.erase(0, file.size() + 2);
  }
  if (!d.handle) {
    std::lock_guard guard(lock_);
    auto known = std::ranges::find(open_errors_, text);
    const auto index = known - open_errors_.begin();
    if (known == open_errors_.end()) open_errors_.push_back(text);
    return make_small(kFirstOpenError - index);
  }
  using Init = ErlDrvEntry* (*)();
  auto init = reinterpret_cast<Init>(dlsym(d.handle, "driver_init"));
  std::string_view failure;
  if (!init) {
    failure = "no_driver_init";
  } else if (d.entry = init(); !d.entry) {
    failure = "driver_init_failed";
  } else if (!wrong_in_entry(d.entry).empty()) {
    failure = "driver_init_failed";
  } else if (!is_compatible(*d.entry)) {
    failure = "driver_incorrect_version";
  } else if (d.name != d.entry->driver_name) {
    failure = "bad_driver_name";
  } else if (d.entry->init && d.entry->init() < 0) {
    failure = "driver_init_failed";
  }
  if (failure.empty()) {
    vm_.nifs->add_taint(intern(d.name));
    if (!(d.flags() & ERL_DRV_FLAG_USE_PORT_LOCKING)) d.lock = std::make_shared<Port::Lock>();
    return am::ok;
  }
  dlclose(d.handle);
  return intern(failure);
}
void Drivers::close_library(LoadedDriver& d) {
  if (d.entry->finish) d.entry->finish();
  if (d.handle) dlclose(d.handle);
}
/// As a program sees it: an atom or {open_error, Code}.
static Term reason_term(Heap& h, Term reason) {
  return is_small(reason) ? tuple(h, intern("open_error"), reason) : reason;
}
std::string Drivers::open_error(int64_t code) {
  constexpr std::string_view kKnown[] = {"No driver init in dynamic library", "Driver init failed",
                                         "Bad driver name", "Driver name to long",
                                         "Driver compiled with incorrect version of erl_driver.h"};
  if (code < 0 && -code <= int64_t{std::size(kKnown)}) return std::string(kKnown[-code - 1]);
  std::lock_guard guard(lock_);
  const int64_t index = kFirstOpenError - code;
  if (index < 0 || index >= std::ssize(open_errors_)) return "Unknown dlload error";
  return open_errors_[static_cast<size_t>(index)];
}

// --- who uses one --------------------------------------------------------------------------------
void Drivers::add_user(LoadedDriver& d, Term pid) { ++d.users[pid]; }

/// Whoever has loaded one is watched from the first on.
static void watch_user(Vm& vm, void** resource, Term pid) {
  if (!*resource) {
    ErlNifResourceType* type = vm.nifs->type_named(intern("erl_ddll"), intern("users"), true);
    type->callbacks.down = user_ended;
    type->open.store(true);
    *resource = enif_alloc_resource(type, 0);
  }
  vm.nifs->monitor(*Resource::of(*resource), pid, nullptr, false);
}

void Drivers::user_gone(Term pid) {
  for (;;) {
    std::unique_lock lock(lock_);
    Driver last;
    for (const Driver& d : drivers_) {
      if (!d->users.erase(pid)) continue;
      if (d->users.empty() && d->state == LoadedDriver::State::loaded && !d->permanent) {
        last = d;
        break;
      }
    }
    if (!last) return;
    begin_end(last, LoadedDriver::State::unloading, last->kill_ports, lock);
  }
}

/// No process uses it any more, or it is to be loaded anew. Lets go of the lock.
void Drivers::begin_end(const Driver& d, LoadedDriver::State state, bool kill,
                        std::unique_lock<Lock>& lock) {
  d->state = state;
  if (d->ports == 0 && d->jobs == 0) return end(d, lock);
  lock.unlock();
  if (kill) kill_ports(d);
}

void Drivers::use_ends(const Driver& d, size_t LoadedDriver::* count) {
  std::unique_lock lock(lock_);
  --((*d).*count);
  if (d->ports || d->jobs || d->state == LoadedDriver::State::loaded ||
      d->state == LoadedDriver::State::gone) {
    return;
  }
  end(d, lock);
}

/// No port and no job uses it. Lets go of the lock.
void Drivers::end(const Driver& d, std::unique_lock<Lock>& lock) {
  const bool anew = d->state == LoadedDriver::State::reloading;
  d->state = LoadedDriver::State::gone;
  remove(*d);
  lock.unlock();
  close_library(*d);
  tell(d->name, false, false, "unloaded");
  if (!anew) return tell(d->name, true, false, "load_cancelled");
  auto next = std::make_shared<LoadedDriver>(*this, d->name, d->next_path);
  const Term opened = open_library({.name = d->name, .path = d->next_path}, *next);
  if (opened != am::ok) return tell(d->name, true, false, "load_failure", opened);
  lock.lock();
  next->users = d->users;
  next->kill_ports = d->kill_ports;
  drivers_.push_back(next);
  lock.unlock();
  tell(d->name, true, true, "loaded");
}

void Drivers::kill_ports(const Driver& d) {
  const Term reason = intern("driver_unloaded");
  for (Term id : vm_.ports->all()) {
    auto port = vm_.ports->find(id);
    if (!port || port->options().kind != PortOptions::Kind::linked) continue;
    Port::Guard guard(*port);
    auto* linked = static_cast<LinkedPort*>(port->driver());
    if (linked && linked->driver() == d) port->terminate(reason);
  }
}

// --- try_load/3 ----------------------------------------------------------------------------------
/// {ok, status}, with a reference if the program wants to hear of what is pending.
Term Drivers::watched(Process& p, const Request& r, Pending least, Term status, When when) {
  if (r.monitor == Pending::none || (least == Pending::any && r.monitor != Pending::any)) {
    return tuple(p.heap, am::ok, status);
  }
  const uint64_t ref = vm_.next_ref_number();
  monitors_.push_back({ref, p.id, r.name, when});
  return tuple(p.heap, am::ok, status, make_ref(p.heap, ref));
}

Term Drivers::load(Process& p, const Request& r) {
  Heap& h = p.heap;
  if (is_own(r.name)) return error(h, "linked_in_driver");
  std::unique_lock lock(lock_);
  if (Driver d = find(r.name)) {
    if (d->linked_in) return error(h, "linked_in_driver");
    if (d->permanent) return error(h, "permanent");
    if (r.reload != Pending::none) return reload(p, d, r, lock);
    if (d->path != r.path || d->kill_ports != r.kill_ports) return error(h, "inconsistent");
    const bool is_new = !d->users.contains(p.id);
    add_user(*d, p.id);
    const auto before = d->state;
    Term answer;
    if (before == LoadedDriver::State::reloading) {
      Request always = r;
      always.monitor = Pending::driver;
      answer = watched(p, always, Pending::driver, intern("pending_driver"), When::loaded);
    } else {
      d->state = LoadedDriver::State::loaded;
      answer = ok(h, "already_loaded");
    }
    lock.unlock();
    if (is_new) watch_user(vm_, &users_, p.id);
    if (before == LoadedDriver::State::unloading) tell(r.name, false, true, "unload_cancelled");
    return answer;
  }
  if (r.reload != Pending::none) return error(h, "not_loaded");
  lock.unlock();
  auto d = std::make_shared<LoadedDriver>(*this, r.name, r.path);
  d->kill_ports = r.kill_ports;
  const Term opened = open_library(r, *d);
  if (opened != am::ok) return error(h, reason_term(h, opened));
  add_user(*d, p.id);
  lock.lock();
  if (find(r.name)) {  // somebody was faster
    lock.unlock();
    close_library(*d);
    return load(p, r);
  }
  drivers_.push_back(d);
  lock.unlock();
  watch_user(vm_, &users_, p.id);
  return ok(h, "loaded");
}

/// Lets go of the lock.
Term Drivers::reload(Process& p, const Driver& d, const Request& r, std::unique_lock<Lock>& lock) {
  Heap& h = p.heap;
  const auto user = d->users.find(p.id);
  const bool alone = user != d->users.end() && d->loads() == 1;
  if (!alone && !d->users.empty() && r.reload == Pending::driver) {
    return error(h, "pending_process");
  }
  if (user == d->users.end()) return error(h, "not_loaded_by_this_process");
  if (d->state == LoadedDriver::State::reloading) return error(h, "pending_reload");
  const bool any = r.reload == Pending::any;
  const Term answer =
      watched(p, r, r.reload, intern(any ? "pending_process" : "pending_driver"), When::loaded);
  d->next_path = r.path;
  begin_end(d, LoadedDriver::State::reloading, d->kill_ports || r.kill_ports, lock);
  return answer;
}

// --- try_unload/2 --------------------------------------------------------------------------------
Term Drivers::unload(Process& p, const Request& r) {
  Heap& h = p.heap;
  if (is_own(r.name)) return error(h, "linked_in_driver");
  std::unique_lock lock(lock_);
  const Driver d = find(r.name);
  if (!d) return error(h, "not_loaded");
  if (d->linked_in) return error(h, "linked_in_driver");
  if (d->permanent) return error(h, "permanent");
  auto user = d->users.find(p.id);
  const bool unloads = d->state == LoadedDriver::State::unloading;
  if (user == d->users.end() && !unloads) return error(h, "not_loaded_by_this_process");
  if (user != d->users.end() && --user->second == 0) d->users.erase(user);
  if (!d->users.empty()) {
    return watched(p, r, Pending::any, intern("pending_process"), When::unloaded);
  }
  const Term answer = watched(p, r, Pending::driver, intern("pending_driver"), When::unloaded);
  const auto state =
      d->state == LoadedDriver::State::reloading ? d->state : LoadedDriver::State::unloading;
  begin_end(d, state, d->kill_ports || r.kill_ports, lock);
  return answer;
}

// --- monitors ------------------------------------------------------------------------------------
void Drivers::send(const Monitor& m, Term name, bool up, std::string_view what, Term detail) {
  FragmentHeap h(flat_size(name) + 24);
  Term info = intern(what);
  if (is_value(detail)) info = tuple(h, info, reason_term(h, detail));
  const Term message = tuple(h, up ? intern("UP") : am::DOWN, make_ref(h, m.ref), intern("driver"),
                             copy_term(h, name), info);
  Signal* s = new_signal(SignalKind::message);
  s->term = message;
  s->fragment = h.take_fragments();
  Reading reading(*vm_.scheduler);
  route(vm_, m.pid, s);
}

/// Nothing is held.
void Drivers::tell(const std::string& name, bool loads, bool up, std::string_view what,
                   Term detail) {
  std::vector<Monitor> told;
  {
    std::lock_guard guard(lock_);
    const auto concerns = [&](const Monitor& m) {
      const bool cancelled = up && !loads;  // it stays loaded: not everybody wants to know
      return m.name == name && (m.when == When::loaded) == loads &&
             !(cancelled && m.when == When::unloaded_only);
    };
    std::ranges::copy_if(monitors_, std::back_inserter(told), concerns);
    std::erase_if(monitors_, concerns);
  }
  for (const Monitor& m : told) send(m, intern(name), up, what, detail);
}

Term Drivers::monitor(Process& p, const std::string& name, Term given, When when) {
  const Monitor m{vm_.next_ref_number(), p.id, name, when};
  std::unique_lock lock(lock_);
  const Driver d = find(name);
  const Term ref = make_ref(p.heap, m.ref);
  std::string_view now;
  bool up = true;
  if (is_own(name) || (d && (d->permanent || d->linked_in))) {
    now = "permanent";
  } else if (!d) {
    up = false, now = "unloaded";
  } else if (when == When::loaded && d->state == LoadedDriver::State::loaded) {
    now = "loaded";
  } else if (when == When::loaded && d->state == LoadedDriver::State::unloading) {
    up = false, now = "load_cancelled";
  } else {
    monitors_.push_back(m);
    return ref;
  }
  lock.unlock();
  send(m, given, up, now, kNone);
  return ref;
}
void Drivers::demonitor(uint64_t ref) {
  std::lock_guard guard(lock_);
  std::erase_if(monitors_, [&](const Monitor& m) { return m.ref == ref; });
}

// --- looking -------------------------------------------------------------------------------------
std::vector<std::string> Drivers::names() {
  std::vector<std::string> all(std::begin(kOwn), std::end(kOwn));
  std::lock_guard guard(lock_);
  for (const Driver& d : drivers_) all.push_back(d->name);
  return all;
}
static const char* state_text(LoadedDriver::State state) {
  switch (state) {
    case LoadedDriver::State::loaded:
      return "loaded";
    case LoadedDriver::State::unloading:
      return "unloading";
    case LoadedDriver::State::reloading:
      return "reloading";
    case LoadedDriver::State::gone:
      return "gone";
  }
}
std::vector<SeenDriver> Drivers::seen() {
  std::vector<SeenDriver> all;
  std::lock_guard guard(lock_);
  for (const Driver& d : drivers_) {
    all.push_back({d->name, d->path, state_text(d->state), d->ports, d->users.size(), d->jobs});
  }
  return all;
}
std::vector<SeenDriver> seen_drivers(Vm& vm) { return drivers_of(vm).seen(); }

Term Drivers::info(Heap& h, const std::string& name, std::string_view item) {
  constexpr std::string_view kItems[] = {"processes",        "driver_options", "port_count",
                                         "linked_in_driver", "permanent",      "awaiting_load",
                                         "awaiting_unload"};
  if (!std::ranges::count(kItems, item)) return kNone;
  std::lock_guard guard(lock_);
  const Driver d = find(name);
  const bool linked_in = is_own(name) || (d && d->linked_in);
  if (!d && !linked_in) return kNone;
  if (item == "linked_in_driver") return make_bool(linked_in);
  if (item == "permanent") return make_bool(d && d->permanent);
  if (linked_in) return intern("linked_in_driver");
  if (item == "port_count") return make_small(static_cast<int64_t>(d->ports));
  Term list = kNil;
  if (item == "driver_options") return d->kill_ports ? cons(h, intern("kill_ports"), kNil) : kNil;
  if (item == "processes") {
    for (auto& [pid, count] : d->users) list = cons(h, tuple(h, pid, make_small(count)), list);
    return list;
  }
  const bool loads = item == "awaiting_load";
  std::map<Term, int64_t> waiting;
  for (const Monitor& m : monitors_) {
    if (m.name == name && (m.when == When::loaded) == loads) ++waiting[m.pid];
  }
  for (auto& [pid, count] : waiting) list = cons(h, tuple(h, pid, make_small(count)), list);
  return list;
}

}  // namespace wb
