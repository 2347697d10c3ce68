// processes, process, children, act.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>

#include "loader/code.h"

#include "scheduler/scheduler.h"
#include "term/print.h"
#include "vm/core/vm.h"
#include "vm/observe/applications.h"
#include "vm/observe/json.h"
#include "vm/observe/observer.h"
#include "vm/observe/process_report.h"
#include "vm/observe/request.h"
#include "vm/process/route.h"

namespace wb {

Term named_process(RequestContext& a) {
  std::string_view pid = a.request.text("pid");
  Term t = parse_pid(pid);
  if (is_value(t) || pid.empty()) return t;
  Term name = find_atom(pid);
  Term registered = is_value(name) ? a.vm.processes->registered(name) : kNone;
  return is_value(registered) && is_local_pid(registered) ? registered : kNone;
}

namespace {

using Now = std::chrono::steady_clock;
using std::chrono::milliseconds;
constexpr milliseconds kPatience{500};
/// A request for rows is to be answered after so long, even if not all processes have said more of
/// themselves (what comes later is shown next time); of a pass that was slow they still get a
/// little.
constexpr milliseconds kRowsTime{40}, kLeastPatience{15};
/// Who has not come to the end of a slice for so long does not yield.
constexpr milliseconds kLongSlice{100};
/// An answer that nobody has read for so long is none any more.
constexpr milliseconds kStale{3000};
constexpr size_t kMostAsked = 200, kMostPendingQueries = 1000;

/// Which changes are known.
struct Measured {
  bool deltas = false, collected = false;
  std::array<bool, 3> grown = {};

