// Making terms: enif_make_* but for binaries (binaries.cc), maps (maps.cc) and resources;
// exceptions.
#include <cmath>
#include <cstdarg>
#include <cstring>

#include "base/sanitizers.h"
#include "term/lists.h"
#include "term/number.h"
#include "term/utf8.h"
#include "vm/nif/environment.h"
#include "vm/nif/newer_functions.h"
#include "vm/process/exec.h"

using namespace wb;

// --- numbers -------------------------------------------------------------------------------------
ERL_NIF_TERM enif_make_int(ErlNifEnv*, int i) { return to_library(make_small(i)); }
ERL_NIF_TERM enif_make_uint(ErlNifEnv*, unsigned i) { return to_library(make_small(i)); }
ERL_NIF_TERM enif_make_long(ErlNifEnv* env, long i) {
  return fits_small(i) ? to_library(make_small(i)) : make_integer(*env->heap, int64_t{i});
}
ERL_NIF_TERM enif_make_ulong(ErlNifEnv* env, unsigned long i) {
  return to_library(make_unsigned(*env->heap, i));
}
ERL_NIF_TERM enif_make_double(ErlNifEnv* env, double d) {
  return std::isfinite(d) ? make_float(*env->heap, d) : env->badarg();
}

// --- atoms ---------------------------------------------------------------------------------------
static std::string utf8_of_latin1(const char* text, size_t n) {
  std::string utf8;
  for (size_t k = 0; k < n; ++k) {
    auto c = static_cast<uint8_t>(text[k]);
    if (c >= 0x80) utf8.push_back(static_cast<char>(0xc0 | c >> 6));
    utf8.push_back(static_cast<char>(c < 0x80 ? c : 0x80 | (c & 0x3f)));
  }
  return utf8;
}
static bool is_ascii(const char* text, size_t n) {
  for (size_t k = 0; k < n; ++k) {
    if (static_cast<uint8_t>(text[k]) >= 0x80) return false;
  }
  return true;
}
template <Term (*look)(std::string_view)>
static Term atom_named(const char* text, size_t n) {
  if (is_ascii(text, n)) return look({text, n});
  return look(utf8_of_latin1(text, n));
}
ERL_NIF_TERM enif_make_atom_len(ErlNifEnv* env, const char* name, size_t n) {
  if (n > kMaxAtomChars) return env->badarg();
  return env->result(atom_named<intern>(name, n));
}
ERL_NIF_TERM enif_make_atom(ErlNifEnv* env, const char* name) {
  return enif_make_atom_len(env, name, strlen(name));
}
/// *atom becomes the atom of that name, as `look` finds or makes it. 0: it is no name, or none is
/// found.
template <Term (*look)(std::string_view)>
static int atom_encoded(const char* name, size_t n, const ErlNifCharEncoding& e,
                        ERL_NIF_TERM* atom) {
  Term t = kNone;
  if (!is_utf8(e)) {
    if (n <= kMaxAtomChars) t = atom_named<look>(name, n);
  } else if (const int64_t chars = count_utf8({name, n});
             chars >= 0 && chars <= int64_t{kMaxAtomChars}) {
    t = look({name, n});
  }
  if (is_fault(t)) return 0;
  *atom = t;
  return 1;
}
int enif_make_existing_atom_len(ErlNifEnv*, const char* name, size_t n, ERL_NIF_TERM* atom,
                                ErlNifCharEncoding encoding) {
  return atom_encoded<find_atom>(name, n, encoding, atom);
}
int enif_make_existing_atom(ErlNifEnv*, const char* name, ERL_NIF_TERM* atom,
                            ErlNifCharEncoding encoding) {
  return atom_encoded<find_atom>(name, strlen(name), encoding, atom);
}
int enif_make_new_atom_len(ErlNifEnv*, const char* name, size_t n, ERL_NIF_TERM* atom,
                           ErlNifCharEncoding encoding) {
  return atom_encoded<intern>(name, n, encoding, atom);
}
int enif_make_new_atom(ErlNifEnv*, const char* name, ERL_NIF_TERM* atom,
                       ErlNifCharEncoding encoding) {
  return atom_encoded<intern>(name, strlen(name), encoding, atom);
}
/// Atoms that go to other nodes have no numbers that stay here.
int enif_get_atom_cache_index(ErlNifEnv*, ERL_NIF_TERM, unsigned*) { return 0; }
unsigned enif_max_atom_cache_index(void) { return 0; }

