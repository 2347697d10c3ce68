// Type tests and comparisons: each falls through or jumps to its label.
#include "loader/code.h"
#include "term/binary.h"
#include "term/order.h"
#include "term/record.h"
#include "term/term.h"
#include "vm/interp/handler.h"

namespace wb {

#define TEST_1(name, holds)                      \
  FAST_1(name) {                                 \
    [[maybe_unused]] Term t = WB_LOAD(A, value); \
    if (WB_LIKELY(holds)) WB_NEXT();             \
    WB_BRANCH(fail);                             \
  }

TEST_1(is_nil, is_nil(t))
TEST_1(is_nonempty_list, is_cons(t))
TEST_1(is_list, is_list(t))
TEST_1(is_atom, is_atom(t))
TEST_1(is_integer, is_integer(t))
TEST_1(is_tuple, is_tuple(t))
TEST_1(is_boolean, t == am::true_ || t == am::false_)
TEST_1(is_binary,
       is_bitstring(t) && (!is_kind(t, Kind::sub_bin) || sub_bin::bits(boxed_ptr(t)) % 8 == 0))
TEST_1(is_map, is_map(t))
TEST_1(is_float, is_float(t))
TEST_1(is_number, is_number(t))
TEST_1(is_pid, is_pid(t))
TEST_1(is_reference, is_ref(t))
TEST_1(is_port, is_port(t))
TEST_1(is_bitstr, is_bitstring(t))
TEST_1(is_function, is_fun(t))
TEST_1(is_any_native_record, is_record(t))
FAST_1(is_native_record) {
  Term t = WB_LOAD(A, value);
  if (is_record(t)) {
    const RecordDefinition d = definition_of(t);
    if (WB_LIKELY(d.module() == WB_NUMBER(module) && d.name() == WB_NUMBER(name))) WB_NEXT();
  }
  WB_BRANCH(fail);
}
FAST_1(is_record_accessible) {
  Term t = WB_LOAD(A, value);
  if (is_record(t)) {
    const RecordDefinition d = definition_of(t);
    if (WB_LIKELY(d.is_exported() || d.module() == WB_NUMBER(own))) WB_NEXT();
  }
  WB_BRANCH(fail);
}

FAST_1(test_arity) {
  Term t = WB_LOAD(A, tuple);
  if (WB_LIKELY(is_boxed(t) && header_of(t) == WB_NUMBER(header))) WB_NEXT();
  WB_BRANCH(fail);
}
FAST_1(is_tagged_tuple) {
  Term t = WB_LOAD(A, tuple);
  if (WB_LIKELY(is_boxed(t) && header_of(t) == WB_NUMBER(header) &&
                boxed_ptr(t)[1] == WB_NUMBER(tag))) {
    WB_NEXT();
  }
  WB_BRANCH(fail);
}

// --- comparisons
// ----------------------------------------------------------------------------------- compare()
// allocates nothing and keeps no state, so it is called without spilling, from handlers of its own:
// a call makes a frame, which the fast path must not pay for.
static WB_NOINLINE int compare_out_of_line(Term a, Term b) {
  if (is_float(a) && is_float(b)) {
    double x = float_value(a), y = float_value(b);
    return x < y ? -1 : x > y;
  }
  if (is_atom(a) && is_atom(b)) return compare_atoms(a, b);
  return compare(a, b);
}
static WB_NOINLINE bool equal_out_of_line(Term a, Term b) {
  if (is_float(a) && is_float(b)) return float_value(a) == float_value(b);
  return equal(a, b);
}
static WB_NOINLINE bool equal_exact_out_of_line(Term a, Term b) { return equal_exact_slow(a, b); }

#define COMPARE(name, fast, holds)                            \
  template <K A, K B>                                         \
  WB_PRESERVE_NONE static void slow_##name(WB_HANDLER_ARGS) { \
    using At = instr::place::name;                            \
    Term a = WB_LOAD(A, left), b = WB_LOAD(B, right);         \
    if (holds) WB_NEXT();                                     \
    WB_BRANCH(fail);                                          \
  }                                                           \
  FAST_2(name) {                                              \
    Term a = WB_LOAD(A, left), b = WB_LOAD(B, right);         \
    fast;                                                     \
    WB_OTHERWISE((slow_##name<A, B>));                        \
  }
#define IF_SMALL(operation)                                                   \
  if (WB_LIKELY(WB_BOTH_SMALL(a, b))) {                                       \
    if (static_cast<int64_t>(a) operation static_cast<int64_t>(b)) WB_NEXT(); \
    WB_BRANCH(fail);                                                          \
  }                                                                           \
  FLOATS(operation)
/// Two registers may well hold floats; in native code a constant is worth it only where it is hot.
#define FLOATS(operation)                                   \
  if (kFloatsInLine<A, B> && is_float(a) && is_float(b)) {  \
    if (float_value(a) operation float_value(b)) WB_NEXT(); \
    WB_BRANCH(fail);                                        \
  }
#ifdef WB_BITCODE
template <K, K>
constexpr bool kFloatsInLine = true;
#else
template <K A, K B>
constexpr bool kFloatsInLine = A != K::c && B != K::c;
#endif
COMPARE(is_lt, IF_SMALL(<), compare_out_of_line(a, b) < 0)
COMPARE(is_ge, IF_SMALL(>=), compare_out_of_line(a, b) >= 0)
COMPARE(is_eq, IF_SMALL(==), equal_out_of_line(a, b))
COMPARE(is_ne, IF_SMALL(!=), !equal_out_of_line(a, b))

// Equal words are equal terms; an immediate equals nothing else.
#define IF_SAME_OR_IMMEDIATE(same, other)                            \
  if (a == b) same;                                                  \
  if (WB_CONSTANTS_ARE_IMMEDIATE && (A == K::c || B == K::c)) other; \
  if (is_immediate(a) || is_immediate(b)) other;
COMPARE(is_eq_exact, IF_SAME_OR_IMMEDIATE(WB_NEXT(), WB_BRANCH(fail)),
        equal_exact_out_of_line(a, b))
COMPARE(is_ne_exact, IF_SAME_OR_IMMEDIATE(WB_BRANCH(fail), WB_NEXT()),
        !equal_exact_out_of_line(a, b))

FAST_2(is_function2) {
  Term f = WB_LOAD(A, value), arity = WB_LOAD(B, arity);
  if (is_boxed(f) && is_small(arity)) {
    const Term* p = boxed_ptr(f);
    Kind kind = header_kind(p[0]);
    if (kind == Kind::fun) {
      if (make_small(static_cast<uint32_t>(p[2])) == arity) WB_NEXT();
    } else if (kind == Kind::export_fun) {
      if (make_small(reinterpret_cast<Export*>(p[1])->arity) == arity) WB_NEXT();
    }
  }
  WB_BRANCH(fail);
}

void install_tests(Word* t, bool) {
#define INSTALL_1(name) fill::one<Instr::name, h_##name, 6>(t);
#define TYPE_TEST(number, name, kinds, which, since) INSTALL_1(name)
#define INSTALL_2(name) fill::two<Instr::name, h_##name, 6, 6>(t);
#define COMPARISON(number, name, since) INSTALL_2(name)
#include "bytecode/opcodes.def"
  INSTALL_1(test_arity)
  INSTALL_1(is_tagged_tuple)
  INSTALL_1(is_native_record)
  INSTALL_1(is_record_accessible)
  INSTALL_2(is_eq_exact)
  INSTALL_2(is_ne_exact)
  INSTALL_2(is_function2)
}

}  // namespace wb
