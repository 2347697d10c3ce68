// trace: calls, messages and collections of chosen processes (vm/trace/watch.h).
#include <algorithm>
#include <charconv>

#include "scheduler/scheduler.h"
#include "term/print.h"
#include "vm/core/vm.h"
#include "vm/observe/json.h"
#include "vm/observe/observer.h"
#include "vm/observe/request.h"
#include "vm/process/table.h"
#include "vm/trace/tracing.h"

namespace wb {

// --- beginning and ending ------------------------------------------------------------------------
const ObserverConnection* Observer::tracing() const {
  for (const auto& c : connections_) {
    if (c->traces) return c.get();
  }
  return nullptr;
}

/// Those who are watched for `flags` from now on; how many.
static uint32_t watch_processes(RequestContext& a, const Filter& filter, uint32_t flags) {
  uint32_t n = 0;
  Tracing& tracing = *a.vm.tracing;
  a.observer.scan.each(filter, [&](Process& p, const Seen& seen) {
    if (filter.empty() && seen.system) return;  // who is part of the machine is asked for
    tracing.set_watched(p, flags);
    ++n;
  });
  return n;
}

void Observer::end_trace() {
  if (!traces_) return;
  for (const auto& c : connections_) c->traces = false;
  Tracing& tracing = *vm_.tracing;
  tracing.set_new_watched(0);
  scan.each({}, [&](Process& p, const Seen&) {
    if (p.trace_flags.load(std::memory_order_relaxed) & traced::watched) tracing.set_watched(p, 0);
  });
  tracing.watch.end();
  traces_ = false;
  followed_.clear();
}

void Observer::update_trace() {
  if (traces_ && (!tracing() || vm_.tracing->watch.overrun())) end_trace();
  if (traces_) update_followed();
}

void Observer::follow(const std::vector<std::string>& names, uint32_t flags) {
  followed_.clear();
  followed_for_ = flags;
  for (const std::string& name : names) {
    const Term atom = find_atom(name);
    if (is_value(atom)) followed_.push_back({atom, vm_.processes->registered(atom)});
  }
}

/// Looked at some twenty times a second: a process that gets the name is watched from then on.
void Observer::update_followed() {
  for (Followed& f : followed_) {
    const Term pid = vm_.processes->registered(f.name);
    if (pid == f.pid || !is_value(pid) || !is_local_pid(pid)) continue;
    f.pid = pid;
    ReaderGuard guard(vm_.scheduler->progress());
    Process* p = vm_.processes->find(pid);
    if (!p) continue;
    vm_.tracing->set_watched(*p, followed_for_);
    vm_.tracing->watch.add(*p, "registered", "", std::string(atom_text(f.name)));
  }
}

// --- what is to be traced ------------------------------------------------------------------------
/// A name of a pattern: an atom that exists, or all.
static Term part_of_pattern(std::string_view s) {
  if (s.empty() || s == "_" || s == "*") return am::underscore;
  if (s.size() > 1 && s.front() == '\'' && s.back() == '\'') s = s.substr(1, s.size() - 2);
  return find_atom(s);
}

/// M:F/A, M:F, M or _:F/A.
static std::string parse_pattern(std::string_view s, FunctionPattern* out) {
  std::string_view all = s;
  int64_t arity = -1;
  size_t slash = s.rfind('/');
  if (slash != s.npos) {
    std::string_view number = s.substr(slash + 1);
    if (number != "_" && number != "*") {
      auto [end, ec] = std::from_chars(number.data(), number.data() + number.size(), arity);
      if (ec != std::errc() || end != number.data() + number.size() || arity < 0 || arity > 255) {
        return "functions are chosen by M:F/A, M:F or M: " + std::string(all);
      }
    }
    s = s.substr(0, slash);
  }
  size_t colon = s.rfind(':');
  std::string_view function = colon == s.npos ? std::string_view() : s.substr(colon + 1);
  *out = {part_of_pattern(s.substr(0, colon)), part_of_pattern(function), arity};
  if (is_fault(out->module) || is_fault(out->function)) {
    return "there is no such function: " + std::string(all);
  }
  if (out->module == am::underscore && out->function == am::underscore) {
    return "all functions of all modules are too many: name a module or a function";
  }
  return {};
}

/// Patterns between spaces and commas.
static std::string parse_calls(std::string_view s, std::vector<FunctionPattern>* out) {
  constexpr std::string_view kBetween = " ,";
  for (;;) {
    size_t begin = s.find_first_not_of(kBetween);
    if (begin == s.npos) return {};
    s.remove_prefix(begin);
    std::string_view one = s.substr(0, s.find_first_of(kBetween));
    s.remove_prefix(one.size());
    if (out->size() == TraceWatch::kMostPatterns) return "too many functions: at most 8 patterns";
    std::string error = parse_pattern(one, &out->emplace_back());
    if (!error.empty()) return error;
  }
}

static std::string start_trace(RequestContext& a, uint32_t* processes, int64_t* functions) {
  const ObserverRequest& r = a.request;
  if (!a.connection.acts) {
    return "this connection may only look (hello with \"actions\": true)";
  }
  const ObserverConnection* other = a.observer.tracing();
  if (other && other != &a.connection) return "another observer traces";
  std::vector<FunctionPattern> calls;
  std::string error = parse_calls(r.text("calls"), &calls);
  Filter filter;
  if (!error.empty() || !filter.parse(r.text("filter"), &error)) return error;
  if (filter.uses_changes()) return "processes are not chosen by dreds or dmsgq";
  uint32_t flags = (calls.empty() ? 0 : traced::watch_call) |
                   (r.boolean("messages", false) ? traced::watch_send | traced::watch_receive : 0) |
                   (r.boolean("collections", false) ? traced::watch_collection : 0);
  const TraceWatch::Wishes wishes = {r.boolean("returns", false), r.boolean("exits", false)};
  if (wishes.exits) flags |= traced::watch_call;  // of no function, perhaps
  if (!flags) return "what is to be traced: calls, messages, collections or exits";
  a.observer.end_trace();
  bool spawned = r.boolean("spawned", false);
  if (spawned) flags |= traced::watch_children;
  auto rate = static_cast<uint32_t>(r.number("rate", 100, 1, TraceWatch::kMostRate));
  a.observer.begin_trace(a.connection);
  *functions = a.vm.tracing->watch.begin(calls, rate, wishes);
  if (filter.empty()) a.vm.tracing->set_new_watched(flags);
  *processes = watch_processes(a, filter, flags);
  a.observer.follow(filter.names(), flags);
  return {};
}

void Observer::begin_trace(ObserverConnection& c) {
  c.traces = true;
  traces_ = true;
}

// --- the answer ----------------------------------------------------------------------------------
static void write_lines(RequestContext& a, uint64_t from, size_t most) {
  JsonWriter& w = a.out;
  TraceWatch& watch = a.vm.tracing->watch;
  std::vector<TraceWatch::Line> lines = watch.lines(from, most);
  w.number("next", lines.empty() ? watch.next() : lines.back().number + 1).array("lines");
  for (const TraceWatch::Line& l : lines) {
    Term name = a.vm.processes->name_of(l.pid);
    w.open('{').number("number", l.number).number("time_us", l.time_us);
    w.text("pid", to_text(l.pid));
    if (is_value(name)) w.text("name", atom_text(name));
    w.text("what", l.what);
    if (!l.peer.empty()) w.text("peer", l.peer);
    w.text("text", l.text).close('}');
  }
  w.close(']');
}

/// {"what": "start" | "stop" | "read", "calls": "M:F/A ...", "messages": false,
///  "collections": false, "filter": "", "spawned": false, "rate": 100, "from": 0, "most": 1000}
std::string answer_trace(RequestContext& a) {
  std::string_view what = a.request.text("what");
  JsonWriter& w = a.out;
  TraceWatch& watch = a.vm.tracing->watch;
  a.observer.update_trace();
  if (what == "start") {
    uint32_t processes = 0;
    int64_t functions = 0;
    std::string error = start_trace(a, &processes, &functions);
    if (!error.empty()) return error;
    w.number("processes", processes).number("functions", functions);
  } else if (what == "stop") {
    if (a.connection.traces) a.observer.end_trace();
  } else if (!what.empty() && what != "read") {
    return "what is to be done: start, stop or read";
  }
  const ObserverConnection* tracing = a.observer.tracing();
  bool overrun = watch.overrun();  // once: it may come any moment
  bool mine = tracing == &a.connection;
  w.boolean("on", mine && !overrun).boolean("by_another", tracing && !mine);
  w.boolean("overrun", overrun).number("most_a_second", TraceWatch::kMostSeen);
  w.number("seen", watch.seen()).number("left_out", watch.left_out());
  auto from = static_cast<uint64_t>(a.request.number("from", 0, 0, int64_t{1} << 53));
  write_lines(a, from, static_cast<size_t>(a.request.number("most", 1000, 0, 5000)));
  return {};
}

}  // namespace wb
