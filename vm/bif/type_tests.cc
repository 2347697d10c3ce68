// The type tests, as functions and guards; erts_internal:term_type/1 and cmp_term/2.
#include "term/external.h"
#include "term/instance.h"
#include "term/number.h"
#include "term/order.h"
#include "term/record.h"
#include "vm/bif/bif.h"

namespace wb {

GUARD(erlang, is_atom, 1)
{
  return make_bool(is_atom(a[0]));
}
GUARD(erlang, is_binary, 1)
{
  return make_bool(is_binary(a[0]));
}
GUARD(erlang, is_bitstring, 1)
{
  return make_bool(is_bitstring(a[0]));
}
GUARD(erlang, is_boolean, 1)
{
  return make_bool(a[0] == am::true_ || a[0] == am::false_);
}
GUARD(erlang, is_float, 1)
{
  return make_bool(is_float(a[0]));
}
GUARD(erlang, is_function, 1)
{
  return make_bool(is_fun(a[0]));
}
GUARD(erlang, is_integer, 1)
{
  return make_bool(is_integer(a[0]));
}
GUARD(erlang, is_list, 1)
{
  return make_bool(is_list(a[0]));
}
GUARD(erlang, is_map, 1)
{
  return make_bool(is_map(a[0]));
}
GUARD(erlang, is_number, 1)
{
  return make_bool(is_number(a[0]));
}
GUARD(erlang, is_pid, 1)
{
  return make_bool(is_pid(a[0]));
}
GUARD(erlang, is_port, 1)
{
  return make_bool(is_port(a[0]));
}
GUARD(erlang, is_reference, 1)
{
  return make_bool(is_ref(a[0]));
}
GUARD(erlang, is_tuple, 1)
{
  return make_bool(is_tuple(a[0]));
}

namespace {

uint64_t fun_arity(Term fun) {
  const Term* p = boxed_ptr(fun);
  if (is_kind(fun, Kind::fun)) return static_cast<uint32_t>(p[2]);
  return fun_resolver().describe_export(reinterpret_cast<void*>(p[1])).arity;
}

bool is_tagged_tuple(Term t, Term tag) {
  return is_tuple(t) && tuple_arity(t) > 0 && tuple_elements(t)[0] == tag;
}

}  // namespace

GUARD(erlang, is_function, 2)
{
  if (is_small(a[1]) && small_value(a[1]) >= 0) {
    return make_bool(is_fun(a[0]) && fun_arity(a[0]) == static_cast<uint64_t>(small_value(a[1])));
  }
  return is_big(a[1]) && !big_negative(a[1]) ? am::false_ : kBadarg;
}

GUARD(erlang, is_record, 2)
{
  if (!is_atom(a[1])) return kBadarg;
  return make_bool(is_record(a[0]) ? definition_of(a[0]).name() == a[1]
                                   : is_tagged_tuple(a[0], a[1]));
}

GUARD(erlang, is_record, 3)
{
  if (is_atom(a[1]) && is_atom(a[2]) && (is_record(a[0]) || otp_release() >= 29))
    return make_bool(is_record_of(a[0], a[1], a[2]));
  if (!is_atom(a[1]) || !is_small(a[2])) return kBadarg;
  return make_bool(is_tagged_tuple(a[0], a[1]) &&
                   make_small(static_cast<int64_t>(tuple_arity(a[0]))) == a[2]);
}

/// Is it an integer of that range?
GUARD(erlang, is_integer, 3)
{
  if (!is_integer(a[1]) || !is_integer(a[2])) return kBadarg;
  return make_bool(is_integer(a[0]) && compare(a[1], a[0]) <= 0 && compare(a[0], a[2]) <= 0);
}

GUARD(erlang, is_record, 1)
{
  return make_bool(is_record(a[0]));
}

BIF(erts_internal, cmp_term, 2)
{
  int c = compare_keys(a[0], a[1]);
  return make_small(c < 0 ? -1 : c > 0 ? 1 : 0);
}

BIF(erts_internal, term_type, 1)
{
  Term t = a[0];
  if (is_small(t)) return am::fixnum;
  if (is_atom(t)) return am::atom;
  if (is_cons(t)) return am::list;
  if (is_nil(t)) return am::nil;
  if (is_local_pid(t)) return am::pid;
  if (is_local_port(t)) return am::port;
  if (!is_boxed(t)) return kBadarg;
  switch (header_kind(header_of(t))) {
    case Kind::tuple:
      return am::tuple;
    case Kind::big_pos:
    case Kind::big_neg:
      return am::bignum;
    case Kind::flo:
      return am::hfloat;
    case Kind::flatmap:
      return am::flatmap;
    case Kind::hashmap:
      return am::hashmap;
    case Kind::heap_bin:
      return am::heap_binary;
    case Kind::refc_bin:
      return am::refc_binary;
    case Kind::sub_bin:
      return am::sub_binary;
    case Kind::fun:
      return am::fun;
    case Kind::export_fun:
      return am::export_;
    case Kind::ref:
    case Kind::pid_ref:
    case Kind::magic_ref:
      return am::reference;
    case Kind::ext_pid:
      return am::external_pid;
    case Kind::ext_port:
      return am::external_port;
    case Kind::ext_ref:
      return am::external_reference;
    default:
      return kBadarg;
  }
}

}  // namespace wb
