#include "vm/process/process.h"

#include <cstdlib>

#include "gc/block_pool.h"

#include "vm/process/exec.h"

namespace wb {

Term Process::raise(Term error_class, Term reason) {
  exec->fail_class = error_class;
  exec->fail_reason = reason;
  return kRaised;
}

Term Process::badarg(Term cause) {
  exec->fail_cause = cause;
  return error(am::badarg);
}

void Process::charge(int64_t n) { exec->fc -= n; }
bool Process::spend(int64_t n) {
  return WB_LIKELY((exec->fc -= n) >= 0 && !exec->is_late()) || yield_native();
}
int64_t Process::reductions_left() const { return exec->fc; }

Term Process::trap(Export* target, std::initializer_list<Term> args) {
  exec->trap_target = target;
  Term* x = exec->x;
  for (Term t : args) *x++ = t;
  return kTrap;
}

Term* Process::room_for_registers(uint32_t n) {
  if (n > saved_capacity) {
    free_registers();
    saved_x = static_cast<Term*>(must_pool_alloc(n * sizeof(Term), "arg_reg"));
    saved_capacity = static_cast<uint16_t>(n);
  }
  return saved_x;
}
void Process::free_registers() {
  if (!saved_x) return;
  pool_free(saved_x, saved_capacity * sizeof(Term));
  saved_x = nullptr;
  saved_capacity = 0;
}

static_assert(sizeof(Process) <= 304, "the first heap needs at least 18 words");
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Winvalid-offsetof"
static_assert(offsetof(Process, id) % 64 == 0 &&
                  offsetof(Process, messages) + sizeof(Process::messages) <=
                      offsetof(Process, id) + 64,
              "a pass over a million processes reads one line of each (vm/observe/table_scan.h)");
#pragma clang diagnostic pop

}  // namespace wb
