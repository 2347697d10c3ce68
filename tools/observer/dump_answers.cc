#include "tools/observer/dump_answers.h"

#include <algorithm>
#include <ctime>
#include <optional>

#include <fmt/format.h>

#include "vm/observe/columns.h"
#include "vm/observe/filter.h"
#include "vm/observe/json.h"
#include "vm/observe/process_report.h"
#include "vm/observe/request.h"
#include "vm/observe/warning_kinds.h"

namespace wb {
namespace {

bool contains(std::string_view s, std::string_view part) { return s.find(part) != s.npos; }

constexpr uint64_t kWord = 8;
constexpr size_t kShort = 400, kLong = 2000, kMostRelations = 500;

/// "0x00007f... (lists:map/2 + 48)": lists:map/2.
std::string_view function_in(std::string_view s) {
  const size_t open = s.find('('), plus = s.rfind(" + ");
  if (open == s.npos) return {};
  const size_t end = plus != s.npos && plus > open ? plus : s.rfind(')');
  return end == s.npos || end < open ? std::string_view() : s.substr(open + 1, end - open - 1);
}

std::string_view state_of(std::string_view s) {
  constexpr std::pair<std::string_view, std::string_view> kStates[] = {
      {"Waiting", "waiting"},      {"Scheduled", "runnable"}, {"Running", "running"},
      {"Suspended", "suspended"},  {"Exiting", "exiting"},    {"Garbing", "garbage_collecting"},
      {"Non Existing", "exiting"},
  };
  for (const auto& [theirs, ours] : kStates) {
    if (s.starts_with(theirs)) return ours;
  }
  return "waiting";
}

/// "Fri Nov 27 23:53:52 2026", as seconds since 1970.
int64_t when(std::string_view date) {
  tm parts = {};
  const std::string text(date.substr(0, 40));
  if (!strptime(text.c_str(), "%a %b %d %H:%M:%S %Y", &parts)) return 0;
  parts.tm_isdst = -1;
  return std::max<int64_t>(mktime(&parts), 0);
}

/// Parts of "[<0.9.0>, {to,<0.1.0>,#Ref<...>}]".
template <class F>
void each_part(std::string_view list, F f) {
  if (list.starts_with('[')) list.remove_prefix(1);
  if (list.ends_with(']')) list.remove_suffix(1);
  size_t begin = 0;
  int depth = 0;
  for (size_t k = 0; k <= list.size(); ++k) {
    const char c = k < list.size() ? list[k] : ',';
    depth += c == '{' || c == '<' || c == '[';
    depth -= c == '}' || c == '>' || c == ']';
    if (c != ',' || (depth > 0 && k < list.size())) continue;
    std::string_view part = list.substr(begin, k - begin);
    while (part.starts_with(' ')) part.remove_prefix(1);
    if (!part.empty()) f(part);
    begin = k + 1;
  }
}

struct DumpRow final : FilterRow {
  explicit DumpRow(const DumpedProcess& p) : p(p) {}
  const DumpedProcess& p;

