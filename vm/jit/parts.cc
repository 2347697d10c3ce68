// Instructions that the baseline compiler makes of several stencils, because their operands are a
// list, or of too many kinds for a stencil of each combination.
//
// A part's slow path begins the whole instruction again, so only the last part may change what the
// others read.
#include <algorithm>

#include "loader/met_floats.h"
#include "vm/jit/baseline.h"
#include "vm/jit/binary_parts.h"
#include "vm/jit/stencils.h"
#include "vm/process/exec.h"
#include "vm/process/native.h"

namespace wb {

bool Baseline::in_parts(unsigned handler, const Word* at, const Item& whole) {
  if (handlers_[handler] != usual_[handler]) return false;
  OperandKind kinds[3];
  size_t items = items_.size();
  bool done = false;
  switch (Instr i = instr_of_handler(handler, kinds)) {
    case Instr::add:
    case Instr::sub:
    case Instr::mul:
      done = expect_floats_ && MetFloats::expects(at) && floats_in_parts(i, kinds, at, whole);
      break;
    case Instr::put_tuple:
      done = tuple_in_parts(at, whole);
      break;
    case Instr::make_fun:
      done = fun_in_parts(at, whole);
      break;
    case Instr::call_fun:
    case Instr::call_fun2:
    case Instr::call_fun_last:
      done = fun_call_in_parts(i, kinds[0], at, whole);
      break;
    case Instr::select_val:
      done = select_in_parts(kinds[0], at, whole);
      break;
    case Instr::init_yregs:
      done = clear_in_parts(at, whole);
      break;
    case Instr::allocate_zero:
      done = allocate_in_parts(at, whole);
      break;
    case Instr::bif0:
    case Instr::bif1:
    case Instr::bif2:
    case Instr::gc_bif1:
    case Instr::gc_bif2:
    case Instr::gc_bif3:
      done = bif_in_parts(i, at, whole);
      break;
    case Instr::call_bif:
      done = bif_call_in_parts(at, whole);
      break;
    case Instr::bs_create_bin:
      done = BinaryParts(*this, at, whole).make();
      break;
    case Instr::bs_init:
    case Instr::bs_put_integer:
    case Instr::bs_put_string:
    case Instr::bs_put_binary:
      done = old_binary_in_parts(i, at, whole);
      break;
    case Instr::put_map_assoc:
    case Instr::put_map_exact:
    case Instr::has_map_fields:
    case Instr::get_map_elements:
      done = map_in_parts(i, at, whole);
      break;
    default:
      done = match_in_parts(i, at, whole);
      break;
  }
  if (!done) items_.resize(items);
  return done;
}

/// Adds the instruction of `handler` with these operands as a part of `whole`.
bool Baseline::add_part(const Item& whole, unsigned handler, std::span<const Word> operands) {
  Item part = whole;
  part.part = !items_.empty() && items_.back().at == whole.at;
  part.made = static_cast<uint32_t>(made_.size());
  made_.push_back(0);
  made_.insert(made_.end(), operands.begin(), operands.end());
  part.own = static_cast<uint16_t>(handler);
  part.stencil = choose(handler, made_.data() + part.made);
  if (!part.stencil) return false;
  items_.push_back(part);
  return true;
}
bool Baseline::add_part(const Item& whole, Instr i, std::initializer_list<Word> operands) {
  return add_part(whole, handler_index(i, nullptr), operands);
}

namespace {
constexpr Word kMany = 64;

constexpr Word scratch(unsigned k) { return (kScratch + k) * sizeof(Term); }
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
bool Baseline::add_part_of(const Item& whole, Instr i, Word dynamic,
                           std::initializer_list<Word> more) {
  OperandKind kind = resolve_operand(&dynamic);
  constexpr size_t kMost = 4;
  WB_CHECK(more.size() <= kMost);
  Word operands[1 + kMost] = {dynamic};
  std::copy(more.begin(), more.end(), operands + 1);
  return add_part(whole, handler_index(i, &kind), std::span(operands, 1 + more.size()));
}
bool Baseline::add_move(const Item& whole, Word dynamic, OperandKind to, Word where) {
  OperandKind kinds[2] = {resolve_operand(&dynamic), to};
  return add_part(whole, handler_index(Instr::move, kinds), {dynamic, where});
}

bool Baseline::tuple_in_parts(const Word* at, const Item& whole) {  // dst n elements
  Word n = at[2];
  if (n == 0 || n > kMany) return false;
  if (!add_part(whole, Instr::tuple_begin, {make_header(Kind::tuple, n)})) return false;
  for (Word k = 0; k < n; ++k) {
    if (!add_part_of(whole, Instr::tuple_element, at[3 + k], {(k + 1) * sizeof(Term)}))
      return false;
  }
  return add_part_of(whole, Instr::tuple_end, at[1], {(n + 1) * sizeof(Term)});
}

bool Baseline::fun_in_parts(const Word* at, const Item& whole) {  // FunEntry dst n free...
  Word n = at[3];
  if (n > kMany) return false;
  Word arities = reinterpret_cast<FunEntry*>(at[1])->arity | (n << 32);
  if (!add_part(whole, Instr::fun_begin, {at[1], make_header(Kind::fun, 3 + n), arities})) {
    return false;
  }
  for (Word k = 0; k < n; ++k) {
    if (!add_part_of(whole, Instr::tuple_element, at[4 + k], {(4 + k) * sizeof(Term)}))
      return false;
  }
  return add_part_of(whole, Instr::tuple_end, at[2], {(4 + n) * sizeof(Term)});
}

/// The variant for its arity. call_fun: arity continuation; others: fun arity continuation|dealloc
bool Baseline::fun_call_in_parts(Instr i, OperandKind kind, const Word* at, const Item& whole) {
  static constexpr Instr kCalls[] = {Instr::call_fun_of_0, Instr::call_fun_of_1,
                                     Instr::call_fun_of_2, Instr::call_fun_of_3};
  static constexpr Instr kEnds[] = {Instr::end_in_fun_of_0, Instr::end_in_fun_of_1,
                                    Instr::end_in_fun_of_2, Instr::end_in_fun_of_3};
  if (i == Instr::call_fun) {
    return add_part_of(whole, kCalls[std::min<Word>(at[1], 3)],
                       make_x_ref(static_cast<uint32_t>(at[1])), {at[1], at[2]});
  }
  const Instr* variants = i == Instr::call_fun2 ? kCalls : kEnds;
  unsigned handler = handler_index(variants[std::min<Word>(at[2], 3)], &kind);
  return kind != OperandKind::c && add_part(whole, handler, {at[1], at[2], at[3]});
}

/// A few values are compared one after the other.
bool Baseline::select_in_parts(OperandKind kind, const Word* at, const Item& whole) {
  constexpr Word kFew = 6;
  Word n = at[3] / 2;
  if (n > kFew || kind == OperandKind::c) return false;
  OperandKind kinds[2] = {kind, OperandKind::c};
  unsigned compare = handler_index(Instr::is_ne_exact, kinds);
  for (Word k = 0; k < n; ++k) {
    if (!add_part(whole, compare, {at[1], at[4 + k], at[4 + n + k]})) return false;
  }
  return add_part(whole, Instr::jump, {at[2]});
}

bool Baseline::clear_in_parts(const Word* at, const Item& whole) {  // n slots
  if (at[1] == 0 || at[1] > kMany) return false;
  for (Word k = 0; k < at[1]; ++k) {
    if (!add_move(whole, kNil, OperandKind::y, at[2 + k] * sizeof(Term))) return false;
  }
  return true;
}
bool Baseline::allocate_in_parts(const Word* at, const Item& whole) {  // slots heap live
  if (at[1] > kMany || !add_part(whole, Instr::allocate_heap, {at[1], at[2], at[3]})) return false;
  for (Word k = 0; k < at[1]; ++k) {
    if (!add_move(whole, kNil, OperandKind::y, k * sizeof(Term))) return false;
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

bool Baseline::bif_call_in_parts(const Word* at, const Item& whole) {  // Export continuation
  auto e = reinterpret_cast<const Export*>(at[1]);
  if (e->module != am::math || e->arity != 1 || atom_text(e->function) != "sqrt") return false;
  return add_part(whole, Instr::sqrt_call, {at[1], at[2], reinterpret_cast<Word>(e->bif)});
}

/// Of two operands in the scratch registers.
bool Baseline::float_operator(const Item& whole, Instr i) {
  return add_part(whole, i, {kFirst, kSecond, kFirst}) && add_part(whole, Instr::test_heap, {2, 0});
}
/// + - * of which floats are expected. s s d fail live
bool Baseline::floats_in_parts(Instr i, const OperandKind* kinds, const Word* at,
                               const Item& whole) {
  Instr op = i == Instr::add ? Instr::fadd : i == Instr::sub ? Instr::fsub : Instr::fmul;
  return add_part(whole, handler_index(Instr::one_float, kinds), {at[1], at[2]}) &&
         add_part(whole, handler_index(Instr::fconv, kinds), {at[1], kFirst}) &&
         add_part(whole, handler_index(Instr::fconv, kinds + 1), {at[2], kSecond}) &&
         float_operator(whole, op) &&
         add_part(whole, handler_index(Instr::float_store, kinds + 2), {at[3], kFirst});
}
/// Of numbers it always makes a float.
bool Baseline::divide_in_parts(const Word* at, const Item& whole) {  // Export bif s s d ...
  return add_part_of(whole, Instr::fconv, at[3], {kFirst}) &&
         add_part_of(whole, Instr::fconv, at[4], {kSecond}) && float_operator(whole, Instr::fdiv) &&
         add_part_of(whole, Instr::float_store, at[5], {kFirst});
}

bool Baseline::bif_in_parts(Instr i, const Word* at,
                            const Item& whole) {  // Export bif args dst fail
  auto* e = reinterpret_cast<const Export*>(at[1]);
  unsigned n = e->arity;
  Word dst = at[3 + n], fail = n ? at[4 + n] : 0;
  if (n == 2 && e->module == am::erlang && e->function == am::slash)
    return divide_in_parts(at, whole);
  bool gc = i == Instr::gc_bif1 || i == Instr::gc_bif2 || i == Instr::gc_bif3;
  if (gc && !add_part(whole, Instr::bif_room, {})) return false;
  for (unsigned k = 0; k < n; ++k) {
    if (!add_move(whole, at[3 + k], OperandKind::x, scratch(k))) return false;
  }
  if (const OwnStencil* own = own_stencil(e)) {
    return own->calls ? add_part_of(whole, own->instr, dst, {at[2]})
                      : add_part_of(whole, own->instr, dst);
  }
  if (fail) return add_part_of(whole, Instr::bif_guard, dst, {at[2], fail});
  return add_part_of(whole, Instr::bif_value, dst, {at[2]});
}

}  // namespace wb
