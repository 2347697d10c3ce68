// From a specification (a term) to clauses. See match_spec.h for the idea.
//
// Both passes keep what is left to do on an explicit stack: a head in the order in which the
// program will look at it, an expression as tasks ("compile this", "then emit that"). Arguments are
// compiled last first, which is the order in which OTP reports what is wrong with them.
#pragma once

#include "vm/ets/match_spec.h"

namespace wb {

namespace match {
struct FunctionInfo;
}

class MatchCompiler {
 public:
  MatchCompiler(MatchSpec& spec, std::vector<std::string>* errors) : spec_(spec), errors_(errors) {}
  bool compile(Term spec);

 private:
  struct Task {
    enum Kind : uint8_t { expression, emit, jump, label } kind;
    bool out;
    Term term;
    match::Insn insn;
    int depth;  // what the instruction adds to the operand stack
    uint32_t label_id;
  };

  void fail(std::string text);
  bool receives(const match::FunctionInfo& f) const;
  struct Variable {
    int64_t number;  // N of '$N'
    uint32_t slot;
  };

  void compile_clause(Term head, Term guards, Term body);
  bool compile_head(Term head);
  bool compile_tuple(Term tuple);
  bool compile_pattern(Term pattern);
  void head_insn(match::Code code, int depth, uint32_t n = 0, Term w = 0);
  const Variable* find_variable(int64_t number) const;
  bool add_variable(int64_t number, uint32_t* slot);
  void rank_variables(uint32_t first_insn);
  uint32_t here() const { return static_cast<uint32_t>(spec_.code_.size()); }

  void compile_guards(Term list);
  bool compile_comparison(Term guard);
  void compile_body(Term list);
  void compile_expression(Term t, bool out);
  void expand(Task task);
  void expand_atom(Term t, bool out);
  void expand_list(Term t, bool out);
  void expand_map(Term t, bool out);
  void expand_tuple(Term t, bool out);
  void expand_call(Term t, bool out);
  void expand_chain(Term t, bool out);
  void emit(match::Insn insn, int depth);
  void push_constant(Term t, bool out) { emit({match::Code::push, out, 0, t}, 1); }
  void later(match::Insn insn, int depth) { todo_.push({Task::emit, false, 0, insn, depth, 0}); }
  void later_expression(Term t, bool out) { todo_.push({Task::expression, out, t, {}, 0, 0}); }

  MatchSpec& spec_;
  std::vector<std::string>* errors_;
  bool failed_ = false;
  // the clause being compiled
  Stack<Variable, 16> variables_;  // by number
  uint32_t work_ = 0;
  uint8_t context_ = 0;  // match::Where: guard, or the body of which event
  Stack<Task, 16> todo_;
  std::vector<std::vector<size_t>> labels_;  // jumps that wait for each label
  int depth_ = 0;
};

}  // namespace wb
