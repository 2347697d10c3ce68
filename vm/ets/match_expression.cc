#include "term/atom.h"
#include "term/map.h"
#include "term/print.h"
#include "vm/ets/match_compiler.h"
#include "vm/ets/match_functions.h"

namespace wb {
using match::Code;
using match::Insn;

namespace {

std::string text_of(Term t) { return to_text(t, {.strings = true}); }

std::string special_form(Term name) {
  return "Special form '" + std::string(atom_text(name)) + "'";
}

/// Those that act, and what asks for the token, are not for guards.
bool is_action(Term name) { return name != am::is_seq_trace && match::is_trace_form(name); }

}  // namespace

/// Guards know the event only by its dialect: nobody asks for a token when a message is received.
bool MatchCompiler::receives(const match::FunctionInfo& f) const {
  return spec_.dialect_ != MatchDialect::receive || f.where & match::kReceive;
}

void MatchCompiler::emit(Insn insn, int depth) {
  spec_.code_.push(insn);
  depth_ += depth;
  if (depth_ > static_cast<int>(spec_.max_operands_))
    spec_.max_operands_ = static_cast<uint32_t>(depth_);
}

void MatchCompiler::compile_expression(Term t, bool out) {
  depth_ = 0;
  labels_.clear();
  later_expression(t, out);
  while (!todo_.empty()) {
    Task task = todo_.pop();
    switch (task.kind) {
      case Task::expression:
        expand(task);
        break;
      case Task::emit:
        emit(task.insn, task.depth);
        break;
      case Task::jump:
        labels_[task.label_id].push_back(spec_.code_.size());
        emit(task.insn, -1);
        break;
      case Task::label:
        for (size_t at : labels_[task.label_id]) spec_.code_[at].n = here();
        break;
    }
  }
}

void MatchCompiler::expand(Task task) {
  Term t = task.term;
  if (is_atom(t)) return expand_atom(t, task.out);
  if (is_cons(t)) return expand_list(t, task.out);
  if (is_map(t)) return expand_map(t, task.out);
  if (is_tuple(t)) return expand_tuple(t, task.out);
  push_constant(t, task.out);
}

void MatchCompiler::expand_atom(Term t, bool out) {
  if (t == am::dollar_underscore) return emit({Code::push_object, out, 0, 0}, 1);
  if (t == am::dollar_dollar) return emit({Code::push_bindings, out, 0, 0}, 1);
  int64_t number = match_variable(t);
  if (number < 0) return push_constant(t, out);
  const Variable* variable = find_variable(number);
  if (!variable) {
    fail("Variable $" + std::to_string(number) + " is unbound.");
    return push_constant(kNil, out);
  }
  emit({Code::push_variable, out, variable->slot, 0}, 1);
}

void MatchCompiler::expand_list(Term t, bool out) {
  later({Code::make_cons, out, 0, 0}, -1);
  later_expression(tail(t), out);
  later_expression(head(t), out);
}

void MatchCompiler::expand_map(Term t, bool out) {
  auto n = static_cast<uint32_t>(map_size(t));
  later({Code::make_map, out, n, 0}, 1 - 2 * static_cast<int>(n));
  MapIterator pairs(t);
  for (Term key, value; pairs.next(&key, &value);) {
    later_expression(key, out);
    later_expression(value, out);
  }
}

void MatchCompiler::expand_tuple(Term t, bool out) {
  const uint64_t n = tuple_arity(t);
  const Term* e = tuple_elements(t);
  if (n == 1 && is_tuple(e[0])) {  // {{...}} is a tuple
    auto arity = static_cast<uint32_t>(tuple_arity(e[0]));
    if (arity == 0) return push_constant(e[0], out);
    later({Code::make_tuple, out, arity, 0}, 1 - static_cast<int>(arity));
    for (uint32_t i = 0; i < arity; ++i) later_expression(tuple_elements(e[0])[i], out);
    return;
  }
  if (n > 0 && is_atom(e[0]) && match_variable(e[0]) < 0) return expand_call(t, out);
  fail(text_of(t) + " is neither a function call, nor a tuple (tuples are written {{ ... }}).");
  push_constant(kNil, out);
}

void MatchCompiler::expand_call(Term t, bool out) {
  const Term* e = tuple_elements(t);
  const Term name = e[0];
  const size_t arity = tuple_arity(t) - 1;
  const auto n = static_cast<uint32_t>(arity);
  const int shrink = 1 - static_cast<int>(arity);
  auto wrong = [&](std::string text) {
    fail(std::move(text));
    push_constant(kNil, out);
  };
  if (name == am::const_) {
    if (arity == 1) return push_constant(e[1], out);
    return wrong(special_form(name) + " called with more than one argument in " + text_of(t) + ".");
  }
  if (name == am::self && arity != 0)
    return wrong(special_form(name) + " called with arguments in " + text_of(t) + ".");
  const bool strict = name == am::and_ || name == am::or_;
  if (strict || name == am::andalso || name == am::orelse) {
    if (arity == 0)
      return wrong(special_form(name) + " called without arguments in " + text_of(t) + ".");
    if (!strict) return expand_chain(t, out);
    later({name == am::and_ ? Code::all_true : Code::any_true, out, n, 0}, shrink);
    for (size_t i = 1; i <= arity; ++i) later_expression(e[i], false);
    return;
  }
  const bool trace = spec_.dialect_ != MatchDialect::table;
  if (!trace && match::is_trace_form(name))
    return wrong(special_form(name) + " used in wrong dialect.");
  const match::FunctionInfo* f = match::find_function(name, arity);
  if (trace && context_ == match::kGuard && is_action(name)) {
    return wrong(special_form(name) + " called in guard context.");
  }
  if (f && (!f->where || (trace && f->where & context_ && receives(*f)))) {
    later({Code::call, out, n, reinterpret_cast<Word>(f->function)}, shrink);
    for (size_t i = 1; i <= arity; ++i) later_expression(e[i], false);
    return;
  }
  if (!f && trace && match::is_trace_form(name)) {
    const char* how = match::find_function(name, 0) ? " called with arguments in "
                                                    : " called with wrong number of arguments in ";
    return wrong(special_form(name) + how + text_of(t) + ".");
  }
  std::string function = "Function " + atom_source(name) + "/" + std::to_string(arity);
  wrong(function + (f ? " cannot be called in this context." : " does_not_exist."));
}

/// andalso, orelse: evaluates from the left until the result is known; the last argument is the
/// result as it is.
void MatchCompiler::expand_chain(Term t, bool out) {
  const Term* e = tuple_elements(t);
  const size_t last = tuple_arity(t) - 1;
  const auto id = static_cast<uint32_t>(labels_.size());
  labels_.emplace_back();
  Code jump = e[0] == am::andalso ? Code::jump_unless_true : Code::jump_unless_false;
  todo_.push({Task::label, false, 0, {}, 0, id});
  later_expression(e[last], out);
  for (size_t i = last - 1; i >= 1; --i) {
    todo_.push({Task::jump, false, 0, {jump, false, 0, 0}, -1, id});
    later_expression(e[i], false);
  }
}

}  // namespace wb
