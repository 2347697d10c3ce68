#include "vm/process/policy.h"

#include <algorithm>

#include "scheduler/scheduler.h"
#include "vm/process/after_slice.h"
#include "vm/process/exec.h"

namespace wb {

void call_after_slice(Policy& policy, AfterSlice& end) {
  end.add(policy.shared_from_this(), [](void* p) {
    const Worker& w = *Scheduler::current();
    const auto used = static_cast<uint32_t>(std::max(w.reductions_used, 0));
    static_cast<Policy*>(p)->after_slice(static_cast<const Exec*>(w.context)->after, used);
  });
}

}  // namespace wb
