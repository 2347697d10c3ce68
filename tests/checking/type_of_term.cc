#include "tests/checking/type_of_term.h"

#include "loader/code.h"
#include "term/atom.h"

namespace wb {

Kinds kinds_of(Term t) {
  if (is_small(t)) return kinds::integer;
  if (is_atom(t)) return atom_index(t) < atom_count() ? kinds::atom : kinds::none;
  if (is_nil(t)) return kinds::nil;
  if (is_local_pid(t)) return kinds::pid;
  if (is_local_port(t)) return kinds::port;
  if (is_catch(t)) return kinds::tag;
  if (is_cons(t)) return kinds::cons;
  if (!is_boxed(t) || !is_header(header_of(t))) return kinds::none;
  switch (header_kind(header_of(t))) {
    case Kind::tuple:
      return kinds::tuple;
    case Kind::record:
      return kinds::record;
    case Kind::big_pos:
    case Kind::big_neg:
      return kinds::integer;
    case Kind::flo:
      return kinds::flo;
    case Kind::flatmap:
    case Kind::hashmap:
      return kinds::map;
    case Kind::heap_bin:
    case Kind::refc_bin:
    case Kind::sub_bin:
      return kinds::bitstring;
    case Kind::match_ctx:
      return kinds::context;
    case Kind::fun:
    case Kind::export_fun:
      return kinds::fun;
    case Kind::ref:
    case Kind::pid_ref:
    case Kind::magic_ref:
    case Kind::ext_ref:
      return kinds::reference;
    case Kind::ext_pid:
      return kinds::pid;
    case Kind::ext_port:
      return kinds::port;
    case Kind::hashnode:
    case Kind::count:
      break;
  }
  return kinds::none;
}

static uint64_t fun_arity(Term t) {
  if (is_kind(t, Kind::export_fun)) return reinterpret_cast<Export*>(boxed_ptr(t)[1])->arity;
  return boxed_ptr(t)[2] & UINT32_MAX;
}

bool belongs(Term t, const ValueType& type) {
  Kinds k = kinds_of(t);
  if (!(k & type.kinds)) return false;
  if (k == kinds::tuple) {
    bool exact = type.flags & ValueType::kExactSize;
    return exact ? tuple_arity(t) == type.tuple_size : tuple_arity(t) >= type.tuple_size;
  }
  if (k == kinds::fun && type.fun_arity != ValueType::kUnknownArity)
    return fun_arity(t) == type.fun_arity;
  if (k == kinds::integer && type.value != ValueType::kUnknown) return t == make_small(type.value);
  return true;
}

}  // namespace wb
