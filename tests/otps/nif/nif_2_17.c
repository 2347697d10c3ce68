/* What erl_nif.h has since OTP 26 (2.17), for ../erl/nif_2_17.erl. */
#include <erl_nif.h>
#include <stdio.h>
#include <string.h>

static void halted(void* priv) { printf("halted %s\n", (char*)priv), fflush(stdout); }

static int load(ErlNifEnv* env, void** priv, ERL_NIF_TERM info) {
  *priv = (void*)"data";
  int a = enif_set_option(env, ERL_NIF_OPT_DELAY_HALT);
  int b = enif_set_option(env, ERL_NIF_OPT_ON_HALT, halted);
  return a || b;
}

static ErlNifCharEncoding encoding(ErlNifEnv* env, ERL_NIF_TERM t) {
  char name[8];
  return enif_get_atom(env, t, name, sizeof name, ERL_NIF_LATIN1) && name[0] == 'u' ? ERL_NIF_UTF8 : ERL_NIF_LATIN1;
}
#define E encoding(env, argv[argc - 1])

static ERL_NIF_TERM bytes(ErlNifEnv* env, const char* text, size_t n) {
  ERL_NIF_TERM t;
  memcpy(enif_make_new_binary(env, n, &t), text, n);
  return t;
}
static ERL_NIF_TERM string_length(ErlNifEnv* env, int argc, const ERL_NIF_TERM argv[]) {
  unsigned n;
  return enif_get_string_length(env, argv[0], &n, E) ? enif_make_uint(env, n) : enif_make_atom(env, "false");
}
static ERL_NIF_TERM get_string(ErlNifEnv* env, int argc, const ERL_NIF_TERM argv[]) {
  char text[8];
  memset(text, '#', sizeof text);
  int n = enif_get_string(env, argv[0], text, sizeof text, E);
  return enif_make_tuple2(env, enif_make_int(env, n), n ? bytes(env, text, n < 0 ? -n : n) : enif_make_atom(env, "none"));
}
static ERL_NIF_TERM make_string(ErlNifEnv* env, int argc, const ERL_NIF_TERM argv[]) {
  ErlNifBinary b;
  if (!enif_inspect_binary(env, argv[0], &b)) return enif_make_badarg(env);
  return enif_make_string_len(env, (const char*)b.data, b.size, E);
}
static ERL_NIF_TERM atom(ErlNifEnv* env, int argc, const ERL_NIF_TERM argv[]) {
  char text[1100];
  unsigned length = 0;
  int known = enif_get_atom_length(env, argv[0], &length, E);
  int n = enif_get_atom(env, argv[0], text, sizeof text, E);
  return enif_make_tuple4(env, enif_make_int(env, known), enif_make_uint(env, length), enif_make_int(env, n), bytes(env, text, n));
}
static ERL_NIF_TERM made(ErlNifEnv* env, int argc, const ERL_NIF_TERM argv[], int new_) {
  ErlNifBinary b;
  ERL_NIF_TERM a;
  if (!enif_inspect_binary(env, argv[0], &b)) return enif_make_badarg(env);
  const char* text = (const char*)b.data;
  int ok = new_ ? enif_make_new_atom_len(env, text, b.size, &a, E) : enif_make_existing_atom_len(env, text, b.size, &a, E);
  return ok ? a : enif_make_tuple(env, 0);
}
static ERL_NIF_TERM new_atom(ErlNifEnv* env, int argc, const ERL_NIF_TERM argv[]) { return made(env, argc, argv, 1); }
static ERL_NIF_TERM existing_atom(ErlNifEnv* env, int argc, const ERL_NIF_TERM argv[]) { return made(env, argc, argv, 0); }
static ERL_NIF_TERM option(ErlNifEnv* env, int argc, const ERL_NIF_TERM argv[]) {
  return enif_make_atom(env, enif_set_option(env, ERL_NIF_OPT_DELAY_HALT) ? "refused" : "taken");
}

static ErlNifFunc functions[] = {{"string_length", 2, string_length}, {"get_string", 2, get_string}, {"make_string", 2, make_string},
                                 {"atom", 2, atom}, {"new_atom", 2, new_atom}, {"existing_atom", 2, existing_atom}, {"option", 0, option}};
ERL_NIF_INIT(nif_2_17, functions, load, NULL, NULL, NULL)
