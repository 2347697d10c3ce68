// What erlang:system_profile/2 wants to be notified of (Vm::profiled), where it happens: a load and
// a branch while nobody profiles. The rest is vm/trace/system_profile.h.
#pragma once

#include "vm/core/vm.h"
#include "vm/process/signal.h"

namespace wb {

/// Vm::profiled.
namespace profiled {
constexpr uint32_t processes = 1, ports = 2, schedulers = 4;
constexpr uint32_t exclusive = 8;  ///< who calls a port is not runnable meanwhile
}  // namespace profiled

/// Does anybody profile?
WB_INLINE bool is_profiled(const Vm& vm) {
  return vm.profiled.load(std::memory_order_relaxed) != 0;
}
/// Parks `p`; the profiler is notified.
WB_INLINE bool park_and_notify(Process& p) {
  return WB_UNLIKELY(is_profiled(p.vm())) ? p.vm().hooks->park(p) : park(p);
}

/// While `p` calls a port.
class PortCall {
 public:
  explicit PortCall(Process& p)
      : process_(p),
        notified_(p.vm().profiled.load(std::memory_order_relaxed) & profiled::exclusive) {
    if (WB_UNLIKELY(notified_)) p.vm().hooks->process_inactive(p);
  }
  ~PortCall() {
    if (WB_UNLIKELY(notified_)) process_.vm().hooks->process_active(process_);
  }
  PortCall(const PortCall&) = delete;

 private:
  Process& process_;
  const bool notified_;
};

}  // namespace wb
