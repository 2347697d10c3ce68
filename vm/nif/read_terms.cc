// What a term is, and what is in it: enif_is_*, enif_get_*.
#include <algorithm>
#include <cstring>
#include <limits>

#include "base/sanitizers.h"
#include "term/binary.h"
#include "term/copy.h"
#include "term/hash.h"
#include "term/lists.h"
#include "term/number.h"
#include "term/order.h"
#include "term/utf8.h"
#include "vm/nif/environment.h"
#include "vm/nif/newer_functions.h"

using namespace wb;

// --- kinds ---------------------------------------------------------------------------------------
int enif_is_atom(ErlNifEnv*, ERL_NIF_TERM t) { return is_atom(t); }
int enif_is_binary(ErlNifEnv*, ERL_NIF_TERM t) { return is_binary(t); }
int enif_is_ref(ErlNifEnv*, ERL_NIF_TERM t) { return is_ref(t); }
int enif_is_fun(ErlNifEnv*, ERL_NIF_TERM t) { return is_fun(t); }
int enif_is_pid(ErlNifEnv*, ERL_NIF_TERM t) { return is_pid(t); }
int enif_is_port(ErlNifEnv*, ERL_NIF_TERM t) { return is_port(t); }
int enif_is_empty_list(ErlNifEnv*, ERL_NIF_TERM t) { return is_nil(t); }
int enif_is_list(ErlNifEnv*, ERL_NIF_TERM t) { return is_list(t); }
int enif_is_tuple(ErlNifEnv*, ERL_NIF_TERM t) { return is_tuple(t); }
int enif_is_number(ErlNifEnv*, ERL_NIF_TERM t) { return is_number(from_library(t)); }
int enif_is_map(ErlNifEnv*, ERL_NIF_TERM t) { return is_map(t); }

static ErlNifTermType type_of_boxed(Term t) {
  switch (header_kind(header_of(t))) {
    case Kind::tuple:
      return ERL_NIF_TERM_TYPE_TUPLE;
    case Kind::big_pos:
    case Kind::big_neg:
      return ERL_NIF_TERM_TYPE_INTEGER;
    case Kind::flo:
      return ERL_NIF_TERM_TYPE_FLOAT;
    case Kind::flatmap:
    case Kind::hashmap:
      return ERL_NIF_TERM_TYPE_MAP;
    case Kind::heap_bin:
    case Kind::refc_bin:
    case Kind::sub_bin:
      return ERL_NIF_TERM_TYPE_BITSTRING;
    case Kind::fun:
    case Kind::export_fun:
      return ERL_NIF_TERM_TYPE_FUN;
    case Kind::ref:
    case Kind::pid_ref:
    case Kind::magic_ref:
    case Kind::ext_ref:
      return ERL_NIF_TERM_TYPE_REFERENCE;
    case Kind::ext_pid:
      return ERL_NIF_TERM_TYPE_PID;
    case Kind::ext_port:
      return ERL_NIF_TERM_TYPE_PORT;
    case Kind::hashnode:
    case Kind::match_ctx:
    case Kind::count:
      break;  // no value
    case Kind::record:
      break;  // has none
  }
  return ERL_NIF_TERM_TYPE__MISSING_DEFAULT_CASE__READ_THE_MANUAL;
}
ErlNifTermType enif_term_type(ErlNifEnv*, ERL_NIF_TERM t) {
  if (is_small(from_library(t))) return ERL_NIF_TERM_TYPE_INTEGER;
  if (is_atom(t)) return ERL_NIF_TERM_TYPE_ATOM;
  if (is_list(t)) return ERL_NIF_TERM_TYPE_LIST;
  if (is_local_pid(t)) return ERL_NIF_TERM_TYPE_PID;
  if (is_local_port(t)) return ERL_NIF_TERM_TYPE_PORT;
  if (is_boxed(t)) return type_of_boxed(t);
  return ERL_NIF_TERM_TYPE__MISSING_DEFAULT_CASE__READ_THE_MANUAL;
}

// --- numbers -------------------------------------------------------------------------------------
template <class Integer>
static int get_signed(Term t, Integer* to) {
  int64_t v;
  if (!to_int64(from_library(t), &v) || v < std::numeric_limits<Integer>::min() ||
      v > std::numeric_limits<Integer>::max())
    return 0;
  *to = static_cast<Integer>(v);
  return 1;
}
template <class Integer>
static int get_unsigned(Term t, Integer* to) {
  uint64_t v;
  if (!to_uint64(from_library(t), &v) || v > std::numeric_limits<Integer>::max()) return 0;
  *to = static_cast<Integer>(v);
  return 1;
}
int enif_get_int(ErlNifEnv*, ERL_NIF_TERM t, int* to) { return get_signed(t, to); }
int enif_get_long(ErlNifEnv*, ERL_NIF_TERM t, long* to) { return get_signed(t, to); }
int enif_get_uint(ErlNifEnv*, ERL_NIF_TERM t, unsigned* to) { return get_unsigned(t, to); }
int enif_get_ulong(ErlNifEnv*, ERL_NIF_TERM t, unsigned long* to) { return get_unsigned(t, to); }
int enif_get_double(ErlNifEnv*, ERL_NIF_TERM t, double* to) {
  if (!is_float(t)) return 0;
  *to = float_value(t);
  return 1;
}