  bool has(const ColumnFacts& c) const {
    if (c.is_growth())
      return grown[TableScan::growth_of(static_cast<ProcessColumn>(&c - kColumns))];
    return c.unit == ColumnUnit::pause_share ? collected : deltas;
  }
};

/// What can be reported without asking the process.
void write_seen(RequestContext& a, const Seen& s, const Measured& measured) {
  JsonWriter& w = a.out;
  TableScan& scan = a.observer.scan;
  w.text("pid", to_text(s.pid));
  Term name = s.named ? a.vm.processes->name_of(s.pid) : kNone;
  if (is_value(name)) w.text("name", atom_text(name));
  std::string buffer;
  for (const ColumnFacts& c : kColumns) {
    auto by = static_cast<ProcessColumn>(&c - kColumns);
    switch (c.kind) {
      case ColumnFacts::number: {
        int64_t n = scan.number_of(s, by);
        bool measured = c.unit != ColumnUnit::waits || n;
        if (measured) w.number(c.key, n);
        break;
      }
      case ColumnFacts::change:
        if (measured.has(c)) w.number(c.key, scan.number_of(s, by));
        break;
      case ColumnFacts::rank:
        w.text(c.key, scan.text_of(s, by, &buffer));
        break;
      case ColumnFacts::text:  // above, and where it is (write_location, report_row)
      case ColumnFacts::told:
        break;
    }
  }
  w.text("parent", is_value(s.parent) ? to_text(s.parent) : "");
  if (s.system) w.boolean("system", true);
}

/// What is known of one that was not asked, or has not answered in time.
void write_location(JsonWriter& w, RequestContext& a, const Seen& s) {
  ReaderGuard guard(a.vm.scheduler->progress());
  w.text("fn", a.observer.scan.function_name(s.resume, s.initial_call));
  const Export* e = s.initial_call;
  if (e) w.text("initial", mfa_text(e->module, e->function, e->arity));
}

bool grows(const Seen& s) {
  constexpr int64_t kMany = 200, kMore = 20;
  return s.msgq > kMany && s.dmsgq > kMore;
}

bool is_running(RequestContext& a, Term pid) {
  ReaderGuard guard(a.vm.scheduler->progress());
  Process* p = a.vm.processes->find(pid);
  return p && p->state.load(std::memory_order_relaxed) == ProcessState::running;
}

bool does_not_yield(RequestContext& a, Term pid, const ProcessQuery& q) {
  bool waits = q.state() == ProcessQuery::State::asked && Now::now() - q.asked_at > kLongSlice;
  return waits && is_running(a, pid);
}

/// A query for each of the first rows: the one that it has not answered since an earlier time, or
/// another.
std::vector<ProcessQuery*> query_rows(RequestContext& a, const std::vector<Seen>& rows,
                                      Now::time_point asked_at) {
  auto& pending_queries = a.observer.pending_queries;
  std::erase_if(pending_queries, [](const auto& kept) {
    ProcessQuery& q = *kept.second;
    bool stale = q.state() != ProcessQuery::State::asked && Now::now() - q.asked_at > kStale;
    if (stale) q.drop();
    return stale;
  });
  std::vector<Term> fresh;
  size_t count = std::min(rows.size(), kMostAsked);
  for (size_t k = 0; k < count; ++k) {
    if (!pending_queries.contains(rows[k].pid)) fresh.push_back(rows[k].pid);
  }
  auto spent = std::chrono::duration_cast<milliseconds>(Now::now() - asked_at);
  milliseconds left = std::max(kLeastPatience, kRowsTime - spent);
  std::vector<ProcessQuery*> asked =
      query_all(a.vm, a.observer.query_waiter, fresh, report_row, left);
  std::vector<ProcessQuery*> queries;
  for (size_t k = 0, next = 0; k < count; ++k) {
    auto at = pending_queries.find(rows[k].pid);
    queries.push_back(at == pending_queries.end() ? asked[next++] : at->second);
  }
  return queries;
}
/// One without an answer is kept for the next time.
void keep_or_drop_query(RequestContext& a, Term pid, ProcessQuery& q) {
  auto& pending_queries = a.observer.pending_queries;
  bool over = q.state() != ProcessQuery::State::asked, is_kept = pending_queries.contains(pid);
  if (over || (!is_kept && pending_queries.size() == kMostPendingQueries)) {
    pending_queries.erase(pid);
    q.drop();
  } else if (!is_kept) {
    pending_queries.emplace(pid, &q);
  }
}

void write_rows(RequestContext& a, const std::vector<Seen>& rows, const Measured& measured,
                bool detail, Now::time_point asked_at) {
  std::vector<ProcessQuery*> queries;
  if (detail) queries = query_rows(a, rows, asked_at);
  JsonWriter& w = a.out;
  w.array("rows");
  for (size_t k = 0; k < rows.size(); ++k) {
    w.open('{');
    write_seen(a, rows[k], measured);
    ProcessQuery* q = k < queries.size() ? queries[k] : nullptr;
    if (q && q->state() == ProcessQuery::State::answered) {
      w.raw(q->text);  // which ends in its list of what looks wrong
      if (measured.deltas && grows(rows[k])) w.text("message queue grows");
      w.close(']');
    } else {
      write_location(w, a, rows[k]);
      if (q && does_not_yield(a, rows[k].pid, *q)) {
        w.array("lint").text("does not yield").close(']');
      }
    }
    w.close('}');
  }
  w.close(']');
  for (size_t k = 0; k < queries.size(); ++k) keep_or_drop_query(a, rows[k].pid, *queries[k]);
}

bool parse_order(std::string_view by, TableScan::Query* query) {
  if (by.empty()) return true;
  std::optional<ProcessColumn> column = column_named(by);
  if (column) query->by = *column;
  return column.has_value();
}

}  // namespace

void write_column(JsonWriter& w, const ColumnFacts& c) {
  w.open('{').text("name", c.name).text("key", c.key).text("title", c.title);
  w.text("unit", told_unit(c.unit)).number("width", c.width).text("hint", c.hint);
  w.boolean("orders", c.kind != ColumnFacts::told);
  w.boolean("least_first", c.kind == ColumnFacts::text).close('}');
}

/// Columns of the table of processes, in the order in which they are shown.
std::string answer_columns(RequestContext& a) {
  JsonWriter& w = a.out;
  w.array("columns");
  for (const ColumnFacts& c : kColumns) write_column(w, c);
  w.close(']');
  return {};
}

/// {"by": COLUMN, "ascending": false, "limit": 100, "offset": 0, "filter": "", "deltas": true,
///  "detail": true}
std::string answer_processes(RequestContext& a) {
  auto asked_at = Now::now();
  a.observer.measure(a.connection);
  const ObserverRequest& r = a.request;
  Filter filter;
  std::string error;
  if (!filter.parse(r.text("filter"), &error)) return error;
  TableScan::Query query;
  if (!parse_order(r.text("by"), &query)) return "no such column: " + std::string(r.text("by"));
  auto limit = static_cast<uint32_t>(r.number("limit", 100, 0, 1000));
  auto offset = static_cast<uint32_t>(r.number("offset", 0, 0, TableScan::kMostKept - limit));
  query.ascending = r.boolean("ascending", facts_of(query.by).is_text());
  query.keep = offset + limit;
  query.filter = &filter;
  bool of_change = facts_of(query.by).is_change() || filter.uses_changes();
  query.deltas = r.boolean("deltas", true) || of_change;
  TableScan::Result result = a.observer.scan.run(query);
  a.out.number("total", result.seen).number("matched", result.matched).number("offset", offset);
  if (query.deltas) a.out.number("interval_ns", result.interval_ns);
  a.out.number("read", result.read);
  if (offset) {
    size_t n = std::min<size_t>(offset, result.rows.size());
    result.rows.erase(result.rows.begin(), result.rows.begin() + static_cast<ptrdiff_t>(n));
  }
  write_rows(a, result.rows, {query.deltas, result.collected, result.grown},
             r.boolean("detail", true), asked_at);
  return {};
}

/// {"pid": PID or NAME, "messages_from": 0, "messages": 20}
std::string answer_process(RequestContext& a) {
  a.observer.measure(a.connection);
  Term pid = named_process(a);
  if (!is_value(pid)) return "no such process";
  Seen seen;
  std::string application;
  {
    ReaderGuard guard(a.vm.scheduler->progress());
    Process* p = a.vm.processes->find(pid);
    if (!p) return "no such process";
    seen = TableScan::look_at(*p);
    application = Applications(a.vm).of(*p);
  }
  auto from = static_cast<uint64_t>(a.request.number("messages_from", 0, 0, 100'000));
  auto count = static_cast<uint64_t>(a.request.number("messages", 20, 0, 100));
  std::vector<ProcessQuery*> q =
      query_all(a.vm, a.observer.query_waiter, {pid}, report_details, kPatience, from, count);
  ProcessQuery::State state = q[0]->state();
  if (state != ProcessQuery::State::gone) {
    write_seen(a, seen, {});
    a.out.text("application", application);
    bool answered = state == ProcessQuery::State::answered;
    a.out.boolean("answered", answered);
    if (answered) {
      a.out.raw(q[0]->text);
    } else {
      write_location(a.out, a, seen);
    }
  }
  q[0]->drop();
  return state == ProcessQuery::State::gone ? "no such process" : "";
}

/// {"pid": PID or NAME, or nothing for the processes without a parent, "limit": 200}
std::string answer_children(RequestContext& a) {
  auto asked_at = Now::now();
  bool roots = a.request.text("pid").empty();
  auto limit = static_cast<size_t>(a.request.number("limit", 200, 1, 500));
  std::vector<Seen> rows;
  if (roots) {
    Vm& vm = a.vm;
    uint32_t slots = std::min(vm.processes->used(), 4096u);  // they are the oldest
    ReaderGuard guard(vm.scheduler->progress());
    vm.processes->each_in(0, slots, [&](Process& p, uint32_t) {
      if (rows.size() < limit && !is_local_pid(p.parent)) rows.push_back(TableScan::look_at(p));
    });
  } else {
    Term parent = named_process(a);
    if (!is_value(parent)) return "no such process";
    std::vector<ProcessQuery*> q =
        query_all(a.vm, a.observer.query_waiter, {parent}, report_children, kPatience);
    ReaderGuard guard(a.vm.scheduler->progress());
    if (q[0]->state() == ProcessQuery::State::answered) {
      for (size_t at = 0; at < q[0]->text.size() && rows.size() < limit; at += sizeof(Term)) {
        Term pid;
        memcpy(&pid, q[0]->text.data() + at, sizeof pid);
        Process* p = a.vm.processes->find(pid);
        if (p && p->parent == parent) rows.push_back(TableScan::look_at(*p));
      }
    }
    q[0]->drop();
  }
  write_rows(a, rows, {}, true, asked_at);
  return {};
}

/// {"pid": PID, "what": collect | suspend | resume | kill}
std::string answer_act(RequestContext& a) {
  if (!a.connection.acts) return "this connection may only look (hello with \"actions\": true)";
  Term pid = named_process(a);
  if (!is_value(pid)) return "no such process";
  std::string_view what = a.request.text("what");
  std::vector<Term>& suspended = a.connection.suspended;
  auto at = std::find(suspended.begin(), suspended.end(), pid);
  Signal* signal = nullptr;
  if (what == "collect") {
    std::vector<ProcessQuery*> q =
        query_all(a.vm, a.observer.query_waiter, {pid}, collect_soon, kPatience);
    bool gone = q[0]->state() == ProcessQuery::State::gone;
    q[0]->drop();
    return gone ? "no such process" : "";
  }
  if (what == "suspend") {
    if (at != suspended.end()) return "it is suspended already";
    signal = new_signal(SignalKind::suspend);
  } else if (what == "resume") {
    if (at == suspended.end()) return "this connection has not suspended it";
    signal = new_signal(SignalKind::resume);
  } else if (what == "kill") {
    signal = new_signal(SignalKind::exit, am::kill);
    signal->from = Address::of_local(pid);
  } else {
    return "what is to be done: collect, suspend, resume or kill";
  }
  {
    ReaderGuard guard(a.vm.scheduler->progress());
    Process* p = a.vm.processes->find(pid);
    if (p && p->system) {
      free_signal(signal);
      return "that process is part of the machine";
    }
    if (!route(a.vm, pid, signal)) return "no such process";
  }
  if (what == "suspend") suspended.push_back(pid);
  if (what == "resume") suspended.erase(at);
  return {};
}

}  // namespace wb
