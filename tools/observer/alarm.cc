#include "tools/observer/alarm.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <ctime>

#include <fmt/format.h>

#include "tools/observer/calls_text.h"
#include "tools/observer/home_rates.h"
#include "tools/observer/requests.h"
#include "tools/observer/units.h"
#include "tools/observer/warnings_text.h"
#include "vm/observe/json.h"
#include "vm/observe/warning_kinds.h"

extern char** environ;

namespace wb {
namespace {

enum class Unit : uint8_t { count, bytes, seconds, percent };

struct Facts {
  std::string_view name;
  Unit unit;
  bool per_process;
  const char* text;
};
constexpr Facts kFacts[] = {
#define ALARM(name, unit, per_process, text) {#name, Unit::unit, per_process, text},
#include "tools/observer/alarms.def"
#undef ALARM
};
const Facts& facts_of(AlarmValue v) { return kFacts[static_cast<size_t>(v)]; }

bool has_limit(AlarmValue v) {
  return v == AlarmValue::processes || v == AlarmValue::ports || v == AlarmValue::atoms ||
         v == AlarmValue::resident || v == AlarmValue::use;
}

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
  return s;
}

std::string names_of(const auto& table) {
  std::string names;
  for (const auto& f : table) names += (names.empty() ? "" : ", ") + std::string(f.name);
  return names;
}

/// A number and its unit; false: it is none.
bool parse_limit(std::string_view text, Unit unit, double* limit, bool* percent) {
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), *limit);
  if (fault != std::errc() || !std::isfinite(*limit)) return false;
  const std::string_view behind =
      trimmed({end, static_cast<size_t>(text.data() + text.size() - end)});
  *percent = behind == "%";
  if (behind.empty() || *percent) return true;
  if (unit == Unit::seconds || unit == Unit::percent) return unit == Unit::seconds && behind == "s";
  const size_t power = std::string_view("kmg").find(static_cast<char>(behind[0] | 0x20));
  std::string_view rest = behind.substr(1);
  if (unit == Unit::bytes && (rest == "B" || rest == "iB")) rest = {};
  if (power == std::string_view::npos || !rest.empty()) return false;
  *limit *= std::pow(unit == Unit::bytes ? 1024 : 1000, static_cast<double>(power + 1));
  return true;
}

// --- what is the case ----------------------------------------------------------------------------
struct Reading {
  double now = 0, limit = 0;
  std::string process;  ///< who it is about
};

std::string process_text(const JsonValue& p) {
  std::string name = p["name"].text().empty() ? p["initial"].text() : p["name"].text();
  return p["pid"].text() + (name.empty() ? "" : " " + name);
}

/// What a look has asked for already.
class Look {
 public:
  explicit Look(ObserverClient& client) : client_(client) {}

  /// Begins anew; false: the machine does not answer.
  bool begin() {
    before_ = std::move(home_);
    home_ = client_.ask(observer_request("home"));
    calls_ = {};
    return !home_.is_null();
  }