// --- lists, tuples -------------------------------------------------------------------------------
int enif_get_list_cell(ErlNifEnv*, ERL_NIF_TERM t, ERL_NIF_TERM* first, ERL_NIF_TERM* rest) {
  if (!is_cons(t)) return 0;
  *first = to_library(head(t));
  *rest = to_library(tail(t));
  return 1;
}
int enif_get_list_length(ErlNifEnv*, ERL_NIF_TERM t, unsigned* length) {
  const int64_t n = list_length(t);
  if (n < 0) return 0;
  *length = static_cast<unsigned>(n);
  return 1;
}
/// Larger tuples are not looked through for a 0: asking for one element takes no longer then.
constexpr size_t kFewElements = 1024;
/// Where they are, if none is 0; else a copy, which lives as long as the environment's terms.
int enif_get_tuple(ErlNifEnv* env, ERL_NIF_TERM t, int* arity, const ERL_NIF_TERM** elements) {
  if (!is_tuple(t)) return 0;
  const size_t n = tuple_arity(t);
  *arity = static_cast<int>(n);
  const Term* all = *elements = tuple_elements(t);
  if (!env || n > kFewElements) return 1;
  if (WB_LIKELY(std::find(all, all + n, make_small(0)) == all + n)) return 1;
  uint8_t* room;
  new_bytes(*env->heap, n * sizeof(ERL_NIF_TERM), &room);
  auto* copy = reinterpret_cast<ERL_NIF_TERM*>(room);
  std::transform(all, all + n, copy, to_library);
  *elements = copy;
  return 1;
}

// --- atoms, strings ------------------------------------------------------------------------------
/// Bytes of an atom's text in Latin-1; false: a character is none.
static bool latin1_text(Term atom, std::string* text) {
  if (!atom_is_latin1(atom)) return false;
  std::string_view utf8 = atom_text(atom);
  text->clear();
  for (size_t k = 0; k < utf8.size(); ++k) {
    auto c = static_cast<uint8_t>(utf8[k]);
    if (c >= 0x80) c = static_cast<uint8_t>(c << 6 | (static_cast<uint8_t>(utf8[++k]) & 0x3f));
    text->push_back(static_cast<char>(c));
  }
  return true;
}
int enif_get_atom_length(ErlNifEnv*, ERL_NIF_TERM t, unsigned* length, ErlNifCharEncoding e) {
  if (!is_atom(t) || !(is_utf8(e) || atom_is_latin1(t))) return 0;
  *length = is_utf8(e) ? static_cast<unsigned>(atom_text(t).size()) : atom_chars(t);
  return 1;
}
int enif_get_atom(ErlNifEnv*, ERL_NIF_TERM t, char* buffer, unsigned size, ErlNifCharEncoding e) {
  std::string text;
  if (!is_atom(t)) return 0;
  if (is_utf8(e))
    text = atom_text(t);
  else if (!latin1_text(t, &text))
    return 0;
  if (text.size() >= size) return 0;
  memcpy(buffer, text.c_str(), text.size() + 1);
  return static_cast<int>(text.size() + 1);
}
/// The bytes of one character of a string; 0: it is none in that encoding.
static size_t encode_character(Term c, ErlNifCharEncoding e, uint8_t* to) {
  if (!is_small(c)) return 0;
  const auto value = static_cast<uint64_t>(small_value(c));
  if (is_utf8(e)) {
    if (value > 0x10ffff || !is_code_point(static_cast<uint32_t>(value))) return 0;
    return utf8_encode(static_cast<uint32_t>(value), to);
  }
  *to = static_cast<uint8_t>(value);
  return value <= 255;
}
WB_ANY_ENUM int enif_get_string_length(ErlNifEnv*, ERL_NIF_TERM list, unsigned* length,
                                       ErlNifCharEncoding e) {
  uint8_t bytes[4];
  unsigned n = 0;
  for (; is_cons(list); list = tail(list)) {
    const size_t size = encode_character(head(list), e, bytes);
    if (!size) return 0;
    n += static_cast<unsigned>(size);
  }
  if (!is_nil(list)) return 0;
  *length = n;
  return 1;
}
/// The bytes written with the terminating zero; negative: what did not fit is missing; 0: no
/// string.
WB_ANY_ENUM int enif_get_string(ErlNifEnv*, ERL_NIF_TERM list, char* buffer, unsigned size,
                                ErlNifCharEncoding e) {
  if (size < 1) return 0;
  uint8_t bytes[4];
  unsigned n = 0;
  for (; is_cons(list); list = tail(list)) {
    const size_t needed = encode_character(head(list), e, bytes);
    if (!needed) {
      buffer[n] = 0;
      return 0;
    }
    if (n + needed >= size) {
      buffer[n] = 0;
      return -static_cast<int>(n + 1);
    }
    memcpy(buffer + n, bytes, needed);
    n += static_cast<unsigned>(needed);
  }
  buffer[n] = 0;
  return is_nil(list) ? static_cast<int>(n + 1) : 0;
}
size_t enif_term_size(ERL_NIF_TERM t) { return flat_size(from_library(t)) * sizeof(Term); }

// --- comparing -----------------------------------------------------------------------------------
int enif_is_identical(ERL_NIF_TERM a, ERL_NIF_TERM b) {
  if (a == b) return 1;
  if (!this_instance) vm_of_thread();
  return equal_exact(from_library(a), from_library(b));
}
int enif_compare(ERL_NIF_TERM a, ERL_NIF_TERM b) {
  if (!this_instance) vm_of_thread();
  return compare(from_library(a), from_library(b));
}
ErlNifUInt64 enif_hash(ErlNifHash type, ERL_NIF_TERM t, ErlNifUInt64 salt) {
  if (!this_instance) vm_of_thread();
  t = from_library(t);
  constexpr uint32_t kPhash2Bits = (1u << 27) - 1;
  switch (type) {
    case ERL_NIF_PHASH2:
      return phash2(t) & kPhash2Bits;
    case ERL_NIF_INTERNAL_HASH:
      return hash_step(map_hash(t), salt) & 0xffffffff;
  }
  return 0;
}
