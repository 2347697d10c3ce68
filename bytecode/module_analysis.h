// What the functions of a module are called with by each other, found while they are validated.
#pragma once

#include <deque>
#include <vector>

#include "bytecode/flow_state.h"
#include "bytecode/guard_bif.h"
#include "bytecode/validate.h"

namespace wb {

struct FunctionSummary {
  std::vector<ValueType> arguments;  // join over all calls so far; empty slots: none yet
  bool reached = false;
  bool queued = false;
  bool native = false;  // the machine has a body of its own, which takes terms
  uint32_t runs = 0;
};

class ModuleAnalysis {
 public:
  ModuleAnalysis(CodeUnit* unit, const ValidateOptions& options);
  std::optional<LoadError> run();

  CodeUnit& unit() { return unit_; }
  JoinScratch& scratch() { return scratch_; }
  const ValueType& literal_type(uint64_t index) const { return literal_types_[index]; }
  const GuardBif* guard(uint64_t import) const { return guards_[import]; }
  /// A number for each placed label, ascending in code order within a function.
  uint32_t& local_label(uint64_t label) { return local_labels_[label]; }

  /// Does a local call of that label reach a native body, as an external one would?
  bool is_native(uint64_t label) const {
    return summaries_[index_of(*unit_.function_of_label(static_cast<uint32_t>(label)))].native;
  }
  /// A local call with these arguments.
  void call(uint64_t label, const FlowState& arguments);
  void observe(uint32_t instruction, const FlowState& state) const {
    if (observe_) observe_(instruction, state);
  }
  const FunctionSummary& summary(uint32_t function) const { return summaries_[function]; }

 private:
  void find_roots();
  void find_native(const ValidateOptions& options);
  void root(const CodeFunction& f);
  void enqueue(uint32_t function);
  void widen(FunctionSummary* s);
  uint32_t index_of(const CodeFunction& f) const {
    return static_cast<uint32_t>(&f - unit_.functions.data());
  }

  CodeUnit& unit_;
  const std::function<void(uint32_t, const FlowState&)>& observe_;
  std::vector<FunctionSummary> summaries_;
  std::deque<uint32_t> queue_;
  std::vector<ValueType> literal_types_;
  std::vector<const GuardBif*> guards_;
  std::vector<uint32_t> local_labels_;
  JoinScratch scratch_;
};

}  // namespace wb
