/* Every function of erl_nif.h that reads or makes terms, called with what the Erlang side gives: tests/erl/nif_terms.erl
 * runs it on `erl` and on Whitebeam, and both must say the same. */
#include <erl_nif.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#define NIF(name) static ERL_NIF_TERM name(ErlNifEnv* env, int argc, const ERL_NIF_TERM argv[])

static ERL_NIF_TERM atom(ErlNifEnv* env, const char* text) { return enif_make_atom(env, text); }
static ERL_NIF_TERM truth(ErlNifEnv* env, int is) { return atom(env, is ? "true" : "false"); }

/* A list that grows at its head; a row is {Name, Value}. */
struct rows {
  ErlNifEnv* env;
  ERL_NIF_TERM list;
};
static void row(struct rows* r, const char* name, ERL_NIF_TERM value) {
  ERL_NIF_TERM pair = enif_make_tuple2(r->env, atom(r->env, name), value);
  r->list = enif_make_list_cell(r->env, pair, r->list);
}
static ERL_NIF_TERM finish(struct rows* r) {
  ERL_NIF_TERM list;
  enif_make_reverse_list(r->env, r->list, &list);
  return list;
}
static struct rows begin(ErlNifEnv* env) {
  struct rows r = {env, enif_make_list(env, 0)};
  return r;
}

/* --- reading --------------------------------------------------------------------------------- */
static void read_kinds(struct rows* r, ERL_NIF_TERM t) {
  ErlNifEnv* env = r->env;
#define IS(kind) row(r, #kind, truth(env, enif_is_##kind(env, t)))
  IS(atom), IS(binary), IS(ref), IS(fun), IS(pid), IS(port), IS(list), IS(tuple), IS(empty_list), IS(number), IS(map),
      IS(exception);
#undef IS
  row(r, "type", enif_make_int(env, enif_term_type(env, t)));
}

static void read_numbers(struct rows* r, ERL_NIF_TERM t) {
  ErlNifEnv* env = r->env;
  int i;
  unsigned u;
  long l;
  unsigned long ul;
  double d;
  row(r, "int", enif_get_int(env, t, &i) ? enif_make_int(env, i) : atom(env, "no"));
  row(r, "uint", enif_get_uint(env, t, &u) ? enif_make_uint(env, u) : atom(env, "no"));
  row(r, "long", enif_get_long(env, t, &l) ? enif_make_long(env, l) : atom(env, "no"));
  row(r, "ulong", enif_get_ulong(env, t, &ul) ? enif_make_ulong(env, ul) : atom(env, "no"));
  row(r, "int64", enif_get_int64(env, t, &l) ? enif_make_int64(env, l) : atom(env, "no"));
  row(r, "uint64", enif_get_uint64(env, t, &ul) ? enif_make_uint64(env, ul) : atom(env, "no"));
  row(r, "double", enif_get_double(env, t, &d) ? enif_make_double(env, d) : atom(env, "no"));
}

static void read_texts(struct rows* r, ERL_NIF_TERM t) {
  ErlNifEnv* env = r->env;
  char buffer[300];
  unsigned n;
  int k;
  row(r, "atom_length", enif_get_atom_length(env, t, &n, ERL_NIF_LATIN1) ? enif_make_uint(env, n) : atom(env, "no"));
  k = enif_get_atom(env, t, buffer, sizeof buffer, ERL_NIF_LATIN1);
  row(r, "atom_text", k > 0 ? enif_make_tuple2(env, enif_make_int(env, k), enif_make_string(env, buffer, ERL_NIF_LATIN1))
                           : enif_make_int(env, k));
  k = enif_get_atom(env, t, buffer, 3, ERL_NIF_LATIN1);
  row(r, "atom_in_3", enif_make_int(env, k));
  k = enif_get_string(env, t, buffer, sizeof buffer, ERL_NIF_LATIN1);
  row(r, "string", k > 0 ? enif_make_tuple2(env, enif_make_int(env, k), enif_make_string(env, buffer, ERL_NIF_LATIN1))
                        : enif_make_int(env, k));
  k = enif_get_string(env, t, buffer, 3, ERL_NIF_LATIN1);
  row(r, "string_in_3", k ? enif_make_tuple2(env, enif_make_int(env, k), enif_make_string(env, buffer, ERL_NIF_LATIN1))
                          : enif_make_int(env, k));
  row(r, "string_in_0", enif_make_int(env, enif_get_string(env, t, buffer, 0, ERL_NIF_LATIN1)));
}

