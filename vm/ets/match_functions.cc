#include "vm/ets/match_functions.h"

#include "term/atom.h"
#include "term/binary.h"
#include "term/external.h"
#include "term/identifiers.h"
#include "term/instance.h"
#include "term/map.h"
#include "term/number.h"
#include "term/order.h"
#include "term/record.h"

namespace wb::match {
namespace {

#define FN(name) \
  Term name([[maybe_unused]] Context& c, [[maybe_unused]] Heap& h, [[maybe_unused]] const Term* a)

bool is_boolean(Term t) { return t == am::true_ || t == am::false_; }

// --- type tests -------------------------------------------------------------------------------
#define TYPE_TEST(name, predicate) \
  FN(name) { return make_bool(predicate(a[0])); }
TYPE_TEST(test_atom, wb::is_atom)
TYPE_TEST(test_float, wb::is_float)
TYPE_TEST(test_integer, wb::is_integer)
TYPE_TEST(test_list, wb::is_list)
TYPE_TEST(test_number, wb::is_number)
TYPE_TEST(test_pid, wb::is_pid)
TYPE_TEST(test_port, wb::is_port)
TYPE_TEST(test_reference, wb::is_ref)
TYPE_TEST(test_tuple, wb::is_tuple)
TYPE_TEST(test_map, wb::is_map)
TYPE_TEST(test_binary, wb::is_binary)
TYPE_TEST(test_function, wb::is_fun)
TYPE_TEST(test_bitstring, wb::is_bitstring)
TYPE_TEST(test_boolean, is_boolean)
#undef TYPE_TEST

uint64_t arity_of(Term fun) {
  const Term* p = boxed_ptr(fun);
  if (is_kind(fun, Kind::fun)) return static_cast<uint32_t>(p[2]);
  return fun_resolver().describe_export(reinterpret_cast<void*>(p[1])).arity;
}
FN(test_function_of) {
  if (!is_integer(a[1]) || compare(a[1], make_small(0)) < 0) return kBadarg;
  return make_bool(is_fun(a[0]) && is_small(a[1]) &&
                   arity_of(a[0]) == static_cast<uint64_t>(small_value(a[1])));
}
FN(test_range) {
  if (!is_integer(a[1]) || !is_integer(a[2])) return kBadarg;
  return make_bool(is_integer(a[0]) && compare(a[1], a[0]) <= 0 && compare(a[0], a[2]) <= 0);
}

FN(test_record) {
  int64_t size;
  if (is_atom(a[1]) && is_atom(a[2]) && (is_record(a[0]) || otp_release() >= 29))
    return make_bool(is_record_of(a[0], a[1], a[2]));
  if (!is_atom(a[1]) || !to_int64(a[2], &size)) return kBadarg;
  return make_bool(size > 0 && is_tuple_of(a[0], static_cast<uint64_t>(size)) &&
                   tuple_elements(a[0])[0] == a[1]);
}
FN(test_map_key) {
  if (!is_map(a[1])) return kBadarg;
  return make_bool(wb::map_get(a[1], a[0]) != kNone);
}

// --- parts ------------------------------------------------------------------------------------
FN(element) {
  int64_t n;
  if (!to_int64(a[0], &n) || !is_tuple(a[1])) return kBadarg;
  if (n < 1 || static_cast<uint64_t>(n) > tuple_arity(a[1])) return kBadarg;
  return tuple_elements(a[1])[n - 1];
}
FN(hd) { return is_cons(a[0]) ? head(a[0]) : kBadarg; }
FN(tl) { return is_cons(a[0]) ? tail(a[0]) : kBadarg; }
FN(map_get) {
  if (!is_map(a[1])) return kBadarg;
  Term v = wb::map_get(a[1], a[0]);
  return v == kNone ? kBadarg : v;
}
FN(length) {
  int64_t n = 0;
  Term t = a[0];
  for (; is_cons(t); t = tail(t)) ++n;
  return is_nil(t) ? make_small(n) : kBadarg;
}
FN(tuple_size) {
  return is_tuple(a[0]) ? make_small(static_cast<int64_t>(tuple_arity(a[0]))) : kBadarg;
}
FN(size) {
  if (is_tuple(a[0])) return make_small(static_cast<int64_t>(tuple_arity(a[0])));
  if (is_bitstring(a[0])) return make_small(static_cast<int64_t>(wb::bit_size(a[0]) / 8));
  return kBadarg;
}
FN(map_size) {
  return is_map(a[0]) ? make_small(static_cast<int64_t>(wb::map_size(a[0]))) : kBadarg;
}
FN(byte_size) {
  if (!is_bitstring(a[0])) return kBadarg;
  return make_small(static_cast<int64_t>((wb::bit_size(a[0]) + 7) / 8));
}
FN(bit_size) {
  return is_bitstring(a[0]) ? make_small(static_cast<int64_t>(wb::bit_size(a[0]))) : kBadarg;
}
Term part(Heap& h, Term binary, Term from, Term count) {
  int64_t start, n;
  if (!wb::is_binary(binary) || !to_int64(from, &start) || !to_int64(count, &n)) return kBadarg;
  const auto size = static_cast<int64_t>(wb::bit_size(binary) / 8);
  if (start < 0 || start > size) return kBadarg;
  if (n < 0) {
    if (n < -start) return kBadarg;
    start += n;
    n = -n;
  }
  if (n > size - start) return kBadarg;
  return sub_bitstring(h, binary, static_cast<size_t>(start) * 8, static_cast<size_t>(n) * 8);
}
FN(binary_part3) { return part(h, a[0], a[1], a[2]); }
FN(binary_part2) {
  if (!is_tuple_of(a[1], 2)) return kBadarg;
  return part(h, a[0], tuple_elements(a[1])[0], tuple_elements(a[1])[1]);
}

// --- numbers ----------------------------------------------------------------------------------
FN(identity) { return is_number(a[0]) ? a[0] : kBadarith; }
FN(negate) { return num_neg(h, a[0]); }
FN(complement) { return num_bnot(h, a[0]); }
FN(absolute) { return num_abs(h, a[0]); }
FN(round) { return num_round(h, a[0]); }
FN(trunc) { return num_trunc(h, a[0]); }
FN(ceiling) { return num_ceil(h, a[0]); }
FN(floor) { return num_floor(h, a[0]); }
FN(to_float) { return num_float(h, a[0]); }
#define OPERATOR(name, function) \
  FN(name) { return function(h, a[0], a[1]); }
OPERATOR(add, num_add)
OPERATOR(subtract, num_sub)
OPERATOR(multiply, num_mul)
OPERATOR(divide, num_divide)
OPERATOR(quotient, num_div)
OPERATOR(remainder, num_rem)
OPERATOR(bit_and, num_band)
OPERATOR(bit_or, num_bor)
OPERATOR(bit_xor, num_bxor)
OPERATOR(shift_left, num_bsl)
OPERATOR(shift_right, num_bsr)
#undef OPERATOR

// --- comparisons and booleans -----------------------------------------------------------------
FN(greater) { return make_bool(compare(a[0], a[1]) > 0); }
FN(greater_equal) { return make_bool(compare(a[0], a[1]) >= 0); }
FN(less) { return make_bool(compare(a[0], a[1]) < 0); }
FN(less_equal) { return make_bool(compare(a[0], a[1]) <= 0); }
FN(equal_value) { return make_bool(equal(a[0], a[1])); }
FN(unequal_value) { return make_bool(!equal(a[0], a[1])); }
FN(minimum) { return compare(a[0], a[1]) <= 0 ? a[0] : a[1]; }
FN(maximum) { return compare(a[0], a[1]) >= 0 ? a[0] : a[1]; }
FN(exactly_equal) { return make_bool(equal_exact(a[0], a[1])); }
FN(exactly_unequal) { return make_bool(!equal_exact(a[0], a[1])); }

FN(negation) { return is_boolean(a[0]) ? make_bool(a[0] == am::false_) : kBadarg; }
FN(exclusive_or) {
  return is_boolean(a[0]) && is_boolean(a[1]) ? make_bool(a[0] != a[1]) : kBadarg;
}

// --- the caller -------------------------------------------------------------------------------
FN(self) { return c.self; }
FN(node0) { return c.node; }
FN(node1) {
  if (is_local_pid(a[0]) || is_local_port(a[0]) || is_local_ref(a[0])) return c.node;
  if (is_pid(a[0]) || is_port(a[0]) || is_ref(a[0])) return node_of(a[0]).name;
  return kBadarg;
}

constexpr FunctionInfo kFunctions[] = {
#define MATCH_FUNCTION(name, arity, function) {am::name, arity, 0, function},
#define TRACE_FUNCTION(name, arity, function, where) {am::name, arity, where, match::function},
#include "vm/ets/match_functions.def"
};

constexpr struct {
  int release;
  std::string_view name;
  FunctionInfo info;
} kNewerFunctions[] = {
#define NEWER_FUNCTION(release, name, arity, function) \
  {release, name, {kNone, arity, 0, match::function}},
#include "vm/ets/match_functions.def"
};

}  // namespace

const FunctionInfo* find_function(Term name, size_t arity) {
  for (const FunctionInfo& f : kFunctions)
    if (f.name == name && f.arity == arity) return &f;
  for (const auto& f : kNewerFunctions)
    if (f.release <= otp_release() && f.info.arity == arity && f.name == atom_text(name))
      return &f.info;
  return nullptr;
}

bool is_trace_form(Term name) {
  if (name == am::get_tcw || name == am::set_tcw) return false;  // functions
  for (const FunctionInfo& f : kFunctions)
    if (f.name == name && f.where) return true;
  return false;
}

}  // namespace wb::match
