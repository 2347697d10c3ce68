/* Resources, environments, messages, monitors, select, threads, scheduling of functions: tests/erl/nif_things.erl. */
#include <erl_nif.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NIF(name) static ERL_NIF_TERM name(ErlNifEnv* env, int argc, const ERL_NIF_TERM argv[])

static ErlNifResourceType *things, *plain;

static ERL_NIF_TERM atom(ErlNifEnv* env, const char* text) { return enif_make_atom(env, text); }
static ERL_NIF_TERM truth(ErlNifEnv* env, int is) { return atom(env, is ? "true" : "false"); }

/* What callbacks tell goes to a process: {Callback, Number}. */
struct thing {
  ErlNifPid reports_to;
  int number;
  int fds[2];
  ErlNifMonitor monitor;
};
static void report(struct thing* t, const char* what) {
  ErlNifEnv* env = enif_alloc_env();
  ERL_NIF_TERM message = enif_make_tuple2(env, atom(env, what), enif_make_int(env, t->number));
  enif_send(NULL, &t->reports_to, env, message);
  enif_free_env(env);
}
static void destructor(ErlNifEnv* env, void* obj) {
  (void)env;
  report(obj, "destructed");
}
static void stop(ErlNifEnv* env, void* obj, ErlNifEvent fd, int direct) {
  struct thing* t = obj;
  (void)env, (void)direct, (void)fd;
  close(t->fds[0]), close(t->fds[1]);
  report(t, "stopped");
}
static void down(ErlNifEnv* env, void* obj, ErlNifPid* pid, ErlNifMonitor* monitor) {
  struct thing* t = obj;
  (void)env, (void)pid;
  report(t, enif_compare_monitors(monitor, &t->monitor) == 0 ? "down" : "down_of_another");
}
static void dyncall(ErlNifEnv* env, void* obj, void* data) {
  (void)env;
  *(int*)data = ((struct thing*)obj)->number;
}

static int load(ErlNifEnv* env, void** priv, ERL_NIF_TERM info) {
  ErlNifResourceTypeInit init = {destructor, stop, down, 4, dyncall};
  ErlNifResourceFlags tried;
  *priv = NULL;
  if (!enif_get_int(env, info, &(int){0})) return -1;
  things = enif_init_resource_type(env, "things", &init, ERL_NIF_RT_CREATE | ERL_NIF_RT_TAKEOVER, &tried);
  if (!things || tried != ERL_NIF_RT_CREATE) return 1;
  if (enif_open_resource_type(env, NULL, "never", NULL, ERL_NIF_RT_TAKEOVER, &tried)) return 2;
  plain = enif_open_resource_type(env, NULL, "plain", NULL, ERL_NIF_RT_CREATE, NULL);
  return plain ? 0 : 3;
}

/* --- resources ------------------------------------------------------------------------------- */
NIF(make) { /* reports to, number */
  struct thing* t = enif_alloc_resource(things, sizeof *t);
  ERL_NIF_TERM term;
  memset(t, 0, sizeof *t);
  t->fds[0] = t->fds[1] = -1;
  if (!enif_get_local_pid(env, argv[0], &t->reports_to) || !enif_get_int(env, argv[1], &t->number))
    return enif_make_badarg(env);
  term = enif_make_resource(env, t);
  enif_release_resource(t);
  return term;
}
static struct thing* thing_of(ErlNifEnv* env, ERL_NIF_TERM term) {
  void* obj;
  return enif_get_resource(env, term, things, &obj) ? obj : NULL;
}
NIF(number) {
  struct thing* t = thing_of(env, argv[0]);
  return t ? enif_make_int(env, t->number) : enif_make_badarg(env);
}
NIF(again) {
  struct thing* t = thing_of(env, argv[0]);
  ERL_NIF_TERM second = enif_make_resource(env, t);
  return enif_make_tuple3(env, truth(env, enif_is_identical(second, argv[0])), second,
                          enif_make_ulong(env, enif_sizeof_resource(t) == sizeof *t));
}
NIF(as_binary) {
  static const char text[] = "bytes of a resource, which it keeps as long as somebody has this binary, and longer";
  struct thing* t = thing_of(env, argv[0]);
  return enif_make_resource_binary(env, t, text, sizeof text - 1);
}
NIF(call) { /* module, type, thing */
  int n = -1;
  int failed = enif_dynamic_resource_call(env, argv[0], argv[1], argv[2], &n);
  return enif_make_tuple2(env, enif_make_int(env, failed), enif_make_int(env, n));
}
NIF(many) { /* made and dropped */
  int n, k;
  enif_get_int(env, argv[0], &n);
  for (k = 0; k < n; ++k) {
    void* obj = enif_alloc_resource(plain, 100);
    enif_make_resource(env, obj);
    enif_release_resource(obj);
  }
  return argv[0];
}

