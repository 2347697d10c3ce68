// erts_debug:get_internal_state/1 and set_internal_state/2: a door for test suites, closed until
// set_internal_state(available_internal_state, true) opens it. Behind it is what this machine has:
// unknown names are badarg.
#include "vm/bif/bif.h"
#include "vm/process/table.h"
#include "vm/settings.h"
#include "vm/vm.h"

namespace wb {

BIF(erts_debug, get_internal_state, 1)
{
  if (!p.vm().settings->internal_state.load(std::memory_order_relaxed)) return kUndef;
  if (a[0] == am::available_internal_state) return am::true_;
  if (a[0] == am::reds_left) return make_small(p.reductions_left());
  if (a[0] == am::processes) return erlang_processes_0(p, nullptr);
  return kBadarg;
}

BIF(erts_debug, set_internal_state, 2)
{
  std::atomic<bool>& open = p.vm().settings->internal_state;
  if (a[0] == am::available_internal_state && (a[1] == am::true_ || a[1] == am::false_)) {
    return make_bool(open.exchange(a[1] == am::true_, std::memory_order_relaxed));
  }
  if (!open.load(std::memory_order_relaxed)) return kUndef;
  if (a[0] != am::reds_left || !is_small(a[1]) || small_value(a[1]) < 0) return kBadarg;
  p.charge(p.reductions_left() - small_value(a[1]));
  return am::true_;
}

}  // namespace wb
