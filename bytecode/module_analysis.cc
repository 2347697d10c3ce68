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
  find_replaceable(options);
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

void ModuleAnalysis::find_replaceable(const ValidateOptions& options) {
  const BeamFile& file = *unit_.file;
  bool loads_nifs = false;
  std::vector<bool> is_nif_error(file.imports.size());
  for (size_t i = 0; i < file.imports.size(); i++) {
    const BeamImport& import = file.imports[i];
    if (import.module != am::erlang) continue;
    std::string_view name = atom_text(import.function);
    loads_nifs |= name == "load_nif";
    is_nif_error[i] = name == "nif_error";
  }
  for (size_t i = 0; i < summaries_.size(); i++) {
    const CodeFunction& f = unit_.functions[i];
    bool native = options.replaced && options.replaced(file.module(), f.name, f.arity);
    bool replaceable = loads_nifs || native;
    for (uint32_t at = f.begin; at < f.end && !replaceable; at++) {
      const Instruction& in = unit_.instructions[at];
      bool call = in.op == Op::call_ext || in.op == Op::call_ext_only || in.op == Op::call_ext_last;
      replaceable =
          in.op == Op::nif_start || (call && is_nif_error[unit_.operands_of(in)[1].value]);
    }
    summaries_[i].native = native;
    summaries_[i].replaceable = replaceable;
    if (replaceable) summaries_[i].result = any_term();
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

ValueType ModuleAnalysis::call(uint32_t caller, uint64_t label, const FlowState& arguments) {
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
  if (changed) {
    if (s.runs >= kMaxRuns) widen(&s);
    enqueue(callee);
  }
  if (s.callers.empty() || s.callers.back() != caller) s.callers.push_back(caller);
  return s.result;
}

void ModuleAnalysis::returns(uint32_t function, ValueType type) {
  FunctionSummary& s = summaries_[function];
  type = plain(type);
  if (!type.exists() || s.replaceable) return;
  type = join(s.result, type);
  if (type == s.result) return;
  s.result = s.runs >= kMaxRuns ? any_term() : type;
  for (uint32_t caller : s.callers) enqueue(caller);
  s.callers.clear();
}

std::optional<LoadError> validate(CodeUnit* unit, const ValidateOptions& options) {
  return ModuleAnalysis(unit, options).run();
}

}  // namespace wb
