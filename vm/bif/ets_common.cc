#include "vm/bif/ets_common.h"

#include "vm/io/services.h"

namespace wb {

TableArg::TableArg(Process& p, Term id, Access access) : p_(p) {
  Table* t = nullptr;
  if (is_atom(id)) {
    pin_ = p.home;
    tables().pin(pin_);
    pinned_ = true;
    t = tables().find_named(id);
    if (!t && p.vm().services) not_yet_ = p.vm().services->awaits_table(p, id, false);
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
}

}  // namespace wb
