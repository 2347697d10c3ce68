#include "vm/process/process.h"

#include <cstdlib>
#include <new>

#include "gc/block_pool.h"

#include "vm/interp/exec.h"
#include "vm/process/extra.h"
#include "vm/process/relations.h"

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
int64_t Process::reductions_left() const { return exec->fc; }

Term Process::trap(Export* target, std::initializer_list<Term> args) {
  exec->trap_target = target;
  Term* x = exec->x;
  for (Term t : args) *x++ = t;
  return kTrap;
}

Term Process::error_handler() const { return extra ? extra->error_handler : am::error_handler; }

ProcessExtra& Process::rare() {
  if (!extra) extra = new ProcessExtra;
  return *extra;
}
Relations& Process::relations() {
  if (!links) links = new Relations;
  return *links;
}

static_assert(sizeof(Process) <= 352, "the first heap needs at least 20 words");

Process* Process::make() {
  void* block = pool_alloc(kBlockBytes);
  return block ? new (block) Process : nullptr;
}
void Process::destroy(Process* p) {
  p->~Process();
  pool_free(p, kBlockBytes);
}

Process::~Process() {
  free(saved_x);
  delete extra;
  delete links;
}

}  // namespace wb
