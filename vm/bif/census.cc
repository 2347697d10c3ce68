#include "vm/bif/census.h"

#include <vector>

#include "gc/fragment.h"
#include "loader/code_table.h"
#include "term/copy.h"
#include "vm/core/vm.h"
#include "vm/ets/hash_table.h"
#include "vm/ets/ordered_table.h"
#include "vm/ets/persistent_terms.h"
#include "vm/ets/tables.h"
#include "vm/process/extra.h"
#include "vm/process/native_yield.h"
#include "vm/process/route.h"
#include "vm/process/timers.h"

namespace wb {

Census::Census(Process& p) : vm_(p.vm()), asker_(p.id), ref_(vm_.next_ref_number()) {}

// --- looking -------------------------------------------------------------------------------------
void Census::look_at(const HeapFragment* f, CensusLocation where) {
  for (; f; f = f->next) {
    look_at(f->data, f->data + f->used, where);
    look_at_owners(f->off_heap, where);
  }
}
void Census::look_at_owners(const Term* boxed, CensusLocation where) {
  for (; boxed; boxed = reinterpret_cast<const Term*>(boxed[2])) look_at_owner(boxed, where);
}

void Census::look_at(const Process& p) {
  const CensusLocation here{CensusLocation::process, p.id};
  p.heap.each_range([&](const Term* begin, const Term* end) { look_at(begin, end, here); });
  look_at_owners(p.heap.off_heap(), here);
  look_at_owners(p.heap.old_off_heap(), here);
  for (const Signal* s = p.messages; s; s = s->next) look_at(s->fragment, here);
}

void Census::look_at_tables() {
  struct Looker final : Visitor {
    explicit Looker(Census& c) : census(c) {}
    Verdict visit(const TableObject& o) override {
      census.look_at(o.data, o.data + o.words, where);
      census.look_at_owners(o.off_heap, where);
      return Verdict::keep;
    }
    Census& census;
    CensusLocation where{CensusLocation::table, kNil};
  } looker(*this);
  std::vector<Table*> tables;
  vm_.ets->each(&tables, [](void* all, Table& t) {
    t.retain();
    static_cast<std::vector<Table*>*>(all)->push_back(&t);
  });
  for (Table* t : tables) {
    looker.where.id = t->name();
    if (t->is_ordered())
      static_cast<OrderedTable*>(t)->traverse(kNone, nullptr, false, looker, false);
    else
      static_cast<HashTable*>(t)->traverse(0, looker, false);
    t->release();
  }
}

void Census::look_elsewhere() {
  look_at_tables();
  const CensusLocation timers{CensusLocation::timer, kNil},
      constants{CensusLocation::constants, kNil};
  vm_.timers->each_message([&](const HeapFragment* f) { look_at(f, timers); });
  FragmentHeap all(64);
  for (Term l = vm_.persistent_terms->all(all); is_cons(l); l = tail(l)) {
    FragmentHeap h(64);
    copy_term_deep(h, head(l));
    HeapFragment* made = h.take_fragments();
    look_at(made, constants);
    free_fragments(made);
  }
}

// --- asking --------------------------------------------------------------------------------------
void Census::visit(Process& p) {
  look_at(p);
  release_share();
}

void Census::release_share() {
  if (shares_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  FragmentHeap h(16);
  Signal* r = new_signal(SignalKind::reply);
  r->term = answer(h);
  r->fragment = h.take_fragments();
  r->ref = ref_;
  route(vm_, asker_, r);
  delete this;
}

void Census::drop() {
  if (shares_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

Term Census::ask(Process& p, Census* census) {
  if (!off_scheduler(p, [&] { census->look_elsewhere(); }, Touches::shared)) {
    delete census;
    return kCancelled;
  }
  census->look_at(p);
  p.extras().awaited = census->ref_;
  p.extras().reply = kNone;
  p.vm().processes->each([&](Process& other) {
    if (&other == &p) return;
    census->shares_.fetch_add(1, std::memory_order_relaxed);
    if (!push_signal(other, census->new_signal_for())) census->too_late();
  });
  census->too_late();  // the asker's own share
  return p.trap(p.vm().code->await_reply, {});
}

}  // namespace wb