static void read_parts(struct rows* r, ERL_NIF_TERM t) {
  ErlNifEnv* env = r->env;
  ERL_NIF_TERM first, rest;
  const ERL_NIF_TERM* elements;
  int arity;
  unsigned n;
  size_t size;
  ErlNifBinary bin;
  ErlNifPid pid;
  ErlNifPort port;
  row(r, "cell", enif_get_list_cell(env, t, &first, &rest) ? enif_make_tuple2(env, first, rest) : atom(env, "no"));
  row(r, "length", enif_get_list_length(env, t, &n) ? enif_make_uint(env, n) : atom(env, "no"));
  row(r, "tuple_of", enif_get_tuple(env, t, &arity, &elements)
                         ? enif_make_list_from_array(env, elements, (unsigned)arity)
                         : atom(env, "no"));
  row(r, "map_size", enif_get_map_size(env, t, &size) ? enif_make_ulong(env, size) : atom(env, "no"));
  row(r, "inspected", enif_inspect_binary(env, t, &bin)
                          ? enif_make_tuple2(env, enif_make_ulong(env, bin.size), enif_make_binary(env, &bin))
                          : atom(env, "no"));
  row(r, "iolist", enif_inspect_iolist_as_binary(env, t, &bin)
                       ? enif_make_tuple2(env, enif_make_ulong(env, bin.size), enif_make_binary(env, &bin))
                       : atom(env, "no"));
  row(r, "reversed", enif_make_reverse_list(env, t, &rest) ? rest : atom(env, "no"));
  row(r, "local_pid", truth(env, enif_get_local_pid(env, t, &pid)));
  row(r, "local_port", truth(env, enif_get_local_port(env, t, &port)));
  row(r, "alive", enif_get_local_pid(env, t, &pid) ? truth(env, enif_is_process_alive(env, &pid)) : atom(env, "no"));
  row(r, "port_alive", enif_get_local_port(env, t, &port) ? truth(env, enif_is_port_alive(env, &port)) : atom(env, "no"));
}

static void read_whole(struct rows* r, ERL_NIF_TERM t) {
  ErlNifEnv* env = r->env;
  ErlNifBinary bin;
  ERL_NIF_TERM back;
  size_t used;
  row(r, "identical", truth(env, enif_is_identical(t, enif_make_copy(env, t))));
  row(r, "compare", enif_make_int(env, enif_compare(t, enif_make_copy(env, t))));
  row(r, "phash2", enif_make_ulong(env, enif_hash(ERL_NIF_PHASH2, t, 0)));
  row(r, "internal", truth(env, enif_hash(ERL_NIF_INTERNAL_HASH, t, 17) ==
                                    enif_hash(ERL_NIF_INTERNAL_HASH, enif_make_copy(env, t), 17)));
  if (!enif_term_to_binary(env, t, &bin)) {
    row(r, "external", atom(env, "no"));
    return;
  }
  used = enif_binary_to_term(env, bin.data, bin.size, &back, 0);
  row(r, "external", enif_make_tuple2(env, truth(env, used == bin.size), truth(env, enif_is_identical(t, back))));
  enif_release_binary(&bin);
}

NIF(read) {
  struct rows r = begin(env);
  read_kinds(&r, argv[0]);
  read_numbers(&r, argv[0]);
  read_texts(&r, argv[0]);
  read_parts(&r, argv[0]);
  read_whole(&r, argv[0]);
  return finish(&r);
}

NIF(compare) { return enif_make_int(env, enif_compare(argv[0], argv[1])); }
NIF(identical) { return truth(env, enif_is_identical(argv[0], argv[1])); }