/* --- monitors -------------------------------------------------------------------------------- */
NIF(monitor) { /* thing, pid */
  struct thing* t = thing_of(env, argv[0]);
  ErlNifPid pid;
  int r;
  if (!t || !enif_get_local_pid(env, argv[1], &pid)) return enif_make_badarg(env);
  r = enif_monitor_process(env, t, &pid, &t->monitor);
  return r ? enif_make_int(env, r) : atom(env, "monitored");
}
NIF(demonitor) {
  struct thing* t = thing_of(env, argv[0]);
  int r = enif_demonitor_process(env, t, &t->monitor);
  return r ? atom(env, "no") : atom(env, "ok");
}
NIF(monitor_term) { return truth(env, enif_is_ref(env, enif_make_monitor_term(env, &thing_of(env, argv[0])->monitor))); }
NIF(monitor_plain) {
  void* obj = enif_alloc_resource(plain, 1);
  ErlNifPid self;
  int r = enif_monitor_process(env, obj, enif_self(env, &self), NULL);
  enif_release_resource(obj);
  (void)argc, (void)argv;
  return enif_make_int(env, r < 0 ? -1 : r);
}

/* --- messages -------------------------------------------------------------------------------- */
NIF(send_copy) { /* pid, message */
  ErlNifPid pid;
  if (!enif_get_local_pid(env, argv[0], &pid)) return enif_make_badarg(env);
  return truth(env, enif_send(env, &pid, NULL, argv[1]));
}
NIF(send_many) { /* pid, message, times: from an environment that is used again */
  ErlNifPid pid;
  ErlNifEnv* own = enif_alloc_env();
  int n, k, sent = 0;
  if (!enif_get_local_pid(env, argv[0], &pid) || !enif_get_int(env, argv[2], &n)) return enif_make_badarg(env);
  for (k = 0; k < n; ++k) {
    ERL_NIF_TERM message = enif_make_tuple2(own, enif_make_int(own, k), enif_make_copy(own, argv[1]));
    sent += enif_send(env, &pid, own, message);
    enif_clear_env(own);
  }
  enif_free_env(own);
  return enif_make_int(env, sent);
}
NIF(send_kept) { /* pid, message: what is left of a message that nobody got */
  ErlNifPid pid;
  ErlNifEnv* own = enif_alloc_env();
  ERL_NIF_TERM message = enif_make_copy(own, argv[1]), left = argv[0];
  int k;
  if (!enif_get_local_pid(env, argv[0], &pid)) return enif_make_badarg(env);
  if (!enif_send(env, &pid, own, message)) {
    for (k = 0; k < 100; ++k) enif_make_tuple2(own, enif_make_int(own, k), enif_make_int(own, k));
    left = enif_make_copy(env, message);
  }
  enif_free_env(own);
  return left;
}
struct letter {
  ErlNifPid to;
  ErlNifEnv* env;
  ERL_NIF_TERM text;
};
static void* sender(void* data) {
  struct letter* l = data;
  int k;
  for (k = 0; k < 100; ++k) {
    ErlNifEnv* env = enif_alloc_env();
    ERL_NIF_TERM list = enif_make_list3(env, enif_make_int(env, k), enif_make_copy(env, l->text),
                                        enif_make_long(env, 1l << 60));
    enif_send(NULL, &l->to, env, enif_make_tuple2(env, atom(env, "letter"), list));
    enif_free_env(env);
  }
  enif_free_env(l->env);
  enif_free(l);
  return NULL;
}
static struct letter* letter_to(ErlNifEnv* env, const ERL_NIF_TERM argv[]) {
  struct letter* l = enif_alloc(sizeof *l);
  enif_get_local_pid(env, argv[0], &l->to);
  l->env = enif_alloc_env();
  l->text = enif_make_copy(l->env, argv[1]);
  return l;
}
NIF(send_from_thread) { /* pid, text */
  ErlNifTid tid;
  ErlNifThreadOpts* opts = enif_thread_opts_create("opts");
  int failed;
  opts->suggested_stack_size = 64;
  failed = enif_thread_create("letters", &tid, sender, letter_to(env, argv), opts);
  enif_thread_opts_destroy(opts);
  if (!failed) failed = enif_thread_join(tid, NULL);
  return truth(env, !failed);
}
NIF(send_from_foreign) { /* the same, by a thread that nobody knows */
  pthread_t t;
  pthread_create(&t, NULL, sender, letter_to(env, argv));
  pthread_join(t, NULL);
  return atom(env, "true");
}
NIF(self_) {
  ErlNifPid pid;
  enif_self(env, &pid);
  (void)argc, (void)argv;
  return pid.pid;
}
NIF(whereis) {
  ErlNifPid pid;
  ErlNifPort port;
  if (enif_whereis_pid(env, argv[0], &pid)) return enif_make_tuple2(env, atom(env, "pid"), pid.pid);
  if (enif_whereis_port(env, argv[0], &port)) return enif_make_tuple2(env, atom(env, "port"), port.port_id);
  return atom(env, "no");
}
NIF(undefined_pid) {
  ErlNifPid pid;
  int before;
  (void)argc, (void)argv;
  enif_self(env, &pid);
  before = enif_is_pid_undefined(&pid);
  enif_set_pid_undefined(&pid);
  return enif_make_tuple3(env, truth(env, before), truth(env, enif_is_pid_undefined(&pid)),
                          truth(env, enif_send(env, &pid, NULL, argv[0])));
}
NIF(port_command) {
  ErlNifPort port;
  if (!enif_get_local_port(env, argv[0], &port)) return enif_make_badarg(env);
  return truth(env, enif_port_command(env, &port, NULL, argv[1]));
}

