#include "bytecode/value_type.h"

#include <algorithm>

namespace wb {
namespace {

/// Knowledge about a kind that is no longer possible is reset, so that equal types compare equal.
ValueType normal(ValueType t) {
  if (!(t.kinds & kinds::tuple)) {
    t.tuple_size = 0;
    t.flags &= static_cast<uint8_t>(~(ValueType::kExactSize | ValueType::kFresh));
  }
  if (!(t.kinds & kinds::fun)) t.fun_arity = ValueType::kUnknownArity;
  if (!(t.kinds & (kinds::integer | kinds::tag))) t.value = ValueType::kUnknown;
  if (t.kinds == kinds::none) t.flags &= ValueType::kMaybeUnset;
  return t;
}

}  // namespace

ValueType join(const ValueType& a, const ValueType& b) {
  if (a == b || !b.possible()) return a;
  if (!a.possible()) return b;
  if ((a.kinds | b.kinds) & (kinds::lost | kinds::tag)) return lost();
  ValueType r;
  r.kinds = a.kinds | b.kinds;
  uint8_t either = (a.flags | b.flags) & (ValueType::kFragile | ValueType::kMaybeUnset);
  uint8_t both = a.flags & b.flags & (ValueType::kFresh | ValueType::kConstant);
  r.flags = either | both;
  bool tuple_a = a.kinds & kinds::tuple, tuple_b = b.kinds & kinds::tuple;
  uint8_t exact_a = a.flags & ValueType::kExactSize, exact_b = b.flags & ValueType::kExactSize;
  if (tuple_a && tuple_b) {
    r.tuple_size = std::min(a.tuple_size, b.tuple_size);
    if (a.tuple_size == b.tuple_size) r.flags |= exact_a & exact_b;
  } else {
    r.tuple_size = tuple_a ? a.tuple_size : b.tuple_size;
    r.flags |= tuple_a ? exact_a : exact_b;
  }
  bool fun_a = a.kinds & kinds::fun, fun_b = b.kinds & kinds::fun;
  if (fun_a && fun_b)
    r.fun_arity = a.fun_arity == b.fun_arity ? a.fun_arity : ValueType::kUnknownArity;
  else
    r.fun_arity = fun_a ? a.fun_arity : b.fun_arity;
  bool int_a = a.kinds & kinds::integer, int_b = b.kinds & kinds::integer;
  if (int_a && int_b)
    r.value = a.value == b.value ? a.value : ValueType::kUnknown;
  else
    r.value = int_a ? a.value : b.value;
  return normal(r);
}

ValueType meet(const ValueType& a, const ValueType& b) {
  ValueType r = a;
  r.kinds &= b.kinds;
  if (r.kinds & kinds::tuple) {
    bool exact_a = a.flags & ValueType::kExactSize, exact_b = b.flags & ValueType::kExactSize;
    r.tuple_size = std::max(a.tuple_size, b.tuple_size);
    bool conflict =
        (exact_a && a.tuple_size < r.tuple_size) || (exact_b && b.tuple_size < r.tuple_size);
    if (conflict) r.kinds &= static_cast<Kinds>(~kinds::tuple);
    if (exact_b) r.flags |= ValueType::kExactSize;
  }
  if (a.fun_arity == ValueType::kUnknownArity) r.fun_arity = b.fun_arity;
  if (a.value == ValueType::kUnknown) r.value = b.value;
  return normal(r);
}

ValueType without(ValueType a, Kinds k) {
  a.kinds &= static_cast<Kinds>(~k);
  return normal(a);
}

ValueType when_set(ValueType a) {
  a.flags &= static_cast<uint8_t>(~ValueType::kMaybeUnset);
  return a;
}

ValueType restricted(ValueType a, Kinds k) {
  a.kinds &= k;
  return normal(a);
}

ValueType type_of_literal(Bytes external) {
  ByteReader in(external);
  if (in.u8() != 131) return any_term();
  switch (in.u8()) {
    case 70:
    case 99:
      return type_of(kinds::flo);
    case 97:
      return constant_type(in.u8());
    case 98:
      return constant_type(static_cast<int32_t>(in.u32()));
    case 110:
    case 111:
      return type_of(kinds::integer);
    case 100:
    case 115:
    case 118:
    case 119:
      return type_of(kinds::atom);
    case 104:
      return tuple_type(in.u8(), true);
    case 105:
      return tuple_type(in.u32(), true);
    case 106:
      return type_of(kinds::nil);
    case 107:
      return in.u16() ? type_of(kinds::cons) : any_term();
    case 108:
      return in.u32() ? type_of(kinds::cons) : any_term();
    case 109:
    case 77:
      return type_of(kinds::bitstring);
    case 116:
      return type_of(kinds::map);
    case 67:
      return type_of(kinds::record);
    case 112:
    case 113:
      return type_of(kinds::fun);
    default:
      return any_term();
  }
}

}  // namespace wb
