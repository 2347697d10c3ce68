#include "vm/process/wait_times.h"

#include "scheduler/worker.h"
#include "vm/process/process.h"

namespace wb {

void WaitTimes::begin(Worker& w, Process& p) {
  uint64_t now = read_ticks();
  w.wait_sampler.take_sample(now);
  p.waits_since = stamp(now);
  p.special |= Process::kMeasured;
}

void WaitTimes::end(Worker& w, Process& p) {
  uint32_t waited = stamp(read_ticks()) - p.waits_since;
  p.special &= static_cast<uint8_t>(~Process::kMeasured);
  w.wait_times.add(uint64_t{waited} << kShift, w.wait_sampler.weight());
  WaitEstimate e{p.wait_p50, p.wait_p99};
  e.add(waited, w.wait_sampler.count());
  p.wait_p50 = e.p50, p.wait_p99 = e.p99;
}

}  // namespace wb