  int64_t number(ProcessColumn c) const override {
    const uint64_t n = c == ProcessColumn::reds      ? p.reductions
                       : c == ProcessColumn::dreds   ? p.reductions
                       : c == ProcessColumn::memory  ? p.memory
                       : c == ProcessColumn::msgq    ? p.queue
                       : c == ProcessColumn::suspect ? p.queue > kLongQueue
                                                     : 0;
    return static_cast<int64_t>(std::min<uint64_t>(n, INT64_MAX));
  }
  Term id() const override { return parse_pid(p.pid); }
  std::string_view text(ProcessColumn c) const override {
    switch (c) {
      case ProcessColumn::pid:
        return p.pid;
      case ProcessColumn::name:
        return p.name;
      case ProcessColumn::fn:
        return p.fn;
      case ProcessColumn::state:
        return p.state;
      case ProcessColumn::initial:
        return p.initial;
      default:
        return {};
    }
  }
};

/// Of pids, which are ordered by age.
std::pair<uint64_t, uint64_t> age(std::string_view pid) {
  const size_t first = std::min(pid.find('.'), pid.size()), last = pid.rfind('.');
  if (last == pid.npos) return {};
  return {decimal(pid.substr(last + 1)), decimal(pid.substr(std::min(first + 1, pid.size())))};
}

size_t limit_of(const ObserverRequest& r) {
  return static_cast<size_t>(r.number("limit", 200, 1, 5000));
}

/// What a dump has of the columns.
bool is_known(ProcessColumn c) {
  switch (c) {
    case ProcessColumn::pid:
    case ProcessColumn::name:
    case ProcessColumn::reds:
    case ProcessColumn::memory:
    case ProcessColumn::msgq:
    case ProcessColumn::fn:
    case ProcessColumn::state:
    case ProcessColumn::lint:
    case ProcessColumn::initial:
      return true;
    default:
      return false;
  }
}

}  // namespace

struct DumpAnswers::Known {
  std::string_view name;
  Answer answer;
};

DumpAnswers::Answer DumpAnswers::answer_to(std::string_view what) {
  using A = DumpAnswers;
  static constexpr Known kKnown[] = {
      {"hello", &A::hello},           {"home", &A::home},
      {"columns", &A::columns},       {"processes", &A::processes},
      {"process", &A::process},       {"children", &A::children},
      {"schedulers", &A::schedulers}, {"tables", &A::tables},
      {"modules", &A::modules},       {"ports", &A::ports},
      {"nodes", &A::nodes},           {"timers", &A::timers},
      {"atoms", &A::atoms},           {"persistent_terms", &A::persistent_terms},
      {"allocators", &A::allocators}, {"calls", &A::calls},
      {"exits", &A::exits},           {"collections", &A::no_rows},
      {"flows", &A::no_rows},         {"natives", &A::no_rows},
      {"groups", &A::no_rows},        {"events", &A::events},
      {"profile", &A::profile},       {"jit", &A::jit},
      {"warnings", &A::warnings},
  };
  const auto found = std::ranges::find(kKnown, what, &Known::name);
  return found == std::end(kKnown) ? nullptr : found->answer;
}

std::unique_ptr<DumpAnswers> DumpAnswers::open(const std::string& path, std::string* error) {
  std::unique_ptr<DumpAnswers> dump(new DumpAnswers);
  *error = dump->reader_.open(path);
  if (!error->empty()) return nullptr;
  dump->path_ = path;
  dump->index();
  return dump;
}

void DumpAnswers::index() {
  for (const DumpSection& s : reader_.sections()) {
    if (s.tag != "proc" || !by_pid_.try_emplace(s.id, processes_.size()).second) continue;
    DumpedProcess& p = processes_.emplace_back();
    p.pid = s.id, p.facts = &s;
    p.name = s.field("Name"), p.initial = s.field("Spawned as"), p.parent = s.field("Spawned by");
    if (p.parent == "[]") p.parent = {};
    p.state = state_of(s.field("State"));
    p.fn = function_in(s.field("Program counter"));
    p.reductions = s.number("Reductions"), p.memory = s.number("Memory");
    p.queue = s.number("Message queue length");
    if (!contains(s.body, "\nMemory:"))  // of before OTP 20
      p.memory = (s.number("Stack+heap") + s.number("OldHeap")) * kWord;
    if (!p.name.empty()) by_name_.try_emplace(p.name, processes_.size() - 1);
  }
  for (const DumpSection& s : reader_.sections()) {
    if (!s.tag.starts_with("proc_")) continue;
    const auto at = by_pid_.find(s.id);
    if (at == by_pid_.end()) continue;
    DumpedProcess& p = processes_[at->second];
    if (s.tag == "proc_stack") p.stack = &s;
    if (s.tag == "proc_heap") p.heap = &s;
    if (s.tag == "proc_dictionary") p.dictionary = &s;
    if (s.tag == "proc_messages") p.messages = &s;
  }
}

const DumpedProcess* DumpAnswers::find(std::string_view pid_or_name) const {
  auto at = by_pid_.find(pid_or_name);
  if (at != by_pid_.end()) return &processes_[at->second];
  at = by_name_.find(pid_or_name);
  return at == by_name_.end() ? nullptr : &processes_[at->second];
}

const DumpHeap& DumpAnswers::shared() {
  if (shared_) return *shared_;
  shared_ = std::make_unique<DumpHeap>();
  for (const DumpSection& s : reader_.sections()) {
    if (s.tag == "literals") shared_->add_objects(s.body);
    if (s.tag == "binary") shared_->add_binary(s.id, s.body);
  }
  return *shared_;
}

/// Calls f(section) with each of a tag; how many there are.
template <class F>
size_t DumpAnswers::each(std::string_view tag, F f) const {
  size_t n = 0;
  for (const DumpSection& s : reader_.sections()) {
    if (s.tag == tag) f(s), ++n;
  }
  return n;
}

// --- one request ---------------------------------------------------------------------------------
std::string DumpAnswers::answer(std::string_view text) {
  ObserverRequest request;
  std::string error, data = "{";
  const bool parsed = request.parse(text, &error);
  if (parsed) {
    const std::string what(request.text("do"));
    const Answer of = answer_to(what);
    JsonWriter w(data);
    error = of ? (this->*of)(request, w) : "not in a crash dump: " + what;
  }
  std::string out;
  JsonWriter w(out);
  w.open('{').number("id", request.number("id", 0, 0, INT64_MAX)).boolean("ok", error.empty());
  if (error.empty())
    w.key("data").raw(data + "}");
  else
    w.text("error", error);
  w.close('}');
  return out;
}

/// Why it was written, by what, when.
void DumpAnswers::write_dump(JsonWriter& w) const {
  const DumpSection& head = reader_.first("erl_crash_dump");
  std::string_view lines = head.body;
  const std::string_view date = take_line(&lines);
  w.object("dump").text("version", reader_.version()).text("written", date);
  w.text("slogan", head.field("Slogan")).text("system", head.field("System version"));
  w.boolean("cut", reader_.is_cut()).close('}');
}

std::string DumpAnswers::hello(const ObserverRequest&, JsonWriter& w) {
  const DumpSection& head = reader_.first("erl_crash_dump");
  std::string_view lines = head.body;
  const std::string_view date = take_line(&lines);
  w.number("protocol", 1).text("whitebeam", "").number("pid", 0).text("program", path_);
  w.text("node", reader_.first("node").id).boolean("actions", false);
  w.number("schedulers", each("scheduler", [](auto&) {}));
  w.number("started_ms", when(date) * 1000);
  write_dump(w);
  w.object("requests").close('}').object("counters").close('}');
  return {};
}

void DumpAnswers::write_memory(JsonWriter& w) const {
  const DumpSection& m = reader_.first("memory");
  const uint64_t total = m.number("total"), atoms = m.number("atom"), code = m.number("code");
  const uint64_t known =
      m.number("processes") + m.number("binary") + m.number("ets") + atoms + code;
  w.object("memory").number("heaps", m.number("processes")).number("binaries", m.number("binary"));
  w.number("tables", m.number("ets")).number("timers", 0).number("atoms", atoms);
  w.number("code", code).number("persistent_terms", 0);
  w.number("other", total - std::min(total, known)).number("total", total).close('}');
}

void DumpAnswers::write_scheduler(JsonWriter& w, const DumpSection& s) const {
  const uint64_t max = s.number("Run Queue Max Length"), high = s.number("Run Queue High Length"),
                 normal = s.number("Run Queue Normal Length"),
                 low = s.number("Run Queue Low Length");
  w.open('{').number("number", decimal(s.id)).number("active_ns", 0);
  w.boolean("asleep", contains(s.field("Scheduler Sleep Info Flags"), "SLEEPING"));
  w.boolean("online", true).number("queue", max + high + normal + low).number("timers", 0);
  w.object("queues").number("max", max).number("high", high).number("normal", normal);
  w.number("low", low).close('}');
  w.boolean("dedicated", false).object("counters").close('}');
  for (const char* name : {"wakeups", "waits", "pauses", "taken_from", "came_from"})
    w.array(name).close(']');
  w.text("current", s.field("Current Process")).close('}');
}
void DumpAnswers::write_schedulers(JsonWriter& w) const {
  w.array("schedulers");
  each("scheduler", [&](const DumpSection& s) { write_scheduler(w, s); });
  w.close(']').object("dirty");
  for (const auto& [name, tag] :
       {std::pair{"cpu", "dirty_cpu_scheduler"}, {"io", "dirty_io_scheduler"}}) {
    size_t running = 0;
    const size_t threads =
        each(tag, [&](const DumpSection& s) { running += !s.field("Current Process").empty(); });
    w.object(name).number("threads", threads).number("online", threads);
    w.number("running", running).number("waiting", 0).number("done", 0).close('}');
  }
  w.close('}');
}

std::string DumpAnswers::home(const ObserverRequest&, JsonWriter& w) {
  std::string_view lines = reader_.first("erl_crash_dump").body;
  const uint64_t total = reader_.first("memory").number("total");
  w.number("time_ms", when(take_line(&lines)) * 1000).number("uptime_ns", 1);
  w.object("os").number("resident", total).number("memory_limit", 0).number("user_us", 0);
  w.number("system_us", 0).number("cores", 0).close('}');
  write_memory(w);
  const DumpSection* atoms = nullptr;
  each("index_table", [&](const DumpSection& s) {
    if (s.id == "atom_tab") atoms = &s;
  });
  auto count = [&](const char* name, uint64_t now) {
    w.object(name).number("now", now).close('}');
  };
  uint64_t terms = 0;
  for (std::string_view l = reader_.first("persistent_terms").body; !l.empty(); take_line(&l))
    ++terms;
  w.object("counts");
  w.object("processes")
      .number("now", processes_.size())
      .number("peak", processes_.size())
      .close('}');
  w.object("atoms").number("now", reader_.first("erl_crash_dump").number("Atoms"));
  w.number("limit", atoms ? atoms->number("limit") : 0).close('}');
  count("ports", each("port", [](auto&) {}));
  count("tables", each("ets", [](auto&) {}));
  count("modules", each("mod", [](auto&) {}));
  count("persistent_terms", terms);
  count("binaries", each("binary", [](auto&) {}));
  count("timers", each("timer", [](auto&) {}));
  w.close('}');
  write_schedulers(w);
  w.object("counters").close('}');
  write_dump(w);
  w.object("observer").number("cpu_ns", 0).number("requests", 0).number("bytes_out", 0);
  w.number("last_request_ns", 0).number("memory", 0).number("connections", 0).close('}');
  return {};
}

std::string DumpAnswers::schedulers(const ObserverRequest&, JsonWriter& w) {
  w.number("uptime_ns", 1);
  write_schedulers(w);
  w.number("watched_descriptors", 0);
  return {};
}

// --- processes -----------------------------------------------------------------------------------
std::string DumpAnswers::columns(const ObserverRequest&, JsonWriter& w) {
  w.array("columns");
  for (size_t k = 0; k < std::size(kColumns); ++k) {
    if (is_known(static_cast<ProcessColumn>(k))) write_column(w, kColumns[k]);
  }
  w.close(']');
  return {};
}

void DumpAnswers::write_row(JsonWriter& w, const DumpedProcess& p) const {
  w.text("pid", p.pid);
  if (!p.name.empty()) w.text("name", p.name);
  w.number("reds", p.reductions).number("memory", p.memory).number("msgq", p.queue);
  w.text("fn", p.fn).text("state", p.state).text("initial", p.initial).text("parent", p.parent);
  w.boolean("system", false).text("waits_for", "").array("lint");
  if (p.queue > kLongQueue) w.text("long message queue");
  w.close(']');
}

std::string DumpAnswers::processes(const ObserverRequest& r, JsonWriter& w) {
  Filter filter;
  std::string error;
  if (!filter.parse(r.text("filter"), &error)) return error;
  const std::string_view by = r.text("by").empty() ? "reds" : r.text("by");
  const std::optional<ProcessColumn> column = column_named(by);
  if (!column) return "no such column: " + std::string(by);
  std::vector<const DumpedProcess*> rows;
  for (const DumpedProcess& p : processes_) {
    if (filter.matches(DumpRow(p))) rows.push_back(&p);
  }
  const bool is_text = facts_of(*column).is_text(), up = r.boolean("ascending", is_text);
  auto less = [&](const DumpedProcess* a, const DumpedProcess* b) {
    if (*column == ProcessColumn::pid) return age(a->pid) < age(b->pid);
    if (is_text) return DumpRow(*a).text(*column) < DumpRow(*b).text(*column);
    return DumpRow(*a).number(*column) < DumpRow(*b).number(*column);
  };
  const auto limit = static_cast<size_t>(r.number("limit", 100, 0, 1000));
  const auto offset = static_cast<size_t>(r.number("offset", 0, 0, 10'000));
  const size_t kept = std::min(rows.size(), offset + limit);
  std::partial_sort(rows.begin(), rows.begin() + static_cast<ptrdiff_t>(kept), rows.end(),
                    [&](auto* a, auto* b) {
                      if (less(a, b) != less(b, a)) return up ? less(a, b) : less(b, a);
                      return age(a->pid) < age(b->pid);
                    });
  w.number("total", processes_.size()).number("matched", rows.size()).number("offset", offset);
  w.number("interval_ns", 0).number("read", processes_.size()).array("rows");
  for (size_t k = offset; k < kept; ++k) {
    write_row(w.open('{'), *rows[k]);
    w.close('}');
  }
  w.close(']');
  return {};
}

/// Of the kinds that a moment shows, the queues: the longest first.
std::string DumpAnswers::warnings(const ObserverRequest& r, JsonWriter& w) {
  const std::string_view what = r.text("what");
  std::vector<const DumpedProcess*> found;
  for (const DumpedProcess& p : processes_) {
    if (p.queue > kLongQueue) found.push_back(&p);
  }
  std::ranges::sort(found, [](auto* a, auto* b) {
    return a->queue != b->queue ? a->queue > b->queue : age(a->pid) < age(b->pid);
  });
  w.number("looks", 1).boolean("settled", true).number("watched_ns", 0);
  w.number("suspects", found.size());
  if (!what.empty() && what != facts_of(WarningKind::long_queue).name) found.clear();
  w.number("total", found.size()).array("rows");
  found.resize(std::min(found.size(), limit_of(r)));
  for (const DumpedProcess* p : found) {
    open_warning(w, WarningKind::long_queue,
                 fmt::format("{} messages wait in its queue", p->queue));
    w.text("pid", p->pid).text("name", p->name.empty() ? p->initial : p->name);
    w.text("fn", p->fn).close('}');
  }
  w.close(']');
  return {};
}

/// yN: what the function keeps; a return address begins the next one's.
void DumpAnswers::write_stack(JsonWriter& w, const DumpedProcess& p, DumpText& text) const {
  constexpr size_t kMostFrames = 200, kMostKept = 12;
  w.array("stack");
  w.open('{').text("fn", p.fn).array("values");
  std::string_view lines = p.stack ? p.stack->body : std::string_view();
  size_t frames = 1, kept = 0;
  while (!lines.empty()) {
    std::string_view line = take_line(&lines);
    const size_t colon = std::min(line.find(':'), line.size());
    std::string_view value = line.substr(std::min(colon + 1, line.size()));
    if (value.starts_with("SReturn addr")) {
      const std::string_view fn = function_in(value);
      if (fn.empty() || fn.starts_with("<terminate") || ++frames > kMostFrames) break;
      w.close(']').close('}').open('{').text("fn", fn).array("values");
      kept = 0;
    } else if (line.starts_with('y') && !value.starts_with("SCatch") && kept++ < kMostKept) {
      w.text(text.print(value, kShort));
    }
  }
  w.close(']').close('}').close(']');
}

void DumpAnswers::write_relations(JsonWriter& w, const DumpedProcess& p) const {
  std::vector<std::string_view> links, monitors, watchers;
  each_part(p.facts->field("Link list"), [&](std::string_view part) {
    const bool to = part.starts_with("{to,"), from = part.starts_with("{from,");
    const size_t begin = to ? 4 : 6;
    if (!to && !from) return links.push_back(part);
    const size_t end = part.find(',', begin);
    (to ? monitors : watchers).push_back(part.substr(begin, end == part.npos ? end : end - begin));
  });
  for (const auto& [name, list] :
       {std::pair{"links", &links}, {"monitors", &monitors}, {"monitored_by", &watchers}}) {
    w.array(name);
    for (size_t k = 0; k < std::min(list->size(), kMostRelations); ++k) w.text((*list)[k]);
    w.close(']');
  }
  w.array("aliases").close(']').number("link_count", links.size());
  w.number("monitor_count", monitors.size()).number("monitored_by_count", watchers.size());
  w.number("alias_count", 0).array("alias_owners").close(']');
}

std::string DumpAnswers::process(const ObserverRequest& r, JsonWriter& w) {
  const DumpedProcess* p = find(r.text("pid"));
  if (!p) return "no such process";
  DumpHeap heap;
  if (p->heap) heap.add_objects(p->heap->body);
  DumpText text(heap, shared());
  const DumpSection& f = *p->facts;
  write_row(w, *p);
  w.boolean("answered", true).text("application", "").number("migrations", 0).number("gc_ns", 0);
  w.text("priority", contains(f.field("Internal State"), "ACT_PRIO_MAX")    ? "max"
                     : contains(f.field("Internal State"), "ACT_PRIO_HIGH") ? "high"
                     : contains(f.field("Internal State"), "ACT_PRIO_LOW")  ? "low"
                                                                            : "normal");
  write_relations(w, *p);
  const uint64_t young = f.number("Stack+heap"), unused = f.number("Heap unused"),
                 old = f.number("OldHeap"), old_unused = f.number("OldHeap unused");
  const uint64_t off = f.number("BinVHeap"), old_off = f.number("OldBinVHeap");
  w.object("heap").boolean("in_control_block", false).number("young_words", young);
  w.number("young_used", young - std::min(young, unused)).number("survived_once", 0);
  w.number("old_words", old).number("old_used", old - std::min(old, old_unused));
  w.number("fragment_words", f.number("Heap fragment data")).number("stack_words", 0);
  w.number("off_heap_words", off).number("off_heap_limit", f.number("BinVHeap unused") + off);
  w.number("old_off_heap_words", old_off).number("minor_since_major", 0);
  w.array("binaries").close(']').number("binary_bytes", (off + old_off) * kWord);
  w.boolean("more_binaries", false).close('}');
  w.object("flags").text("internal_state", f.field("Internal State")).close('}');
  write_stack(w, *p, text);
  w.array("dictionary");
  size_t entries = 0;
  constexpr size_t kMostEntries = 200;
  for (std::string_view l = p->dictionary ? p->dictionary->body : std::string_view(); !l.empty();) {
    const std::string_view line = take_line(&l);
    if (line.empty() || entries++ >= kMostEntries) continue;
    // A tuple of key and value, shown apart as a machine does.
    std::string_view address = line.substr(1), pair = heap.object(take_hex(&address));
    if (!line.starts_with('H') || !pair.starts_with("t2:")) continue;
    pair.remove_prefix(3);
    const std::string key = text.print(&pair, kShort);
    if (pair.starts_with(',')) pair.remove_prefix(1);
    w.open('[').text(key).text(text.print(&pair, kShort)).close(']');
  }
  w.close(']').number("dictionary_count", entries);
  const auto from = static_cast<uint64_t>(r.number("messages_from", 0, 0, INT64_MAX));
  const auto count = static_cast<uint64_t>(r.number("messages", 20, 0, 100));
  w.number("messages_from", from).array("messages");
  uint64_t k = 0;
  for (std::string_view l = p->messages ? p->messages->body : std::string_view(); !l.empty(); ++k) {
    const std::string_view line = take_line(&l);
    if (k >= from + count) break;
    if (k >= from) w.text(text.print(line, kLong));
  }
  w.close(']').boolean("receive_scanned", false);
  return {};
}

/// Those it has spawned and is linked to; without `pid` those that nobody of the dump has spawned.
std::string DumpAnswers::children(const ObserverRequest& r, JsonWriter& w) {
  const std::string_view wanted = r.text("pid");
  const DumpedProcess* parent = wanted.empty() ? nullptr : find(wanted);
  if (!wanted.empty() && !parent) return "no such process";
  std::vector<const DumpedProcess*> rows;
  size_t limit = limit_of(r);
  auto is_child = [&](const DumpedProcess& p) {
    const DumpedProcess* of = find(p.parent);
    const bool linked = of && contains(p.facts->field("Link list"), of->pid);
    return parent ? of == parent && linked : !linked;
  };
  for (const DumpedProcess& p : processes_) {
    if (rows.size() < limit && is_child(p)) rows.push_back(&p);
  }
  w.array("rows");
  for (const DumpedProcess* p : rows) {
    write_row(w.open('{'), *p);
    w.close('}');
  }
  w.close(']');
  return {};
}

// --- what is kept beside processes ---------------------------------------------------------------
std::string DumpAnswers::tables(const ObserverRequest& r, JsonWriter& w) {
  std::vector<const DumpSection*> rows;
  uint64_t words = 0;
  each("ets", [&](const DumpSection& s) { rows.push_back(&s), words += s.number("Words"); });
  std::ranges::sort(rows, [](auto* a, auto* b) { return a->number("Words") > b->number("Words"); });
  w.number("total", rows.size()).number("bytes", words * kWord).array("rows");
  for (size_t k = 0; k < std::min(rows.size(), limit_of(r)); ++k) {
    const DumpSection& s = *rows[k];
    const std::string_view name = s.field("Name").empty() ? s.field("Table") : s.field("Name");
    w.open('{').text("name", name).boolean("named", true).text("owner", s.id);
    w.text("type", s.field("Type").empty() ? "ordered_set" : s.field("Type"));
    w.text("protection", s.field("Protection")).number("keypos", 0);
    w.boolean("compressed", s.field("Compressed") == "true");
    w.number("objects", s.number("Objects")).number("bytes", s.number("Words") * kWord);
    w.number("searches", 0).number("searched", 0).close('}');
  }
  w.close(']');
  return {};
}

std::string DumpAnswers::modules(const ObserverRequest& r, JsonWriter& w) {
  std::vector<const DumpSection*> rows;
  uint64_t bytes = 0;
  each("mod", [&](const DumpSection& s) { rows.push_back(&s), bytes += s.number("Current size"); });
  std::ranges::sort(
      rows, [](auto* a, auto* b) { return a->number("Current size") > b->number("Current size"); });
  w.number("total", rows.size()).number("bytes", bytes).array("rows");
  for (size_t k = 0; k < std::min(rows.size(), limit_of(r)); ++k) {
    const DumpSection& s = *rows[k];
    w.open('{').text("name", s.id).number("code_bytes", s.number("Current size"));
    w.number("literal_bytes", 0).number("functions", 0);
    w.boolean("has_old", s.number("Old size") > 0).boolean("from_image", false).text("path", "");
    w.close('}');
  }
  w.close(']');
  return {};
}

std::string DumpAnswers::ports(const ObserverRequest& r, JsonWriter& w) {
  size_t left = limit_of(r);
  w.number("total", each("port", [](auto&) {})).array("rows");
  each("port", [&](const DumpSection& s) {
    if (!left) return;
    --left;
    std::string_view about;
    for (std::string_view l = s.body; !l.empty();) {
      const std::string_view line = take_line(&l);
      if (line.starts_with("Port ")) about = line;
    }
    const size_t colon = about.rfind(": ");
    w.open('{').text("id", s.id);
    w.text("name", colon == about.npos ? about : about.substr(colon + 2));
    w.text("owner", s.field("Connected")).text("os_pid", "");
    w.text("bytes_in", s.field("Input")).text("bytes_out", s.field("Output"));
    w.text("queue", s.field("Queue")).text("about", about).close('}');
  });
  w.close(']');
  return {};
}

std::string DumpAnswers::nodes(const ObserverRequest& r, JsonWriter& w) {
  size_t total = 0, left = limit_of(r);
  w.text("own", reader_.first("node").id).array("rows");
  for (const DumpSection& s : reader_.sections()) {
    if (s.tag != "visible_node" && s.tag != "hidden_node" && s.tag != "not_connected") continue;
    ++total;
    if (!left) continue;
    --left;
    w.open('{').text("name", s.field("Name").empty() ? s.id : s.field("Name"));
    w.text("state", s.tag == "not_connected" ? "down" : "up");
    w.boolean("hidden", s.tag == "hidden_node").text("controller", s.field("Controller"));
    w.number("creation", s.number("Creation")).close('}');
  }
  w.close(']').number("total", total);
  return {};
}

std::string DumpAnswers::timers(const ObserverRequest& r, JsonWriter& w) {
  size_t left = limit_of(r);
  w.number("total", each("timer", [](auto&) {})).number("bytes", 0).array("rows");
  each("timer", [&](const DumpSection& s) {
    if (!left) return;
    --left;
    const DumpedProcess* to = find(s.id);
    w.open('{').text("pid", "").text("name", "").text("to", to ? to->pid : s.id);
    w.text("to_name", to ? to->name : "").number("count", 1).number("bytes", 0);
    w.text("fn", s.field("Message"));
    w.number("first_ms", s.number("Time left")).number("last_ms", s.number("Time left")).close('}');
  });
  w.close(']');
  return {};
}

/// The newest first, as the dump has them.
std::string DumpAnswers::atoms(const ObserverRequest& r, JsonWriter& w) {
  size_t total = 0, left = limit_of(r);
  w.array("rows");
  const uint64_t all = reader_.first("erl_crash_dump").number("Atoms");
  for (std::string_view l = reader_.first("atoms").body; !l.empty(); ++total) {
    const std::string_view line = take_line(&l);
    if (!left) continue;
    --left;
    w.open('{')
        .text("name", line)
        .number("number", all - std::min<uint64_t>(all, total + 1))
        .close('}');
  }
  w.close(']').number("total", std::max<uint64_t>(all, total));
  return {};
}

std::string DumpAnswers::persistent_terms(const ObserverRequest& r, JsonWriter& w) {
  size_t total = 0, left = limit_of(r);
  DumpHeap none;
  DumpText text(none, shared());
  w.array("rows");
  for (std::string_view l = reader_.first("persistent_terms").body; !l.empty(); ++total) {
    std::string_view line = take_line(&l);
    if (!left) continue;
    --left;
    const std::string key = text.print(&line, kShort);
    if (line.starts_with('|')) line.remove_prefix(1);
    w.open('{').text("name", key).text("value", text.print(&line, kShort)).close('}');
  }
  w.close(']').number("total", total).number("bytes", 0);
  return {};
}

std::string DumpAnswers::allocators(const ObserverRequest&, JsonWriter& w) {
  w.text("allocator", "").array("rows").close(']');
  return {};
}

// --- what only a machine that runs knows ---------------------------------------------------------
std::string DumpAnswers::calls(const ObserverRequest&, JsonWriter& w) {
  w.number("candidates", 0).number("asked", 0).number("calls", 0).number("warnings", 0);
  for (const char* name : {"rows", "cycles", "chains"}) w.array(name).close(']');
  return {};
}
std::string DumpAnswers::exits(const ObserverRequest&, JsonWriter& w) {
  w.number("abnormal", 0).number("unrecorded", 0).array("rows").close(']');
  return {};
}
std::string DumpAnswers::no_rows(const ObserverRequest&, JsonWriter& w) {
  w.number("now_ns", 0).number("total", 0).array("next").close(']').array("rows").close(']');
  w.number("loaded", 0).number("dirty_calls", 0).number("destructed", 0).array("dirty").close(']');
  return {};
}
std::string DumpAnswers::events(const ObserverRequest&, JsonWriter& w) {
  w.number("now_ns", 0);
  for (const char* name : {"kinds", "schedulers", "messages"}) w.array(name).close(']');
  return {};
}
std::string DumpAnswers::profile(const ObserverRequest&, JsonWriter& w) {
  w.boolean("on", false).text("what", "reductions").number("taken", 0).number("samples", 0);
  w.number("lost", 0).array("stacks").close(']').array("tiers").close(']');
  return {};
}
std::string DumpAnswers::jit(const ObserverRequest&, JsonWriter& w) {
  w.boolean("on", false).array("rows").close(']');
  return {};
}

}  // namespace wb
