// profile: sampled stacks.
#include "vm/core/vm.h"
#include "vm/observe/json.h"
#include "vm/observe/observer.h"
#include "vm/observe/request.h"
#include "vm/observe/sampler.h"
#include "vm/process/run.h"

namespace wb {

/// {"on": true, "hz": 100, "clear": false, "most": 5000, "what": "reductions" | "time" |
/// "allocation",
///  "pid": PID or NAME, "by_process": false}
std::string answer_profile(RequestContext& a) {
  std::string_view what = a.request.text("what"), pid = a.request.text("pid");
  if (!what.empty() && what != "reductions" && what != "allocation" && what != "time") {
    return "what is sampled: reductions, time or allocation";
  }
  Sampler::Choice choice{kNone, what == "allocation", what == "time",
                         a.request.boolean("by_process", false)};
  if (!pid.empty()) choice.pid = named_process(a);
  if (!pid.empty() && is_fault(choice.pid)) return "no such process";
  a.connection.profiles = a.request.boolean("on", true);
  auto hz = static_cast<uint32_t>(a.request.number("hz", 100, 1, Sampler::kMostHz));
  Sampler& sampler = *a.vm.sampler;
  if (a.connection.profiles) sampler.choose(choice);
  a.observer.update_sampling(hz);
  auto most = static_cast<size_t>(a.request.number("most", 5000, 1, 20000));
  auto functions = sampler.functions();
  Sampler::Stacks s = sampler.take_stacks(most, a.request.boolean("clear", false));
  JsonWriter& w = a.out;
  w.boolean("on", a.connection.profiles);
  w.text("what", what.empty() ? "reductions" : what)
      .number("samples", s.samples)
      .number("taken", s.taken)
      .number("lost", s.lost);
  w.array("stacks");
  for (const auto& [stack, count] : s.counts) w.open('[').text(stack).number(count).close(']');
  w.close(']').array("tiers");
  for (const auto& [function, of] : functions) {
    w.open('[').text(function);
    for (uint64_t n : of.by_tier) w.number(n);
    w.close(']');
  }
  w.close(']');
  return {};
}

}  // namespace wb