/* --- making ---------------------------------------------------------------------------------- */
NIF(make) {
  struct rows r = begin(env);
  ERL_NIF_TERM some[4], t;
  unsigned char* bytes;
  ErlNifBinary bin;
  char long_name[300];
  (void)argc, (void)argv;
  row(&r, "ints", enif_make_list4(env, enif_make_int(env, INT32_MIN), enif_make_int(env, INT32_MAX),
                                  enif_make_uint(env, UINT32_MAX), enif_make_int(env, 0)));
  row(&r, "longs", enif_make_list5(env, enif_make_long(env, INT64_MIN), enif_make_long(env, INT64_MAX),
                                   enif_make_ulong(env, UINT64_MAX), enif_make_long(env, INT64_C(1) << 59),
                                   enif_make_long(env, -(INT64_C(1) << 59))));
  row(&r, "doubles", enif_make_list3(env, enif_make_double(env, 0.1), enif_make_double(env, -0.0),
                                     enif_make_double(env, 1e308)));
  row(&r, "atoms", enif_make_list4(env, atom(env, "a"), atom(env, ""), atom(env, "two words"), atom(env, "\xe4\xf6")));
  row(&r, "atom_len", enif_make_atom_len(env, "abcdef", 3));
  memset(long_name, 'x', sizeof long_name);
  row(&r, "atom_255", enif_make_atom_len(env, long_name, 255));
  row(&r, "existing", truth(env, enif_make_existing_atom(env, "error", &t, ERL_NIF_LATIN1)));
  row(&r, "not_existing", truth(env, enif_make_existing_atom(env, "never was such an atom", &t, ERL_NIF_LATIN1)));
  row(&r, "existing_len", truth(env, enif_make_existing_atom_len(env, "errors", 5, &t, ERL_NIF_LATIN1)));
  row(&r, "existing_300", truth(env, enif_make_existing_atom_len(env, long_name, 300, &t, ERL_NIF_LATIN1)));
  some[0] = atom(env, "a"), some[1] = enif_make_int(env, 2), some[2] = enif_make_tuple(env, 0), some[3] = some[0];
  row(&r, "tuple", enif_make_tuple(env, 3, some[0], some[1], some[2]));
  row(&r, "tuple_of_array", enif_make_tuple_from_array(env, some, 4));
  row(&r, "list", enif_make_list(env, 3, some[0], some[1], some[2]));
  row(&r, "list_of_array", enif_make_list_from_array(env, some, 4));
  row(&r, "empty_list_of_array", enif_make_list_from_array(env, some, 0));
  row(&r, "improper", enif_make_list_cell(env, some[0], some[1]));
  row(&r, "string", enif_make_string(env, "text \xff", ERL_NIF_LATIN1));
  row(&r, "string_len", enif_make_string_len(env, "ab\0cd", 5, ERL_NIF_LATIN1));
  bytes = enif_make_new_binary(env, 3, &t);
  memcpy(bytes, "abc", 3);
  row(&r, "new_binary", t);
  bytes = enif_make_new_binary(env, 1000, &t);
  memset(bytes, 'z', 1000);
  row(&r, "sub_binary", enif_make_sub_binary(env, t, 10, 5));
  enif_alloc_binary(4, &bin);
  memcpy(bin.data, "wxyz", 4);
  row(&r, "binary", enif_make_binary(env, &bin));
  row(&r, "binary_again", enif_make_binary(env, &bin));
  enif_alloc_binary(4, &bin);
  memcpy(bin.data, "1234", 4);
  enif_realloc_binary(&bin, 2000);
  memset(bin.data + 4, '5', 1996);
  enif_realloc_binary(&bin, 6);
  row(&r, "realloced", enif_make_binary(env, &bin));
  row(&r, "ref", truth(env, enif_is_ref(env, enif_make_ref(env))));
  row(&r, "refs_differ", truth(env, !enif_is_identical(enif_make_ref(env), enif_make_ref(env))));
  row(&r, "map", enif_make_new_map(env));
  return finish(&r);
}

NIF(writable_copy) {
  ErlNifBinary bin;
  if (!enif_inspect_binary(env, argv[0], &bin)) return enif_make_badarg(env);
  enif_realloc_binary(&bin, bin.size + 1);
  bin.data[bin.size - 1] = '!';
  return enif_make_binary(env, &bin);
}

NIF(atom_too_long) {
  char name[400];
  memset(name, 'a', sizeof name);
  return enif_make_atom_len(env, name, sizeof name);
}
NIF(not_finite) { return enif_make_double(env, argc ? INFINITY : NAN); }

NIF(from_external) {
  ErlNifBinary bin;
  ERL_NIF_TERM t;
  unsigned options;
  size_t used;
  if (!enif_inspect_binary(env, argv[0], &bin) || !enif_get_uint(env, argv[1], &options)) return enif_make_badarg(env);
  used = enif_binary_to_term(env, bin.data, bin.size, &t, options);
  return used ? enif_make_tuple2(env, enif_make_ulong(env, used), t) : atom(env, "no");
}

