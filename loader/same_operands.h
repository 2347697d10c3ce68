// Most generic instructions become the loaded one of the same name, whose operands are theirs in
// another order, without what only the validator needs. Which is which follows from the names in
// opcodes.def and instructions.def: here, when this is compiled.
#pragma once

#include <span>
#include <string_view>

#include "bytecode/instructions.h"
#include "bytecode/operations.h"

namespace wb {

/// An operand in one of the two tables.
struct NamedOperand {
  char kind = 0;
  std::string_view name;
};
constexpr unsigned kMostOperands = 9;
struct NamedInstruction {
  std::string_view name;
  NamedOperand operands[kMostOperands + 1];  ///< one of kind 0 ends them
};

#define O(kind, name) {(#kind)[0], #name},
constexpr NamedInstruction kLoadedByName[] = {
#define INSTR(name, shape, operands, attributes) {#name, {operands}},
#include "bytecode/instructions.def"
};
constexpr NamedInstruction kGenericByName[] = {
    {},
#define OP(number, name, operands, since, until, attributes) {#name, {operands}},
#define OBSOLETE(number, name, arity, since) {},
#include "bytecode/opcodes.def"
};
#undef O

/// What makes a loaded instruction out of a generic one's operands.
struct OperandPlan {
  struct Row {
    char to;        ///< the kind of the loaded operand
    char from;      ///< of the generic one; 0: it is made of none (n, c)
    uint8_t which;  ///< of the generic ones
  };
  Instr instr = Instr::count;
  bool complete = false;  ///< each operand has one of its name, and is of a kind that is copied
  uint8_t count = 0;
  Row rows[kMostOperands] = {};
};

/// Do loaded instructions have operands of no other kinds than these? For those who switch over
/// them.
constexpr bool has_only_kinds(std::string_view kinds) {
  for (const NamedInstruction& i : kLoadedByName) {
    for (const NamedOperand* o = i.operands; o->kind; ++o) {
      if (kinds.find(o->kind) == kinds.npos) return false;
    }
  }
  return true;
}

/// The loaded instruction that has the name of a generic one; `count`: none has it.
constexpr Instr loaded_of(Op op) {
  for (unsigned i = 0; i < kInstrCount; ++i) {
    if (kLoadedByName[i].name == kGenericByName[static_cast<unsigned>(op)].name)
      return static_cast<Instr>(i);
  }
  return Instr::count;
}

/// Kinds of loaded operands that are copied (Emitter::copy_operands); those of the shape come
/// first.
constexpr std::string_view kOfShape = "srd", kCopiedKinds = "vwfELAcn*ult";

constexpr bool has(std::string_view kinds, char kind) { return kinds.find(kind) != kinds.npos; }

constexpr OperandPlan plan_operands(Op op, Instr instr) {
  OperandPlan plan{.instr = instr};
  if (instr == Instr::count) return plan;
  const NamedOperand* generic = kGenericByName[static_cast<unsigned>(op)].operands;
  for (const NamedOperand* to = kLoadedByName[static_cast<unsigned>(instr)].operands; to->kind;
       ++to) {
    OperandPlan::Row row{to->kind, 0, 0};
    for (uint8_t k = 0; generic[k].kind; ++k) {
      if (generic[k].name == to->name) row = {to->kind, generic[k].kind, k};
    }
    if (!row.from && to->kind != 'n' && to->kind != 'c') return plan;
    if (!has(kOfShape, to->kind) && !has(kCopiedKinds, to->kind)) return plan;
    plan.rows[plan.count++] = row;
  }
  plan.complete = true;
  return plan;
}

}  // namespace wb
