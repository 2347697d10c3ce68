/* A function for each rule of erl_nif.h that --check-nifs knows (vm/nif/check_rules.def), which
   breaks it: tests/cli/test_check_nifs.sh. */
#include <erl_nif.h>
#include <string.h>

#define NIF(name) static ERL_NIF_TERM name(ErlNifEnv* env, int argc, const ERL_NIF_TERM argv[])

static ErlNifResourceType *plain, *raising;
static ErlNifMutex* mutex;
static ErlNifRWLock* rwlock;
static ERL_NIF_TERM kept, kept_exception;
static ErlNifEnv* kept_env;
static ErlNifBinary kept_view;

static ERL_NIF_TERM ok(ErlNifEnv* env) { return enif_make_atom(env, "ok"); }

/* Tells the process in it that it was called. */
static void raising_destructor(ErlNifEnv* env, void* obj) {
  ErlNifEnv* own = enif_alloc_env();
  enif_make_badarg(env);
  enif_send(NULL, obj, own, enif_make_atom(own, "destructed"));
  enif_free_env(own);
}
static int load(ErlNifEnv* env, void** priv, ERL_NIF_TERM info) {
  (void)priv, (void)info;
  plain = enif_open_resource_type(env, NULL, "plain", NULL, ERL_NIF_RT_CREATE, NULL);
  raising =
      enif_open_resource_type(env, NULL, "raising", raising_destructor, ERL_NIF_RT_CREATE, NULL);
  mutex = enif_mutex_create("m of the tests");
  rwlock = enif_rwlock_create("l of the tests");
  return plain && raising && mutex && rwlock ? 0 : 1;
}

/* --- what is kept for a later call ------------------------------------------------------------ */
NIF(keep) { /* a tuple of a binary; breaks nothing */
  const ERL_NIF_TERM* elements;
  int arity;
  if (!enif_get_tuple(env, argv[0], &arity, &elements) ||
      !enif_inspect_binary(env, elements[0], &kept_view))
    return enif_make_badarg(env);
  kept = argv[0];
  kept_env = env;
  return ok(env);
}
NIF(keep_exception) { return kept_exception = enif_make_badarg(env); }

/* --- terms ------------------------------------------------------------------------------------ */
NIF(make_of_kept) { return enif_make_tuple1(env, kept); }
NIF(return_kept) { return kept; }
NIF(read_kept) {
  const ERL_NIF_TERM* elements;
  int arity;
  enif_get_tuple(env, kept, &arity, &elements);
  return ok(env);
}
NIF(cleared) {
  ErlNifEnv* own = enif_alloc_env();
  ERL_NIF_TERM copy = enif_make_copy(own, argv[0]);
  enif_clear_env(own);
  return enif_make_copy(env, copy);
}
NIF(sent) {
  ErlNifPid self;
  ErlNifEnv* own = enif_alloc_env();
  ERL_NIF_TERM copy = enif_make_copy(own, argv[0]);
  enif_send(env, enif_self(env, &self), own, copy);
  return enif_make_copy(env, copy);
}
NIF(of_another) {
  ErlNifEnv* own = enif_alloc_env();
  return enif_make_list1(env, enif_make_copy(own, argv[0]));
}

/* --- environments ----------------------------------------------------------------------------- */
NIF(env_over) { return enif_make_ref(kept_env); }
NIF(env_freed) {
  ErlNifEnv* own = enif_alloc_env();
  enif_free_env(own);
  enif_make_ref(own);
  return ok(env);
}
static void* uses_env(void* env) {
  enif_make_ref(env);
  return NULL;
}
NIF(env_of_thread) {
  ErlNifTid tid;
  enif_thread_create("breaks", &tid, uses_env, env, NULL);
  enif_thread_join(tid, NULL);
  return ok(env);
}
NIF(freed_twice) {
  ErlNifEnv* own = enif_alloc_env();
  enif_free_env(own);
  enif_free_env(own);
  return ok(env);
}
NIF(freed_of_call) {
  enif_free_env(env);
  return ok(env);
}

