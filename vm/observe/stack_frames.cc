#include "vm/observe/stack_frames.h"

#include <algorithm>

#include "loader/code_table.h"
#include "vm/core/vm.h"
#include "vm/observe/table_scan.h"
#include "vm/process/exec.h"
#include "vm/process/extra.h"
#include "vm/process/native_yield.h"

namespace wb {

static bool describe(Vm& vm, const Word* pc, StackFrame* frame) {
  const Module* m = vm.code->module_at(pc);
  const Module::Function* f = m ? m->function_at(pc) : nullptr;
  if (!f) return false;
  frame->function = mfa_text(m->name, f->name, f->arity);
  frame->entry = m->code + f->entry;
  SourceLocation where = m->location(pc);
  frame->file = where.file, frame->line = where.line;
  return true;
}

void each_frame(Process& p, const std::function<bool(const StackFrame&)>& f) {
  each_frame(p, p.resume, f);
}
void each_frame(Process& p, const Word* pc, const std::function<bool(const StackFrame&)>& f) {
  Vm& vm = p.vm();
  StackFrame frame;
  if (p.in_native_yield() && p.extra->yielded_call->bif) {
    const Export& bif = *p.extra->yielded_call->bif;
    if (!f(StackFrame{mfa_text(bif.module, bif.function, bif.arity), {}, 0, {}})) return;
  }
  if (p.hibernating) {
    f(StackFrame{"erlang:hibernate/3", {}, 0, {}});
    return;
  }
  const Term* base = p.heap.stack_base();
  auto frame_at = [&](const Term* e) {  // up to the return address
    const Term* end = std::find_if(e, base, [](Term word) { return is_code(word); });
    return std::span(e, end);
  };
  if (describe(vm, pc, &frame)) {
    frame.kept = frame_at(p.heap.stack());
    if (!f(frame)) return;
  } else if (pc && !p.in_native_yield() && pc != vm.code->await_reply->entry &&
             !vm.code->is_machine_code(reinterpret_cast<Word>(pc))) {
    // The entry of an export: what it was spawned with, or a BIF that goes on.
    const std::string function = mfa_text(entry_module(pc), entry_function(pc), entry_arity(pc));
    if (!f(StackFrame{function, {}, 0, {}})) return;
  }
  Word previous = 0;
  for (const Term* e = p.heap.stack(); e < base; ++e) {
    if (!is_code(*e) || *e == previous || vm.code->is_machine_code(*e)) continue;
    previous = *e;
    frame.kept = frame_at(e + 1);
    if (describe(vm, reinterpret_cast<const Word*>(*e) - 1, &frame) && !f(frame)) return;
  }
}

}  // namespace wb
