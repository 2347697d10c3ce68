// records:*, the functions of native records (term/record.h).
#include "term/record.h"

#include <algorithm>
#include <vector>

#include "loader/code_table.h"
#include "term/instance.h"
#include "term/lists.h"
#include "term/map.h"
#include "vm/bif/bif.h"
#include "vm/core/vm.h"

namespace wb {
namespace {

Term bad_record(Process& p, Term t) { return p.error(tuple(p.heap, am::badrecord, t)); }
Term bad_map(Process& p, Term t) { return p.error(tuple(p.heap, am::badmap, t)); }
Term bad_field(Process& p, Term module, Term name, Term field) {
  const Term record = tuple(p.heap, module, name);
  return p.error(tuple(p.heap, am::badfield, tuple(p.heap, record, field)));
}

/// The value of is_exported, the only key there may be; kBadarg: it is something else.
Term exported_of(Term options) {
  const Term value = map_size(options) == 1 ? map_get(options, am::is_exported) : kNone;
  return value == am::true_ || value == am::false_ ? value : kBadarg;
}

// Steps a reduction.
constexpr int64_t kFields = 20;

/// `record` with the values of `fields`, a map. The first key that is none of its fields is an
/// error.
Term updated(Process& p, Term record, Term fields) {
  BifBudget budget(p, kFields);
  const RecordDefinition d = definition_of(record);
  std::vector<Term> values(record_values(record), record_values(record) + d.size());
  Term key, value;
  for (MapIterator i(fields); i.next(&key, &value);) {
    const size_t k = d.find(key);
    budget.steps(1 + static_cast<int64_t>(k));
    if (k == d.size()) return bad_field(p, d.module(), d.name(), key);
    values[k] = value;
  }
  Term* made;
  const Term result = new_record(p.heap, definition_term(record), &made);
  std::ranges::copy(values, made);
  return result;
}

}  // namespace

BIF(records, get, 2)
{
  if (!is_record(a[1]) || !is_atom(a[0])) return kBadarg;
  const RecordDefinition d = definition_of(a[1]);
  const size_t k = d.find(a[0]);
  return k == d.size() ? kBadarg : record_values(a[1])[k];
}

BIF(records, get_module, 1)
{
  return is_record(a[0]) ? definition_of(a[0]).module() : kBadarg;
}

BIF(records, get_name, 1)
{
  return is_record(a[0]) ? definition_of(a[0]).name() : kBadarg;
}

BIF(records, get_field_names, 1)
{
  if (!is_record(a[0])) return bad_record(p, a[0]);
  const RecordDefinition d = definition_of(a[0]);
  ListBuilder list(p.heap);
  for (size_t k = 0; k < d.size(); ++k) list.add(d.fields()[k]);
  return list.finish();
}

BIF(records, is_exported, 1)
{
  if (!is_record(a[0])) return bad_record(p, a[0]);
  return make_bool(definition_of(a[0]).is_exported());
}

BIF(records, create, 4)
{
  const Term module = a[0], name = a[1];
  if (!is_atom(module) || !is_atom(name)) return bad_record(p, name);
  if (!is_map(a[3])) return bad_map(p, a[3]);
  const Term exported = exported_of(a[3]);
  if (is_fault(exported)) return exported;
  const int64_t n = list_length(a[2]);
  if (n < 0 || n > kMaxRecordFields) return kBadarg;
  BifBudget budget(p, kFields);
  std::vector<Term> fields, values;
  for (Term t = a[2]; is_cons(t); t = tail(t)) {
    budget.step();
    if (!is_tuple_of(head(t), 2)) return kBadarg;
    const Term* pair = tuple_elements(head(t));
    if (!is_atom(pair[0])) return bad_field(p, module, name, pair[0]);
    fields.push_back(pair[0]);
    values.push_back(pair[1]);
  }
  if (!are_distinct(fields)) return kBadarg;
  Term *names, *made;
  const Term definition =
      new_definition(p.heap, module, name, exported == am::true_, fields.size(), &names);
  std::ranges::copy(fields, names);
  const Term record = new_record(p.heap, definition, &made);
  std::ranges::copy(values, made);
  return record;
}

BIF(records, update, 4)
{
  if (!is_record(a[0])) return bad_record(p, a[0]);
  if (a[2] != am::underscore && !is_record_of(a[0], a[1], a[2])) return bad_record(p, a[2]);
  if (!is_map(a[3])) return bad_map(p, a[3]);
  return map_size(a[3]) == 0 ? a[0] : updated(p, a[0], a[3]);
}

/// {#{is_exported => Bool}, [Field | {Field, Default}]}
BIF(records, get_definition, 2)
{
  if (!is_atom(a[0]) || !is_atom(a[1])) return kBadarg;
  const Term found = p.vm().code->find_record(a[0], a[1]);
  if (!is_value(found)) return kBadarg;
  const RecordDefinition d(definition_in(found));
  const Term* defaults = defaults_in(found);
  ListBuilder fields(p.heap);
  for (size_t k = 0; k < d.size(); ++k) {
    const Term field = d.fields()[k];
    fields.add(is_nil(defaults[k]) ? field : tuple(p.heap, field, head(defaults[k])));
  }
  Term option[] = {am::is_exported, make_bool(d.is_exported())};
  const Term options = map_from_pairs(p.heap, option, 1);
  return tuple(p.heap, options, fields.finish());
}

}  // namespace wb
