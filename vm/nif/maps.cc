// Maps and their iterators.
//
// An iterator walks an array of all pairs of its map, in the order of MapIterator, which is made
// with it: so it goes both ways, and no trie has to be walked backwards. (OTP's order within large
// maps is its own, too.)
#include "term/map.h"

#include "vm/nif/environment.h"

using namespace wb;

int enif_get_map_size(ErlNifEnv*, ERL_NIF_TERM map, size_t* size) {
  if (!is_map(map)) return 0;
  *size = map_size(map);
  return 1;
}
ERL_NIF_TERM enif_make_new_map(ErlNifEnv* env) { return empty_map(*env->heap); }

int enif_make_map_from_arrays(ErlNifEnv* env, ERL_NIF_TERM keys[], ERL_NIF_TERM values[], size_t n,
                              ERL_NIF_TERM* map) {
  std::vector<Term> pairs(2 * n);
  for (size_t k = 0; k < n; ++k) {
    pairs[2 * k] = from_library(keys[k]);
    pairs[2 * k + 1] = from_library(values[k]);
  }
  const Term made = map_from_pairs(*env->heap, pairs.data(), n);
  if (map_size(made) != n) return 0;  // a key came twice
  *map = made;
  return 1;
}
int enif_make_map_put(ErlNifEnv* env, ERL_NIF_TERM map, ERL_NIF_TERM key, ERL_NIF_TERM value,
                      ERL_NIF_TERM* result) {
  if (!is_map(map)) return 0;
  *result = map_put(*env->heap, map, from_library(key), from_library(value));
  return 1;
}
int enif_make_map_update(ErlNifEnv* env, ERL_NIF_TERM map, ERL_NIF_TERM key, ERL_NIF_TERM value,
                         ERL_NIF_TERM* result) {
  if (!is_map(map)) return 0;
  const Term pair[2] = {from_library(key), from_library(value)};
  const Term made = map_update_pairs(*env->heap, map, pair, 1);
  if (is_fault(made)) return 0;
  *result = made;
  return 1;
}
int enif_make_map_remove(ErlNifEnv* env, ERL_NIF_TERM map, ERL_NIF_TERM key, ERL_NIF_TERM* result) {
  if (!is_map(map)) return 0;
  *result = map_remove(*env->heap, map, from_library(key));
  return 1;
}
int enif_get_map_value(ErlNifEnv*, ERL_NIF_TERM map, ERL_NIF_TERM key, ERL_NIF_TERM* value) {
  if (!is_map(map)) return 0;
  const Term found = map_get(map, from_library(key));
  if (is_fault(found)) return 0;
  *value = to_library(found);
  return 1;
}

// --- iterators: u.flat.ks is the array of pairs, `idx` the pair, from 1 --------------------------
static Term* pairs_of(const ErlNifMapIterator* i) { return i->u.flat.ks; }

int enif_map_iterator_create(ErlNifEnv*, ERL_NIF_TERM map, ErlNifMapIterator* i,
                             ErlNifMapIteratorEntry entry) {
  if (!is_map(map)) return 0;
  const bool first = entry == ERL_NIF_MAP_ITERATOR_FIRST;
  if (!first && entry != ERL_NIF_MAP_ITERATOR_LAST) return 0;
  const size_t n = map_size(map);
  *i = {};
  i->map = map;
  i->size = n;
  i->idx = first ? 1 : n;
  i->u.flat.ks = static_cast<Term*>(malloc(n ? n * 2 * sizeof(Term) : 1));
  Term* to = pairs_of(i);
  MapIterator walk(map);
  for (; walk.next(to, to + 1); to += 2) {
  }
  return 1;
}
void enif_map_iterator_destroy(ErlNifEnv*, ErlNifMapIterator* i) {
  free(pairs_of(i));
  i->u.flat.ks = nullptr;
}
int enif_map_iterator_is_head(ErlNifEnv*, ErlNifMapIterator* i) { return i->idx == 0; }
int enif_map_iterator_is_tail(ErlNifEnv*, ErlNifMapIterator* i) { return i->idx > i->size; }
int enif_map_iterator_next(ErlNifEnv*, ErlNifMapIterator* i) {
  if (i->idx <= i->size) ++i->idx;
  return i->idx <= i->size;
}
int enif_map_iterator_prev(ErlNifEnv*, ErlNifMapIterator* i) {
  if (i->idx > 0) --i->idx;
  return i->idx > 0;
}
int enif_map_iterator_get_pair(ErlNifEnv*, ErlNifMapIterator* i, ERL_NIF_TERM* key,
                               ERL_NIF_TERM* value) {
  if (i->idx < 1 || i->idx > i->size) return 0;
  *key = to_library(pairs_of(i)[2 * (i->idx - 1)]);
  *value = to_library(pairs_of(i)[2 * (i->idx - 1) + 1]);
  return 1;
}
