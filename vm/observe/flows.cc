// flows: who writes to whom, by registered name or by what processes were started as, or by
// application.
#include <algorithm>
#include <map>
#include <optional>

#include "loader/code.h"
#include "vm/core/vm.h"
#include "vm/observe/applications.h"
#include "vm/observe/json.h"
#include "vm/observe/observer.h"
#include "vm/observe/request.h"
#include "vm/process/run.h"
#include "vm/process/table.h"

namespace wb {
namespace {

/// Names of processes, each looked up once. Inside a ReaderGuard.
class Names {
 public:
  Names(RequestContext& a, bool applications) : a_(a) {
    if (applications) applications_.emplace(a.vm);
  }
  const std::string& of(uint64_t label) {
    auto [at, fresh] = known_.try_emplace(label);
    if (fresh) at->second = look_up(pid_of_label(label));
    return at->second;
  }

 private:
  std::string look_up(Term pid) {
    Process* p = a_.vm.processes->find(pid);
    if (!p) return "(ended)";
    if (applications_) return applications_->of(*p);
    Term name = p->named.load(std::memory_order_relaxed) ? a_.vm.processes->name_of(pid) : kNone;
    if (is_value(name)) return std::string(atom_text(name));
    const Export* e = p->initial_call;
    return e ? mfa_text(e->module, e->function, e->arity) : "(unknown)";
  }
  RequestContext& a_;
  std::optional<Applications> applications_;
  std::map<uint64_t, std::string> known_;
};

using Sums = std::map<std::pair<std::string, std::string>, double>;

/// What worker `i` noted since `from`; writes which is the next. Scaled to all there was.
void add_flows(RequestContext& a, uint32_t i, uint64_t from, Names& names, Sums* sums) {
  const FlowRing& ring = a.vm.scheduler->worker(i).flows;
  uint64_t end = ring.recorded();
  a.out.number(end);
  auto kept = ring.snapshot(std::min(from, end));
  if (kept.empty()) return;
  double all = static_cast<double>(kept.back().number + 1 - from);
  double scale = all / static_cast<double>(kept.size());  // the ring holds the newest
  for (const auto& [number, flow] : kept) {
    double batches = scale * static_cast<double>(flow.weight);
    (*sums)[{names.of(flow.from), names.of(flow.to)}] += batches * static_cast<double>(flow.count);
  }
}

}  // namespace

/// {"from": ["next" of the answer before], "limit": 200, "by": "name" | "application"}
std::string answer_flows(RequestContext& a) {
  std::string_view by = a.request.text("by");
  if (!by.empty() && by != "name" && by != "application") return "by what: name or application";
  a.observer.measure(a.connection);
  Scheduler& s = *a.vm.scheduler;
  const std::vector<double>& from = a.request.numbers("from");
  Sums sums;
  a.out.number("now_ns", s.event_clock().ns1).array("next");
  {
    ReaderGuard guard(s.progress());
    Names names(a, by == "application");
    for (uint32_t i = 0; i < s.all_worker_count(); ++i) {
      uint64_t first = i < from.size() && from[i] > 0 ? static_cast<uint64_t>(from[i]) : 0;
      add_flows(a, i, first, names, &sums);
    }
  }
  std::vector<std::pair<double, Sums::key_type>> rows;
  for (auto& [who, n] : sums) rows.push_back({n, who});
  std::sort(rows.begin(), rows.end(), std::greater<>());
  auto limit = static_cast<size_t>(a.request.number("limit", 200, 1, 5000));
  a.out.close(']').number("total", rows.size()).array("rows");
  for (size_t k = 0; k < rows.size() && k < limit; ++k) {
    a.out.open('{').text("from", rows[k].second.first).text("to", rows[k].second.second);
    a.out.number("messages", static_cast<uint64_t>(rows[k].first)).close('}');
  }
  a.out.close(']');
  return {};
}

}  // namespace wb
