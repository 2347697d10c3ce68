// BIFs named by instructions, and float arithmetic.
#include "bytecode/function_analysis.h"
#include "term/atom.h"

namespace wb {
namespace {

/// May the result be an argument, or a part of one?
bool may_share(const GuardBif& b) { return b.result & ~(kinds::atom | kinds::pid); }

}  // namespace

// bif0 I d; bif1 j I s d; bif2 j I s s d; gc_bif1 j t I s d; gc_bif2 ...; gc_bif3 ...
bool FunctionAnalysis::check_bifs(Op op, Operands o) {
  bool gc = op == Op::gc_bif1 || op == Op::gc_bif2 || op == Op::gc_bif3;
  size_t import = op == Op::bif0 ? 0 : gc ? 2 : 1;
  Operands arguments = o.subspan(import + 1, o.size() - import - 2);
  const GuardBif* bif = module_.guard(o[import].value);
  if (!bif || bif->arity != arguments.size() || (bif->gc && !gc))
    return fail(Rule::bad_import, "not a BIF this instruction may name");

  ValueType result = wb::type_of(bif->result);
  for (const Operand& a : arguments) {
    if (bif->learnt & kinds::context ? !readable(a) : !term(a)) return false;
    if (may_share(*bif)) result = part_of(a, result);
  }
  bool element = bif->arity == 2 && bif->learnt == kinds::tuple;
  ValueType position = element ? type_of(arguments[0]) : ValueType{};
  if (gc && !collect(o[1])) return false;
  if (may_fail(*bif, arguments) && !bif_fails(o[0])) return false;
  if (bif->argument >= 0) {
    ValueType learnt = wb::type_of(bif->learnt);
    if (element && position.is_constant()) learnt.tuple_size = position.value;
    learn(arguments[static_cast<size_t>(bif->argument)], learnt);
  }
  return assign(o.back(), result);
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

bool FunctionAnalysis::check_floats(Op op, Operands o) {
  auto holds = [&](const Operand& fr) {
    return state_.has_float(fr.value) || fail_operand(Rule::uninitialized, fr);
  };
  auto fill = [&](const Operand& fr) {
    state_.set_float(fr.value);
    return true;
  };
  switch (op) {
    case Op::fclearerror:
      return true;
    case Op::fcheckerror:
      return fail_to(o[0]);
    case Op::fmove:
      if (o[0].type == Operand::fr) {
        if (!holds(o[0])) return false;
        if (o[1].type == Operand::fr) return fill(o[1]);
        return take_heap(0, 1) && assign(o[1], wb::type_of(kinds::flo));
      }
      if (o[1].type != Operand::fr) return fail(Rule::operand_kind);
      if (!term(o[0])) return false;
      expect(o[0], kinds::flo);
      learn(o[0], wb::type_of(kinds::flo));
      return fill(o[1]);
    case Op::fconv:
      if (!term(o[0]) || !may_raise()) return false;
      learn(o[0], wb::type_of(kinds::number));
      return fill(o[1]);
    default:  // fail, one or two sources, destination
      for (const Operand& source : o.subspan(1, o.size() - 2))
        if (!holds(source)) return false;
      return fail_to(o[0]) && may_raise() && fill(o.back());  // has no use for its label
  }
}

}  // namespace wb
