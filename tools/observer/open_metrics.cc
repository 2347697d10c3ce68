#include "tools/observer/open_metrics.h"

#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "tools/observer/requests.h"
#include "tools/observer/warnings_text.h"
#include "vm/observe/json.h"

namespace wb {
namespace {

/// Processes shown for each column: a label for every process would drown whoever keeps them.
constexpr int kTop = 10;

/// So many seconds the machine goes on looking for what is wrong: who scrapes each two minutes
/// waits for it only the first time.
constexpr int kUntilNextScrape = 150;

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out;
}

class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}

  /// A family; the samples that follow are its.
  void family(const std::string& name, const char* type, const std::string& help) {
    name_ = name;
    out_ += fmt::format("# TYPE whitebeam_{} {}\n", name, type);
    if (!help.empty()) out_ += fmt::format("# HELP whitebeam_{} {}\n", name, help);
  }
  /// `suffix`: _total, _bucket ...; `labels`: with braces, or nothing
  void sample(const char* suffix, const std::string& labels, double value) {
    out_ += fmt::format("whitebeam_{}{}{} {}\n", name_, suffix, labels, value);
  }

 private:
  std::string& out_;
  std::string name_;
};

std::string label(std::string_view name, std::string_view value) {
  return fmt::format("{{{}=\"{}\"}}", name, escaped(value));
}

void write_home(Writer& w, const JsonValue& home) {
  w.family("memory_bytes", "gauge", "");
  for (const auto& [what, bytes] : home["memory"].fields())
    w.sample("", label("kind", what), bytes.number());
  w.family("resident_bytes", "gauge", "resident in memory");
  w.sample("", "", home["os"]["resident"].number());
  w.family("count", "gauge", "how many there are");
  for (const auto& [what, count] : home["counts"].fields())
    w.sample("", label("kind", what), count["now"].number());
  w.family("limit", "gauge", "how many there can be");
  for (const auto& [what, count] : home["counts"].fields()) {
    if (!count["limit"].is_null()) w.sample("", label("kind", what), count["limit"].number());
  }
  for (const char* what : {"threads", "running", "waiting"}) {
    w.family(fmt::format("dirty_{}", what), "gauge", "of the dirty pools");
    for (const auto& [pool, d] : home["dirty"].fields())
      w.sample("", label("pool", pool), d[what].number());
  }
  w.family("observer_seconds", "counter", "processor time of answering observers");
  w.sample("_total", "", home["observer"]["cpu_ns"].number() / 1e9);
  w.family("observer_memory_bytes", "gauge", "what that needs in the machine");
  w.sample("", "", home["observer"]["memory"].number());
}

void write_schedulers(Writer& w, const JsonValue& home) {
  const auto& all = home["schedulers"].list();
  auto number = [](const JsonValue& s) { return std::to_string(s["number"].integer()); };
  w.family("run_queue", "gauge", "processes that wait for a scheduler");
  for (const JsonValue& s : all) w.sample("", label("scheduler", number(s)), s["queue"].number());
  w.family("run_queue_by_priority", "gauge", "the same by priority");
  for (const JsonValue& s : all) {
    for (const auto& [priority, n] : s["queues"].fields()) {
      w.sample("", fmt::format("{{scheduler=\"{}\",priority=\"{}\"}}", number(s), priority),
               n.number());
    }
  }
  w.family("scheduler_active_seconds", "counter", "time a scheduler was not asleep");
  for (const JsonValue& s : all)
    w.sample("_total", label("scheduler", number(s)), s["active_ns"].number() / 1e9);
}

/// How often something took how long, of all schedulers together. The machine's own numbers are by
/// powers of two and not summed up: the sum is an estimate from the middles.
void write_times(Writer& w, const JsonValue& schedulers, const char* what, const char* name,
                 const char* help) {
  std::map<double, double> below;
  for (const JsonValue& s : schedulers["schedulers"].list()) {
    for (const JsonValue& pair : s[what].list()) {
      if (pair.list().size() == 2) below[pair.list()[0].number()] += pair.list()[1].number();
    }
  }
  w.family(name, "histogram", help);
  double count = 0, sum = 0;
  for (const auto& [ns, n] : below) {
    count += n, sum += n * ns * 0.75 / 1e9;
    w.sample("_bucket", label("le", fmt::format("{}", ns / 1e9)), count);
  }
  w.sample("_bucket", label("le", "+Inf"), count);
  w.sample("_count", "", count);
  w.sample("_sum", "", sum);
}

