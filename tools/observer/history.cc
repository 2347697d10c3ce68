#include "tools/observer/history.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <iterator>
#include <memory>

#include "tools/observer/home_rates.h"
#include "tools/observer/requests.h"
#include "tools/observer/units.h"
#include "tools/observer/warnings_text.h"
#include "vm/observe/json.h"

namespace wb {
namespace {

// --- keeping -------------------------------------------------------------------------------------
/// What a look is made of. Events are last: they are left out where all together is too long.
constexpr std::pair<std::string_view, const char*> kAsked[] = {
    {"home", R"({"do":"home"})"},
    {"warnings", R"({"do":"warnings","limit":50})"},
    {"calls", R"({"do":"calls","limit":20})"},
    {"exits", R"({"do":"exits","most":20})"},
    {"busiest", R"({"do":"processes","by":"dreds","limit":10})"},
    {"largest", R"({"do":"processes","by":"memory","limit":10,"deltas":false})"},
    {"events", R"({"do":"events","most":1500})"},
};

/// The data of an answer as text; empty: there is none.
std::string data_of(ObserverClient& client, const std::string& request) {
  std::string raw;
  return client.ask(request, &raw) ? data_of_answer(raw) : std::string();
}

std::string one_look(ObserverClient& client) {
  std::string out = "{";
  for (const auto& [name, request] : kAsked) {
    const std::string data = data_of(client, request);
    if (!client.connected()) return {};
    // Its name, and what closes the object, are short.
    if (data.empty() || !HistoryFile::fits(out + data + "                ")) continue;
    JsonWriter(out).key(name).raw(data);
  }
  return out + '}';
}

// --- reading -------------------------------------------------------------------------------------
constexpr size_t kMostBytes = 2u << 30;

std::string read_file(const std::string& path, std::string* error) {
  std::unique_ptr<FILE, int (*)(FILE*)> f(fopen(path.c_str(), "rb"), fclose);
  std::string bytes;
  if (!f) {
    *error = strerror(errno);
    return {};
  }
  char buffer[65536];
  while (size_t n = fread(buffer, 1, sizeof buffer, f.get())) {
    bytes.append(buffer, n);
    if (bytes.size() > kMostBytes) break;
    // A foreign file is not read whole.
    if (bytes.size() == n && !bytes.starts_with("WBHISTRY")) break;
  }
  if (ferror(f.get())) *error = strerror(errno);
  return bytes;
}

std::string clock_text(double wall_ms) {
  const auto seconds = static_cast<time_t>(wall_ms / 1000);
  tm parts;
  char text[32] = "?";
  if (localtime_r(&seconds, &parts)) strftime(text, sizeof text, "%F %T", &parts);
  return text;
}

std::string who(const JsonValue& p) {
  for (const char* key : {"name", "label", "initial"}) {
    if (!p[key].text().empty()) return one_line(p[key].text());
  }
  return {};
}

void print_curves(const std::vector<std::pair<uint64_t, JsonValue>>& looks) {
  fmt::print("\n{:<20} {:>6} {:>7} {:>9} {:>8} {:>8} {:>7} {:>10} {:>10}\n", "time", "use",
             "queued", "processes", "reds/s", "msgs/s", "exits", "memory", "resident");
  for (size_t k = 0; k < looks.size(); ++k) {
    const JsonValue &now = looks[k].second["home"], &before = looks[k ? k - 1 : 0].second["home"];
    const double ns = now["uptime_ns"].number() - before["uptime_ns"].number();
    const double use = scheduler_use(now, before);
    double queued = 0;
    for (const JsonValue& s : now["schedulers"].list()) queued += s["queue"].number();
    auto change = [&](const char* name) {
      return now["counters"][name].number() - before["counters"][name].number();
    };
    const bool known = ns > 0;
    auto rate = [&](const char* name) {
      return known ? count_text(change(name) / ns * 1e9) : std::string("-");
    };
    fmt::print("{:<20} {:>6} {:>7} {:>9} {:>8} {:>8} {:>7} {:>10} {:>10}\n",
               clock_text(static_cast<double>(looks[k].first)),
               use >= 0 ? fmt::format("{:.0f} %", use * 100) : "-", count_text(queued),
               count_text(now["counts"]["processes"]["now"].number()), rate("reductions"),
               rate("messages"), known ? count_text(change("abnormal_exits")) : "-",
               bytes_text(now["memory"]["total"].number()),
               bytes_text(now["os"]["resident"].number()));
  }
}

void print_processes(const char* title, const JsonValue& rows) {
  if (rows.list().empty()) return;
  fmt::print("\n{}\n", title);
  for (const JsonValue& p : rows.list()) {
    std::string lint;
    for (const JsonValue& l : p["lint"].list()) lint += (lint.empty() ? "  " : ", ") + l.text();
    fmt::print("  {:<14} {:<30} {:>10} {:>6} queued  {}{}\n", p["pid"].text(), who(p),
               bytes_text(p["memory"].number()), count_text(p["msgq"].number()), p["fn"].text(),
               lint);
  }
}

void print_exits(const JsonValue& exits) {
  if (exits["rows"].list().empty()) return;
  fmt::print("\nabnormal exits, the newest first ({} in all)\n", exits["abnormal"].integer());
  for (const JsonValue& e : exits["rows"].list()) {
    fmt::print("  {}  {} {}: {}\n", clock_text(e["wall_ms"].number()), e["pid"].text(), who(e),
               e["reason"].text());
    if (e["alike"].integer() > 1) fmt::print("      {} alike\n", e["alike"].integer());
    for (const JsonValue& f : e["stack"].list()) {
      fmt::print("      {}", f["fn"].text());
      if (!f["file"].is_null()) fmt::print("  {}:{}", f["file"].text(), f["line"].integer());
      fmt::print("\n");
    }
  }
}

/// The newest of each scheduler.
void print_events(const JsonValue& events) {
  constexpr size_t kMost = 12;
  const auto& kinds = events["kinds"].list();
  const auto& all = events["schedulers"].list();
  if (all.empty()) return;
  fmt::print("\nwhat schedulers did before the last look\n");
  for (size_t s = 0; s < all.size(); ++s) {
    const auto& list = all[s]["events"].list();
    if (list.empty()) continue;
    fmt::print("  scheduler {}\n", s + 1);
    for (size_t k = list.size() > kMost ? list.size() - kMost : 0; k < list.size(); ++k) {
      const auto& e = list[k].list();
      if (e.size() < 3) continue;
      const auto kind = static_cast<size_t>(std::max<int64_t>(0, e[1].integer()));
      const bool number = e[2].kind() == JsonValue::Kind::number;
      fmt::print("    {:>10} ago  {:<14} {}\n",
                 duration_text(events["now_ns"].number() - e[0].number()),
                 kind < kinds.size() ? kinds[kind].text() : "?",
                 number ? std::to_string(e[2].integer()) : e[2].text());
    }
  }
}

void print_text(const JsonValue& hello, const History& history) {
  std::vector<std::pair<uint64_t, JsonValue>> looks;
  for (const HistoryLook& look : history.looks)
    looks.emplace_back(look.wall_ms, JsonValue::parse(look.json));
  const JsonValue& last = looks.back().second;
  fmt::print("machine             {} (pid {}), up {}\n", hello["program"].text(),
             hello["pid"].integer(), duration_text(last["home"]["uptime_ns"].number()));
  fmt::print("last look           {}\n", clock_text(static_cast<double>(looks.back().first)));
  fmt::print("looks               {}, from {}\n", looks.size(),
             clock_text(static_cast<double>(looks.front().first)));
  if (history.version >= HistoryFile::kWithWarnings)
    print_warnings("\nwarnings, the worst first", last["warnings"]);
  else
    print_processes("warnings", last["warnings"]["rows"]);
  print_curves(looks);
  print_processes("the largest processes", last["largest"]["rows"]);
  print_processes("the busiest processes", last["busiest"]["rows"]);
  print_exits(last["exits"]);
  print_events(last["events"]);
}

void print_as_json(const History& history) {
  std::string out;
  JsonWriter w(out);
  w.open('{').key("hello").raw(history.hello).array("looks");
  for (const HistoryLook& look : history.looks) {
    w.open('{').number("number", look.number).number("wall_ms", look.wall_ms);
    w.key("look").raw(look.json).close('}');
  }
  w.close(']').close('}');
  puts(out.c_str());
}

}  // namespace

std::string record_history(ObserverClient& client, HistoryFile& file, double interval) {
  const std::string hello = data_of(client, R"({"do":"hello"})");
  if (hello.empty()) return client.error();
  if (std::string error = file.write_hello(hello); !error.empty()) return error;
  for (;;) {
    const std::string look = one_look(client);
    if (look.empty()) return {};
    timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const uint64_t ms =
        static_cast<uint64_t>(now.tv_sec) * 1000 + static_cast<uint64_t>(now.tv_nsec) / 1'000'000;
    if (std::string error = file.write_look(ms, look); !error.empty()) return error;
    usleep(static_cast<useconds_t>(interval * 1e6));
  }
}

bool is_history(const std::string& path) {
  struct stat about;
  return stat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode);
}

bool print_history(const std::string& path, bool json, std::string* error) {
  History history;
  const std::string bytes = read_file(path, error);
  if (error->empty()) *error = parse_history(bytes, &history);
  const JsonValue hello = JsonValue::parse(history.hello);
  if (error->empty() && hello.is_null()) *error = "a history whose header is damaged";
  if (!error->empty()) {
    *error = path + ": " + *error;
    return false;
  }
  if (history.cut)
    fmt::print(stderr, "whitebeam: {}: cut short: {} looks are left\n", path, history.looks.size());
  json ? print_as_json(history) : print_text(hello, history);
  return true;
}

}  // namespace wb
