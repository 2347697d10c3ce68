#include "vm/bif/ets_common.h"

#include "scheduler/scheduler.h"
#include "vm/io/services.h"
#include "vm/process/exec.h"

namespace wb {

TableArg::TableArg(Process& p, Term id, Access access) : p_(p), id_(id), access_(access) {
  Table* t = nullptr;
  if (is_atom(id)) {
    pin_ = p.home;
    tables().pin(pin_);
    pinned_ = true;
    t = tables().find_named(id);
    if (Services* s = p.vm().services; WB_UNLIKELY(s && (!t || s->starting()))) {
      not_yet_ = !(t && t->owner() == p.id) && s->awaits_table(p, id);
      t = not_yet_ ? nullptr : tables().find_named(id);
    }
  } else {
    t = Table::from_term(id);
    if (!t) cause_ = am::type;
  }
  if (!t || !t->alive()) return;
  if (!t->allows(p.id, access) && !tables().is_super_user(p.id)) {
    cause_ = am::access;
    return;
  }
  table_ = t;
  WorkerCounters& n = p.exec->worker->counters;
  (access == Access::write ? n.table_writes : n.table_reads).add(1);
}

bool free_contents(Process& p, EtsTables& tables, std::unique_ptr<DetachedObjects> detached,
                   uint64_t objects) {
  if (!detached) return true;
  BifBudget budget(p, EtsTables::kFreed);
  if (detached->free_within(budget)) return true;
  tables.deferred_free().add(std::move(detached), objects);
  return false;
}

}  // namespace wb
