#include "vm/process/fun_count.h"

#include <vector>

#include "loader/code_server.h"
#include "vm/ets/hash_table.h"
#include "vm/ets/ordered_table.h"
#include "vm/ets/tables.h"
#include "vm/process/extra.h"
#include "vm/process/rest.h"
#include "vm/process/signal.h"
#include "vm/process/table.h"
#include "vm/vm.h"

namespace wb {

FunCount::FunCount(Process& p, Term fun)
    : vm_(p.vm()),
      asker_(p.id),
      ref_(vm_.next_ref_number()),
      header_(header_of(fun)),
      entry_(boxed_ptr(fun)[1]) {}

void FunCount::look_at(const Term* begin, const Term* end) {
  int64_t n = 0;
  for (const Term* t = begin; t + 1 < end; ++t) n += t[0] == header_ && t[1] == entry_;
  found_.fetch_add(n, std::memory_order_relaxed);
}

void FunCount::look_at(const Process& p) {
  p.heap.each_range([&](const Term* begin, const Term* end) { look_at(begin, end); });
  for (const Signal* s = p.messages; s; s = s->next)
    for (const HeapFragment* f = s->fragment; f; f = f->next) look_at(f->data, f->data + f->used);
}

void FunCount::look_at_tables() {
  struct Looker final : Visitor {
    explicit Looker(FunCount& c) : count(c) {}
    Verdict visit(const TableObject& o) override {
      count.look_at(o.data, o.data + o.words);
      return Verdict::keep;
    }
    FunCount& count;
  } looker(*this);
  std::vector<Table*> tables;
  vm_.ets->each(&tables, [](void* all, Table& t) {
    t.retain();
    static_cast<std::vector<Table*>*>(all)->push_back(&t);
  });
  for (Table* t : tables) {
    if (t->is_ordered())
      static_cast<OrderedTable*>(t)->traverse(kNone, nullptr, false, looker, false);
    else
      static_cast<HashTable*>(t)->traverse(0, looker, false);
    t->release();
  }
}

void FunCount::count_in(const Process& p) {
  look_at(p);
  let_go();
}

void FunCount::let_go() {
  if (shares_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  Term answer[] = {make_header(Kind::tuple, 2), am::refc,
                   make_small(found_.load(std::memory_order_relaxed))};
  Signal* r = new_signal(SignalKind::reply, make_boxed(answer));
  r->ref = ref_;
  push_signal(vm_, asker_, r);
  delete this;
}

void FunCount::drop() {
  if (shares_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

Term FunCount::ask(Process& p, Term fun) {
  auto* count = new FunCount(p, fun);
  if (!off_scheduler(p, [&] { count->look_at_tables(); })) {
    delete count;
    return kCancelled;
  }
  count->look_at(p);
  p.rare().awaited = count->ref_;
  p.rare().reply = kNone;
  p.vm().processes->each([&](Process& other) {
    if (&other == &p) return;
    Signal* s = new_signal(SignalKind::request);
    s->request = Request::count_funs;
    s->ref = reinterpret_cast<uint64_t>(count);
    count->shares_.fetch_add(1, std::memory_order_relaxed);
    if (!push_signal(other, s)) count->skip();
  });
  count->skip();  // the asker's own share
  return p.trap(p.vm().code->await_reply, {});
}

}  // namespace wb
