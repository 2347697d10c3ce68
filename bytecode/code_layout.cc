#include "bytecode/code_layout.h"

#include <algorithm>

#include "term/atom.h"

namespace wb {
namespace {

constexpr uint32_t kMaxArity = 255;

std::string name_arity(Term name, uint64_t arity) {
  return std::string(atom_text(name)) + "/" + std::to_string(arity);
}

/// Labels and lines right before a func_info belong to the function it starts.
uint32_t start_of_function(const CodeUnit& u, uint32_t func_info) {
  uint32_t at = func_info;
  while (at > 0 &&
         (u.instructions[at - 1].op == Op::label || u.instructions[at - 1].op == Op::line))
    at--;
  return at;
}

std::optional<LoadError> add_function(CodeUnit* u, uint32_t at) {
  auto operands = u->operands_of(u->instructions[at]);
  CodeFunction f{operands[1].value, 0, 0, 0, start_of_function(*u, at), 0, at};
  if (operands[2].value > kMaxArity) return code_error(*u, Rule::bad_arity, at);
  f.arity = static_cast<uint32_t>(operands[2].value);
  if (operands[0].value != u->file->module())
    return code_error(*u, Rule::bad_function, at, "func_info names another module");
  const Instruction& entry = u->instructions[at + 1];  // int_code_end at the latest
  if (entry.op != Op::label)
    return code_error(*u, Rule::bad_function, at, "no label after func_info");
  f.entry_label = static_cast<uint32_t>(u->operands_of(entry)[0].value);
  for (uint32_t i = f.begin; i < at; i++)
    if (u->instructions[i].op == Op::label)
      f.info_label = static_cast<uint32_t>(u->operands_of(u->instructions[i])[0].value);
  if (!u->functions.empty()) u->functions.back().end = f.begin;
  u->functions.push_back(f);
  return {};
}

std::optional<LoadError> find_functions(CodeUnit* u) {
  uint32_t end = static_cast<uint32_t>(u->instructions.size()) - 1;  // int_code_end
  for (uint32_t i = 0; i < end; i++)
    if (u->instructions[i].op == Op::func_info)
      if (auto error = add_function(u, i)) return error;
  if (u->functions.size() != u->file->function_count)
    return code_error(*u, Rule::bad_count, end,
                      std::to_string(u->functions.size()) + " functions, the header says " +
                          std::to_string(u->file->function_count));
  if (u->functions.empty()) {
    if (end != 0) return code_error(*u, Rule::bad_function, 0, "code outside any function");
    return {};
  }
  u->functions.back().end = end;
  if (u->functions.front().begin != 0)
    return code_error(*u, Rule::bad_function, 0, "code outside any function");
  for (const CodeFunction& f : u->functions) {
    const Instruction& last = u->instructions[f.end - 1];
    if (!op_has(last.op, kTerminator) && !never_returns(*u, last))
      return code_error(*u, Rule::falls_through, f.end - 1);
  }
  return {};
}

std::optional<LoadError> check_call(const CodeUnit& u, uint32_t at) {
  auto operands = u.operands_of(u.instructions[at]);
  uint64_t arity = operands[0].value, label = operands[1].value;
  const CodeFunction* f = u.function_of_label(static_cast<uint32_t>(label));
  if (!f || f->arity != arity)
    return code_error(
        u, Rule::bad_entry, at,
        "call of label " + std::to_string(label) + " with " + std::to_string(arity) + " arguments");
  return {};
}

/// Every label that is named must be placed, and in the same function unless it is called.
std::optional<LoadError> check_labels(const CodeUnit& u) {
  for (const CodeFunction& f : u.functions) {
    auto inside = [&](const Operand& o) {
      if (o.type != Operand::f || o.value == 0) return true;
      uint32_t at = u.labels[o.value];
      return at != kNoInstruction && at >= f.begin && at < f.end;
    };
    for (uint32_t i = f.begin; i < f.end; i++) {
      const Instruction& in = u.instructions[i];
      if (in.op == Op::call || in.op == Op::call_last || in.op == Op::call_only) {
        if (auto error = check_call(u, i)) return error;
        continue;
      }
      for (const Operand& o : u.operands_of(in)) {
        bool ok = inside(o);
        if (o.type == Operand::list) ok = std::ranges::all_of(u.list_of(o), inside);
        if (!ok) return code_error(u, Rule::bad_label, i, "not in this function");
      }
    }
  }
  return {};
}

LoadError table_error(const CodeUnit& u, Rule rule, const char* chunk, size_t offset,
                      std::string text) {
  return {rule, u.file->name, chunk, offset, std::move(text)};
}

std::optional<LoadError> check_entries(const CodeUnit& u, const std::vector<BeamExport>& table,
                                       const char* chunk) {
  for (size_t i = 0; i < table.size(); i++) {
    const BeamExport& e = table[i];
    const CodeFunction* f = u.function_of_label(e.label);
    if (!f || f->arity != e.arity || f->name != e.function)
      return table_error(u, Rule::bad_entry, chunk, 4 + i * 12, name_arity(e.function, e.arity));
  }
  return {};
}

std::optional<LoadError> check_lambdas(const CodeUnit& u) {
  for (size_t i = 0; i < u.file->lambdas.size(); i++) {
    const BeamLambda& l = u.file->lambdas[i];
    const CodeFunction* f = u.function_of_label(l.label);
    if (!f || f->arity != l.arity)
      return table_error(u, Rule::bad_entry, "FunT", 4 + i * 24, name_arity(l.name, l.arity));
  }
  return {};
}

}  // namespace

std::optional<LoadError> lay_out(CodeUnit* u) {
  if (auto error = find_functions(u)) return error;
  if (auto error = check_labels(*u)) return error;
  if (auto error = check_entries(*u, u->file->exports, "ExpT")) return error;
  if (auto error = check_entries(*u, u->file->locals, "LocT")) return error;
  return check_lambdas(*u);
}

const CodeFunction& CodeUnit::function_at(uint32_t instruction) const {
  auto after = std::ranges::upper_bound(functions, instruction, {}, &CodeFunction::begin);
  WB_CHECK(after != functions.begin());
  return *(after - 1);
}

const CodeFunction* CodeUnit::function_of_label(uint32_t label) const {
  if (label >= labels.size() || labels[label] == kNoInstruction) return nullptr;
  const CodeFunction& f = function_at(labels[label]);
  return f.entry_label == label ? &f : nullptr;
}

bool never_returns(const CodeUnit& unit, const Instruction& in) {
  if (in.op != Op::call_ext && in.op != Op::call_ext_last && in.op != Op::call_ext_only)
    return false;
  const BeamImport& callee = unit.file->imports[unit.operands_of(in)[1].value];
  if (callee.module != am::erlang) return false;
  if (callee.function == am::error) return callee.arity >= 1 && callee.arity <= 3;
  return (callee.function == am::exit || callee.function == am::throw_) && callee.arity == 1;
}

LoadError code_error(const CodeUnit& unit, Rule rule, uint32_t instruction, std::string text) {
  const Instruction& in = unit.instructions[instruction];
  std::string where(op_name(in.op));
  if (!unit.functions.empty() && unit.functions.front().begin <= instruction) {
    const CodeFunction& f = unit.function_at(instruction);
    where += " in " + name_arity(f.name, f.arity);
  }
  if (!text.empty()) where += ": " + text;
  return {rule, unit.file->name, "Code", unit.file->code_base + in.offset, std::move(where)};
}

}  // namespace wb
