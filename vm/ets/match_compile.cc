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
  return c.guards.empty() && c.head.size() == 1 && c.head[0].code == Code::skip &&
         c.body.size() == 2 && c.body[0].code == Code::push_object;
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

void MatchCompiler::fail(std::string text) {
  failed_ = true;
  if (errors_) errors_->push_back(std::move(text));
}

bool MatchCompiler::compile(Term spec) {
  if (!is_cons(spec)) {
    fail("Match programs are not in a list.");
    return false;
  }
  size_t count = 0;
  Term rest = spec;
  for (; is_cons(rest); rest = tail(rest)) ++count;
  if (!is_nil(rest)) {
    fail("Match programs are not in a proper list.");
    return false;
  }
  for (rest = spec; is_cons(rest); rest = tail(rest)) {
    if (is_tuple_of(head(rest), 3)) continue;
    fail("Match program part is not a tuple of arity 3.");
    return false;
  }
  spec_.clauses_.reserve(count);
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
  spec_.heads_.push_back(head);
  clause_ = &spec_.clauses_.emplace_back();
  variables_.clear();
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
  if (!compile_head(head)) return;
  compile_guards(guards);
  compile_body(body);
}

// --- heads ------------------------------------------------------------------------------------
void MatchCompiler::head_insn(Code code, int depth, uint32_t n, Term w) {
  clause_->head.push_back({code, false, n, w});
  work_ += static_cast<uint32_t>(depth);
  if (work_ > spec_.max_work_) spec_.max_work_ = work_;
}

bool MatchCompiler::compile_head(Term root) {
  bool ok = true;
  struct Item {
    enum Kind { pattern, map_pair, drop } kind;
    Term term, key;
  };
  Stack<Item, 16> todo;
  todo.push({Item::pattern, root, 0});
  clause_->head.reserve(8);
  work_ = 1;
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
      auto [at, is_new] = variables_.try_emplace(number, variables_.size());
      head_insn(is_new ? Code::bind : Code::same, -1, at->second);
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
  rank_variables();
  return ok;
}

/// Renumbers slots so that they ascend with N: '$$' lists variables in that order.
void MatchCompiler::rank_variables() {
  const auto count = static_cast<uint32_t>(variables_.size());
  if (count > 1) {
    std::vector<uint32_t> rank(count);
    uint32_t next = 0;
    for (auto& [number, slot] : variables_) {
      rank[slot] = next;
      slot = next++;
    }
    for (Insn& i : clause_->head)
      if (i.code == Code::bind || i.code == Code::same) i.n = rank[i.n];
  }
  clause_->variables = count;
  if (count > spec_.max_variables_) spec_.max_variables_ = count;
}

// --- lists of expressions ---------------------------------------------------------------------
void MatchCompiler::compile_guards(Term list) {
  if (!is_list(list)) return fail("Match expression is not a list.");
  place_ = match::kGuard;
  for (; is_cons(list); list = tail(list)) {
    compile_expression(clause_->guards, wb::head(list), false);
    emit({Code::test, false, 0, 0}, -1);
  }
  if (!is_nil(list)) fail("Match expression is not a proper list.");
}

void MatchCompiler::compile_body(Term list) {
  const bool trace = spec_.dialect_ != MatchDialect::table;
  if (!trace && !is_cons(list)) return fail("Body clause does not return anything.");
  if (!is_list(list)) return fail("Match expression is not a list.");
  place_ = spec_.dialect_ == MatchDialect::send      ? match::kSend
           : spec_.dialect_ == MatchDialect::receive ? match::kReceive
                                                     : match::kCall;
  for (; is_cons(list); list = tail(list)) {
    const bool last = !trace && !is_cons(tail(list));
    compile_expression(clause_->body, wb::head(list), last);
    emit({last ? Code::result : Code::pop, false, 0, 0}, -1);
  }
  if (!is_nil(list)) fail("Match expression is not a proper list.");
}

}  // namespace wb
