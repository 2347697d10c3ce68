#include "bytecode/module_analysis.h"

#include "bytecode/function_analysis.h"
#include "term/atom.h"

namespace wb {
namespace {

/// After so many rounds a summary is widened to "any term": a bound on the work, at a small price
/// in precision for deeply recursive groups.
constexpr uint32_t kMaxRuns = 8;

/// What survives a call: not that a tuple was fresh, or part of a message.
ValueType plain(ValueType t) {
  t.flags &= ValueType::kExactSize;
  return t;
}

}  // namespace

ModuleAnalysis::ModuleAnalysis(CodeUnit* unit, const ValidateOptions& options)
    : unit_(*unit),
      observe_(options.observe),
      summaries_(unit->functions.size()),
      local_labels_(unit->labels.size()) {
  for (Bytes literal : unit_.file->literals) literal_types_.push_back(type_of_literal(literal));
  for (const BeamImport& import : unit_.file->imports) guards_.push_back(guard_bif(import));
  for (size_t i = 0; i < summaries_.size(); i++)
    summaries_[i].arguments.resize(unit_.functions[i].arity);
  find_native(options);
  find_roots();
}

std::optional<LoadError> ModuleAnalysis::run() {
  for (Instruction& in : unit_.instructions) in.flags = Instruction::kDead;
  while (!queue_.empty()) {
    uint32_t f = queue_.front();
    queue_.pop_front();
    FunctionSummary& s = summaries_[f];
    s.queued = false;
    if (++s.runs == kMaxRuns) widen(&s);
    FunctionAnalysis analysis(this, f);
    if (auto error = analysis.run()) return error;
  }
  return {};
}

void ModuleAnalysis::find_native(const ValidateOptions& options) {
  if (!options.replaced) return;
  for (size_t i = 0; i < summaries_.size(); i++) {
    const CodeFunction& f = unit_.functions[i];
    summaries_[i].native = options.replaced(unit_.file->module(), f.name, f.arity);
  }
}

void ModuleAnalysis::find_roots() {
  const BeamFile& file = *unit_.file;
  for (const BeamExport& e : file.exports) root(*unit_.function_of_label(e.label));
  for (const BeamLambda& l : file.lambdas) root(*unit_.function_of_label(l.label));
  for (uint32_t i = 0; i < unit_.instructions.size(); i++)
    if (unit_.instructions[i].op == Op::on_load) root(unit_.function_at(i));
}

void ModuleAnalysis::root(const CodeFunction& f) {
  FunctionSummary& s = summaries_[index_of(f)];
  s.reached = true;
  for (ValueType& t : s.arguments) t = any_term();
  enqueue(index_of(f));
}

void ModuleAnalysis::enqueue(uint32_t function) {
  FunctionSummary& s = summaries_[function];
  if (s.queued) return;
  s.queued = true;
  queue_.push_back(function);
}

void ModuleAnalysis::widen(FunctionSummary* s) {
  for (ValueType& t : s->arguments)
    t = type_of(static_cast<Kinds>(kinds::term | (t.kinds & kinds::context)));
}

void ModuleAnalysis::call(uint64_t label, const FlowState& arguments) {
  const CodeFunction& f = *unit_.function_of_label(static_cast<uint32_t>(label));
  uint32_t callee = index_of(f);
  FunctionSummary& s = summaries_[callee];
  bool changed = !s.reached;
  for (uint32_t i = 0; i < f.arity; i++) {
    ValueType t = join(s.arguments[i], plain(arguments.x_type(i)));
    if (t == s.arguments[i]) continue;
    s.arguments[i] = t;
    changed = true;
  }
  s.reached = true;
  if (!changed) return;
  if (s.runs >= kMaxRuns) widen(&s);
  enqueue(callee);
}

std::optional<LoadError> validate(CodeUnit* unit, const ValidateOptions& options) {
  return ModuleAnalysis(unit, options).run();
}

}  // namespace wb
