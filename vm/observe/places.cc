#include "vm/observe/places.h"

#include <algorithm>

#include "loader/code_server.h"
#include "vm/core/vm.h"
#include "vm/observe/table_scan.h"
#include "vm/process/exec.h"
#include "vm/process/extra.h"
#include "vm/process/rest.h"

namespace wb {

static bool describe(Vm& vm, const Word* pc, Place* place) {
  const Module* m = vm.code->module_at(pc);
  const Module::Function* f = m ? m->function_at(pc) : nullptr;
  if (!f) return false;
  place->function = mfa_text(m->name, f->name, f->arity);
  place->entry = m->code + f->entry;
  SourceLocation where = m->location(pc);
  place->file = where.file, place->line = where.line;
  return true;
}

void each_place(Process& p, const std::function<bool(const Place&)>& f) {
  each_place(p, p.resume, f);
}
void each_place(Process& p, const Word* pc, const std::function<bool(const Place&)>& f) {
  Vm& vm = p.vm();
  Place place;
  if (p.resting() && p.extra->rest->bif) {
    const Export& bif = *p.extra->rest->bif;
    if (!f(Place{mfa_text(bif.module, bif.function, bif.arity), {}, 0, {}})) return;
  }
  if (p.hibernating) {
    f(Place{"erlang:hibernate/3", {}, 0, {}});
    return;
  }
  const Term* base = p.heap.stack_base();
  auto frame_at = [&](const Term* e) {  // up to the return address
    const Term* end = std::find_if(e, base, [](Term word) { return is_code(word); });
    return std::span(e, end);
  };
  if (describe(vm, pc, &place)) {
    place.kept = frame_at(p.heap.stack());
    if (!f(place)) return;
  } else if (p.initial_call && pc == p.initial_call->stub_entry()) {
    const Export& e = *p.initial_call;
    if (!f(Place{mfa_text(e.module, e.function, e.arity), {}, 0, {}})) return;
  }
  Word previous = 0;
  for (const Term* e = p.heap.stack(); e < base; ++e) {
    if (!is_code(*e) || *e == previous || vm.code->is_machine_code(*e)) continue;
    previous = *e;
    place.kept = frame_at(e + 1);
    if (describe(vm, reinterpret_cast<const Word*>(*e) - 1, &place) && !f(place)) return;
  }
}

}  // namespace wb
