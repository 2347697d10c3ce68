// Maps.
#include "bytecode/function_analysis.h"

namespace wb {

template <class I>
bool FunctionAnalysis::put_pairs(const I& in, ValueType* result) {
  Operands pairs = unit_.list_of(in.pairs());
  if (pairs.size() % 2 || pairs.empty()) return fail(Rule::bad_list);
  *result = wb::type_of(kinds::map);
  if (!term(in.map()) || !contains(pairs, result)) return false;
  *result = part_of(in.map(), *result);
  expect(in, in.map(), kinds::map);
  return collect(in.live()) && fail_to(in.fail());
}
bool FunctionAnalysis::check(const op::put_map_assoc& in) {
  ValueType result;
  return put_pairs(in, &result) && may_raise() &&  // has no use for its label
         assign(in.dst(), result);
}
bool FunctionAnalysis::check(const op::put_map_exact& in) {
  ValueType result;
  return put_pairs(in, &result) && assign(in.dst(), result);
}

bool FunctionAnalysis::check(const op::has_map_fields& in) {
  if (!term(in.map())) return false;
  for (const Operand& key : unit_.list_of(in.keys()))
    if (!term(key)) return false;
  expect(in, in.map(), kinds::map);
  if (!flow_to(in.fail().value)) return false;
  learn(in.map(), wb::type_of(kinds::map));
  return true;
}

/// When a key is missing, the destinations before it may already have been written.
bool FunctionAnalysis::check(const op::get_map_elements& in) {
  Operands pairs = unit_.list_of(in.pairs());
  if (pairs.size() % 2 || pairs.empty()) return fail(Rule::bad_list);
  if (!term(in.map())) return false;
  expect(in, in.map(), kinds::map);
  ValueType part = part_of(in.map());
  for (size_t i = 0; i < pairs.size(); i += 2) {
    if (!term(pairs[i])) return false;
    if (!pairs[i + 1].is_register()) return fail_operand(Rule::bad_list, pairs[i + 1]);
    if (!writable(pairs[i + 1])) return false;
  }
  FlowState failed = state_;
  for (size_t i = 1; i < pairs.size(); i += 2) failed.maybe_assign(pairs[i], part);
  if (!flow_to(in.fail().value, failed)) return false;
  learn(in.map(), wb::type_of(kinds::map));
  for (size_t i = 1; i < pairs.size(); i += 2) state_.assign(pairs[i], part);
  return true;
}

}  // namespace wb