/* --- descriptors ----------------------------------------------------------------------------- */
NIF(open_pipe) {
  struct thing* t = thing_of(env, argv[0]);
  return truth(env, pipe(t->fds) == 0);
}
NIF(select_read) { /* thing, pid or undefined, ref */
  struct thing* t = thing_of(env, argv[0]);
  ErlNifPid pid;
  int given = enif_get_local_pid(env, argv[1], &pid);
  return enif_make_int(env, enif_select(env, t->fds[0], ERL_NIF_SELECT_READ, t, given ? &pid : NULL, argv[2]));
}
NIF(select_message) { /* thing, message */
  struct thing* t = thing_of(env, argv[0]);
  ErlNifPid pid;
  ErlNifEnv* own = enif_alloc_env();
  int r = enif_select_write(env, t->fds[1], t, enif_self(env, &pid), enif_make_copy(own, argv[1]), own);
  enif_free_env(own);
  return enif_make_int(env, r);
}
NIF(select_cancel) {
  struct thing* t = thing_of(env, argv[0]);
  return enif_make_int(env, enif_select(env, t->fds[0], ERL_NIF_SELECT_CANCEL | ERL_NIF_SELECT_READ, t, NULL, argv[0]));
}
NIF(select_stop) { /* thing, 0 or 1: which end */
  struct thing* t = thing_of(env, argv[0]);
  int end;
  enif_get_int(env, argv[1], &end);
  int r = enif_select(env, t->fds[end], ERL_NIF_SELECT_STOP, t, NULL, atom(env, "undefined"));
  return truth(env, r >= 0 && (r & (ERL_NIF_SELECT_STOP_CALLED | ERL_NIF_SELECT_STOP_SCHEDULED)));
}
NIF(select_bad) {
  struct thing* t = thing_of(env, argv[0]);
  int r = enif_select(env, -1, ERL_NIF_SELECT_READ, t, NULL, atom(env, "undefined"));
  return enif_make_tuple2(env, truth(env, r < 0), truth(env, r & ERL_NIF_SELECT_INVALID_EVENT));
}
NIF(write_pipe) {
  struct thing* t = thing_of(env, argv[0]);
  return enif_make_int(env, (int)write(t->fds[1], "abc", 3));
}
NIF(read_pipe) {
  struct thing* t = thing_of(env, argv[0]);
  char few[8];
  return enif_make_int(env, (int)read(t->fds[0], few, sizeof few));
}

