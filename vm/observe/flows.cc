// flows: who writes to whom, by registered name or by what processes were started as, or by
// application.
#include <algorithm>
#include <cmath>
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

/// Messages of one flow, estimated, and the variance of that; their bytes.
struct Estimate {
  double messages = 0, variance = 0, bytes = 0;
  uint64_t largest = 0;  ///< bytes a message, of a batch
  /// Of `count` messages that stand for `weight` such batches each: the others are guessed.
  void add(double weight, double count) {
    messages += weight * count;
    variance += weight * (weight - 1) * count * count;
  }
  /// 19 of 20 times the truth is not farther away.
  uint64_t margin() const { return static_cast<uint64_t>(std::ceil(1.96 * std::sqrt(variance))); }
};
using Sums = std::map<std::pair<std::string, std::string>, Estimate>;

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
    Estimate& estimate = (*sums)[{names.of(flow.from), names.of(flow.to)}];
    const double weight = scale * static_cast<double>(flow.weight);
    estimate.add(weight, static_cast<double>(flow.count));
    const uint64_t bytes = flow.size * sizeof(Term);
    estimate.bytes += weight * static_cast<double>(bytes);
    estimate.largest = std::max(estimate.largest, bytes / flow.count);
  }
}

}  // namespace

/// {"from": ["next" of the answer before], "limit": 200, "by": "name" | "application",
/// "order": "messages" | "bytes"}
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
  std::vector<std::pair<Sums::key_type, Estimate>> rows(sums.begin(), sums.end());
  const bool by_bytes = a.request.text("order") == "bytes";
  auto rank = [&](const Estimate& e) { return by_bytes ? e.bytes : e.messages; };
  std::sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) {
    return std::pair(rank(b.second), a.first) < std::pair(rank(a.second), b.first);
  });
  auto limit = static_cast<size_t>(a.request.number("limit", 200, 1, 5000));
  a.out.close(']').number("total", rows.size()).array("rows");
  for (size_t k = 0; k < rows.size() && k < limit; ++k) {
    const auto& [who, estimate] = rows[k];
    a.out.open('{').text("from", who.first).text("to", who.second);
    a.out.number("messages", static_cast<uint64_t>(estimate.messages));
    a.out.number("margin", estimate.margin());
    a.out.number("bytes", static_cast<uint64_t>(estimate.bytes));
    a.out.number("largest", estimate.largest).close('}');
  }
  a.out.close(']');
  return {};
}

}  // namespace wb
