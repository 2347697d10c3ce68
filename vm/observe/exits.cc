// exits: who has ended abnormally.
#include "scheduler/scheduler.h"
#include "term/print.h"
#include "vm/core/vm.h"
#include "vm/observe/exit_log.h"
#include "vm/observe/json.h"
#include "vm/observe/observer.h"
#include "vm/observe/request.h"

namespace wb {

static void write_exit(JsonWriter& w, const ExitLog::Row& row, uint64_t now) {
  const ExitLog::Exit& e = row.exit;
  w.open('{').number("number", e.number).number("wall_ms", e.wall_ms);
  w.number("age_ns", now > e.at_ns ? now - e.at_ns : 0);
  w.text("pid", to_text(e.pid)).text("name", e.name).text("initial", e.initial);
  w.text("label", e.label).text("parent", is_value(e.parent) ? to_text(e.parent) : "");
  w.text("supervisor", e.supervisor)
      .text("child", e.child)
      .text("reason", e.reason)
      .number("alike", row.kind.count);
  w.number("first_age_ns", now > row.kind.first_ns ? now - row.kind.first_ns : 0);
  w.number("last_age_ns", now > row.kind.last_ns ? now - row.kind.last_ns : 0);
  w.array("stack");
  for (const ExitLog::Frame& f : e.stack) {
    w.open('{').text("fn", f.function);
    if (!f.file.empty()) w.text("file", f.file).number("line", f.line);
    w.close('}');
  }
  w.close(']').close('}');
}

/// {"most": 200}: the newest first
std::string answer_exits(RequestContext& a) {
  const auto most = static_cast<size_t>(a.request.number("most", 200, 1, ExitLog::kMost));
  const uint64_t now = a.vm.scheduler->now_ns();
  JsonWriter& w = a.out;
  uint64_t all = 0;
  for (uint32_t i = 0; i < a.vm.scheduler->all_worker_count(); ++i) {
    all += a.vm.scheduler->worker(i).counters.abnormal_exits.value();
  }
  w.number("abnormal", all);
  w.number("unrecorded", a.vm.exit_log->unrecorded()).array("rows");
  for (const ExitLog::Row& row : a.vm.exit_log->newest(kNone, most)) write_exit(w, row, now);
  w.close(']');
  return {};
}

}  // namespace wb
