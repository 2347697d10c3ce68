// ets:all/0 asks each scheduler for its tables; see ets.erl.
#include "scheduler/scheduler.h"
#include "vm/bif/ets_common.h"

namespace wb {

// The library waits for one message a scheduler; the first carries all tables.
BIF(ets, internal_request_all, 0)
{
  ScratchHeap scratch;
  struct All {
    Heap& h;
    Term list;
  } all{scratch, kNil};
  p.vm().ets->each(&all, [](void* context, Table& t) {
    All& all = *static_cast<All*>(context);
    Term name = EtsTables::handle(all.h, t);
    if (name != am::undefined) all.list = cons(all.h, name, all.list);
  });
  Term ref = p.vm().new_ref(p.heap);
  const uint32_t schedulers = p.vm().scheduler->worker_count();
  for (uint32_t i = 0; i < schedulers; ++i)
    p.vm().send(p.id, tuple(scratch, ref, i == 0 ? all.list : kNil), &p);
  return ref;
}

}  // namespace wb
