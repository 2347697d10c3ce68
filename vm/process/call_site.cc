#include "vm/process/call_site.h"

#include "loader/code_table.h"
#include "vm/core/vm.h"
#include "vm/process/exec.h"
#include "vm/process/process.h"

namespace wb {

RawCallSite raw_call_site(const Process& p) {
  RawCallSite site{.pid = p.id, .pc = p.exec ? p.exec->pc : nullptr};
  const Term* top = p.heap.stack();
  if (top < p.heap.stack_base() && is_code(*top))
    site.caller = reinterpret_cast<const Word*>(*top) - 1;
  return site;
}
CallSite call_site(const CodeTable& code, const RawCallSite& site) {
  if (code.module_at(site.pc)) return {site.pid, site.pc};
  return {site.pid, code.module_at(site.caller) ? site.caller : nullptr};
}
CallSite call_site(const Process& p) { return call_site(*p.vm().code, raw_call_site(p)); }

}  // namespace wb
