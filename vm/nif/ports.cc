// Ports, as libraries reach them.
#include "vm/port/ports.h"

#include "term/lists.h"
#include "vm/nif/environment.h"
#include "vm/port/port.h"

using namespace wb;

int enif_is_port_alive(ErlNifEnv* env, ErlNifPort* port) {
  Vm& vm = env ? env->vm : vm_of_thread();
  auto found = vm.ports->find(port->port_id);
  return found && found->is_open();
}

/// Only on behalf of a process that is on its scheduler: it is who is suspended while the port is
/// busy.
int enif_port_command(ErlNifEnv* env, const ErlNifPort* port, ErlNifEnv* message_env,
                      ERL_NIF_TERM data) {
  if (!env || env->kind != NifEnv::Kind::call || !env->process) return 0;
  auto found = env->vm.ports->find(port->port_id);
  if (!found) return 0;
  const bool sent = found->command(*env->process, data, {.force = true}) == am::true_;
  if (message_env) enif_clear_env(message_env);
  return sent;
}
