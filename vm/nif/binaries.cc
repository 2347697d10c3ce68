// Binaries: ErlNifBinary is a view of bytes, which somebody owns.
//
//   owned      (enif_alloc_binary, enif_realloc_binary, enif_term_to_binary) ref_bin is a Binary
//   with one share, which
//              enif_make_binary gives to a term and enif_release_binary drops
//   of a term  (enif_inspect_*, or owned before enif_make_binary) ref_bin is null; the bytes live
//   as long as the term,
//              which is kept in __spare__[0], and the environment that it belongs to in
//              __spare__[1]
//
// What an iolist has to be put together for is a term of the environment, too, so nothing is left
// to be freed.
#include <cstring>

#include "term/binary.h"
#include "term/bits.h"
#include "term/external.h"
#include "vm/io/iolist.h"
#include "vm/nif/environment.h"

using namespace wb;

// --- views ---------------------------------------------------------------------------------------
static Binary* owned_by(const ErlNifBinary& b) { return static_cast<Binary*>(b.ref_bin); }

static void view_own(ErlNifBinary* to, Binary* b) {
  *to = {b->size, b->data, b, {nullptr, nullptr}};
}
static void view_term(ErlNifBinary* to, ErlNifEnv* env, Term binary, const Bits& bits) {
  *to = {bits.size / 8,
         const_cast<uint8_t*>(bits.bytes),
         nullptr,
         {reinterpret_cast<void*>(binary), env}};
}

int enif_inspect_binary(ErlNifEnv* env, ERL_NIF_TERM t, ErlNifBinary* to) {
  if (!is_bitstring(t)) return 0;
  Bits bits = bits_in(t);
  if (!bits.whole_bytes()) return 0;
  if (WB_UNLIKELY(!bits.aligned())) {
    t = make_bitstring(*env->heap, bits.bytes, bits.offset, bits.size);
    bits = bits_in(t);
  }
  view_term(to, env, t, bits);
  return 1;
}

int enif_inspect_iolist_as_binary(ErlNifEnv* env, ERL_NIF_TERM t, ErlNifBinary* to) {
  if (is_bitstring(t)) return enif_inspect_binary(env, t, to);
  size_t bits;
  UnlimitedBudget budget;
  if (!is_list(t) || !iolist_bits(t, true, &bits, budget)) return 0;
  uint8_t* bytes;
  const Term binary = new_bytes(*env->heap, bits / 8, &bytes);
  if (is_fault(binary)) return 0;
  write_iolist(t, bytes, budget);
  view_term(to, env, binary, bits_in(binary));
  return 1;
}

// --- owned ---------------------------------------------------------------------------------------
int enif_alloc_binary(size_t size, ErlNifBinary* to) {
  vm_of_thread();
  Binary* b = new_binary(size);
  if (!b) return 0;
  view_own(to, b);
  return 1;
}

/// Of a term's bytes it makes a copy.
int enif_realloc_binary(ErlNifBinary* bin, size_t size) {
  vm_of_thread();
  if (Binary* b = owned_by(*bin)) {
    if (size > b->capacity || size < b->capacity / 2) {
      b = grow_binary(b, size);
      if (!b) return 0;
    }
    b->size = size;
    view_own(bin, b);
    return 1;
  }
  Binary* b = new_binary(size);
  if (!b) return 0;
  memcpy(b->data, bin->data, bin->size < size ? bin->size : size);
  view_own(bin, b);
  return 1;
}

void enif_release_binary(ErlNifBinary* bin) {
  if (!bin->ref_bin) return;
  vm_of_thread();
  owned_by(*bin)->release();
  bin->ref_bin = nullptr;
}

// --- terms ---------------------------------------------------------------------------------------
ERL_NIF_TERM enif_make_binary(ErlNifEnv* env, ErlNifBinary* bin) {
  if (Binary* b = owned_by(*bin)) {
    b->size = bin->size;
    const Term t = wrap_binary(*env->heap, b);
    *bin = {bin->size, bin->data, nullptr, {reinterpret_cast<void*>(t), env}};
    return t;
  }
  const Term t = reinterpret_cast<Term>(bin->__spare__[0]);
  if (bin->__spare__[1] == env && is_binary(t) && bit_size(t) == bin->size * 8) return t;
  return env->result(make_binary(*env->heap, bin->data, bin->size));
}

unsigned char* enif_make_new_binary(ErlNifEnv* env, size_t size, ERL_NIF_TERM* t) {
  uint8_t* bytes = nullptr;
  const Term made = new_bytes(*env->heap, size, &bytes);
  if (is_fault(made)) {
    *t = env->badarg();
    return nullptr;
  }
  *t = made;
  return bytes;
}

ERL_NIF_TERM enif_make_sub_binary(ErlNifEnv* env, ERL_NIF_TERM binary, size_t at, size_t size) {
  return sub_bitstring(*env->heap, binary, at * 8, size * 8);
}

// --- the external format -------------------------------------------------------------------------
int enif_term_to_binary(ErlNifEnv* env, ERL_NIF_TERM t, ErlNifBinary* bin) {
  std::vector<uint8_t> bytes;
  if (!encode_term(from_library(t), {}, &bytes)) return 0;
  if (!enif_alloc_binary(bytes.size(), bin)) return 0;
  memcpy(bin->data, bytes.data(), bytes.size());
  return 1;
}

/// How many bytes it read, 0: they are no term.
size_t enif_binary_to_term(ErlNifEnv* env, const unsigned char* bytes, size_t size, ERL_NIF_TERM* t,
                           unsigned options) {
  if (options & ~unsigned{ERL_NIF_BIN2TERM_SAFE}) return 0;
  size_t used = 0;
  const Term made =
      decode_term(*env->heap, bytes, size, {.safe = (options & ERL_NIF_BIN2TERM_SAFE) != 0}, &used);
  if (is_fault(made)) return 0;
  *t = to_library(made);
  return used;
}
