// Type tests and comparisons: each falls through or jumps to its label.
#include "loader/code.h"
#include "term/order.h"
#include "term/term.h"
#include "vm/interp/handler.h"

namespace wb {

#define TEST_1(name, holds)                             \
  FAST_1(name) {                                        \
    [[maybe_unused]] Term t = WB_LOAD(A, I[1]);         \
    if (WB_LIKELY(holds)) WB_NEXT(3);                   \
    WB_JUMP(I[2]);                                      \
  }

TEST_1(is_nil, is_nil(t))
TEST_1(is_nonempty_list, is_cons(t))
TEST_1(is_list, is_list(t))
TEST_1(is_atom, is_atom(t))
TEST_1(is_integer, is_integer(t))
TEST_1(is_tuple, is_tuple(t))
TEST_1(is_boolean, t == am::true_ || t == am::false_)
TEST_1(is_binary, is_binary(t))
TEST_1(is_map, is_map(t))
TEST_1(is_float, is_float(t))
TEST_1(is_number, is_number(t))
TEST_1(is_pid, is_pid(t))
TEST_1(is_reference, is_ref(t))
TEST_1(is_port, is_port(t))
TEST_1(is_bitstr, is_bitstring(t))
TEST_1(is_function, is_fun(t))

FAST_1(test_arity) {  // I[3]: the tuple header of that arity
  Term t = WB_LOAD(A, I[1]);
  if (WB_LIKELY(is_boxed(t) && header_of(t) == I[3])) WB_NEXT(4);
  WB_JUMP(I[2]);
}
FAST_1(is_tagged_tuple) {  // I[3]: header, I[4]: atom
  Term t = WB_LOAD(A, I[1]);
  if (WB_LIKELY(is_boxed(t) && header_of(t) == I[3] && boxed_ptr(t)[1] == I[4])) WB_NEXT(5);
  WB_JUMP(I[2]);
}

// --- comparisons -----------------------------------------------------------------------------------
// compare() allocates nothing and keeps no state, so it is called without spilling; the machine
// registers of preserve_none survive in the callee's frame.
static WB_NOINLINE int compare_out_of_line(Term a, Term b) { return compare(a, b); }
static WB_NOINLINE bool equal_exact_out_of_line(Term a, Term b) { return equal_exact_slow(a, b); }

#define COMPARE(name, small_holds, holds)                                 \
  FAST_2(name) {                                                          \
    Term a = WB_LOAD(A, I[1]), b = WB_LOAD(B, I[2]);                      \
    if (WB_LIKELY(are_small(a, b))) {                                     \
      [[maybe_unused]] auto sa = static_cast<int64_t>(a);                 \
      [[maybe_unused]] auto sb = static_cast<int64_t>(b);                 \
      if (small_holds) WB_NEXT(4);                                        \
      WB_JUMP(I[3]);                                                      \
    }                                                                     \
    if (holds) WB_NEXT(4);                                                \
    WB_JUMP(I[3]);                                                        \
  }
COMPARE(is_lt, sa < sb, compare_out_of_line(a, b) < 0)
COMPARE(is_ge, sa >= sb, compare_out_of_line(a, b) >= 0)
COMPARE(is_eq, sa == sb, a == b || compare_out_of_line(a, b) == 0)
COMPARE(is_ne, sa != sb, a != b && compare_out_of_line(a, b) != 0)

FAST_2(is_eq_exact) {
  Term a = WB_LOAD(A, I[1]), b = WB_LOAD(B, I[2]);
  if (a == b) WB_NEXT(4);
  if (is_immediate(a) || is_immediate(b)) WB_JUMP(I[3]);
  if (equal_exact_out_of_line(a, b)) WB_NEXT(4);
  WB_JUMP(I[3]);
}
FAST_2(is_ne_exact) {
  Term a = WB_LOAD(A, I[1]), b = WB_LOAD(B, I[2]);
  if (a == b) WB_JUMP(I[3]);
  if (is_immediate(a) || is_immediate(b)) WB_NEXT(4);
  if (equal_exact_out_of_line(a, b)) WB_JUMP(I[3]);
  WB_NEXT(4);
}

static uint32_t fun_arity(Term f) {
  Term* p = boxed_ptr(f);
  if (header_kind(p[0]) == Kind::fun) return static_cast<uint32_t>(p[2]);
  return reinterpret_cast<Export*>(p[1])->arity;
}
static const Word* op_is_function2(Exec& c, const Word* I) {
  Term f = load_operand(c, I[1]), arity = load_operand(c, I[2]);
  bool holds = is_fun(f) && is_small(arity) && small_value(arity) == fun_arity(f);
  return holds ? I + 4 : reinterpret_cast<const Word*>(I[3]);
}

void install_tests(Word* t, bool) {
#define INSTALL_1(name) fill::one<h_##name, 6>(handler_slot(t, Instr::name));
  INSTALL_1(is_nil)
  INSTALL_1(is_nonempty_list)
  INSTALL_1(is_list)
  INSTALL_1(is_atom)
  INSTALL_1(is_integer)
  INSTALL_1(is_tuple)
  INSTALL_1(is_boolean)
  INSTALL_1(is_binary)
  INSTALL_1(is_map)
  INSTALL_1(is_float)
  INSTALL_1(is_number)
  INSTALL_1(is_pid)
  INSTALL_1(is_reference)
  INSTALL_1(is_port)
  INSTALL_1(is_bitstr)
  INSTALL_1(is_function)
  INSTALL_1(test_arity)
  INSTALL_1(is_tagged_tuple)
#define INSTALL_2(name) fill::two<h_##name, 6, 6>(handler_slot(t, Instr::name));
  INSTALL_2(is_lt)
  INSTALL_2(is_ge)
  INSTALL_2(is_eq)
  INSTALL_2(is_ne)
  INSTALL_2(is_eq_exact)
  INSTALL_2(is_ne_exact)
  set_slow(t, Instr::is_function2, &slow_handler<op_is_function2>);
}

}  // namespace wb