/* --- maps ------------------------------------------------------------------------------------ */
static ERL_NIF_TERM changed(ErlNifEnv* env, int done, ERL_NIF_TERM map) { return done ? map : atom(env, "no"); }

NIF(map_changes) { /* map, key, value */
  struct rows r = begin(env);
  ERL_NIF_TERM t;
  int done;
  done = enif_make_map_put(env, argv[0], argv[1], argv[2], &t);
  row(&r, "put", changed(env, done, t));
  done = enif_make_map_update(env, argv[0], argv[1], argv[2], &t);
  row(&r, "update", changed(env, done, t));
  done = enif_make_map_remove(env, argv[0], argv[1], &t);
  row(&r, "remove", changed(env, done, t));
  done = enif_get_map_value(env, argv[0], argv[1], &t);
  row(&r, "get", changed(env, done, t));
  return finish(&r);
}

NIF(map_of_lists) { /* keys, values */
  ERL_NIF_TERM keys[100], values[100], map, k = argv[0], v = argv[1];
  size_t n = 0;
  int done;
  while (n < 100 && enif_get_list_cell(env, k, &keys[n], &k) && enif_get_list_cell(env, v, &values[n], &v)) ++n;
  done = enif_make_map_from_arrays(env, keys, values, n, &map);
  return changed(env, done, map);
}

NIF(map_pairs) { /* forwards, and backwards reversed: the same */
  ErlNifMapIterator i;
  ERL_NIF_TERM key, value, list = enif_make_list(env, 0), back = list;
  if (!enif_map_iterator_create(env, argv[0], &i, ERL_NIF_MAP_ITERATOR_FIRST)) return enif_make_badarg(env);
  while (enif_map_iterator_get_pair(env, &i, &key, &value)) {
    list = enif_make_list_cell(env, enif_make_tuple2(env, key, value), list);
    enif_map_iterator_next(env, &i);
  }
  if (!enif_map_iterator_is_tail(env, &i)) return atom(env, "not_at_the_tail");
  enif_map_iterator_destroy(env, &i);
  enif_map_iterator_create(env, argv[0], &i, ERL_NIF_MAP_ITERATOR_LAST);
  while (enif_map_iterator_get_pair(env, &i, &key, &value)) {
    back = enif_make_list_cell(env, enif_make_tuple2(env, key, value), back);
    enif_map_iterator_prev(env, &i);
  }
  if (!enif_map_iterator_is_head(env, &i)) return atom(env, "not_at_the_head");
  enif_map_iterator_destroy(env, &i);
  enif_make_reverse_list(env, list, &list);
  return enif_make_tuple2(env, truth(env, enif_is_identical(list, back)), list);
}

/* --- printing -------------------------------------------------------------------------------- */
NIF(printed) {
  char buffer[4000];
  int n = enif_snprintf(buffer, sizeof buffer, "<%T> %d %5.2f %s %c %lu %%", argv[0], -5, 3.14159, "str", 'c', 7ul);
  ERL_NIF_TERM text = enif_make_string(env, buffer, ERL_NIF_LATIN1);
  char few[6], all[1000];
  int m = enif_snprintf(all, sizeof all, "%T", argv[0]);
  enif_snprintf(few, sizeof few, "%T", argv[0]);
  return enif_make_tuple4(env, enif_make_int(env, n), text, enif_make_int(env, m),
                          enif_make_string(env, few, ERL_NIF_LATIN1));
}

/* --- vectors and queues ---------------------------------------------------------------------- */
NIF(iovec) { /* list, most */
  ErlNifIOVec vec, *v = &vec;
  ERL_NIF_TERM tail, joined;
  unsigned most;
  unsigned char* to;
  int k;
  if (!enif_get_uint(env, argv[1], &most) || !enif_inspect_iovec(env, most, argv[0], &tail, &v)) return atom(env, "no");
  to = enif_make_new_binary(env, v->size, &joined);
  for (k = 0; k < v->iovcnt; ++k) {
    memcpy(to, v->iov[k].iov_base, v->iov[k].iov_len);
    to += v->iov[k].iov_len;
  }
  return enif_make_tuple3(env, enif_make_ulong(env, v->size), joined, tail);
}

