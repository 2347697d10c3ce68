// Instructions that the baseline compiler makes of several stencils, because their operands are a
// list, or of too many kinds for a stencil of each combination.
//
// An operation's slow path begins the whole instruction again, so only the last may change what the
// others read.
#include <algorithm>

#include "loader/met_floats.h"
#include "vm/jit/baseline.h"
#include "vm/jit/stencils.h"
#include "vm/process/exec.h"
#include "vm/process/native.h"

namespace wb {

bool Baseline::lower(Instr i, const Word* at, const Item& whole) {
  if (handlers_[whole.handler] != usual_[whole.handler]) return false;
  size_t items = items_.size();
  bool done = visit_instr<bool>(i, at, [&](const auto& in) {
    if constexpr (std::decay_t<decltype(in)>::kAttributes & kLowered)
      return lower(in, whole);
    else
      return false;
  });
  if (!done) items_.resize(items);
  return done;
}

/// Adds the instruction of `handler` with these operands as an operation of `whole`.
bool Baseline::add_op(const Item& whole, unsigned handler, std::span<const Word> operands) {
  Item added = whole;
  added.continues = !items_.empty() && items_.back().at == whole.at;
  added.made = static_cast<uint32_t>(made_.size());
  made_.push_back(0);
  made_.insert(made_.end(), operands.begin(), operands.end());
  added.own = static_cast<uint16_t>(handler);
  added.stencil = choose(handler, made_.data() + added.made);
  if (!added.stencil) return false;
  items_.push_back(added);
  return true;
}
bool Baseline::add_op(const Item& whole, Instr i, std::initializer_list<Word> operands) {
  return add_op(whole, handler_index(i, nullptr), operands);
}

namespace {
constexpr Word kMany = 64;
constexpr Word kFirst = kMaxFloats, kSecond = kFirst + 1;  ///< float registers
}  // namespace

/// The kind of a dynamic operand, which becomes one of a shape.
OperandKind Baseline::resolve_operand(Word* w) {
  const bool x = is_x_ref(*w), y = is_y_ref(*w);
  if (!x && !y) return OperandKind::c;
  const Word n = *w >> 8;
  *w = n * sizeof(Term);
  if (y) return OperandKind::y;
  return n < 3 ? static_cast<OperandKind>(n) : OperandKind::x;
}

/// The instruction `i`, whose first operand alone makes its shape.
bool Baseline::add_op_of(const Item& whole, Instr i, Word dynamic,
                         std::initializer_list<Word> more) {
  OperandKind kind = resolve_operand(&dynamic);
  constexpr size_t kMost = 4;
  WB_CHECK(more.size() <= kMost);
  Word operands[1 + kMost] = {dynamic};
  std::copy(more.begin(), more.end(), operands + 1);
  return add_op(whole, handler_index(i, &kind), std::span(operands, 1 + more.size()));
}
bool Baseline::add_move(const Item& whole, Word dynamic, OperandKind to, Word where) {
  OperandKind kinds[2] = {resolve_operand(&dynamic), to};
  return add_op(whole, handler_index(Instr::move, kinds), {dynamic, where});
}
bool Baseline::add_to_scratch(const Item& whole, Word dynamic, unsigned k) {
  return add_move(whole, dynamic, OperandKind::x, (kScratch + k) * sizeof(Term));
}

/// Operands into the words of an object at the heap's top, from word `first` on.
bool Baseline::add_elements(const Item& whole, const Word* elements, Word n, Word first) {
  for (Word k = 0; k < n; ++k) {
    if (!add_op_of(whole, Instr::tuple_element, elements[k], {(first + k) * sizeof(Term)}))
      return false;
  }
  return true;
}
bool Baseline::lower(const instr::put_tuple& in, const Item& whole) {
  const Word n = in.count();
  return n != 0 && n <= kMany && add_op(whole, Instr::tuple_begin, {make_header(Kind::tuple, n)}) &&
         add_elements(whole, in.elements(), n, 1) &&
         add_op_of(whole, Instr::tuple_end, in.dst(), {(n + 1) * sizeof(Term)});
}
bool Baseline::lower(const instr::make_fun& in, const Item& whole) {
  constexpr Word kHead = 4;
  const Word n = in.count();
  Word arities = reinterpret_cast<FunEntry*>(in.lambda())->arity | (n << 32);
  return n <= kMany &&
         add_op(whole, Instr::fun_begin,
                {in.lambda(), make_header(Kind::fun, kHead - 1 + n), arities}) &&
         add_elements(whole, in.free(), n, kHead) &&
         add_op_of(whole, Instr::tuple_end, in.dst(), {(kHead + n) * sizeof(Term)});
}

namespace {
constexpr Instr kFunCalls[] = {Instr::call_fun_of_0, Instr::call_fun_of_1, Instr::call_fun_of_2,
                               Instr::call_fun_of_3};
constexpr Instr kFunEnds[] = {Instr::end_in_fun_of_0, Instr::end_in_fun_of_1,
                              Instr::end_in_fun_of_2, Instr::end_in_fun_of_3};
/// For the arity: three, or more.
Instr fun_variant(const Instr (&variants)[4], Word arity) {
  return variants[std::min<Word>(arity, 3)];
}
}  // namespace
bool Baseline::lower(const instr::call_fun& in, const Item& whole) {
  return add_op_of(whole, fun_variant(kFunCalls, in.arity()),
                   make_x_ref(static_cast<uint32_t>(in.arity())), {in.arity(), in.continuation()});
}
bool Baseline::lower(const instr::call_fun2& in, const Item& whole) {
  return add_fun_call(whole, kFunCalls, in.fun(), in.arity(), in.continuation());
}
bool Baseline::lower(const instr::call_fun_last& in, const Item& whole) {
  return add_fun_call(whole, kFunEnds, in.fun(), in.arity(), in.slots());
}
bool Baseline::add_fun_call(const Item& whole, const Instr (&variants)[4], Word fun, Word arity,
                            Word after) {
  const OperandKind* kinds = kinds_of(whole);
  return kinds[0] != OperandKind::c &&
         add_op(whole, handler_index(fun_variant(variants, arity), kinds), {fun, arity, after});
}

/// A few values are compared one after the other; LLVM has its own way.
bool Baseline::lower(const instr::select_val& in, const Item& whole) {
  constexpr Word kFew = 6;
  if (for_llvm_) return false;
  const Word n = in.count() / 2;
  OperandKind kinds[2] = {kinds_of(whole)[0], OperandKind::c};
  if (n > kFew || kinds[0] == OperandKind::c) return false;
  unsigned compare = handler_index(Instr::is_ne_exact, kinds);
  const Word *values = in.cases(), *labels = values + n;
  for (Word k = 0; k < n; ++k) {
    if (!add_op(whole, compare, {in.value(), values[k], labels[k]})) return false;
  }
  return add_op(whole, Instr::jump, {in.fail()});
}

bool Baseline::clear(const Item& whole, Word slot) {
  return add_move(whole, kNil, OperandKind::y, slot * sizeof(Term));
}
bool Baseline::lower(const instr::init_yregs& in, const Item& whole) {
  if (in.count() == 0 || in.count() > kMany) return false;
  for (Word k = 0; k < in.count(); ++k) {
    if (!clear(whole, in.registers()[k])) return false;
  }
  return true;
}
bool Baseline::lower(const instr::allocate_zero& in, const Item& whole) {
  if (in.slots() > kMany ||
      !add_op(whole, Instr::allocate_heap, {in.slots(), in.heap(), in.live()}))
    return false;
  for (Word slot = 0; slot < in.slots(); ++slot) {
    if (!clear(whole, slot)) return false;
  }
  return true;
}

namespace {
/// A BIF of guards that has a stencil of its own for what is common.
struct OwnStencil {
  Term name;
  uint32_t arity;
  Instr instr;
  bool calls;  ///< the BIF for what is not; else it begins again
};
const OwnStencil* own_stencil(const Export* e) {
  static constexpr OwnStencil kRows[] = {{am::eq_exact, 2, Instr::value_eq_exact, true},
                                         {am::ne_exact, 2, Instr::value_ne_exact, true},
                                         {am::eq, 2, Instr::value_eq, true},
                                         {am::ne, 2, Instr::value_ne, true},
                                         {am::lt, 2, Instr::value_lt, true},
                                         {am::le, 2, Instr::value_le, true},
                                         {am::gt, 2, Instr::value_gt, true},
                                         {am::ge, 2, Instr::value_ge, true},
                                         {am::min, 2, Instr::value_min, true},
                                         {am::max, 2, Instr::value_max, true},
                                         {am::tuple_size, 1, Instr::value_tuple_size, false},
                                         {am::map_get, 2, Instr::value_map_get, false},
                                         {am::is_map_key, 2, Instr::value_is_map_key, false}};
  if (e->module != am::erlang) return nullptr;
  for (const OwnStencil& r : kRows) {
    if (r.name == e->function && r.arity == e->arity) return &r;
  }
  return nullptr;
}
}  // namespace

bool Baseline::lower(const instr::call_bif& in, const Item& whole) {
  auto e = reinterpret_cast<const Export*>(in.function());
  auto is = [e](Term module, std::string_view function, uint32_t arity) {
    return e->module == module && e->arity == arity && atom_text(e->function) == function;
  };
  const Instr own = is(am::math, "sqrt", 1)    ? Instr::sqrt_call
                    : is(am::erlang, "min", 2) ? Instr::min_call
                    : is(am::erlang, "max", 2) ? Instr::max_call
                                               : Instr::call_bif;
  return own != Instr::call_bif &&
         add_op(whole, own, {in.function(), in.continuation(), reinterpret_cast<Word>(e->bif)});
}

/// Of two operands in the scratch registers.
bool Baseline::add_float_operator(const Item& whole, Instr i) {
  return add_op(whole, i, {kFirst, kSecond, kFirst}) && add_op(whole, Instr::test_heap, {2, 0});
}
/// + - * of which floats are expected.
template <class I>
bool Baseline::lower_on_floats(const I& in, Instr op, const Item& whole) {
  const OperandKind* kinds = kinds_of(whole);
  return for_llvm_ && MetFloats::expects(in.I) &&
         add_op(whole, handler_index(Instr::one_float, kinds), {in.left(), in.right()}) &&
         add_op(whole, handler_index(Instr::fconv, kinds), {in.left(), kFirst}) &&
         add_op(whole, handler_index(Instr::fconv, kinds + 1), {in.right(), kSecond}) &&
         add_float_operator(whole, op) &&
         add_op(whole, handler_index(Instr::float_store, kinds + 2), {in.dst(), kFirst});
}
bool Baseline::lower(const instr::add& in, const Item& whole) {
  return lower_on_floats(in, Instr::fadd, whole);
}
bool Baseline::lower(const instr::sub& in, const Item& whole) {
  return lower_on_floats(in, Instr::fsub, whole);
}
bool Baseline::lower(const instr::mul& in, const Item& whole) {
  return lower_on_floats(in, Instr::fmul, whole);
}
/// Of numbers it always makes a float.
bool Baseline::divide(const Item& whole, std::span<const Word> args, Word dst) {
  return add_op_of(whole, Instr::fconv, args[0], {kFirst}) &&
         add_op_of(whole, Instr::fconv, args[1], {kSecond}) &&
         add_float_operator(whole, Instr::fdiv) &&
         add_op_of(whole, Instr::float_store, dst, {kFirst});
}

bool Baseline::lower(const instr::bif0& in, const Item& whole) {
  return guard_bif(in, {}, 0, whole);
}
bool Baseline::lower(const instr::bif1& in, const Item& whole) {
  return guard_bif(in, {in.first()}, in.fail(), whole);
}
bool Baseline::lower(const instr::bif2& in, const Item& whole) {
  return guard_bif(in, {in.first(), in.second()}, in.fail(), whole);
}
bool Baseline::lower(const instr::bif3& in, const Item& whole) {
  return guard_bif(in, {in.first(), in.second(), in.third()}, in.fail(), whole);
}
bool Baseline::lower(const instr::gc_bif1& in, const Item& whole) {
  return guard_bif(in, {in.first()}, in.fail(), whole);
}
bool Baseline::lower(const instr::gc_bif2& in, const Item& whole) {
  return guard_bif(in, {in.first(), in.second()}, in.fail(), whole);
}
bool Baseline::lower(const instr::gc_bif3& in, const Item& whole) {
  return guard_bif(in, {in.first(), in.second(), in.third()}, in.fail(), whole);
}
template <class I>
bool Baseline::guard_bif(const I& in, std::initializer_list<Word> args, Word fail,
                         const Item& whole) {
  constexpr bool kMayCollect = requires { in.live(); };
  auto* e = reinterpret_cast<const Export*>(in.bif());
  if (args.size() == 2 && e->module == am::erlang && e->function == am::slash)
    return divide(whole, args, in.dst());
  if (kMayCollect && !add_op(whole, Instr::bif_room, {})) return false;
  unsigned k = 0;
  for (Word arg : args) {
    if (!add_to_scratch(whole, arg, k++)) return false;
  }
  if (const OwnStencil* own = own_stencil(e)) {
    return own->calls ? add_op_of(whole, own->instr, in.dst(), {in.body()})
                      : add_op_of(whole, own->instr, in.dst());
  }
  if (fail) return add_op_of(whole, Instr::bif_guard, in.dst(), {in.body(), fail});
  return add_op_of(whole, Instr::bif_value, in.dst(), {in.body()});
}

}  // namespace wb
