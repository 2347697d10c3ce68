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

/// Without a process that is on its scheduler there is nobody to be charged or told of bad data.
int enif_port_command(ErlNifEnv* env, const ErlNifPort* port, ErlNifEnv* message_env,
                      ERL_NIF_TERM data) {
  Vm& vm = env ? env->vm : vm_of_thread();
  if (!this_instance) vm_of_thread();
  auto found = vm.ports->find(port->port_id);
  if (!found) return 0;
  const bool on_scheduler = env && env->kind == NifEnv::Kind::call && env->process;
  const Term who = env && env->process ? env->process->id : kNone;
  const bool sent =
      on_scheduler ? found->command(*env->process, from_library(data), {.force = true}) == am::true_
                   : found->command_anyway(who, from_library(data));
  if (message_env) enif_clear_env(message_env);
  return sent;
}
