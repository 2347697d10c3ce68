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
    ends_with_ = kPin;
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
  Counter& count = access == Access::write ? n.table_writes : n.table_reads;
  count.add(1);
  if (WB_UNLIKELY(Table::is_sampled(count.value()))) begin_sample();
}

WB_COLD void TableArg::begin_sample() {
  ends_with_ |= kSample;
  table_->retain();  // of one without a name, too, it is used at the end
  began_ns_ = p_.vm().scheduler->now_ns();
}

WB_COLD void TableArg::end_sample() {
  Table::Use& use = table_->use;
  (access_ == Access::write ? use.writes : use.reads).fetch_add(1, std::memory_order_relaxed);
  use.ns.fetch_add(p_.vm().scheduler->now_ns() - began_ns_, std::memory_order_relaxed);
  table_->release();
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
