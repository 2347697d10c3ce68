// What erl_nif.h has since 2.17 (OTP 26) and 2.18 (OTP 29), for a program that is built with an
// older one: libraries made for any release from 25 to 29 find all that they import.
#pragma once

#include <erl_nif.h>

#include <cstring>

namespace wb {

constexpr int kNewestNifMinor = 18;
/// ERL_NIF_UTF8; an enumerator since 2.17 only, so the value is read as what it is in memory.
inline bool is_utf8(const ErlNifCharEncoding& e) {
  constexpr unsigned kUtf8 = 2;
  unsigned value;
  static_assert(sizeof value == sizeof e);
  memcpy(&value, &e, sizeof value);
  return value == kUtf8;
}

/// Of ERTS with this release, which system_info(nif_version) is asked for.
constexpr int nif_minor_of(int release) { return release < 26 ? 16 : release < 29 ? 17 : 18; }

}  // namespace wb

#if ERL_NIF_MINOR_VERSION < 17
extern "C" {
typedef enum {
  ERL_NIF_OPT_DELAY_HALT = 1,
  ERL_NIF_OPT_ON_HALT = 2,
  ERL_NIF_OPT_ON_UNLOAD_THREAD = 3
} ErlNifOption;
typedef void ErlNifOnHaltCallback(void* priv_data);
typedef void ErlNifOnUnloadThreadCallback(void* priv_data);
int enif_get_string_length(ErlNifEnv* env, ERL_NIF_TERM list, unsigned* length,
                           ErlNifCharEncoding encoding);
int enif_make_new_atom(ErlNifEnv* env, const char* name, ERL_NIF_TERM* atom,
                       ErlNifCharEncoding encoding);
int enif_make_new_atom_len(ErlNifEnv* env, const char* name, size_t n, ERL_NIF_TERM* atom,
                           ErlNifCharEncoding encoding);
int enif_set_option(ErlNifEnv* env, ErlNifOption option, ...);
}
#endif
#if ERL_NIF_MINOR_VERSION < 18
extern "C" {
size_t enif_term_size(ERL_NIF_TERM term);
int enif_get_atom_cache_index(ErlNifEnv* env, ERL_NIF_TERM atom, unsigned* index);
unsigned enif_max_atom_cache_index(void);
}
#endif
