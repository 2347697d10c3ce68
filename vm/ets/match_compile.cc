#include <algorithm>

#include "base/stack.h"
#include "term/atom.h"
#include "term/map.h"
#include "vm/ets/match_compiler.h"
#include "vm/ets/match_functions.h"

namespace wb {
using match::Code;
using match::Insn;

namespace {
void destroy_spec(OffHeapObject* o) { delete static_cast<MatchSpec*>(o); }
}  // namespace

MatchSpec::MatchSpec() { destroy = destroy_spec; }

MatchSpec* MatchSpec::compile(Term spec, MatchDialect dialect, std::vector<std::string>* errors) {
  auto* program = new MatchSpec;
  program->dialect_ = dialect;
  if (MatchCompiler(*program, errors).compile(copy_term_deep(program->constants_, spec)))
    return program;
  program->release();
  return nullptr;
}

const MatchSpec* MatchSpec::from_object(const OffHeapObject& object) {
  return object.destroy == destroy_spec ? static_cast<const MatchSpec*>(&object) : nullptr;
}
MatchSpec* MatchSpec::from_term(Term t) {
  if (!is_kind(t, Kind::magic_ref)) return nullptr;
  auto* object = reinterpret_cast<OffHeapObject*>(boxed_ptr(t)[1]);
  return object->destroy == destroy_spec ? static_cast<MatchSpec*>(object) : nullptr;
}

bool MatchSpec::is_identity() const {
  if (clauses_.size() != 1) return false;
  const match::Clause& c = clauses_[0];
  return c.guards == c.head + 1 && c.body == c.guards && c.end == c.body + 2 &&
         code_[c.head].code == Code::skip && code_[c.body].code == Code::push_object;
}

int64_t match_variable(Term t) {
  if (!is_atom(t)) return -1;
  std::string_view text = atom_text(t);
  if (text.size() < 2 || text.size() > 18 || text[0] != '$') return -1;
  if (text[1] == '0' && text.size() > 2) return -1;
  int64_t n = 0;
  for (char c : text.substr(1)) {
    if (c < '0' || c > '9') return -1;
    n = n * 10 + (c - '0');
  }
  return n;
}

namespace {

/// An operand that is what it says.
bool constant_operand(Term t, Term* value) {
  if (is_tuple_of(t, 2) && tuple_elements(t)[0] == am::const_)
    return *value = tuple_elements(t)[1], true;
  if (is_tuple(t) || is_cons(t) || is_map(t)) return false;
  *value = t;
  return t != am::dollar_underscore && t != am::dollar_dollar && match_variable(t) < 0;
}

Term mirrored(Term op) {
  return op == am::lt   ? am::gt
         : op == am::gt ? am::lt
         : op == am::le ? am::ge
         : op == am::ge ? am::le
                        : op;
}

}  // namespace

Term match_comparison(Term guard, Term* variable, Term* constant) {
  if (!is_tuple_of(guard, 3)) return kNone;
  const Term *e = tuple_elements(guard), op = e[0];
  const Term all[] = {am::lt, am::gt, am::le, am::ge, am::eq, am::ne, am::eq_exact, am::ne_exact};
  if (std::find(std::begin(all), std::end(all), op) == std::end(all)) return kNone;
  const bool first = match_variable(e[1]) >= 0;
  *variable = first ? e[1] : e[2];
  if (match_variable(*variable) < 0 || !constant_operand(first ? e[2] : e[1], constant))
    return kNone;
  return first ? op : mirrored(op);
}

void MatchCompiler::fail(std::string text) {
  failed_ = true;
  if (errors_) errors_->push_back(std::move(text));
}

bool MatchCompiler::compile(Term spec) {
  if (!is_cons(spec)) {
    fail("Match programs are not in a list.");
    return false;
  }
  Term rest = spec;
  while (is_cons(rest)) rest = tail(rest);
  if (!is_nil(rest)) {
    fail("Match programs are not in a proper list.");
    return false;
  }
  for (rest = spec; is_cons(rest); rest = tail(rest)) {
    if (is_tuple_of(head(rest), 3)) continue;
    fail("Match program part is not a tuple of arity 3.");
    return false;
  }
  for (rest = spec; is_cons(rest); rest = tail(rest)) {
    const Term* part = tuple_elements(head(rest));
    compile_clause(part[0], part[1], part[2]);
  }
  return !failed_;
}

/// A proper list, or what matches all of them.
static bool is_trace_head(Term head) {
  if (head == am::underscore || match_variable(head) >= 0) return true;
  while (is_cons(head)) head = tail(head);
  return is_nil(head);
}

void MatchCompiler::compile_clause(Term head, Term guards, Term body) {
  spec_.heads_.push(head);
  variables_.shrink(0);
  // The arguments of a traced call match a tuple as they match a list.
  if (spec_.dialect_ != MatchDialect::table && is_tuple(head)) {
    Term list = kNil;
    for (uint64_t i = tuple_arity(head); i-- > 0;)
      list = cons(spec_.constants_, tuple_elements(head)[i], list);
    head = list;
  }
  if (spec_.dialect_ != MatchDialect::table && !is_trace_head(head)) {
    fail("Match head is invalid in this context.");
  }
  match::Clause clause{here(), 0, 0, 0, 0, guards};
  if (!compile_head(head)) return;
  clause.guards = here();
  compile_guards(guards);
  clause.body = here();
  compile_body(body);
  clause.end = here();
  clause.variables = static_cast<uint32_t>(variables_.size());
  spec_.clauses_.push(clause);
}

// --- heads ------------------------------------------------------------------------------------
void MatchCompiler::head_insn(Code code, int depth, uint32_t n, Term w) {
  spec_.code_.push({code, false, n, w});
  work_ += static_cast<uint32_t>(depth);
  if (work_ > spec_.max_work_) spec_.max_work_ = work_;
}

bool MatchCompiler::compile_head(Term head) {
  const uint32_t first = here();
  work_ = 1;
  const bool ok = is_tuple(head) ? compile_tuple(head) : compile_pattern(head);
  rank_variables(first);
  return ok;
}

/// The root: its elements are looked at where they are, what is decided fastest first.
bool MatchCompiler::compile_tuple(Term tuple) {
  bool ok = true;
  const auto arity = static_cast<uint32_t>(tuple_arity(tuple));
  const Term* element = tuple_elements(tuple) - 1;
  auto is_free = [](Term t) { return t == am::underscore || match_variable(t) >= 0; };
  head_insn(Code::object, 0, arity);
  for (uint32_t i = 1; i <= arity; ++i)
    if (!is_pointer(element[i]) && !is_free(element[i]))
      head_insn(Code::element_is, 0, i, element[i]);
  for (uint32_t i = 1; i <= arity; ++i) {
    const Term t = element[i];
    if (const int64_t number = match_variable(t); number >= 0) {
      uint32_t slot;
      const bool is_new = add_variable(number, &slot);
      head_insn(is_new ? Code::element_bind : Code::element_same, 0, i, slot);
    } else if (is_tuple(t) || is_cons(t) || is_map(t)) {
      head_insn(Code::element, 1, i);
      ok = compile_pattern(t) && ok;
    } else if (is_pointer(t)) {
      head_insn(Code::element_constant, 0, i, t);
    }
  }
  return ok;
}

/// Of what is on top of the work stack.
bool MatchCompiler::compile_pattern(Term root) {
  bool ok = true;
  struct Item {
    enum Kind { pattern, map_pair, drop } kind;
    Term term, key;
  };
  Stack<Item, 16> todo;
  todo.push({Item::pattern, root, 0});
  while (!todo.empty()) {
    Item item = todo.pop();
    Term t = item.term;
    if (item.kind == Item::drop) {
      head_insn(Code::drop, -1);
      continue;
    }
    if (item.kind == Item::map_pair) {
      const bool variable = match_variable(item.key) >= 0;
      if (variable || item.key == am::underscore) {
        fail(variable ? "Variable found in map key." : "Underscore found in map key.");
        ok = false;
      }
      head_insn(Code::map_value, 1, 0, item.key);
    }
    int64_t number = match_variable(t);
    if (t == am::underscore) {
      head_insn(Code::skip, -1);
    } else if (number >= 0) {
      uint32_t slot;
      const bool is_new = add_variable(number, &slot);
      head_insn(is_new ? Code::bind : Code::same, -1, slot);
    } else if (is_tuple(t)) {
      uint64_t n = tuple_arity(t);
      head_insn(Code::tuple, static_cast<int>(n) - 1, static_cast<uint32_t>(n));
      for (uint64_t i = n; i-- > 0;) todo.push({Item::pattern, tuple_elements(t)[i], 0});
    } else if (is_cons(t)) {
      head_insn(Code::cons, 1);
      todo.push({Item::pattern, tail(t), 0});
      todo.push({Item::pattern, wb::head(t), 0});
    } else if (is_map(t)) {
      head_insn(Code::map, 0);
      todo.push({Item::drop, 0, 0});
      MapIterator pairs(t);
      for (Term key, value; pairs.next(&key, &value);) todo.push({Item::map_pair, value, key});
    } else {
      head_insn(is_pointer(t) ? Code::constant : Code::immediate, -1, 0, t);
    }
  }
  return ok;
}

// --- variables --------------------------------------------------------------------------------
const MatchCompiler::Variable* MatchCompiler::find_variable(int64_t number) const {
  const Variable* at =
      std::lower_bound(variables_.begin(), variables_.end(), number,
                       [](const Variable& v, int64_t number) { return v.number < number; });
  return at != variables_.end() && at->number == number ? at : nullptr;
}

/// True if it is new.
bool MatchCompiler::add_variable(int64_t number, uint32_t* slot) {
  if (const Variable* known = find_variable(number)) {
    *slot = known->slot;
    return false;
  }
  *slot = static_cast<uint32_t>(variables_.size());
  variables_.push({number, *slot});
  for (size_t i = *slot; i > 0 && variables_[i - 1].number > number; --i)
    std::swap(variables_[i - 1], variables_[i]);
  return true;
}

/// Renumbers slots so that they ascend with N: '$$' lists variables in that order.
void MatchCompiler::rank_variables(uint32_t first_insn) {
  const auto count = static_cast<uint32_t>(variables_.size());
  if (count > spec_.max_variables_) spec_.max_variables_ = count;
  if (count < 2) return;
  Stack<uint32_t, 16> rank;
  for (uint32_t i = 0; i < count; ++i) rank.push(0);
  for (uint32_t i = 0; i < count; ++i) {
    rank[variables_[i].slot] = i;
    variables_[i].slot = i;
  }
  for (Insn* i = spec_.code_.begin() + first_insn; i != spec_.code_.end(); ++i) {
    if (i->code == Code::bind || i->code == Code::same) i->n = rank[i->n];
    if (i->code == Code::element_bind || i->code == Code::element_same) i->w = rank[i->w];
  }
}

// --- lists of expressions ---------------------------------------------------------------------
void MatchCompiler::compile_guards(Term list) {
  if (!is_list(list)) return fail("Match expression is not a list.");
  context_ = match::kGuard;
  for (; is_cons(list); list = tail(list)) {
    if (compile_comparison(wb::head(list))) continue;
    compile_expression(wb::head(list), false);
    emit({Code::test, false, 0, 0}, -1);
  }
  if (!is_nil(list)) fail("Match expression is not a proper list.");
}

/// A guard that compares a variable with a constant; false, and nothing done, if it is another.
bool MatchCompiler::compile_comparison(Term guard) {
  Term variable, constant;
  const Term op = match_comparison(guard, &variable, &constant);
  const Variable* known = op == kNone ? nullptr : find_variable(match_variable(variable));
  if (!known) return false;
  uint32_t accepts = 0;
  if (op == am::eq_exact || op == am::ne_exact) {
    emit({Code::test_same, false, known->slot << 1 | (op == am::eq_exact), constant}, 0);
    return true;
  }
  if (op == am::lt || op == am::le || op == am::ne) accepts |= match::kLess;
  if (op == am::gt || op == am::ge || op == am::ne) accepts |= match::kGreater;
  if (op == am::le || op == am::ge || op == am::eq) accepts |= match::kEqual;
  emit({Code::test_order, false, known->slot << match::kAcceptBits | accepts, constant}, 0);
  return true;
}

void MatchCompiler::compile_body(Term list) {
  const bool trace = spec_.dialect_ != MatchDialect::table;
  if (!trace && !is_cons(list)) return fail("Body clause does not return anything.");
  if (!is_list(list)) return fail("Match expression is not a list.");
  context_ = spec_.dialect_ == MatchDialect::send      ? match::kSend
             : spec_.dialect_ == MatchDialect::receive ? match::kReceive
                                                       : match::kCall;
  for (; is_cons(list); list = tail(list)) {
    const bool last = !trace && !is_cons(tail(list));
    compile_expression(wb::head(list), last);
    emit({last ? Code::result : Code::pop, false, 0, 0}, -1);
  }
  if (!is_nil(list)) fail("Match expression is not a proper list.");
}

}  // namespace wb