  Reading read(const AlarmCondition& condition) {
    const AlarmValue v = condition.value;
    switch (v) {
      case AlarmValue::queue:
        return first("msgq", "msgq");
      case AlarmValue::mailbox:
        return first("mailbox", "mailbox");
      case AlarmValue::process_memory:
        return first("memory", "memory");
      case AlarmValue::process_use: {
        Reading r = first("dreds", "dreds");
        r.now = interval_ns_ > 0 ? r.now / interval_ns_ * 1e9 : 0;
        return r;
      }
      case AlarmValue::call: {
        const auto& rows = calls()["rows"].list();
        if (rows.empty()) return {};
        const JsonValue& oldest = rows[0];
        return {oldest["call_age_ns"].number() / 1e9, 0,
                process_text(oldest) + " waits for " + call_text(oldest)};
      }
      case AlarmValue::cycles: {
        const auto& cycles = calls()["cycles"].list();
        return {static_cast<double>(cycles.size()), 0,
                cycles.empty() ? "" : "call cycle: " + cycle_text(cycles[0])};
      }
      case AlarmValue::warnings: {
        const std::string raw = ask_settled_warnings(client_, condition.kind, 1);
        const JsonValue answer = JsonValue::parse(raw), &data = answer["data"];
        const auto& rows = data["rows"].list();
        return {data["total"].number(), 0, rows.empty() ? "" : WarningText(rows[0]).line()};
      }
      case AlarmValue::exits: {
        if (before_.is_null()) return {};
        Reading r{counter("abnormal_exits"), 0, {}};
        if (r.now <= 0) return r;
        const JsonValue exits = client_.ask(observer_request("exits", {}, {{"most", 1}}));
        const auto& rows = exits["rows"].list();
        if (!rows.empty()) r.process = process_text(rows[0]) + ": " + rows[0]["reason"].text();
        return r;
      }
      case AlarmValue::memory:
        return {home_["memory"]["total"].number(), 0, {}};
      case AlarmValue::resident:
        return {home_["os"]["resident"].number(), home_["os"]["memory_limit"].number(), {}};
      case AlarmValue::use:
        return {use(), 100, {}};
      case AlarmValue::run_queue: {
        double n = 0;
        for (const JsonValue& s : home_["schedulers"].list()) n += s["queue"].number();
        return {n, 0, {}};
      }
      case AlarmValue::processes:
      case AlarmValue::ports:
      case AlarmValue::atoms:
      case AlarmValue::tables:
      case AlarmValue::timers:
      case AlarmValue::binaries: {
        const JsonValue& c = home_["counts"][facts_of(v).name];
        return {c["now"].number(), c["limit"].number(), {}};
      }
    }
    return {};
  }

 private:
  double counter(const char* name) const {
    return home_["counters"][name].number() - before_["counters"][name].number();
  }
  double use() const { return std::max(0.0, scheduler_use(home_, before_)) * 100; }
  /// Of the process that has most.
  Reading first(const char* by, const char* key) {
    std::string request;
    JsonWriter w(request);
    const bool change = std::string_view(by) == "dreds";
    w.open('{').text("do", "processes").text("by", by).number("limit", 1);
    w.boolean("deltas", change).boolean("detail", false).close('}');
    const JsonValue answer = client_.ask(request);
    interval_ns_ = answer["interval_ns"].number();
    const auto& rows = answer["rows"].list();
    if (rows.empty()) return {};
    return {rows[0][key].number(), 0, process_text(rows[0])};
  }
  const JsonValue& calls() {
    if (calls_.is_null()) calls_ = client_.ask(observer_request("calls", {}, {{"limit", 1}}));
    return calls_;
  }

  ObserverClient& client_;
  JsonValue home_, before_, calls_;
  double interval_ns_ = 0;
};

// --- who is told ---------------------------------------------------------------------------------
std::string value_text(const AlarmCondition& c, double n) {
  if (c.percent) return fmt::format("{:.1f} %", n);
  switch (facts_of(c.value).unit) {
    case Unit::bytes:
      return bytes_text(n);
    case Unit::seconds:
      return fmt::format("{:.1f} s", n);
    case Unit::percent:
      return fmt::format("{:.1f} %", n);
    case Unit::count:
      break;
  }
  return count_text(n);
}

std::string time_text() {
  const time_t now = time(nullptr);
  tm parts;
  localtime_r(&now, &parts);
  char text[32];
  strftime(text, sizeof text, "%F %T", &parts);
  return text;
}

/// Waits for it: two commands of one observer never run at a time.
void run_command(const std::string& command,
                 const std::vector<std::pair<std::string, std::string>>& told) {
  std::vector<std::string> variables;
  for (const auto& [name, value] : told) variables.push_back(name + '=' + value);
  std::vector<char*> environment;
  for (char** e = environ; *e; ++e) {
    if (std::string_view(*e).substr(0, 15) != "WHITEBEAM_ALARM") environment.push_back(*e);
  }
  for (std::string& v : variables) environment.push_back(v.data());
  environment.push_back(nullptr);
  std::string shell = "/bin/sh", flag = "-c", text = command;
  char* arguments[] = {shell.data(), flag.data(), text.data(), nullptr};
  pid_t child;
  if (int fault = posix_spawn(&child, "/bin/sh", nullptr, nullptr, arguments, environment.data())) {
    fmt::print(stderr, "whitebeam: --alarm-command: error {}\n", fault);
    return;
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (status) fmt::print(stderr, "whitebeam: the alarm's command has failed: {}\n", command);
}

}  // namespace

