#include "vm/process/call_site.h"

#include "loader/code_table.h"
#include "vm/core/vm.h"
#include "vm/process/exec.h"
#include "vm/process/process.h"

namespace wb {

CallSite call_site(const Process& p) {
  const CodeTable& code = *p.vm().code;
  const Word* pc = p.exec ? p.exec->pc : nullptr;
  if (code.module_at(pc)) return {p.id, pc};
  // Entered as a function (apply, a fun): the return address is on the stack.
  const Term* top = p.heap.stack();
  if (top >= p.heap.stack_base() || !is_code(*top)) return {p.id, nullptr};
  pc = reinterpret_cast<const Word*>(*top) - 1;
  return {p.id, code.module_at(pc) ? pc : nullptr};
}

}  // namespace wb
