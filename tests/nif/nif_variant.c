/* Libraries that are good, bad or old, one for each NIF_VARIANT: tests/erl/nif_loading.erl. */
#include <erl_nif.h>

enum { GOOD, WRONG_MODULE, MISSING_FUNCTION, DUPLICATE, NEWER, OLDER, OTHER_VARIANT, NO_INIT, NULL_ENTRY, BAD_FLAGS, V20,
       V26, UPGRADED, NO_UPGRADE };

static ErlNifResourceType* kept;

struct kept {
  ErlNifPid reports_to;
  int version;
};
static void destructor(ErlNifEnv* env, void* obj) {
  struct kept* k = obj;
  ErlNifEnv* own = enif_alloc_env();
  (void)env;
  enif_send(NULL, &k->reports_to, own,
            enif_make_tuple3(own, enif_make_atom(own, "destructed"), enif_make_int(own, k->version),
                             enif_make_int(own, NIF_VARIANT)));
  enif_free_env(own);
}

static ERL_NIF_TERM which(ErlNifEnv* env, int argc, const ERL_NIF_TERM argv[]) {
  (void)argc, (void)argv;
  return enif_make_int(env, NIF_VARIANT);
}
static ERL_NIF_TERM keep(ErlNifEnv* env, int argc, const ERL_NIF_TERM argv[]) {
  struct kept* k = enif_alloc_resource(kept, sizeof *k);
  ERL_NIF_TERM term = enif_make_resource(env, k);
  (void)argc, (void)argv;
  enif_self(env, &k->reports_to);
  k->version = NIF_VARIANT;
  enif_release_resource(k);
  return term;
}
static ERL_NIF_TERM private_data(ErlNifEnv* env, int argc, const ERL_NIF_TERM argv[]) {
  int* data = enif_priv_data(env);
  (void)argc, (void)argv;
  return enif_make_int(env, data ? *data : -1);
}

struct private {
  int number;
  ErlNifPid reports_to;
};
static int open_type(ErlNifEnv* env) {
  kept = enif_open_resource_type(env, NULL, "kept", destructor, ERL_NIF_RT_CREATE | ERL_NIF_RT_TAKEOVER, NULL);
  return kept != NULL;
}
/* Its argument is the number that it returns, or a process that unload reports to. */
static int load(ErlNifEnv* env, void** priv, ERL_NIF_TERM info) {
  int result = 0;
  struct private* p;
  ErlNifPid pid;
  if (enif_get_int(env, info, &result) && result) return result;
  if (!enif_get_local_pid(env, info, &pid)) enif_self(env, &pid);
  if (!open_type(env)) return 77;
  p = enif_alloc(sizeof *p);
  p->number = 100 + NIF_VARIANT;
  p->reports_to = pid;
  *priv = p;
  return 0;
}
static int upgrade(ErlNifEnv* env, void** priv, void** old, ERL_NIF_TERM info) {
  int result = 0;
  struct private *p, *before = *old;
  if (enif_get_int(env, info, &result) && result) return result;
  if (!open_type(env)) return 78;
  p = enif_alloc(sizeof *p);
  p->number = before->number * 1000 + NIF_VARIANT;
  p->reports_to = before->reports_to;
  *priv = p;
  return 0;
}
static void unload(ErlNifEnv* env, void* priv) {
  struct private* p = priv;
  ErlNifEnv* own = enif_alloc_env();
  (void)env;
  enif_send(NULL, &p->reports_to, own,
            enif_make_tuple2(own, enif_make_atom(own, "unloaded"), enif_make_int(own, p->number)));
  enif_free_env(own);
  enif_free(p);
}

/* Before 2.7 a function had no flags. */
struct short_function {
  const char* name;
  unsigned arity;
  ERL_NIF_TERM (*body)(ErlNifEnv*, int, const ERL_NIF_TERM[]);
};
static struct short_function short_functions[] = {{"which", 0, which}, {"keep", 0, keep}, {"private_data", 0, private_data}};

static ErlNifFunc functions[] = {{"which", 0, which, 0},
                                 {"keep", 0, keep, 0},
                                 {"private_data", 0, private_data, NIF_VARIANT == BAD_FLAGS ? 7 : 0},
                                 {NIF_VARIANT == MISSING_FUNCTION ? "surely_not" : "which", 0, which, 0}};

#if NIF_VARIANT == 7
#define nif_init another_name
#endif
ErlNifEntry* nif_init(void) {
  static ErlNifEntry entry = {ERL_NIF_MAJOR_VERSION, ERL_NIF_MINOR_VERSION, "nif_loaded", 3, functions, load, NULL,
                              upgrade, unload, ERL_NIF_VM_VARIANT, 1, sizeof(ErlNifResourceTypeInit), "erts-12.0"};
  if (NIF_VARIANT == WRONG_MODULE) entry.name = "another_module";
  if (NIF_VARIANT == MISSING_FUNCTION || NIF_VARIANT == DUPLICATE) entry.num_of_funcs = 4;
  if (NIF_VARIANT == NEWER) entry.minor = 99, entry.min_erts = "erts-99.0";
  if (NIF_VARIANT == OLDER) entry.major = 1;
  if (NIF_VARIANT == OTHER_VARIANT) entry.vm_variant = "beam.other";
  if (NIF_VARIANT == NO_UPGRADE) entry.upgrade = NULL;
  if (NIF_VARIANT == V20 || NIF_VARIANT == V26) {
    entry.minor = NIF_VARIANT == V20 ? 0 : 6;
    entry.funcs = (ErlNifFunc*)short_functions;
    entry.options = 12345, entry.sizeof_ErlNifResourceTypeInit = 0, entry.min_erts = NULL;
    if (NIF_VARIANT == V20) entry.vm_variant = NULL;
  }
  return NIF_VARIANT == NULL_ENTRY ? NULL : &entry;
}