static ERL_NIF_TERM contents(ErlNifEnv* env, ErlNifIOQueue* q) {
  int n, k;
  SysIOVec* v = enif_ioq_peek(q, &n);
  ERL_NIF_TERM t;
  unsigned char* to = enif_make_new_binary(env, enif_ioq_size(q), &t);
  for (k = 0; k < n; ++k) {
    memcpy(to, v[k].iov_base, v[k].iov_len);
    to += v[k].iov_len;
  }
  return t;
}
NIF(queue) { /* list, binary */
  struct rows r = begin(env);
  ErlNifIOQueue* q = enif_ioq_create(ERL_NIF_IOQ_NORMAL);
  ErlNifIOVec* v = NULL;
  ERL_NIF_TERM tail, head;
  ErlNifBinary bin;
  size_t left;
  if (!enif_inspect_iovec(NULL, ~(size_t)0, argv[0], &tail, &v)) {
    enif_ioq_destroy(q);
    return atom(env, "no");
  }
  row(&r, "enqv", enif_make_int(env, enif_ioq_enqv(q, v, 0)));
  row(&r, "enqv_skip", enif_make_int(env, enif_ioq_enqv(q, v, v->size > 2 ? 2 : 0)));
  row(&r, "enqv_all", enif_make_int(env, enif_ioq_enqv(q, v, v->size + 1)));
  enif_free_iovec(v);
  row(&r, "contents", contents(env, q));
  enif_inspect_binary(env, argv[1], &bin);
  row(&r, "enq", enif_make_int(env, enif_ioq_enq_binary(q, &bin, 1)));
  enif_alloc_binary(3, &bin);
  memcpy(bin.data, "own", 3);
  row(&r, "enq_own", enif_make_int(env, enif_ioq_enq_binary(q, &bin, 0)));
  row(&r, "contents", contents(env, q));
  row(&r, "deq", enif_make_int(env, enif_ioq_deq(q, 5, &left)));
  row(&r, "left", enif_make_ulong(env, left));
  row(&r, "head", enif_ioq_peek_head(env, q, &left, &head) ? enif_make_tuple2(env, enif_make_ulong(env, left), head)
                                                          : atom(env, "no"));
  row(&r, "deq_all", enif_make_int(env, enif_ioq_deq(q, enif_ioq_size(q), NULL)));
  row(&r, "deq_more", enif_make_int(env, enif_ioq_deq(q, 1, NULL)));
  row(&r, "no_head", enif_make_int(env, enif_ioq_peek_head(env, q, NULL, &head)));
  enif_ioq_destroy(q);
  return finish(&r);
}

/* --- exceptions ------------------------------------------------------------------------------ */
NIF(raise) {
  ERL_NIF_TERM reason, made = enif_raise_exception(env, argv[0]);
  if (!enif_has_pending_exception(env, &reason) || !enif_is_exception(env, made)) return atom(env, "wrong");
  return made;
}
NIF(raise_and_return) {
  enif_raise_exception(env, argv[0]);
  return atom(env, "ok");
}
NIF(badarg) {
  (void)argc, (void)argv;
  return enif_has_pending_exception(env, NULL) ? atom(env, "wrong") : enif_make_badarg(env);
}

