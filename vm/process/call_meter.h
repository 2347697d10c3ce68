// What the calls of a traced function cost (vm/trace/call_costs.cc): time (call_time), words of
// heap (call_memory). A process has a meter of each, which runs for one function at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace wb {

enum class CallCost : uint8_t { time, memory };
constexpr CallCost kCallCosts[] = {CallCost::time, CallCost::memory};
constexpr size_t kCallCostCount = std::size(kCallCosts);

/// A set of costs.
constexpr uint8_t bit(CallCost c) { return static_cast<uint8_t>(1 << static_cast<uint8_t>(c)); }

struct CallMeter {
  static constexpr uint32_t kNobody = (1 << 26) - 1;  ///< beyond all numbers of breakpoints
  uint32_t function = kNobody;                        ///< a breakpoint's number
  int64_t charged_until = 0;  ///< what the clock said (ns), how much heap was used (words)
};

}  // namespace wb
