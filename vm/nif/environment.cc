// Environments of the libraries' own, messages, and whose machine a thread is.
#include "vm/nif/environment.h"

#include <atomic>

#include "base/ranked_lock.h"
#include "term/copy.h"
#include "vm/process/send.h"
#include "vm/process/signal.h"
#include "vm/process/table.h"
#include "vm/process/trace_flags.h"

namespace wb {

// --- threads of the libraries' own ---------------------------------------------------------------
// A library is one for the whole program, whichever machines have loaded it, and its functions
// without an environment say nothing of a machine: so this is of the program, too.
namespace {
RankedLock<LockRank::nif_machines> machines_lock;
/// Never destroyed: a host may end its machine after its own destructors of static objects ran.
std::vector<Vm*>& machines() {
  static auto& all = *new std::vector<Vm*>;
  return all;
}
}  // namespace

void add_machine_of_threads(Vm& vm) {
  std::lock_guard lock(machines_lock);
  machines().push_back(&vm);
}
void remove_machine_of_threads(Vm& vm) {
  std::lock_guard lock(machines_lock);
  std::erase(machines(), &vm);
}

Vm& vm_of_thread() {
  if (WB_LIKELY(this_instance)) return *static_cast<Vm*>(this_instance->host);
  std::lock_guard lock(machines_lock);
  WB_CHECK(!machines().empty());
  Vm& vm = *machines().front();
  this_instance = &vm.instance;  // from now on; nobody else's code runs on it
  return vm;
}

}  // namespace wb

using namespace wb;

// --- environments --------------------------------------------------------------------------------
ErlNifEnv* enif_alloc_env(void) { return new OwnEnv(vm_of_thread(), NifEnv::Kind::own, nullptr); }
void enif_free_env(ErlNifEnv* env) {
  vm_of_thread();
  delete static_cast<OwnEnv*>(env);
}
void enif_clear_env(ErlNifEnv* env) {
  vm_of_thread();
  free_fragments(static_cast<OwnEnv*>(env)->terms.take_fragments());
}

ERL_NIF_TERM enif_make_copy(ErlNifEnv* env, ERL_NIF_TERM term) {
  return to_library(copy_term(*env->heap, from_library(term)));
}

// --- messages ------------------------------------------------------------------------------------
/// The message that `term` is: with its environment's fragments, or a copy.
static Signal* message_of(ErlNifEnv* message_env, Term term) {
  if (!message_env) return new_signal(SignalKind::message, term);
  Signal* s = new_signal(SignalKind::message);
  s->term = term;
  s->fragment = static_cast<OwnEnv*>(message_env)->terms.take_fragments();
  return s;
}

int enif_send(ErlNifEnv* env, const ErlNifPid* to, ErlNifEnv* message_env, ERL_NIF_TERM message) {
  Vm& vm = env ? env->vm : message_env ? message_env->vm : vm_of_thread();
  if (!this_instance) vm_of_thread();
  message = from_library(message);
  Reading reading(*vm.scheduler);
  Process* receiver = vm.processes->find(to->pid);
  Process* from = env ? env->process : nullptr;
  const bool is_dead = from && env->kind == NifEnv::Kind::dirty && !vm.is_alive(from->id);
  if (is_dead) receiver = nullptr;
  if (!receiver) return 0;  // and the message stays what it is
  if (from && env->kind != NifEnv::Kind::callback && is_traced(*from, traced::send)) {
    vm.hooks->trace_send(*from, to->pid, message, true);
  }
  Signal* s = message_of(message_env, message);
  if (from) s->from = Address::of_local(from->id);
  return push_signal(*receiver, s);
}

ErlNifPid* enif_self(ErlNifEnv* env, ErlNifPid* pid) {
  if (!env->process) return nullptr;
  pid->pid = env->process->id;
  return pid;
}
int enif_get_local_pid(ErlNifEnv*, ERL_NIF_TERM term, ErlNifPid* pid) {
  if (!is_local_pid(term)) return 0;
  pid->pid = term;
  return 1;
}
void enif_set_pid_undefined(ErlNifPid* pid) { pid->pid = am::undefined; }
int enif_is_pid_undefined(const ErlNifPid* pid) { return pid->pid == am::undefined; }

int enif_get_local_port(ErlNifEnv*, ERL_NIF_TERM term, ErlNifPort* port) {
  if (!is_local_port(term)) return 0;
  port->port_id = term;
  return 1;
}

int enif_is_process_alive(ErlNifEnv* env, ErlNifPid* pid) {
  Vm& vm = env ? env->vm : vm_of_thread();
  return vm.is_alive(pid->pid);
}
int enif_is_current_process_alive(ErlNifEnv* env) {
  return env->process && !env->process->exiting.load(std::memory_order_relaxed);
}

/// Who is registered as `name`, if it is such a one.
template <bool (*is_such)(Term)>
static int who_is(ErlNifEnv* env, Term name, Term* id) {
  if (!is_atom(name)) return 0;
  Vm& vm = env ? env->vm : vm_of_thread();
  Reading reading(*vm.scheduler);
  Term found = vm.processes->registered(name);
  if (!is_value(found) || !is_such(found)) return 0;
  *id = found;
  return 1;
}
static bool is_a_pid(Term t) { return is_local_pid(t); }
static bool is_a_port(Term t) { return is_local_port(t); }
int enif_whereis_pid(ErlNifEnv* env, ERL_NIF_TERM name, ErlNifPid* pid) {
  return who_is<is_a_pid>(env, name, &pid->pid);
}
int enif_whereis_port(ErlNifEnv* env, ERL_NIF_TERM name, ErlNifPort* port) {
  return who_is<is_a_port>(env, name, &port->port_id);
}
