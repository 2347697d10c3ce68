// Native records (OTP 29): #module:name{field = Value}.
//
// A record is its definition and its values, in the order of the definition's fields. The
// definition is a tuple {Module, Name, IsExported, Field...} of atoms, which a program never sees
// as one. A record that a module makes shares the definition with the module's literals, and keeps
// it when newer code has another one; one that came from elsewhere has a copy. So collector,
// copying and literal areas know nothing but words, and only what asks for names looks at the
// definition.
//
// Rejected: a table of definitions, which would have to count who uses them; fields sorted by name,
// as records have few and the order of the definition is what equality, order and the external
// format are made of.
#pragma once

#include <cstddef>
#include <span>

#include "term/atom.h"
#include "term/heap.h"
#include "term/term.h"

namespace wb {

constexpr uint32_t kMaxRecordFields = (1 << 24) - 4;

inline bool is_record(Term t) { return is_kind(t, Kind::record); }

/// What a definition says.
struct RecordDefinition {
  static constexpr size_t kHead = 3;
  explicit RecordDefinition(Term tuple) : words_(boxed_ptr(tuple)) {}
  Term module() const { return words_[1]; }
  Term name() const { return words_[2]; }
  bool is_exported() const { return words_[3] == am::true_; }
  size_t size() const { return header_size(words_[0]) - kHead; }
  const Term* fields() const { return words_ + 1 + kHead; }
  /// Which field has this name; size(): none.
  size_t find(Term field) const {
    size_t k = 0;
    while (k < size() && fields()[k] != field) ++k;
    return k;
  }

 private:
  const Term* words_;
};

inline Term definition_term(Term record) { return boxed_ptr(record)[1]; }
inline RecordDefinition definition_of(Term record) {
  return RecordDefinition(definition_term(record));
}
inline bool is_record_of(Term t, Term module, Term name) {
  return is_record(t) && definition_of(t).module() == module && definition_of(t).name() == name;
}
inline Term* record_values(Term record) { return boxed_ptr(record) + 2; }

// --- templates -----------------------------------------------------------------------------------
// What a module makes its records by: {Definition, Default...}, where a default is [Value] or,
// where a field has none, [].
bool is_record_template(Term t);
inline Term definition_in(Term record_template) { return boxed_ptr(record_template)[1]; }
inline const Term* defaults_in(Term record_template) { return boxed_ptr(record_template) + 2; }
/// kNone: there is none of that name.
Term template_named(std::span<const Term> templates, Term name);

/// {Module, Name}, as in code that uses a record of another module.
inline bool is_record_id(Term t) {
  return is_tuple_of(t, 2) && is_atom(boxed_ptr(t)[1]) && is_atom(boxed_ptr(t)[2]);
}

/// Are no two of these the same?
bool are_distinct(std::span<const Term> fields);
/// Room for a definition; the caller fills in the fields.
Term new_definition(Heap& h, Term module, Term name, bool exported, size_t fields, Term** names);
/// Room for a record; the caller fills in the values.
Term new_record(Heap& h, Term definition, Term** values);

}  // namespace wb