// --- tuples --------------------------------------------------------------------------------------
ERL_NIF_TERM enif_make_tuple(ErlNifEnv* env, unsigned n, ...) {
  Term* elements;
  const Term t = new_tuple(*env->heap, n, &elements);
  va_list all;
  va_start(all, n);
  for (unsigned k = 0; k < n; ++k) elements[k] = from_library(va_arg(all, ERL_NIF_TERM));
  va_end(all);
  return t;
}
ERL_NIF_TERM enif_make_tuple_from_array(ErlNifEnv* env, const ERL_NIF_TERM all[], unsigned n) {
  Term* elements;
  const Term t = new_tuple(*env->heap, n, &elements);
  for (unsigned k = 0; k < n; ++k) elements[k] = from_library(all[k]);
  return t;
}

// --- lists ---------------------------------------------------------------------------------------
ERL_NIF_TERM enif_make_list_cell(ErlNifEnv* env, ERL_NIF_TERM first, ERL_NIF_TERM rest) {
  return cons(*env->heap, from_library(first), from_library(rest));
}
/// A list of n cells one behind the other, the k-th of which has element(k).
template <class F>
static Term list_of(Heap& h, size_t n, F element) {
  if (n == 0) return kNil;
  Term* cells = h.alloc(2 * n);
  for (size_t k = 0; k < n; ++k) {
    cells[2 * k] = element(k);
    cells[2 * k + 1] = k + 1 < n ? make_cons(cells + 2 * k + 2) : kNil;
  }
  return make_cons(cells);
}
ERL_NIF_TERM enif_make_list(ErlNifEnv* env, unsigned n, ...) {
  va_list all;
  va_start(all, n);
  const Term list =
      list_of(*env->heap, n, [&](size_t) { return from_library(va_arg(all, ERL_NIF_TERM)); });
  va_end(all);
  return list;
}
ERL_NIF_TERM enif_make_list_from_array(ErlNifEnv* env, const ERL_NIF_TERM all[], unsigned n) {
  return list_of(*env->heap, n, [&](size_t k) { return from_library(all[k]); });
}
ERL_NIF_TERM enif_make_string_len(ErlNifEnv* env, const char* text, size_t n,
                                  ErlNifCharEncoding e) {
  if (is_utf8(e)) {
    const std::string_view utf8 = {text, n};
    return count_utf8(utf8) < 0 ? env->badarg() : list_of_utf8(*env->heap, utf8);
  }
  return list_of(*env->heap, n,
                 [&](size_t k) { return make_small(static_cast<uint8_t>(text[k])); });
}
WB_ANY_ENUM ERL_NIF_TERM enif_make_string(ErlNifEnv* env, const char* text,
                                          ErlNifCharEncoding encoding) {
  return enif_make_string_len(env, text, strlen(text), encoding);
}
int enif_make_reverse_list(ErlNifEnv* env, ERL_NIF_TERM list, ERL_NIF_TERM* reversed) {
  if (list_length(list) < 0) return 0;
  Term all = kNil;
  for (; is_cons(list); list = tail(list)) all = cons(*env->heap, head(list), all);
  *reversed = all;
  return 1;
}

// --- references, unique numbers ------------------------------------------------------------------
ERL_NIF_TERM enif_make_ref(ErlNifEnv* env) { return env->vm.new_ref(*env->heap); }

ERL_NIF_TERM enif_make_unique_integer(ErlNifEnv* env, ErlNifUniqueInteger properties) {
  Vm& vm = env->vm;
  const int64_t n = properties & ERL_NIF_UNIQUE_MONOTONIC ? vm.unique_monotonic.fetch_add(1)
                                                          : static_cast<int64_t>(vm.unique.take());
  if (properties & ERL_NIF_UNIQUE_POSITIVE)
    return make_unsigned(*env->heap, static_cast<uint64_t>(n) + 1);
  if (n >= 0) return to_library(make_integer(*env->heap, kSmallMin + n));
  return make_unsigned(*env->heap, static_cast<uint64_t>(n) + static_cast<uint64_t>(kSmallMin));
}

// --- exceptions ----------------------------------------------------------------------------------
ERL_NIF_TERM enif_make_badarg(ErlNifEnv* env) { return env->badarg(); }
ERL_NIF_TERM enif_raise_exception(ErlNifEnv* env, ERL_NIF_TERM reason) {
  return env->raise(from_library(reason));
}
int enif_is_exception(ErlNifEnv* env, ERL_NIF_TERM term) {
  return is_value(env->reason) && term == kNifException;
}
int enif_has_pending_exception(ErlNifEnv* env, ERL_NIF_TERM* reason) {
  if (is_fault(env->reason)) return 0;
  if (reason) *reason = to_library(env->reason);
  return 1;
}

int enif_consume_timeslice(ErlNifEnv* env, int percent) {
  if (!env->process || env->kind != NifEnv::Kind::call) return 1;
  const int64_t slice = env->process->exec->slice;
  env->process->charge(slice * (percent < 1 ? 1 : percent > 100 ? 100 : percent) / 100);
  return env->process->reductions_left() <= 0;
}
