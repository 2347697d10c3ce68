#include "vm/process/info.h"

#include "loader/code_server.h"
#include "vm/vm.h"

namespace wb {

Term process_info_items(Process&, Heap&, Term) { return am::undefined; }

bool uses_old_code(Process& p, Term module) {
  Module* old = p.vm().code->find_old_module(module);
  if (!old) return false;
  for (Term* e = p.heap.stack(); e < p.heap.stack_base(); ++e) {
    if (is_code(*e) && old->contains(reinterpret_cast<const Word*>(*e))) return true;
    if (is_catch(*e) && old->contains(catch_handler(*e))) return true;
  }
  return old->contains(p.resume);
}

}  // namespace wb
