// profile: sampled stacks.
#include "vm/observe/json.h"
#include "vm/observe/observer.h"
#include "vm/observe/request.h"
#include "vm/process/run.h"
#include "vm/vm.h"

namespace wb {

/// {"on": true, "hz": 100, "clear": false, "most": 5000}
std::string answer_profile(Asked& a) {
  a.connection.profiles = a.request.boolean("on", true);
  auto hz = static_cast<uint32_t>(a.request.number("hz", 100, 1, Sampler::kMostHz));
  a.observer.settle_sampling(hz);
  auto most = static_cast<size_t>(a.request.number("most", 5000, 1, 20000));
  Sampler& sampler = static_cast<ProcessHost&>(*a.vm.host).sampler;
  Sampler::Stacks s = sampler.take(most, a.request.boolean("clear", false));
  JsonWriter& w = a.out;
  w.boolean("on", a.connection.profiles).number("samples", s.samples).number("lost", s.lost);
  w.array("stacks");
  for (const auto& [stack, count] : s.counts) w.open('[').text(stack).number(count).close(']');
  w.close(']');
  return {};
}

}  // namespace wb
