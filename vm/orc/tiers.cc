#include "vm/orc/tiers.h"

#include "loader/code_table.h"
#include "vm/core/vm.h"
#include "vm/jit/baseline.h"
#include "vm/orc/orc.h"
#include "vm/process/event_log.h"

namespace wb {

void compile_function(Exec& c, const Word* I) {
  Module* m = const_cast<Module*>(c.vm->code->module_at(I));
  Word* entry = const_cast<Word*>(I);
  if (!c.vm->baseline->compile(*m, I)) return set_entry_count(entry, 0);
  if (c.vm->event_log) c.vm->event_log->code("compiled", entry);
  if (c.vm->options.jit != JitMode::always || !c.vm->orc) return;
  if (!c.vm->orc->use_kept(*m, entry)) c.vm->orc->compile_now(*m, entry, c.x);
}

const Module* sample_function(Exec& c, const Word* I) {
  if (!c.vm->orc->wants(I)) return nullptr;
  const Module* m = c.vm->code->module_at(I);
  if (!m) return nullptr;
  return c.vm->orc->sample(const_cast<Module&>(*m), const_cast<Word*>(I), c.x) ? m : nullptr;
}

}  // namespace wb
