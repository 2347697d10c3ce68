// collections: the newest ones, from the schedulers' rings.
#include <algorithm>

#include "term/print.h"
#include "vm/core/vm.h"
#include "vm/observe/filter.h"
#include "vm/observe/json.h"
#include "vm/observe/observer.h"
#include "vm/observe/request.h"
#include "vm/process/run.h"
#include "vm/process/table.h"

namespace wb {
namespace {

struct One {
  Pause pause;
  uint32_t scheduler;
};

std::vector<One> newest(Scheduler& s, Term pid, size_t most) {
  std::vector<One> all;
  for (uint32_t i = 0; i < s.all_worker_count(); ++i) {
    for (const auto& [number, p] : s.worker(i).pauses.snapshot()) {
      if (is_fault(pid) || pid_of_label(p.label) == pid) all.push_back({p, i});
    }
  }
  std::sort(all.begin(), all.end(),
            [](const One& a, const One& b) { return a.pause.end > b.pause.end; });
  if (all.size() > most) all.resize(most);
  return all;
}

}  // namespace

/// {"pid": PID or NAME, or nothing for all, "most": 200}: the newest first
std::string answer_collections(RequestContext& a) {
  Scheduler& s = *a.vm.scheduler;
  std::string_view wanted = a.request.text("pid");
  Term pid = wanted.empty() ? kNone : named_process(a);
  if (!wanted.empty() && is_fault(pid)) return "no such process";
  auto most = static_cast<size_t>(a.request.number("most", 200, 1, 2000));
  EventClock clock = s.event_clock();
  JsonWriter& w = a.out;
  w.number("now_ns", clock.ns1).array("rows");
  for (const One& one : newest(s, pid, most)) {
    const Pause& p = one.pause;
    Term who = pid_of_label(p.label), name = a.vm.processes->name_of(who);
    uint64_t end = clock.to_ns(p.end);
    w.open('{').number("end_ns", end).number("pause_ns", end - clock.to_ns(p.end - p.ticks));
    w.text("pid", to_text(who));
    if (is_value(name)) w.text("name", atom_text(name));
    w.boolean("major", p.kind != 0).number("words_before", p.before);
    w.number("words_after", p.after).number("scheduler", one.scheduler + 1).close('}');
  }
  w.close(']');
  return {};
}

}  // namespace wb