/* --- the integer 0 --------------------------------------------------------------------------- */
/* No term is the word 0: libraries take it for "none yet". */
static ERL_NIF_TERM taken_out(ErlNifEnv* env, const ERL_NIF_TERM argv[]) {
  struct rows r = begin(env);
  ERL_NIF_TERM first = 0, rest = 0, value = 0, key = 0, decoded = 0;
  ErlNifBinary bin;
  ErlNifMapIterator i;
  const ERL_NIF_TERM* elements;
  int n = 0;
  row(&r, "cell", truth(env, enif_get_list_cell(env, argv[1], &first, &rest) && first && rest));
  row(&r, "value", truth(env, enif_get_map_value(env, argv[2], argv[0], &value) && value));
  value = 0;
  enif_map_iterator_create(env, argv[2], &i, ERL_NIF_MAP_ITERATOR_FIRST);
  row(&r, "pair", truth(env, enif_map_iterator_get_pair(env, &i, &key, &value) && key && value));
  enif_map_iterator_destroy(env, &i);
  enif_term_to_binary(env, value, &bin);
  row(&r, "decoded", truth(env, enif_binary_to_term(env, bin.data, bin.size, &decoded, 0) && decoded));
  enif_release_binary(&bin);
  row(&r, "copy", truth(env, enif_make_copy(env, argv[0]) != 0));
  enif_get_tuple(env, enif_make_tuple3(env, argv[0], first, enif_make_int(env, 1)), &n, &elements);
  row(&r, "same", truth(env, n == 3 && argv[0] == enif_make_int(env, 0) && elements[0] == argv[0] && elements[1] == argv[0]));
  row(&r, "elements", enif_make_tuple_from_array(env, elements, 3));
  row(&r, "all", enif_make_list6(env, first, rest, value, key, decoded, enif_make_copy(env, argv[0])));
  return finish(&r);
}
NIF(zeros) { /* 0, [0 | 0], #{0 => 0} */
  struct rows r = begin(env);
  ERL_NIF_TERM z[] = {enif_make_int(env, 0),   enif_make_uint(env, 0),  enif_make_long(env, 0),
                      enif_make_ulong(env, 0), enif_make_int64(env, 0), enif_make_uint64(env, 0)};
  ERL_NIF_TERM map = enif_make_new_map(env), map_of = 0;
  int i = -1, k;
  double d;
  char text[8];
  ErlNifPid self;
  ErlNifEnv* own = enif_alloc_env();
  (void)argc;
  for (k = 0; k < 6; ++k)
    row(&r, "made", enif_make_tuple4(env, truth(env, z[k] != 0), z[k], truth(env, enif_is_identical(z[k], argv[0])),
                                     enif_make_int(env, enif_compare(z[k], argv[0]))));
  row(&r, "read", truth(env, enif_get_int(env, z[0], &i) && i == 0 && enif_is_number(env, z[0]) && !enif_is_atom(env, z[0]) &&
                                 !enif_get_double(env, z[0], &d) && enif_term_type(env, z[0]) == ERL_NIF_TERM_TYPE_INTEGER));
  row(&r, "hash", truth(env, enif_hash(ERL_NIF_PHASH2, z[0], 0) == enif_hash(ERL_NIF_PHASH2, argv[0], 0) &&
                                 enif_hash(ERL_NIF_INTERNAL_HASH, z[0], 1) == enif_hash(ERL_NIF_INTERNAL_HASH, argv[0], 1)));
  row(&r, "array", enif_make_tuple2(env, enif_make_tuple_from_array(env, z, 6), enif_make_list_from_array(env, z, 6)));
  row(&r, "improper", enif_make_list_cell(env, z[0], z[0]));
  enif_make_map_put(env, map, z[0], z[0], &map);
  enif_make_map_update(env, map, argv[0], z[0], &map);
  row(&r, "map", map);
  enif_make_map_remove(env, map, z[0], &map);
  row(&r, "removed", map);
  row(&r, "arrays", enif_make_map_from_arrays(env, z, z, 1, &map_of) ? map_of : atom(env, "no"));
  enif_snprintf(text, sizeof text, "%T", z[0]);
  row(&r, "text", enif_make_string(env, text, ERL_NIF_LATIN1));
  enif_self(env, &self);
  enif_send(env, &self, own, enif_make_copy(own, z[0]));
  enif_send(env, &self, NULL, z[0]);
  enif_free_env(own);
  row(&r, "out", taken_out(env, argv));
  return finish(&r);
}
NIF(zero) { return (void)argc, (void)argv, enif_make_int(env, 0); }
NIF(raise_zero) { return (void)argc, (void)argv, enif_raise_exception(env, enif_make_int(env, 0)); }
NIF(same) { return (void)env, (void)argc, argv[0]; }
NIF(zero_later) {
  ERL_NIF_TERM z = enif_make_int(env, 0);
  return (void)argc, (void)argv, enif_schedule_nif(env, "same", 0, same, 1, &z);
}

