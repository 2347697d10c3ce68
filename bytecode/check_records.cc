// Native records. Their instructions look at what they are given: nothing here is ever marked.
#include <algorithm>

#include "bytecode/function_analysis.h"
#include "term/atom.h"
#include "term/record.h"

namespace wb {

bool FunctionAnalysis::check(const op::is_native_record& in) {
  return type_test(in.value(), in.fail(), kinds::record, Passes::some);
}
bool FunctionAnalysis::check(const op::is_record_accessible& in) {
  const Term scope = in.scope().value;
  if (scope != am::external && scope != am::auto_local)
    return fail_operand(Rule::bad_operand, in.scope(), "is no scope");
  return type_test(in.value(), in.fail(), kinds::record, Passes::some);
}

/// Pairs of a field and what is read or written.
bool FunctionAnalysis::field_pairs(Operands pairs) {
  if (pairs.size() % 2) return fail(Rule::bad_list);
  std::vector<Term> fields;
  for (size_t i = 0; i < pairs.size(); i += 2) {
    if (pairs[i].type != Operand::atom) return fail_operand(Rule::bad_list, pairs[i]);
    fields.push_back(pairs[i].value);
  }
  return are_distinct(fields) || fail(Rule::bad_list, "a field twice");
}

/// When one is missing, the destinations before it may already have been written.
bool FunctionAnalysis::check(const op::get_record_elements& in) {
  Operands pairs = unit_.list_of(in.pairs());
  if (!term(in.record()) || !field_pairs(pairs)) return false;
  const ValueType part = part_of(in.record());
  FlowState failed = state_;
  for (size_t i = 1; i < pairs.size(); i += 2) {
    if (!pairs[i].is_register()) return fail_operand(Rule::bad_list, pairs[i]);
    if (!writable(pairs[i])) return false;
    failed.maybe_assign(pairs[i], part);
  }
  if (!flow_to(in.fail().value, failed)) return false;
  learn(in.record(), wb::type_of(kinds::record));
  for (size_t i = 1; i < pairs.size(); i += 2) state_.assign(pairs[i], part);
  return true;
}

/// The name of one of this module's, or of a field in any; {Module, Name}.
bool FunctionAnalysis::record_id(const Operand& id) {
  return id.type == Operand::atom || type_of(id).is_tuple_of(2) ||
         fail_operand(Rule::bad_operand, id, "names no record");
}

bool FunctionAnalysis::check(const op::put_record& in) {
  Operands pairs = unit_.list_of(in.pairs());
  ValueType result = wb::type_of(kinds::record);
  if (!field_pairs(pairs) || !record_id(in.id()) || !term(in.source())) return false;
  for (size_t i = 1; i < pairs.size(); i += 2)
    if (!contains(pairs.subspan(i, 1), &result)) return false;
  if (in.source().type == Operand::nil && in.id().type == Operand::atom) {
    auto is_it = [&](const BeamRecord& r) { return r.name == in.id().value; };
    if (!std::ranges::any_of(unit_.file->records, is_it))
      return fail_operand(Rule::bad_operand, in.id(), "is no record of this module");
  }
  result = part_of(in.source(), result);
  return collect(in.live()) && fail_to(in.fail()) && assign(in.dst(), result);
}

bool FunctionAnalysis::check(const op::get_record_field& in) {
  if (!term(in.record()) || !record_id(in.id()) || !bif_fails(in.fail())) return false;
  const ValueType part = part_of(in.record());
  learn(in.record(), wb::type_of(kinds::record));
  return assign(in.dst(), part);
}

}  // namespace wb
