#include "vm/process/time_stamp.h"

#include <ctime>

#include "term/number.h"
#include "vm/core/clock.h"
#include "vm/core/vm.h"
#include "vm/process/trace_flags.h"

namespace wb {

static Term three_numbers(Heap& h, int64_t microseconds) {
  int64_t seconds = microseconds / 1'000'000;
  return tuple(h, make_small(seconds / 1'000'000), make_small(seconds % 1'000'000),
               make_small(microseconds % 1'000'000));
}
static int64_t processor_microseconds(Vm& vm) {
  if (vm.oracle->simulates()) return vm.clock->os_monotonic_ns() / 1000;
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec * 1'000'000 + t.tv_nsec / 1000;
}
Term trace_timestamp(Vm& vm, Heap& h, uint32_t flags) {
  if (flags & traced::timestamp) {
    if (vm.cpu_timestamps.load(std::memory_order_relaxed)) {
      return three_numbers(h, processor_microseconds(vm));
    }
    return three_numbers(h, vm.now_us());
  }
  if (flags & traced::strict_monotonic_timestamp) {
    Term now = make_integer(h, vm.clock->monotonic_ns());
    return tuple(h, now, make_integer(h, kSmallMin + vm.unique_monotonic.fetch_add(1)));
  }
  if (flags & traced::monotonic_timestamp) return make_integer(h, vm.clock->monotonic_ns());
  return kNone;
}

}  // namespace wb
