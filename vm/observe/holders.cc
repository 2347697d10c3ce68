// holders: who else holds a binary that is outside of heaps.
#include <algorithm>
#include <cstdlib>

#include "scheduler/scheduler.h"
#include "term/print.h"
#include "vm/core/vm.h"
#include "vm/observe/json.h"
#include "vm/observe/observer.h"
#include "vm/observe/process_report.h"
#include "vm/observe/request.h"
#include "vm/process/table.h"

namespace wb {
namespace {

constexpr uint32_t kMostAsked = 1000;
constexpr std::chrono::milliseconds kPatience{300};

/// The processes with the largest heaps, for all cannot be asked.
std::vector<Term> likely(RequestContext& a) {
  TableScan::Query query;
  query.by = TableScan::By::memory;
  query.keep = kMostAsked;
  query.deltas = false;
  std::vector<Term> pids;
  for (const Seen& s : a.observer.scan.run(query).rows) pids.push_back(s.pid);
  return pids;
}

}  // namespace

/// {"binary": its id in what `process` tells, "pid": PID or name of whom to ask in any case}
std::string answer_holders(RequestContext& a) {
  std::string id(a.request.text("binary"));
  char* end = nullptr;
  uint64_t address = strtoull(id.c_str(), &end, 16);
  if (id.empty() || *end || !address) return "which binary: its id";
  std::vector<Term> pids = likely(a);
  Term asked_for = named_process(a);
  if (is_value(asked_for) && std::find(pids.begin(), pids.end(), asked_for) == pids.end()) {
    pids.push_back(asked_for);
  }
  std::vector<ProcessQuery*> queries =
      query_all(a.vm, a.observer.query_waiter, pids, report_references, kPatience, address);
  JsonWriter& w = a.out;
  size_t answered = 0;
  w.number("processes", a.vm.processes->count()).array("rows");
  for (size_t k = 0; k < queries.size(); ++k) {
    if (queries[k]->state() != ProcessQuery::State::answered) continue;
    ++answered;
    if (queries[k]->text.empty()) continue;
    Term name = a.vm.processes->name_of(pids[k]);
    w.open('{').text("pid", to_text(pids[k]));
    if (is_value(name)) w.text("name", atom_text(name));
    w.key("times").raw(queries[k]->text).close('}');
  }
  w.close(']').number("asked", answered);
  for (ProcessQuery* q : queries) q->drop();
  return {};
}

}  // namespace wb
