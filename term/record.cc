#include "term/record.h"

#include <algorithm>
#include <vector>

namespace wb {

bool are_distinct(std::span<const Term> fields) {
  std::vector<Term> sorted(fields.begin(), fields.end());
  std::sort(sorted.begin(), sorted.end());
  return std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
}

static bool is_definition(Term t) {
  if (!is_tuple(t) || tuple_arity(t) < RecordDefinition::kHead) return false;
  const std::span words(tuple_elements(t), tuple_arity(t));
  return std::ranges::all_of(words, is_atom);
}

bool is_record_template(Term t) {
  if (!is_tuple(t) || tuple_arity(t) == 0 || !is_definition(definition_in(t))) return false;
  const std::span defaults(defaults_in(t), tuple_arity(t) - 1);
  return RecordDefinition(definition_in(t)).size() == defaults.size() &&
         std::ranges::all_of(defaults, is_list);
}

Term template_named(std::span<const Term> templates, Term name) {
  for (const Term t : templates) {
    if (RecordDefinition(definition_in(t)).name() == name) return t;
  }
  return kNone;
}

Term new_definition(Heap& h, Term module, Term name, bool exported, size_t fields, Term** names) {
  constexpr size_t kHead = RecordDefinition::kHead;
  Term* p = h.alloc(1 + kHead + fields);
  p[0] = make_header(Kind::tuple, kHead + fields);
  p[1] = module;
  p[2] = name;
  p[3] = exported ? am::true_ : am::false_;
  *names = p + 1 + kHead;
  return make_boxed(p);
}

Term new_record(Heap& h, Term definition, Term** values) {
  const size_t n = RecordDefinition(definition).size();
  Term* p = h.alloc(2 + n);
  p[0] = make_header(Kind::record, 1 + n);
  p[1] = definition;
  *values = p + 2;
  return make_boxed(p);
}

}  // namespace wb
