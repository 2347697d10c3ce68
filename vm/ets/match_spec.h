// Match specifications: [{Head, Guards, Body}] compiled to a small program, run against terms.
//
// A program is a list of clauses. The head of a clause is straight-line code: most are tuples whose
// elements are looked at where they lie, those that must be one immediate first; what is nested
// goes by a work stack of terms still to be looked at ("a tuple of 3? push its elements", "the same
// as variable 0?"). Guards and body are postfix code over an operand stack that grows down, so that
// a function finds its arguments in order at the top; a guard that compares a variable with a
// constant is one instruction. Variables get dense slots, fixed when the clause is compiled.
//
// Terms that a program computes on the way live in a scratch heap. Only the last expression of a
// body is built in the caller's heap, with copies of what it takes from the object, because the
// object belongs to a table. Errors: in a guard they fail the clause, in a body the failing call's
// value becomes 'EXIT'.
//
// Invariants: stack depths are known when compiled, so running checks nothing; neither compiling
// nor running recurses, whatever the depth of the term; a compiled program is immutable and may be
// run by many threads at once, each with its own Matcher.
//
// Rejected: interpreting the specification as a term (each object would pay for parsing it again);
// native code (a table's own memory accesses dominate).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/stack.h"
#include "term/heap.h"
#include "vm/ets/object.h"

namespace wb {

class Process;

/// What a program is run for: objects of tables; traced calls (the arguments as a list), messages
/// sent ([To, Message]) and received ([Node, Sender, Message]).
enum class MatchDialect : uint8_t { table, trace, send, receive };

namespace match {

enum class Code : uint8_t {
  // head: a tuple, by its elements
  object,            // a tuple of n
  element_is,        // element n is the immediate w
  element_constant,  // element n =:= w
  element_bind,      // element n is variable w
  element_same,      // element n =:= variable w
  element,           // push element n
  // head: what is on the work stack
  skip,
  bind,
  same,
  immediate,
  constant,
  tuple,
  cons,
  map,
  map_value,
  drop,
  // expressions
  push,
  push_variable,
  push_object,
  push_bindings,
  make_tuple,
  make_cons,
  make_map,
  call,
  all_true,
  any_true,
  jump_unless_true,
  jump_unless_false,
  test,
  test_order,  // n: slot and Accepts of its order against w
  test_same,   // n: slot and whether it must =:= w
  pop,
  result,
};

struct Context;
using Function = Term (*)(Context& c, Heap& h, const Term* args);

struct Insn {
  Code code;
  bool out;    // the value goes to the caller's heap
  uint32_t n;  // count, position, variable slot or jump target
  Word w;      // term, variable slot or Function
};

/// Of test_order, in the lowest bits of n.
enum Accepts : uint32_t { kLess = 1, kEqual = 2, kGreater = 4, kAcceptBits = 3 };

/// Where a clause's parts begin in the code of its program.
struct Clause {
  uint32_t head, guards, body, end;
  uint32_t variables;
  Term guard_terms;
};

/// Facts about the caller that guards may ask for, and what trace actions leave behind.
struct Context {
  Term self = kNone;
  Term node = kNone;
  // tracing (vm/trace/match_actions.h)
  Process* process = nullptr;  // null: a test, nothing is done
  Process* tester = nullptr;   // whose test
  Term tracer = kNone;
  uint32_t session = 0;  ///< of tracing (vm/trace/session.h)
  Heap* out = nullptr;   // where messages go: the run's
  Term message = kNone;
  uint32_t control_word = 0;
  bool return_trace = false;
  bool exception_trace = false;
};

}  // namespace match

/// The program. A magic reference can own one (ets:match_spec_compile/1, continuations).
class MatchSpec final : public OffHeapObject {
 public:
  /// nullptr if `spec` is wrong; `errors`, if given, gets what is wrong with it.
  static MatchSpec* compile(Term spec, MatchDialect dialect = MatchDialect::table,
                            std::vector<std::string>* errors = nullptr);
  /// True if `t` is a magic reference to a MatchSpec.
  static MatchSpec* from_term(Term t);
  static const MatchSpec* from_object(const OffHeapObject& object);

  std::span<const match::Clause> clauses() const { return {clauses_.begin(), clauses_.end()}; }
  const match::Insn* code() const { return code_.begin(); }
  /// The heads as terms, for planning a search (plan.h); they live as long as the program.
  std::span<const Term> heads() const { return {heads_.begin(), heads_.end()}; }
  MatchDialect dialect() const { return dialect_; }
  uint32_t max_variables() const { return max_variables_; }
  uint32_t max_work() const { return max_work_; }
  uint32_t max_operands() const { return max_operands_; }
  /// True if the program is one clause that takes any object and returns it.
  bool is_identity() const;

 private:
  friend class MatchCompiler;
  MatchSpec();
  // Most programs are made for one call: they find room in here.
  Term few_words_[48];
  ScratchHeap constants_{few_words_, std::size(few_words_)};
  Stack<match::Insn, 24> code_;
  Stack<match::Clause, 2> clauses_;
  Stack<Term, 2> heads_;
  MatchDialect dialect_ = MatchDialect::table;
  uint32_t max_variables_ = 0, max_work_ = 1, max_operands_ = 1;
};

/// One run of a program over many terms.
class Matcher {
 public:
  Matcher(const MatchSpec& spec, const match::Context& context);

  /// The result of the first clause that matches, built in `out`; kNone if none does. With `copy`
  /// the result shares nothing with `t`. `object`, if given, is the object whose tuple `t` is.
  Term run(Term t, Heap& out, bool copy, const TableObject* object = nullptr);
  /// True if a clause matches and its result is `true`.
  bool is_true(Term t);
  match::Context& context() { return context_; }

 private:
  Term* room(uint32_t words);
  bool match_head(const match::Clause& clause, Term t);
  Term evaluate(uint32_t from, uint32_t to, bool guard);
  Term bindings(Heap& h, bool copy);
  Term copied(Term t) { return copy_ && is_pointer(t) ? copy_term_deep(*out_, t) : t; }

  const MatchSpec& spec_;
  match::Context context_;
  ScratchHeap scratch_;
  ScratchHeap made_;  // by is_true()
  Term few_[32];
  std::unique_ptr<Term[]> many_;  // if they are not enough
  Term* const variables_;
  Term* const work_;
  Term* const operands_end_;
  // of the run in progress
  Heap* out_ = nullptr;
  bool copy_ = false;
  Term term_ = kNone;
  const TableObject* object_ = nullptr;
  const match::Clause* clause_ = nullptr;
};

/// N of an atom '$N' (N has no leading zero), or -1.
int64_t match_variable(Term t);
/// Of a guard that compares a variable with a constant, in this order: the operator, else kNone.
Term match_comparison(Term guard, Term* variable, Term* constant);

}  // namespace wb
