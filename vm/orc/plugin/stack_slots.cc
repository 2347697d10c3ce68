#include "vm/orc/plugin/stack_slots.h"

#include <llvm/IR/Module.h>

#include <cstddef>

#include "vm/orc/plugin/addresses.h"
#include "vm/process/exec.h"

namespace wb {

using namespace llvm;

std::optional<int64_t> offset_in_process(const Value* pointer, const Value* exec,
                                         const DataLayout& layout) {
  BaseOffset word = base_of(pointer, layout);
  auto* process = dyn_cast<LoadInst>(word.base);
  if (!process) return {};
  BaseOffset from = base_of(process->getPointerOperand(), layout);
  if (from.base != exec || from.at != offsetof(Exec, p)) return {};
  return word.at;
}

StackSlots::StackSlots(const Promoted& p) : layout_(p.function->getParent()->getDataLayout()) {
  known_[p.stack] = 0;
  for (const Spill& spill : p.spills) {
    for (const LoadInst* reload : spill.reloads) saved_[reload] = spill.top();
  }
}

std::optional<int64_t> StackSlots::of(const Value* v) {
  BaseOffset there = base_of(v, layout_);
  std::optional<int64_t> at = find(there.base);
  if (at) *at += there.at;
  return at;
}

std::optional<int64_t> StackSlots::find(const Value* base) {
  if (auto known = known_.find(base); known != known_.end()) return known->second;
  known_[base] = {};
  if (auto saved = saved_.find(base); saved != saved_.end())
    return known_[base] = of(saved->second);
  auto* phi = dyn_cast<PHINode>(base);
  if (!phi) return {};
  // What goes around a loop begins outside of it: the first way in tells, the others must agree.
  known_[phi] = of(phi->getIncomingValue(0));
  for (const Value* v : phi->incoming_values()) contradicted_ |= of(v) != known_[phi];
  return known_[phi];
}

}  // namespace wb
