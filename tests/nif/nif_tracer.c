/* A tracer module that tells what it is asked and told: its state is {Pid, #{Tag => Answer}, Anything}. */
#include <erl_nif.h>
#include <string.h>

static ERL_NIF_TERM atom(ErlNifEnv* env, const char* name) { return enif_make_atom(env, name); }

/* {Function, Size of the state, Arguments..., whom enif_self names} to the process in the state. */
static void tell(ErlNifEnv* env, const char* function, int argc, const ERL_NIF_TERM argv[]) {
  const ERL_NIF_TERM* state;
  int arity;
  ErlNifPid to, self;
  ERL_NIF_TERM elements[8];
  int n = 4;
  if (!enif_get_tuple(env, argv[1], &arity, &state) || arity < 2) return;
  if (!enif_get_local_pid(env, state[0], &to)) return;
  elements[0] = atom(env, function);
  elements[1] = enif_make_int(env, arity);
  elements[2] = argv[0];
  elements[3] = argv[2];
  if (argc > 3) elements[n++] = argv[3], elements[n++] = argv[4];
  elements[n++] = enif_self(env, &self) ? enif_make_pid(env, &self) : atom(env, "nobody");
  enif_send(env, &to, NULL, enif_make_tuple_from_array(env, elements, n));
}

static ERL_NIF_TERM answer(ErlNifEnv* env, const char* function, int argc, const ERL_NIF_TERM argv[]) {
  const ERL_NIF_TERM* state;
  int arity;
  ERL_NIF_TERM value;
  tell(env, function, argc, argv);
  if (!enif_get_tuple(env, argv[1], &arity, &state) || arity < 2) return atom(env, "discard");
  if (enif_get_map_value(env, state[1], argv[0], &value)) return value;
  if (enif_get_map_value(env, state[1], atom(env, "other"), &value)) return value;
  return atom(env, "discard");
}

#define ENABLED(name)                                                                  \
  static ERL_NIF_TERM name(ErlNifEnv* env, int argc, const ERL_NIF_TERM argv[]) { \
    return answer(env, #name, argc, argv);                                             \
  }
#define TRACE(name)                                                                    \
  static ERL_NIF_TERM name(ErlNifEnv* env, int argc, const ERL_NIF_TERM argv[]) { \
    tell(env, #name, argc, argv);                                                      \
    return atom(env, "ok");                                                            \
  }
ENABLED(enabled)
TRACE(trace)
#ifdef EVERY_FUNCTION
ENABLED(enabled_call)
ENABLED(enabled_procs)
ENABLED(enabled_send)
ENABLED(enabled_receive)
ENABLED(enabled_ports)
ENABLED(enabled_running_ports)
ENABLED(enabled_running_procs)
ENABLED(enabled_garbage_collection)
TRACE(trace_call)
TRACE(trace_procs)
TRACE(trace_send)
TRACE(trace_receive)
TRACE(trace_ports)
TRACE(trace_running_ports)
TRACE(trace_running_procs)
TRACE(trace_garbage_collection)
#define MODULE nif_tracer_all
#else
#define MODULE nif_tracer
#endif

static ErlNifFunc functions[] = {
    {"enabled", 3, enabled, 0},
    {"trace", 5, trace, 0},
#ifdef EVERY_FUNCTION
    {"enabled_call", 3, enabled_call, 0},
    {"enabled_procs", 3, enabled_procs, 0},
    {"enabled_send", 3, enabled_send, 0},
    {"enabled_receive", 3, enabled_receive, 0},
    {"enabled_ports", 3, enabled_ports, 0},
    {"enabled_running_ports", 3, enabled_running_ports, 0},
    {"enabled_running_procs", 3, enabled_running_procs, 0},
    {"enabled_garbage_collection", 3, enabled_garbage_collection, 0},
    {"trace_call", 5, trace_call, 0},
    {"trace_procs", 5, trace_procs, 0},
    {"trace_send", 5, trace_send, 0},
    {"trace_receive", 5, trace_receive, 0},
    {"trace_ports", 5, trace_ports, 0},
    {"trace_running_ports", 5, trace_running_ports, 0},
    {"trace_running_procs", 5, trace_running_procs, 0},
    {"trace_garbage_collection", 5, trace_garbage_collection, 0},
#endif
};

#define INIT(name) ERL_NIF_INIT(name, functions, NULL, NULL, NULL, NULL)
INIT(MODULE)
