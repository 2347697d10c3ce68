// Native records: making, updating, reading.
//
// Compilers put tests before what updates or reads: of what it is, and whether it may be seen here.
// These are not proven to be there, so whether a value is a record at all is asked once more.
#include "term/record.h"

#include <algorithm>

#include "loader/code_table.h"
#include "vm/core/vm.h"
#include "vm/interp/errors.h"
#include "vm/interp/handler.h"

namespace wb {

static const Word* bad_record(Exec& c, const Word* I, Word fail, Term what) {
  if (fail) return reinterpret_cast<const Word*>(fail);
  return raise_error(c, I, tuple(c.p->heap, am::badrecord, what));
}
/// Of a field: badfield, or novalue.
static const Word* bad_field(Exec& c, const Word* I, Word fail, Term what, RecordDefinition d,
                             Term field) {
  if (fail) return reinterpret_cast<const Word*>(fail);
  Heap& h = c.p->heap;
  const Term name = tuple(h, d.module(), d.name());
  return raise_error(c, I, tuple(h, what, tuple(h, name, field)));
}

/// The first of the fields in `pairs` that a record has not; kNone: it has all.
static Term unknown_field(RecordDefinition d, const Word* pairs, const Word* end) {
  for (; pairs < end; pairs += 2) {
    if (d.find(pairs[0]) == d.size()) return pairs[0];
  }
  return kNone;
}

static void put_fields(Exec& c, RecordDefinition d, Term* values, const Word* pairs,
                       const Word* end) {
  for (; pairs < end; pairs += 2) values[d.find(pairs[0])] = load_operand(c, pairs[1]);
}

/// A field without a default that no pair gives a value; kNone: none.
static Term missing_value(RecordDefinition d, const Term* defaults, const Word* pairs,
                          const Word* end) {
  for (size_t k = 0; k < d.size(); ++k) {
    if (!is_nil(defaults[k])) continue;
    const Word* pair = pairs;
    while (pair < end && pair[0] != d.fields()[k]) pair += 2;
    if (pair >= end) return d.fields()[k];
  }
  return kNone;
}

/// What a module makes records of that name by, if this one may make them.
static Term exported_template(Exec& c, Term id) {
  const Term found = c.vm->code->find_record(boxed_ptr(id)[1], boxed_ptr(id)[2]);
  return is_value(found) && RecordDefinition(definition_in(found)).is_exported() ? found : kNone;
}

static const Word* op_new_record(Exec& c, const Word* I) {
  instr::new_record in{I};
  if (!safe_point(c, 0, static_cast<uint32_t>(in.live()))) return leave_dying(c);
  Term made_by = in.id();
  if (is_record_id(made_by)) made_by = exported_template(c, made_by);
  if (!is_value(made_by)) return bad_record(c, I, in.fail(), in.id());
  const Term definition = definition_in(made_by);
  const Term* defaults = defaults_in(made_by);
  const RecordDefinition d(definition);
  const Term unknown = unknown_field(d, in.pairs(), in.after());
  if (is_value(unknown)) return bad_field(c, I, in.fail(), am::badfield, d, unknown);
  const Term missing = missing_value(d, defaults, in.pairs(), in.after());
  if (is_value(missing)) return bad_field(c, I, in.fail(), am::novalue, d, missing);
  Term* values;
  const Term record = new_record(c.p->heap, definition, &values);
  for (size_t k = 0; k < d.size(); ++k) values[k] = is_nil(defaults[k]) ? kNil : head(defaults[k]);
  put_fields(c, d, values, in.pairs(), in.after());
  store_operand(c, in.dst(), record);
  return in.after();
}

static const Word* op_put_record(Exec& c, const Word* I) {
  instr::put_record in{I};
  if (!safe_point(c, 0, static_cast<uint32_t>(in.live()))) return leave_dying(c);
  const Term source = load_operand(c, in.source());
  if (!is_record(source)) return bad_record(c, I, in.fail(), source);
  const RecordDefinition d = definition_of(source);
  const Term unknown = unknown_field(d, in.pairs(), in.after());
  if (is_value(unknown)) return bad_field(c, I, in.fail(), am::badfield, d, unknown);
  Term* values;
  const Term record = new_record(c.p->heap, definition_term(source), &values);
  std::copy_n(record_values(source), d.size(), values);
  put_fields(c, d, values, in.pairs(), in.after());
  store_operand(c, in.dst(), record);
  return in.after();
}

static const Word* op_get_record_elements(Exec& c, const Word* I) {
  instr::get_record_elements in{I};
  auto otherwise = reinterpret_cast<const Word*>(in.fail());
  const Term record = load_operand(c, in.record());
  if (!is_record(record)) return otherwise;
  const RecordDefinition d = definition_of(record);
  for (const Word* pair = in.pairs(); pair < in.after(); pair += 2) {
    const size_t k = d.find(pair[0]);
    if (k == d.size()) return otherwise;
    store_operand(c, pair[1], record_values(record)[k]);
  }
  return in.after();
}

/// By its name alone, whatever module defines it, or `_`; of another module, by both, and only if
/// it is exported.
static bool is_meant(RecordDefinition d, Term id) {
  if (is_atom(id)) return id == am::underscore || id == d.name();
  return is_record_id(id) && boxed_ptr(id)[1] == d.module() && boxed_ptr(id)[2] == d.name() &&
         d.is_exported();
}

static const Word* op_get_record_field(Exec& c, const Word* I) {
  instr::get_record_field in{I};
  const Term record = load_operand(c, in.record()), id = load_operand(c, in.id());
  if (!is_record(record) || !is_meant(definition_of(record), id))
    return bad_record(c, I, in.fail(), record);
  const RecordDefinition d = definition_of(record);
  const size_t k = d.find(in.field());
  if (k == d.size()) return bad_field(c, I, in.fail(), am::badfield, d, in.field());
  store_operand(c, in.dst(), record_values(record)[k]);
  return in.after();
}

void install_records(Word* t, bool) {
  set_slow(t, Instr::new_record, &slow_handler<op_new_record>);
  set_slow(t, Instr::put_record, &slow_handler<op_put_record>);
  set_slow(t, Instr::get_record_elements, &slow_handler<op_get_record_elements>);
  set_slow(t, Instr::get_record_field, &slow_handler<op_get_record_field>);
}

}  // namespace wb
