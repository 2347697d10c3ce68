// Maps.
#include "bytecode/function_analysis.h"

namespace wb {

bool FunctionAnalysis::check_maps(Op op, Operands o) {
  switch (op) {
    case Op::put_map_assoc:
    case Op::put_map_exact: {
      Operands pairs = unit_.list_of(o[4]);
      if (pairs.size() % 2 || pairs.empty()) return fail(Rule::bad_list);
      ValueType t = wb::type_of(kinds::map);
      if (!term(o[1]) || !contains(pairs, &t)) return false;
      t = part_of(o[1], t);
      expect(o[1], kinds::map);
      if (!collect(o[3]) || !fail_to(o[0])) return false;
      if (op == Op::put_map_assoc && !may_raise()) return false;  // has no use for its label
      return assign(o[2], t);
    }
    case Op::has_map_fields:
      if (!term(o[1])) return false;
      for (const Operand& key : unit_.list_of(o[2]))
        if (!term(key)) return false;
      expect(o[1], kinds::map);
      if (!flow_to(o[0].value)) return false;
      learn(o[1], wb::type_of(kinds::map));
      return true;
    default:
      return check_get_map_elements(o);
  }
}

/// When a key is missing, the destinations before it may already have been written.
bool FunctionAnalysis::check_get_map_elements(Operands o) {
  Operands pairs = unit_.list_of(o[2]);
  if (pairs.size() % 2 || pairs.empty()) return fail(Rule::bad_list);
  if (!term(o[1])) return false;
  expect(o[1], kinds::map);
  ValueType part = part_of(o[1]);
  for (size_t i = 0; i < pairs.size(); i += 2) {
    if (!term(pairs[i])) return false;
    if (!pairs[i + 1].is_register()) return fail_operand(Rule::bad_list, pairs[i + 1]);
    if (!writable(pairs[i + 1])) return false;
  }
  FlowState failed = state_;
  for (size_t i = 1; i < pairs.size(); i += 2) failed.maybe_assign(pairs[i], part);
  if (!flow_to(o[0].value, failed)) return false;
  learn(o[1], wb::type_of(kinds::map));
  for (size_t i = 1; i < pairs.size(); i += 2)
    if (!assign(pairs[i], part)) return false;
  return true;
}

}  // namespace wb