std::optional<AlarmCondition> AlarmCondition::parse(std::string_view text, std::string* error) {
  const size_t at = text.find_first_of("<>");
  const std::string_view name = trimmed(text.substr(0, at));
  AlarmCondition c;
  c.text = trimmed(text);
  if (at == text.npos) {
    *error = fmt::format("no condition, which is NAME < or > NUMBER: {}", c.text);
    return {};
  }
  const size_t dot = name.find('.');
  const auto* facts = std::ranges::find(kFacts, name.substr(0, dot), &Facts::name);
  c.value = static_cast<AlarmValue>(facts - std::begin(kFacts));
  const bool of_kind = dot != name.npos;
  if (facts == std::end(kFacts) || (of_kind && c.value != AlarmValue::warnings)) {
    *error = fmt::format("nothing to watch is called {:?}; there are {}", name, names_of(kFacts));
    return {};
  }
  if (of_kind) c.kind = name.substr(dot + 1);
  if (of_kind && std::ranges::find(kWarnings, c.kind, &WarningFacts::name) == std::end(kWarnings)) {
    *error =
        fmt::format("no kind of warning is called {:?}; there are {}", c.kind, names_of(kWarnings));
    return {};
  }
  const bool equal = text.substr(at + 1).starts_with('=');
  c.op = text[at] == '<' ? (equal ? Operator::at_most : Operator::less)
                         : (equal ? Operator::at_least : Operator::more);
  const std::string_view number = trimmed(text.substr(at + 1 + equal));
  if (!parse_limit(number, facts->unit, &c.limit, &c.percent)) {
    *error = fmt::format("no number that {} is compared with: {:?}", name, number);
    return {};
  }
  if (c.percent && !has_limit(c.value)) {
    *error = fmt::format("{} has no limit of which there are {}", name, number);
    return {};
  }
  return c;
}

bool AlarmCondition::holds(double n) const {
  switch (op) {
    case Operator::less:
      return n < limit;
    case Operator::at_most:
      return n <= limit;
    case Operator::more:
      return n > limit;
    case Operator::at_least:
      break;
  }
  return n >= limit;
}

bool watch_alarms(ObserverClient& client, const std::vector<AlarmCondition>& conditions,
                  const std::string& command, double interval) {
  const JsonValue hello = client.ask(R"({"do":"hello"})");
  if (hello.is_null()) return false;
  std::vector<bool> held(conditions.size());
  Look look(client);
  const std::string machine = std::to_string(hello["pid"].integer());
  for (bool first = true; look.begin(); first = false) {
    for (size_t k = 0; k < conditions.size(); ++k) {
      const AlarmCondition& c = conditions[k];
      const bool of_change = c.value == AlarmValue::use || c.value == AlarmValue::exits;
      if (first && of_change) continue;
      Reading r = look.read(c);
      if (!client.connected()) return true;
      if (c.percent && c.value != AlarmValue::use) r.now = r.limit > 0 ? r.now / r.limit * 100 : 0;
      const bool holds = c.holds(r.now);
      if (holds == held[k]) continue;
      held[k] = holds;
      const std::string value = value_text(c, r.now), state = holds ? "alarm" : "over";
      fmt::print(stderr, "{} {}: {}: {}{}\n", time_text(), state, c.text, value,
                 holds && !r.process.empty() ? ", " + r.process : "");
      if (command.empty()) continue;
      run_command(command, {{"WHITEBEAM_ALARM", c.text},
                            {"WHITEBEAM_ALARM_STATE", state},
                            {"WHITEBEAM_ALARM_VALUE", fmt::format("{}", r.now)},
                            {"WHITEBEAM_ALARM_PROCESS", holds ? r.process : ""},
                            {"WHITEBEAM_ALARM_MACHINE", machine}});
    }
    usleep(static_cast<useconds_t>(interval * 1e6));
  }
  return true;
}

}  // namespace wb
