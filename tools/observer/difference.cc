#include "tools/observer/difference.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "tools/observer/units.h"
#include "vm/observe/json.h"

namespace wb {

/// `<0.SLOT.AGE>`
static uint64_t age_of(std::string_view pid) {
  const size_t dot = pid.rfind('.');
  uint64_t age = 0;
  if (dot != pid.npos) std::from_chars(pid.data() + dot + 1, pid.data() + pid.size(), age);
  return age;
}

/// The first so many, noted in the snapshot.
static void ask_for(ObserverClient& client, const char* by, const std::string& filter, int limit,
                    ProcessSnapshot* s) {
  std::string request;
  JsonWriter w(request);
  w.open('{').text("do", "processes").text("by", by).text("filter", filter);
  w.number("limit", limit).boolean("ascending", false);
  w.boolean("deltas", false).boolean("detail", false).close('}');
  const JsonValue data = client.ask(request);
  for (const JsonValue& p : data["rows"].list()) {
    const std::string& name = p["name"].text().empty() ? p["initial"].text() : p["name"].text();
    const std::string& pid = p["pid"].text();
    s->rows[pid] = {name,
                    p["fn"].text(),
                    p["reds"].number(),
                    p["memory"].number(),
                    p["msgq"].number(),
                    p["binaries"].number()};
    s->newest = std::max(s->newest, age_of(pid));
  }
}

ProcessSnapshot take_snapshot(ObserverClient& client, const std::string& filter) {
  ProcessSnapshot s;
  s.when = time(nullptr);
  ProcessSnapshot last;
  ask_for(client, "pid", {}, 1, &last);
  for (const char* by : {"reds", "memory", "msgq", "binaries"})
    ask_for(client, by, filter, 1000, &s);
  s.newest = last.newest;
  return s;
}

static ProcessSnapshot::Row difference(const ProcessSnapshot::Row& now,
                                       const ProcessSnapshot::Row& was) {
  return {now.name,
          now.where,
          now.reds - was.reds,
          now.memory - was.memory,
          now.msgq - was.msgq,
          now.binaries - was.binaries};
}
static bool is_nothing(const ProcessSnapshot::Row& r) {
  return r.reds == 0 && r.memory == 0 && r.msgq == 0 && r.binaries == 0;
}

std::vector<ProcessChange> changes_between(ObserverClient& client, const ProcessSnapshot& before,
                                           ProcessSnapshot now) {
  size_t most_asked = 500;  // each is answered by a look at one
  for (const auto& [pid, was] : before.rows) {
    if (!now.rows.contains(pid) && most_asked && most_asked--)
      ask_for(client, "reds", "pid=" + pid, 1, &now);
  }
  std::vector<ProcessChange> all;
  for (const auto& [pid, p] : now.rows) {
    const auto at = before.rows.find(pid);
    const bool known = at != before.rows.end();
    ProcessChange c{pid, known ? "" : age_of(pid) > before.newest ? "new" : "rose", p};
    if (known) c.by = difference(p, at->second);
    if (!known || !is_nothing(c.by)) all.push_back(std::move(c));
  }
  for (const auto& [pid, p] : before.rows) {
    if (!now.rows.contains(pid)) all.push_back({pid, "gone", difference({p.name, p.where}, p)});
  }
  std::sort(all.begin(), all.end(), [](const ProcessChange& a, const ProcessChange& b) {
    return std::abs(a.by.reds) > std::abs(b.by.reds);
  });
  return all;
}

static std::string change_text(double n, std::string (*text)(double)) {
  if (n == 0) return "";
  return (n > 0 ? "+" : "-") + text(n > 0 ? n : -n);
}

std::vector<Column> change_columns() {
  return {{"pid", 12, false, 0},      {"name or start", 20, false, 0}, {"", 4, false, 0},
          {"reds", 8, true, 0},       {"memory", 11, true, 0},         {"queue", 7, true, 0},
          {"binaries", 11, true, 80}, {"where", 0, false, 100}};
}
std::vector<TableWidget::Row> change_rows(const std::vector<ProcessChange>& changes) {
  std::vector<TableWidget::Row> rows;
  for (const ProcessChange& c : changes) {
    rows.push_back({{c.pid, c.by.name, c.fate, change_text(c.by.reds, count_text),
                     change_text(c.by.memory, bytes_text), change_text(c.by.msgq, count_text),
                     change_text(c.by.binaries, bytes_text), c.by.where},
                    c.pid,
                    c.fate == "gone" ? unsigned{kDim} : unsigned{kPlain}});
  }
  return rows;
}

// --- everything that is counted ------------------------------------------------------------------
static std::string microseconds_text(double n) { return duration_text(n * 1e3); }

/// How people read a number of `home`, by its group and name.
static auto text_of(std::string_view group, std::string_view name) {
  if (group == "memory" || group == "os")
    return name.ends_with("_us") ? microseconds_text : bytes_text;
  if (name.ends_with("_ns")) return duration_text;
  return name.find("bytes") == name.npos ? count_text : bytes_text;
}

std::vector<Column> counter_columns() {
  return {{"what", 26, false, 0}, {"then", 11, true, 0},     {"now", 11, true, 0},
          {"by", 12, true, 0},    {"a second", 12, true, 0}, {"a minute", 12, true, 96}};
}
std::vector<TableWidget::Row> counter_rows(const JsonValue& before, const JsonValue& now) {
  std::vector<TableWidget::Row> rows;
  const double seconds = (now["uptime_ns"].number() - before["uptime_ns"].number()) / 1e9;
  auto add = [&](const char* group, const std::string& name, double was, double is) {
    const auto text = text_of(group, name);
    const double by = is - was, rate = seconds > 0 ? by / seconds : 0;
    if (by == 0 && std::string_view(group) == "counters") return;
    rows.push_back({{name, text(was), text(is), change_text(by, text), change_text(rate, text),
                     change_text(rate * 60, text)},
                    "",
                    by != 0 ? unsigned{kPlain} : unsigned{kDim}});
  };
  for (const char* name : {"resident", "user_us", "system_us"})
    add("os", name, before["os"][name].number(), now["os"][name].number());
  for (const auto& [name, n] : now["memory"].fields())
    add("memory", name == "total" ? "memory, total" : name, before["memory"][name].number(),
        n.number());
  for (const auto& [name, n] : now["counts"].fields()) {
    const bool twice = !now["memory"][name].is_null();  // binaries, and bytes of binaries
    add("counts", twice ? name + ", number" : name, before["counts"][name]["now"].number(),
        n["now"].number());
  }
  for (const auto& [name, n] : now["counters"].fields())
    add("counters", name, before["counters"][name].number(), n.number());
  return rows;
}

std::string clock_text(time_t when) {
  char text[16];
  tm parts;
  return std::string(text, strftime(text, sizeof text, "%H:%M:%S", localtime_r(&when, &parts)));
}

}  // namespace wb
