// wb_make_...
#include <cstring>

#include "term/binary.h"
#include "term/external.h"
#include "term/lists.h"
#include "term/map.h"
#include "term/number.h"
#include "term/utf8.h"
#include "vm/embed/environment.h"

using namespace wb;

wb_term wb_make_integer(wb_env* env, int64_t value) {
  return make_in(env, [&](Heap& h) { return make_integer(h, value); });
}
wb_term wb_make_unsigned(wb_env* env, uint64_t value) {
  return make_in(env, [&](Heap& h) { return make_unsigned(h, value); });
}
wb_term wb_make_float(wb_env* env, double value) {
  return make_in(env, [&](Heap& h) { return checked_float(h, value); });
}
wb_term wb_make_atom(wb_env* env, const char* text) {
  return make_in(env, [&](Heap&) { return atom_of(text); });
}
wb_term wb_make_boolean(wb_env* env, int value) {
  return make_in(env, [&](Heap&) { return make_bool(value != 0); });
}
wb_term wb_make_binary(wb_env* env, const void* bytes, size_t size) {
  return make_in(env,
                 [&](Heap& h) { return bytes || !size ? make_binary(h, bytes, size) : kNone; });
}
wb_term wb_make_string(wb_env* env, const char* text) {
  return make_in(
      env, [&](Heap& h) { return text && count_utf8(text) >= 0 ? list_of_utf8(h, text) : kNone; });
}

/// Are all of them terms?
static bool all_terms(size_t n, const wb_term* terms) {
  if (n && !terms) return false;
  for (size_t k = 0; k < n; ++k) {
    if (!is_term(terms[k])) return false;
  }
  return true;
}

wb_term wb_make_tuple(wb_env* env, size_t size, const wb_term* elements) {
  constexpr size_t kMaxTuple = (size_t{1} << 24) - 1;
  return make_in(env, [&](Heap& h) {
    if (size > kMaxTuple) return kSystemLimit;
    if (!all_terms(size, elements)) return kNone;
    Term* p = h.alloc(size + 1);
    p[0] = make_header(Kind::tuple, size);
    for (size_t k = 0; k < size; ++k) p[k + 1] = to_term(elements[k]);
    return make_boxed(p);
  });
}
wb_term wb_make_list(wb_env* env, size_t size, const wb_term* elements) {
  return make_in(env, [&](Heap& h) {
    if (!all_terms(size, elements)) return kNone;
    Term list = kNil;
    for (size_t k = size; k-- > 0;) list = cons(h, to_term(elements[k]), list);
    return list;
  });
}
wb_term wb_make_cons(wb_env* env, wb_term first, wb_term rest) {
  return make_in(env, [&](Heap& h) {
    if (!is_term(first) || !is_term(rest)) return kNone;
    return cons(h, to_term(first), to_term(rest));
  });
}

wb_term wb_make_map(wb_env* env, size_t pairs, const wb_term* keys_and_values) {
  return make_in(env, [&](Heap& h) {
    if (!all_terms(2 * pairs, keys_and_values)) return kNone;
    if (!pairs) return empty_map(h);
    std::vector<Term> all(2 * pairs);
    for (size_t k = 0; k < all.size(); ++k) all[k] = to_term(keys_and_values[k]);
    return map_from_pairs(h, all.data(), pairs);
  });
}
wb_term wb_map_put(wb_env* env, wb_term map, wb_term key, wb_term value) {
  return make_in(env, [&](Heap& h) {
    if (!is_term(map) || !is_map(to_term(map)) || !is_term(key) || !is_term(value)) return kNone;
    return map_put(h, to_term(map), to_term(key), to_term(value));
  });
}
wb_term wb_make_ref(wb_env* env) {
  return make_in(env, [&](Heap& h) { return env->vm->machine().new_ref(h); });
}

wb_result wb_decode(wb_env* env, const void* bytes, size_t size, wb_term* term) {
  return in_env(env, [&] {
    if (!bytes || !term) return fail_with(WB_BAD_ARGUMENT, "no bytes");
    size_t used = 0;
    const Term t = decode_term(*env->heap, static_cast<const uint8_t*>(bytes), size, {}, &used);
    if (is_fault(t) || used != size) {
      return fail_with(WB_BAD_ARGUMENT,
                       is_fault(t) ? "no external term format" : "bytes behind the term");
    }
    *term = to_handle(t);
    return WB_OK;
  });
}