/* --- locks, threads -------------------------------------------------------------------------- */
struct counter {
  ErlNifMutex* mutex;
  ErlNifCond* cond;
  ErlNifRWLock* rwlock;
  ErlNifTSDKey key;
  int count, running;
};
static void* counting(void* data) {
  struct counter* c = data;
  int k;
  enif_tsd_set(c->key, c);
  for (k = 0; k < 1000; ++k) {
    enif_mutex_lock(c->mutex);
    ++c->count;
    enif_mutex_unlock(c->mutex);
    enif_rwlock_rlock(c->rwlock);
    enif_rwlock_runlock(c->rwlock);
  }
  enif_rwlock_rwlock(c->rwlock);
  enif_rwlock_rwunlock(c->rwlock);
  enif_mutex_lock(c->mutex);
  if (enif_tsd_get(c->key) == c && --c->running == 0) enif_cond_broadcast(c->cond);
  enif_cond_signal(c->cond);
  enif_mutex_unlock(c->mutex);
  enif_thread_exit(c);
  return NULL;
}
NIF(threads) {
  struct counter c = {enif_mutex_create("mutex"), enif_cond_create("cond"), enif_rwlock_create("rwlock"), 0, 0, 4};
  ErlNifTid tids[4];
  void* result = NULL;
  int k, same, locked, free_now, names;
  (void)argc, (void)argv;
  enif_tsd_key_create("key", &c.key);
  for (k = 0; k < 4; ++k) enif_thread_create("counter", &tids[k], counting, &c, NULL);
  enif_mutex_lock(c.mutex);
  while (c.running) enif_cond_wait(c.cond, c.mutex);
  enif_mutex_unlock(c.mutex);
  names = !strcmp(enif_mutex_name(c.mutex), "mutex") && !strcmp(enif_cond_name(c.cond), "cond") &&
          !strcmp(enif_rwlock_name(c.rwlock), "rwlock") && !strcmp(enif_thread_name(tids[0]), "counter");
  same = enif_equal_tids(tids[0], tids[0]) && !enif_equal_tids(tids[0], tids[1]) &&
         enif_equal_tids(enif_thread_self(), enif_thread_self());
  for (k = 0; k < 4; ++k) enif_thread_join(tids[k], &result);
  free_now = enif_mutex_trylock(c.mutex) == 0;
  enif_mutex_unlock(c.mutex);
  locked = enif_rwlock_tryrwlock(c.rwlock) == 0 && enif_rwlock_tryrlock(c.rwlock) != 0;
  enif_rwlock_rwunlock(c.rwlock);
  enif_tsd_key_destroy(c.key);
  enif_mutex_destroy(c.mutex), enif_cond_destroy(c.cond), enif_rwlock_destroy(c.rwlock);
  return enif_make_tuple6(env, enif_make_int(env, c.count), truth(env, same), truth(env, result == &c),
                          truth(env, free_now), truth(env, locked), truth(env, names));
}

