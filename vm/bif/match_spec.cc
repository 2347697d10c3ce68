// Match specifications by themselves: compiled ones as references, runs over lists, tests.
#include "vm/bif/match_common.h"
#include "vm/core/settings.h"
#include "vm/core/vm.h"

namespace wb {

BIF(ets, match_spec_compile, 1)
{
  Compiled spec(a[0]);
  if (!spec) return kBadarg;
  return p.vm().new_magic_ref(p.heap, spec.detach(), 0);
}

BIF(ets, is_compiled_ms, 1)
{
  return make_bool(MatchSpec::from_term(a[0]) != nullptr);
}

BIF(ets, match_spec_run_r, 3)
{
  const MatchSpec* spec = MatchSpec::from_term(a[1]);
  if (!spec || spec->dialect() != MatchDialect::table) return kBadarg;
  BifBudget budget(p, 8);
  const int64_t length = budgeted_length(a[0], budget);
  if (length < 0) return length == kLengthCancelled ? kCancelled : kBadarg;
  Matcher matcher(*spec, match_context(p));
  Term results = a[2];
  for (Term rest = a[0]; is_cons(rest); rest = tail(rest)) {
    Term r = matcher.run(head(rest), p.heap, false);
    if (r != kNone) results = cons(p.heap, r, results);
    if (!budget.step()) return kCancelled;
  }
  return results;
}

namespace {

/// {error, [{error, Text}]}
Term error_list(Process& p, const std::vector<std::string>& errors) {
  ListBuilder list(p.heap);
  for (const std::string& text : errors) {
    Term chars = bytes_to_list(p.heap, reinterpret_cast<const uint8_t*>(text.data()), text.size());
    list.add(tuple(p.heap, am::error, chars));
  }
  return tuple(p.heap, am::error, list.finish());
}

}  // namespace

BIF(erlang, match_spec_test, 3)
{
  const bool trace = a[2] == am::trace;
  if (!trace && a[2] != am::table) return kBadarg;
  if (trace && !is_list(a[0])) return kBadarg;
  std::vector<std::string> errors;
  Compiled spec(a[1], trace ? MatchDialect::trace : MatchDialect::table, &errors);
  if (!spec) return error_list(p, errors);
  match::Context context = match_context(p);
  context.tester = &p;
  context.control_word = p.vm().settings->trace_control_word.load(std::memory_order_relaxed);
  Matcher matcher(*spec, context);
  Term result = matcher.run(a[0], p.heap, false);
  const match::Context& seen = matcher.context();
  if (result == kNone)
    result = am::false_;
  else if (trace && seen.message != kNone)
    result = seen.message;
  Term flags = kNil;
  if (seen.exception_trace) flags = cons(p.heap, am::exception_trace, flags);
  if (seen.return_trace) flags = cons(p.heap, am::return_trace, flags);
  return tuple(p.heap, am::ok, result, flags, kNil);
}

}  // namespace wb
