// What a term is and what is in it.
#include <cstring>

#include "term/binary.h"
#include "term/external.h"
#include "term/lists.h"
#include "term/map.h"
#include "term/number.h"
#include "term/order.h"
#include "term/print.h"
#include "vm/embed/environment.h"

using namespace wb;

static wb_kind kind_of_boxed(Term t) {
  switch (header_kind(header_of(t))) {
    case Kind::tuple:
      return WB_KIND_TUPLE;
    case Kind::big_pos:
    case Kind::big_neg:
      return WB_KIND_INTEGER;
    case Kind::flo:
      return WB_KIND_FLOAT;
    case Kind::flatmap:
    case Kind::hashmap:
      return WB_KIND_MAP;
    case Kind::heap_bin:
    case Kind::refc_bin:
    case Kind::sub_bin:
      return bit_size(t) % 8 ? WB_KIND_BITSTRING : WB_KIND_BINARY;
    case Kind::fun:
    case Kind::export_fun:
      return WB_KIND_FUN;
    case Kind::ref:
    case Kind::pid_ref:
    case Kind::magic_ref:
    case Kind::ext_ref:
      return WB_KIND_REF;
    case Kind::ext_pid:
      return WB_KIND_PID;
    case Kind::ext_port:
      return WB_KIND_PORT;
    case Kind::record:
      return WB_KIND_RECORD;
    case Kind::hashnode:
    case Kind::match_ctx:
    case Kind::count:
      break;  // no value
  }
  return WB_KIND_NONE;
}
static wb_kind kind_of(Term t) {
  if (is_fault(t)) return WB_KIND_NONE;
  if (is_small(t)) return WB_KIND_INTEGER;
  if (is_atom(t)) return WB_KIND_ATOM;
  if (is_nil(t)) return WB_KIND_NIL;
  if (is_cons(t)) return WB_KIND_LIST;
  if (is_local_pid(t)) return WB_KIND_PID;
  if (is_local_port(t)) return WB_KIND_PORT;
  return is_boxed(t) ? kind_of_boxed(t) : WB_KIND_NONE;
}

/// body(Term) where `test` holds of it.
template <class F>
static wb_result read(wb_env* env, wb_term term, bool (*test)(Term), const char* kind, F body) {
  return in_env(env, [&] {
    const Term t = to_term(term);
    if (is_fault(t)) return no_term();
    if (!test(t)) return fail_with(WB_BAD_ARGUMENT, std::string("no ") + kind);
    return body(t);
  });
}
static bool is_a_binary(Term t) { return kind_of(t) == WB_KIND_BINARY; }
static bool is_an_atom(Term t) { return is_atom(t); }
static bool is_a_cons(Term t) { return is_cons(t); }
static bool is_any(Term) { return true; }
static wb_result null_pointer() { return fail_with(WB_BAD_ARGUMENT, "a null pointer"); }

wb_kind wb_kind_of(wb_env* env, wb_term term) {
  wb_kind kind = WB_KIND_NONE;
  in_env(env, [&] { return kind = kind_of(to_term(term)), WB_OK; });
  return kind;
}