/* --- functions that go on as others ---------------------------------------------------------- */
NIF(count_down) { /* number, whether dirty, list */
  int n, dirty;
  ERL_NIF_TERM next[3];
  if (!enif_get_int(env, argv[0], &n) || !enif_get_int(env, argv[1], &dirty)) return enif_make_badarg(env);
  if (n == 0) return argv[2];
  next[0] = enif_make_int(env, n - 1);
  next[1] = argv[1];
  next[2] = enif_make_list_cell(env, enif_make_tuple2(env, next[0], enif_make_int(env, enif_thread_type())), argv[2]);
  return enif_schedule_nif(env, "next", dirty && n % 2 ? ERL_NIF_DIRTY_JOB_CPU_BOUND : 0, count_down, argc, next);
}
NIF(raising) { return enif_raise_exception(env, argv[1]); }
NIF(raise_later) {
  ERL_NIF_TERM both[2];
  (void)argc;
  both[0] = atom(env, "first"), both[1] = argv[0];
  return enif_schedule_nif(env, "raising", 0, raising, 2, both);
}
NIF(timeslice) {
  int percent;
  enif_get_int(env, argv[0], &percent);
  return enif_make_int(env, enif_consume_timeslice(env, percent));
}
NIF(sleep_dirty) { /* milliseconds */
  int ms;
  enif_get_int(env, argv[0], &ms);
  usleep((useconds_t)ms * 1000);
  return truth(env, enif_is_current_process_alive(env));
}
NIF(opened) { /* library, symbol */
  char library[200], symbol[100];
  void* handle;
  if (enif_get_string(env, argv[0], library, sizeof library, ERL_NIF_LATIN1) <= 0 ||
      enif_get_string(env, argv[1], symbol, sizeof symbol, ERL_NIF_LATIN1) <= 0)
    return enif_make_badarg(env);
  handle = enif_dlopen(library, NULL, NULL);
  if (!handle) return atom(env, "no_library");
  return enif_dlsym(handle, symbol, NULL, NULL) ? atom(env, "found") : atom(env, "no_symbol");
}
NIF(empty) {
  (void)env, (void)argc;
  return argv[0];
}

/* What a library has asked of exit() is done when the machine ends. */
static void at_the_end(void) {
  static const char text[] = "called at the end\n";
  (void)!write(STDOUT_FILENO, text, sizeof text - 1);
}
NIF(call_at_end) { return enif_make_int(env, atexit(at_the_end)); }

static ErlNifFunc functions[] = {{"make", 2, make, 0},
                                 {"number", 1, number, 0},
                                 {"again", 1, again, 0},
                                 {"as_binary", 1, as_binary, 0},
                                 {"call", 3, call, 0},
                                 {"many", 1, many, 0},
                                 {"monitor", 2, monitor, 0},
                                 {"demonitor", 1, demonitor, 0},
                                 {"monitor_term", 1, monitor_term, 0},
                                 {"monitor_plain", 0, monitor_plain, 0},
                                 {"send_copy", 2, send_copy, 0},
                                 {"send_many", 3, send_many, 0},
                                 {"send_kept", 2, send_kept, 0},
                                 {"dirty_send_many", 3, send_many, ERL_NIF_DIRTY_JOB_IO_BOUND},
                                 {"send_from_thread", 2, send_from_thread, 0},
                                 {"send_from_foreign", 2, send_from_foreign, 0},
                                 {"self_", 0, self_, 0},
                                 {"dirty_self", 0, self_, ERL_NIF_DIRTY_JOB_CPU_BOUND},
                                 {"whereis", 1, whereis, 0},
                                 {"undefined_pid", 1, undefined_pid, 0},
                                 {"port_command", 2, port_command, 0},
                                 {"open_pipe", 1, open_pipe, 0},
                                 {"select_read", 3, select_read, 0},
                                 {"select_message", 2, select_message, 0},
                                 {"select_cancel", 1, select_cancel, 0},
                                 {"select_stop", 2, select_stop, 0},
                                 {"select_bad", 1, select_bad, 0},
                                 {"write_pipe", 1, write_pipe, 0},
                                 {"read_pipe", 1, read_pipe, 0},
                                 {"threads", 0, threads, 0},
                                 {"count_down", 3, count_down, 0},
                                 {"raise_later", 1, raise_later, 0},
                                 {"timeslice", 1, timeslice, 0},
                                 {"sleep_dirty", 1, sleep_dirty, ERL_NIF_DIRTY_JOB_IO_BOUND},
                                 {"opened", 2, opened, 0},
                                 {"call_at_end", 0, call_at_end, 0},
                                 {"empty", 1, empty, 0},
                                 {"dirty_empty", 1, empty, ERL_NIF_DIRTY_JOB_CPU_BOUND}};

ERL_NIF_INIT(nif_things, functions, load, NULL, NULL, NULL)
