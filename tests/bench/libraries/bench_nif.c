/* What libraries.erl measures calls of. */
#include <erl_nif.h>

#define NIF(name) static ERL_NIF_TERM name(ErlNifEnv* env, int argc, const ERL_NIF_TERM argv[])

static ErlNifResourceType* type;

static int load(ErlNifEnv* env, void** priv, ERL_NIF_TERM info) {
  (void)priv, (void)info;
  type = enif_open_resource_type(env, NULL, "bench", NULL, ERL_NIF_RT_CREATE, NULL);
  return type ? 0 : 1;
}

NIF(empty) {
  (void)env, (void)argc;
  return argv[0];
}

NIF(resource) {
  void* object = enif_alloc_resource(type, 64);
  ERL_NIF_TERM term = enif_make_resource(env, object);
  (void)argc, (void)argv;
  enif_release_resource(object);
  return term;
}

/* {Message, N} to argv[0], argv[1] times, each from an environment of its own. */
NIF(send_many) {
  ErlNifPid to;
  int count;
  (void)argc;
  if (!enif_get_local_pid(env, argv[0], &to) || !enif_get_int(env, argv[1], &count)) return enif_make_badarg(env);
  for (int i = 0; i < count; i++) {
    ErlNifEnv* message = enif_alloc_env();
    enif_send(env, &to, message, enif_make_tuple2(message, enif_make_atom(message, "message"), enif_make_int(message, i)));
    enif_free_env(message);
  }
  return enif_make_int(env, count);
}

static ErlNifFunc functions[] = {
    {"empty", 1, empty, 0},
    {"resource", 0, resource, 0},
    {"send_many", 2, send_many, 0},
    {"empty_dirty", 1, empty, ERL_NIF_DIRTY_JOB_CPU_BOUND},
};
ERL_NIF_INIT(libraries, functions, load, NULL, NULL, NULL)