void write_top(Writer& w, ObserverClient& client, const char* by, const char* name,
               const char* help) {
  std::string request;  // without changes since the last look, which are those of who looks
  JsonWriter r(request);
  r.open('{').text("do", "processes").text("by", by).boolean("deltas", false);
  r.number("limit", kTop).close('}');
  JsonValue rows = client.ask(request);
  w.family(name, "gauge", help);
  for (const JsonValue& p : rows["rows"].list()) {
    const std::string& known = p["name"].text();
    w.sample("",
             fmt::format("{{pid=\"{}\",name=\"{}\"}}", escaped(p["pid"].text()),
                         escaped(known.empty() ? p["initial"].text() : known)),
             p[by].number());
  }
}

/// Who waits for whom.
void write_calls(Writer& w, const JsonValue& calls) {
  w.family("processes_in_calls", "gauge", "that wait for the answer of another, of those asked");
  w.sample("", "", calls["calls"].number());
  w.family("call_cycles", "gauge", "processes that wait for each other: how many such cycles");
  w.sample("", "", static_cast<double>(calls["cycles"].list().size()));
  const auto& rows = calls["rows"].list();
  w.family("oldest_call_seconds", "gauge", "since when the oldest call waits");
  w.sample("", "", rows.empty() ? 0 : rows[0]["call_age_ns"].number() / 1e9);
}

/// What looks wrong: how many of each kind.
void write_warnings(Writer& w, const JsonValue& warnings) {
  w.family("warnings", "gauge", "what looks wrong in the whole machine");
  for (const auto& [kind, n] : warnings["kinds"].fields())
    w.sample("", label("kind", kind), n.number());
}

/// What the compilers count, of both tiers under one name.
void write_compilers(Writer& w, const JsonValue& jit) {
  struct Known {
    const char *tier, *name, *help;
  };
  static constexpr Known kKnown[] = {
#define BASELINE(name, text) {"baseline", #name, text},
#define LLVM(name, text) {"LLVM", #name, text},
#include "vm/jit/counters.def"
#undef BASELINE
#undef LLVM
      {"LLVM", "native_left", "times its code left an instruction to the interpreter"},
  };
  std::set<std::string_view> done;
  for (const Known& first : kKnown) {
    if (!done.insert(first.name).second) continue;
    const bool time = first.name == std::string_view("ns");
    w.family(std::string("jit_") + (time ? "seconds" : first.name), "counter", first.help);
    for (const Known& k : kKnown) {
      const JsonValue& value = jit[k.tier][k.name];
      if (first.name != std::string_view(k.name) || value.is_null()) continue;
      w.sample("_total", label("tier", k.tier), time ? value.number() / 1e9 : value.number());
    }
  }
}

}  // namespace

std::string open_metrics_text(ObserverClient& client) {
  const JsonValue hello = client.ask(observer_request("hello"));
  const JsonValue warned = JsonValue::parse(ask_settled_warnings(client, {}, 1, kUntilNextScrape));
  const JsonValue home = client.ask(observer_request("home"));
  if (hello.is_null() || home.is_null()) return {};
  std::string out;
  Writer w(out);
  write_home(w, home);
  write_schedulers(w, home);
  for (const auto& [name, value] : home["counters"].fields()) {
    const bool largest = name.starts_with("longest_");
    w.family(name, largest ? "gauge" : "counter", hello["counters"][name].text());
    w.sample(largest ? "" : "_total", "", value.number());
  }
  const JsonValue schedulers = client.ask(observer_request("schedulers"));
  write_times(w, schedulers, "wakeups", "wakeup_seconds", "from being woken to running");
  write_times(w, schedulers, "waits", "run_queue_wait_seconds", "in a run queue, estimated");
  write_times(w, schedulers, "pauses", "collection_seconds", "garbage collections");
  write_top(w, client, "memory", "top_process_memory_bytes", "the largest processes");
  write_top(w, client, "msgq", "top_process_messages", "those with most messages that wait");
  write_top(w, client, "reds", "top_process_reductions", "those that have done most so far");
  write_warnings(w, warned["data"]);
  write_calls(w, client.ask(observer_request("calls", {}, {{"limit", 1}})));
  write_compilers(w, client.ask(observer_request("jit", {}, {{"limit", 0}})));
  out += "# EOF\n";
  return client.connected() ? out : std::string();
}

}  // namespace wb