/* --- time, system ---------------------------------------------------------------------------- */
NIF(times) {
  struct rows r = begin(env);
  ErlNifTime a = enif_monotonic_time(ERL_NIF_NSEC), b = enif_monotonic_time(ERL_NIF_NSEC);
  ErlNifSysInfo info;
  ERL_NIF_TERM first, second;
  char value[64];
  size_t size = sizeof value;
  (void)argc, (void)argv;
  row(&r, "monotonic", truth(env, a <= b && enif_monotonic_time(ERL_NIF_SEC) == enif_convert_time_unit(
                                                                                    enif_monotonic_time(ERL_NIF_NSEC),
                                                                                    ERL_NIF_NSEC, ERL_NIF_SEC)));
  row(&r, "convert", enif_make_list4(env, enif_make_long(env, enif_convert_time_unit(-1, ERL_NIF_NSEC, ERL_NIF_SEC)),
                                     enif_make_long(env, enif_convert_time_unit(1999, ERL_NIF_MSEC, ERL_NIF_SEC)),
                                     enif_make_long(env, enif_convert_time_unit(7, ERL_NIF_SEC, ERL_NIF_USEC)),
                                     truth(env, enif_convert_time_unit(7, (ErlNifTimeUnit)99, ERL_NIF_SEC) ==
                                                    ERL_NIF_TIME_ERROR)));
  row(&r, "bad_unit", truth(env, enif_monotonic_time((ErlNifTimeUnit)77) == ERL_NIF_TIME_ERROR &&
                                     enif_time_offset((ErlNifTimeUnit)77) == ERL_NIF_TIME_ERROR));
  row(&r, "now", truth(env, enif_is_tuple(env, enif_now_time(env)) && enif_is_tuple(env, enif_cpu_time(env))));
  first = enif_make_unique_integer(env, ERL_NIF_UNIQUE_MONOTONIC | ERL_NIF_UNIQUE_POSITIVE);
  second = enif_make_unique_integer(env, ERL_NIF_UNIQUE_MONOTONIC | ERL_NIF_UNIQUE_POSITIVE);
  row(&r, "unique", truth(env, enif_compare(first, second) < 0 && enif_compare(first, enif_make_int(env, 0)) > 0));
  first = enif_make_unique_integer(env, (ErlNifUniqueInteger)0);
  row(&r, "unique_any", truth(env, !enif_is_identical(first, enif_make_unique_integer(env, (ErlNifUniqueInteger)0))));
  row(&r, "getenv", enif_make_int(env, enif_getenv("SURELY_NOT_SET", value, &size)));
  size = 1;
  row(&r, "getenv_small", enif_make_int(env, enif_getenv("PATH", value, &size)));
  memset(&info, 0, sizeof info);
  enif_system_info(&info, sizeof info);
  row(&r, "info", enif_make_list5(env, enif_make_int(env, info.nif_major_version),
                                  enif_make_int(env, info.nif_minor_version), enif_make_int(env, info.smp_support),
                                  enif_make_string(env, info.otp_release, ERL_NIF_LATIN1),
                                  enif_make_int(env, info.dirty_scheduler_support)));
  row(&r, "thread", enif_make_int(env, enif_thread_type()));
  return finish(&r);
}

static ErlNifFunc functions[] = {{"read", 1, read, 0},
                                 {"compare", 2, compare, 0},
                                 {"identical", 2, identical, 0},
                                 {"make", 0, make, 0},
                                 {"zeros", 3, zeros, 0},
                                 {"zero", 0, zero, 0},
                                 {"dirty_zero", 0, zero, ERL_NIF_DIRTY_JOB_CPU_BOUND},
                                 {"raise_zero", 0, raise_zero, 0},
                                 {"same", 1, same, 0},
                                 {"zero_later", 0, zero_later, 0},
                                 {"writable_copy", 1, writable_copy, 0},
                                 {"atom_too_long", 0, atom_too_long, 0},
                                 {"not_finite", 0, not_finite, 0},
                                 {"not_finite", 1, not_finite, 0},
                                 {"from_external", 2, from_external, 0},
                                 {"map_changes", 3, map_changes, 0},
                                 {"map_of_lists", 2, map_of_lists, 0},
                                 {"map_pairs", 1, map_pairs, 0},
                                 {"printed", 1, printed, 0},
                                 {"iovec", 2, iovec, 0},
                                 {"queue", 2, queue, 0},
                                 {"raise", 1, raise, 0},
                                 {"raise_and_return", 1, raise_and_return, 0},
                                 {"badarg", 0, badarg, 0},
                                 {"times", 0, times, 0},
                                 {"dirty_read", 1, read, ERL_NIF_DIRTY_JOB_CPU_BOUND},
                                 {"dirty_io_read", 1, read, ERL_NIF_DIRTY_JOB_IO_BOUND},
                                 {"dirty_raise", 1, raise, ERL_NIF_DIRTY_JOB_CPU_BOUND},
                                 {"dirty_times", 0, times, ERL_NIF_DIRTY_JOB_IO_BOUND}};

ERL_NIF_INIT(nif_terms, functions, NULL, NULL, NULL, NULL)
