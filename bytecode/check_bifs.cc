// BIFs named by instructions, and float arithmetic.
#include "bytecode/function_analysis.h"
#include "term/atom.h"

namespace wb {
namespace {

/// May the result be an argument, or a part of one?
bool may_share(const GuardBif& b) { return b.result & ~(kinds::atom | kinds::pid); }

}  // namespace

/// `fail`, `live`: of an instruction that has none nullptr.
bool FunctionAnalysis::bif(const Operand* fail_label, const Operand* live, const Operand& import,
                           Operands arguments, const Operand& dst) {
  const GuardBif* bif = module_.guard(import.value);
  if (!bif || bif->arity != arguments.size() || (bif->gc && !live))
    return fail(Rule::bad_import, "not a BIF this instruction may name");

  ValueType result = wb::type_of(bif->result);
  for (const Operand& a : arguments) {
    if (bif->learnt & kinds::context ? !readable(a) : !term(a)) return false;
    if (may_share(*bif)) result = part_of(a, result);
  }
  bool element = bif->arity == 2 && bif->learnt == kinds::tuple;
  ValueType position = element ? type_of(arguments[0]) : ValueType{};
  if (live && !collect(*live)) return false;
  if (fail_label && may_fail(*bif, arguments) && !bif_fails(*fail_label)) return false;
  if (bif->argument >= 0) {
    ValueType learnt = wb::type_of(bif->learnt);
    if (element && position.is_constant()) learnt.tuple_size = position.value;
    learn(arguments[static_cast<size_t>(bif->argument)], learnt);
  }
  return assign(dst, result);
}
bool FunctionAnalysis::check(const op::bif0& in) {
  return bif(nullptr, nullptr, in.bif(), {}, in.dst());
}
bool FunctionAnalysis::check(const op::bif1& in) {
  return bif(&in.fail(), nullptr, in.bif(), {&in.first(), 1}, in.dst());
}
bool FunctionAnalysis::check(const op::bif2& in) {
  return bif(&in.fail(), nullptr, in.bif(), {&in.first(), 2}, in.dst());
}
bool FunctionAnalysis::check(const op::bif3& in) {
  return bif(&in.fail(), nullptr, in.bif(), {&in.first(), 3}, in.dst());
}
bool FunctionAnalysis::check(const op::gc_bif1& in) {
  return bif(&in.fail(), &in.live(), in.bif(), {&in.first(), 1}, in.dst());
}
bool FunctionAnalysis::check(const op::gc_bif2& in) {
  return bif(&in.fail(), &in.live(), in.bif(), {&in.first(), 2}, in.dst());
}
bool FunctionAnalysis::check(const op::gc_bif3& in) {
  return bif(&in.fail(), &in.live(), in.bif(), {&in.first(), 3}, in.dst());
}

bool FunctionAnalysis::may_fail(const GuardBif& bif, Operands arguments) const {
  if (bif.fails != BifFails::otherwise) return bif.fails == BifFails::may;
  Kinds known = type_of(arguments[static_cast<size_t>(bif.argument)]).kinds;
  return !known || (known & ~bif.learnt);
}

/// The compiler leaves y registers uninitialised at a BIF it knows cannot fail. Where we do not
/// know it, a failure would search a frame for a catch that was never filled.
bool FunctionAnalysis::bif_fails(const Operand& label) {
  if (label.value == 0) clear_frame();
  return fail_to(label);
}

// --- floats --------------------------------------------------------------------------------------
bool FunctionAnalysis::has_float(const Operand& fr) {
  return state_.has_float(fr.value) || fail_operand(Rule::uninitialized, fr);
}
bool FunctionAnalysis::fill_float(const Operand& fr) {
  state_.set_float(fr.value);
  return true;
}

bool FunctionAnalysis::check(const op::fclearerror&) { return true; }
bool FunctionAnalysis::check(const op::fcheckerror& in) { return fail_to(in.fail()); }

bool FunctionAnalysis::check(const op::fmove& in) {
  const Operand &source = in.source(), &dst = in.dst();
  if (source.type == Operand::fr) {
    if (!has_float(source)) return false;
    if (dst.type == Operand::fr) return fill_float(dst);
    return take_heap(0, 1) && assign(dst, wb::type_of(kinds::flo));
  }
  if (dst.type != Operand::fr) return fail(Rule::operand_kind);
  if (!term(source)) return false;
  expect(in, source, kinds::flo);
  learn(source, wb::type_of(kinds::flo));
  return fill_float(dst);
}

bool FunctionAnalysis::check(const op::fconv& in) {
  if (!term(in.source()) || !may_raise()) return false;
  learn(in.source(), wb::type_of(kinds::number));
  return fill_float(in.dst());
}

bool FunctionAnalysis::float_operator(const Operand& fail, Operands sources, const Operand& dst) {
  for (const Operand& source : sources)
    if (!has_float(source)) return false;
  return fail_to(fail) && may_raise() && fill_float(dst);  // has no use for its label
}
#define FLOAT_OPERATOR(number, name, since)                      \
  bool FunctionAnalysis::check(const op::name& in) {             \
    return float_operator(in.fail(), {&in.left(), 2}, in.dst()); \
  }
#include "bytecode/opcodes.def"
bool FunctionAnalysis::check(const op::fnegate& in) {
  return float_operator(in.fail(), {&in.source(), 1}, in.dst());
}

}  // namespace wb