/* --- binaries --------------------------------------------------------------------------------- */
NIF(released_twice) {
  ErlNifBinary b;
  enif_alloc_binary(100, &b);
  enif_release_binary(&b);
  enif_release_binary(&b);
  return ok(env);
}
NIF(copy_released) {
  ErlNifBinary b, copy;
  enif_alloc_binary(100, &b);
  copy = b;
  enif_release_binary(&b);
  enif_release_binary(&copy);
  return ok(env);
}
NIF(term_released) {
  ErlNifBinary b, copy;
  ERL_NIF_TERM t;
  enif_alloc_binary(100, &b);
  memset(b.data, 'a', b.size);
  copy = b;
  t = enif_make_binary(env, &b);
  enif_release_binary(&copy);
  return t;
}
NIF(binary_used) {
  ErlNifBinary b;
  enif_alloc_binary(100, &b);
  enif_release_binary(&b);
  return enif_make_binary(env, &b);
}
NIF(view_used) { return enif_make_binary(env, &kept_view); }

/* --- resources -------------------------------------------------------------------------------- */
NIF(resource_released) {
  void* r = enif_alloc_resource(plain, 8);
  ERL_NIF_TERM t = enif_make_resource(env, r);
  enif_release_resource(r);
  enif_release_resource(r);
  return t;
}
NIF(resource_used) {
  void* r = enif_alloc_resource(plain, 8);
  enif_release_resource(r);
  return enif_make_resource(env, r);
}

/* --- locks ------------------------------------------------------------------------------------ */
NIF(mutex_held) {
  enif_mutex_lock(mutex);
  return ok(env);
}
NIF(rwlock_held) {
  enif_rwlock_rlock(rwlock);
  return ok(env);
}

/* --- exceptions, scheduling ------------------------------------------------------------------- */
NIF(raised) {
  enif_make_badarg(env);
  return ok(env);
}
NIF(scheduled) {
  enif_schedule_nif(env, "keep_exception", 0, keep_exception, 0, NULL);
  return ok(env);
}
NIF(exception_returned) { return kept_exception; }
NIF(exception_used) {
  ERL_NIF_TERM e = enif_make_badarg(env);
  enif_make_tuple1(env, e);
  return e;
}
NIF(raised_outside) {
  ErlNifEnv* own = enif_alloc_env();
  enif_raise_exception(own, ok(own));
  enif_free_env(own);
  return ok(env);
}
NIF(raised_in_destructor) {
  ErlNifPid* pid = enif_alloc_resource(raising, sizeof *pid);
  enif_self(env, pid);
  enif_release_resource(pid);
  return ok(env);
}

static ErlNifFunc functions[] = {{"keep", 1, keep, 0},
                                 {"keep_exception", 0, keep_exception, 0},
                                 {"make_of_kept", 0, make_of_kept, 0},
                                 {"return_kept", 0, return_kept, 0},
                                 {"read_kept", 0, read_kept, ERL_NIF_DIRTY_JOB_CPU_BOUND},
                                 {"cleared", 1, cleared, 0},
                                 {"sent", 1, sent, 0},
                                 {"of_another", 1, of_another, 0},
                                 {"env_over", 0, env_over, 0},
                                 {"env_freed", 0, env_freed, 0},
                                 {"env_of_thread", 0, env_of_thread, 0},
                                 {"freed_twice", 0, freed_twice, 0},
                                 {"freed_of_call", 0, freed_of_call, 0},
                                 {"released_twice", 0, released_twice, 0},
                                 {"copy_released", 0, copy_released, 0},
                                 {"term_released", 0, term_released, 0},
                                 {"binary_used", 0, binary_used, 0},
                                 {"view_used", 0, view_used, 0},
                                 {"resource_released", 0, resource_released, 0},
                                 {"resource_used", 0, resource_used, 0},
                                 {"mutex_held", 0, mutex_held, 0},
                                 {"rwlock_held", 0, rwlock_held, ERL_NIF_DIRTY_JOB_IO_BOUND},
                                 {"raised", 0, raised, 0},
                                 {"scheduled", 0, scheduled, 0},
                                 {"exception_returned", 0, exception_returned, 0},
                                 {"exception_used", 0, exception_used, 0},
                                 {"raised_outside", 0, raised_outside, 0},
                                 {"raised_in_destructor", 0, raised_in_destructor, 0}};
ERL_NIF_INIT(nif_breaks, functions, load, NULL, NULL, NULL)