wb_result wb_get_integer(wb_env* env, wb_term term, int64_t* value) {
  return read(env, term, is_integer, "integer", [&](Term t) {
    if (!value) return null_pointer();
    return to_int64(t, value) ? WB_OK : fail_with(WB_LIMIT, "an integer of more than 64 bits");
  });
}
wb_result wb_get_unsigned(wb_env* env, wb_term term, uint64_t* value) {
  return read(env, term, is_integer, "integer", [&](Term t) {
    if (!value) return null_pointer();
    return to_uint64(t, value) ? WB_OK
                               : fail_with(WB_LIMIT, "an integer below 0 or of more than 64 bits");
  });
}
wb_result wb_get_float(wb_env* env, wb_term term, double* value) {
  return read(env, term, is_number, "number", [&](Term t) {
    if (!value) return null_pointer();
    return to_double(t, value) ? WB_OK : fail_with(WB_LIMIT, "an integer too large for a float");
  });
}
wb_result wb_get_atom(wb_env* env, wb_term term, const char** text, size_t* size) {
  return read(env, term, is_an_atom, "atom", [&](Term t) {
    const std::string all(atom_text(t));
    if (size) *size = all.size();
    if (!text) return WB_OK;
    const Term copy = make_binary(*env->heap, all.c_str(), all.size() + 1);
    if (is_fault(copy)) return fail_with(WB_LIMIT, "no memory for the text");
    *text = reinterpret_cast<const char*>(bits_of(copy).bytes);
    return WB_OK;
  });
}
wb_result wb_get_binary(wb_env* env, wb_term term, const void** bytes, size_t* size) {
  return read(env, term, is_a_binary, "binary", [&](Term t) {
    Bits bits = bits_of(t);
    if (!bits.aligned()) {
      const ByteView view(t);
      const Term copy = make_binary(*env->heap, view.data(), view.size());
      if (is_fault(copy)) return fail_with(WB_LIMIT, "no memory for a copy of the binary");
      bits = bits_of(copy);
    }
    if (bytes) *bytes = bits.bytes;
    if (size) *size = bits.size / 8;
    return WB_OK;
  });
}
wb_result wb_get_size(wb_env* env, wb_term term, size_t* size) {
  return read(env, term, is_any, "term", [&](Term t) {
    if (!size) return null_pointer();
    const int64_t n = is_tuple(t)  ? static_cast<int64_t>(tuple_arity(t))
                      : is_map(t)  ? static_cast<int64_t>(map_size(t))
                      : is_list(t) ? list_length(t)
                                   : -1;
    if (n < 0) return fail_with(WB_BAD_ARGUMENT, "no tuple, map or proper list");
    *size = static_cast<size_t>(n);
    return WB_OK;
  });
}
wb_result wb_get_element(wb_env* env, wb_term term, size_t index, wb_term* element) {
  return read(env, term, is_tuple, "tuple", [&](Term t) {
    if (!element) return null_pointer();
    if (index >= tuple_arity(t)) return fail_with(WB_BAD_ARGUMENT, "the tuple has fewer elements");
    *element = to_handle(tuple_elements(t)[index]);
    return WB_OK;
  });
}
wb_result wb_get_cons(wb_env* env, wb_term list, wb_term* first, wb_term* rest) {
  return read(env, list, is_a_cons, "list with elements", [&](Term t) {
    if (first) *first = to_handle(head(t));
    if (rest) *rest = to_handle(tail(t));
    return WB_OK;
  });
}
wb_result wb_map_get(wb_env* env, wb_term map, wb_term key, wb_term* value) {
  return read(env, map, is_map, "map", [&](Term t) {
    if (!is_term(key)) return no_term();
    const Term found = map_get(t, to_term(key));
    if (is_fault(found)) return fail_with(WB_NOT_FOUND, "the map has no such key");
    if (value) *value = to_handle(found);
    return WB_OK;
  });
}
wb_result wb_map_keys(wb_env* env, wb_term map, wb_term* keys) {
  return read(env, map, is_map, "map", [&](Term t) {
    if (!keys) return null_pointer();
    ListBuilder all(*env->heap);
    MapLister pairs(t);
    for (Term key, value; pairs.next(&key, &value);) all.add(key);
    *keys = to_handle(all.finish());
    return WB_OK;
  });
}

int wb_equal(wb_env* env, wb_term a, wb_term b) {
  int equal = 0;
  if (!is_term(a) || !is_term(b)) return no_term(), 0;
  in_env(env, [&] { return equal = equal_exact(to_term(a), to_term(b)), WB_OK; });
  return equal;
}
int wb_compare(wb_env* env, wb_term a, wb_term b) {
  int order = 0;
  if (!is_term(a) || !is_term(b)) return no_term(), 0;
  in_env(env, [&] { return order = compare(to_term(a), to_term(b)), WB_OK; });
  return order;
}

wb_result wb_print(wb_env* env, wb_term term, char* text, size_t size, size_t* needed) {
  return read(env, term, is_any, "term", [&](Term t) {
    const std::string all = to_text(t, kDisplay);
    if (needed) *needed = all.size() + 1;
    if (!text || !size) return needed ? WB_OK : null_pointer();
    const size_t n = std::min(size - 1, all.size());
    memcpy(text, all.data(), n);
    text[n] = 0;
    return WB_OK;
  });
}
wb_result wb_encode(wb_env* env, wb_term term, const void** bytes, size_t* size) {
  return read(env, term, is_any, "term", [&](Term t) {
    if (!bytes || !size) return null_pointer();
    UnlimitedBudget budget;
    const Term all = encode_to_binary(*env->heap, t, {}, budget);
    if (is_fault(all)) return fail_with(WB_LIMIT, "too large a term");
    *bytes = bits_of(all).bytes;
    *size = bit_size(all) / 8;
    return WB_OK;
  });
}
