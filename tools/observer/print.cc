#include "tools/observer/print.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>

#include "tools/observer/open_metrics.h"
#include "tools/observer/pprof.h"
#include "tools/observer/process_columns.h"
#include "tools/observer/profile.h"
#include "tools/observer/requests.h"
#include "tools/observer/timeline.h"
#include "tools/observer/units.h"
#include "tools/observer/warnings_text.h"
#include "vm/observe/json.h"

namespace wb {
namespace {

constexpr int kMostWarnings = 200;

std::string processes_request(const std::string& filter, int limit) {
  std::string request;
  JsonWriter w(request);
  w.open('{').text("do", "processes").text("by", "reds").text("filter", filter);
  w.boolean("deltas", false).number("limit", limit).close('}');
  return request;
}

void line(const char* name, const std::string& value) { fmt::print("{:<20}{}\n", name, value); }

void print_home(const JsonValue& hello, const JsonValue& home) {
  const JsonValue &memory = home["memory"], &counters = home["counters"];
  line("machine", fmt::format("{} (pid {}), up {}", hello["program"].text(), hello["pid"].integer(),
                              duration_text(home["uptime_ns"].number())));
  line("resident", bytes_text(home["os"]["resident"].number()));
  for (const auto& [name, bytes] : memory.fields()) line(name.c_str(), bytes_text(bytes.number()));
  for (const auto& [name, count] : home["counts"].fields()) {
    std::string limit =
        count["limit"].is_null() ? "" : fmt::format(" of {}", count_text(count["limit"].number()));
    line(name.c_str(), fmt::format("{}{}", count["now"].integer(), limit));
  }
  for (const JsonValue& s : home["schedulers"].list()) {
    double use = s["active_ns"].number() / home["uptime_ns"].number() * 100;
    line(fmt::format("scheduler {}", s["number"].integer()).c_str(),
         fmt::format("{:.1f} % since the start, {} waiting", use, s["queue"].integer()));
  }
  for (const auto& [pool, d] : home["dirty"].fields()) {
    line(("dirty " + pool).c_str(),
         fmt::format("{} threads, {} running, {} waiting, {} done", d["threads"].integer(),
                     d["running"].integer(), d["waiting"].integer(), d["done"].integer()));
  }
  for (const char* name :
       {"reductions", "messages", "spawns", "collections", "bytes_in", "bytes_out"}) {
    line(name, count_text(counters[name].number()));
  }
}

/// As many columns as stand on a line.
void print_processes(const ProcessColumns& columns, const JsonValue& processes) {
  constexpr int kLine = 120, kRest = 28;
  const std::vector<Column> table = columns.of_table();
  auto print_line = [&](auto cell) {
    std::string line;
    for (size_t k = 0; k < table.size() && table[k].from <= kLine; ++k) {
      if (columns.all[k].is_change()) continue;
      const Column& c = table[k];
      size_t width = static_cast<size_t>(c.width ? c.width : kRest);
      line += c.right ? fmt::format("{:>{}}  ", cell(k), width)
                      : fmt::format("{:<{}}  ", std::string(cell(k)).substr(0, width), width);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    fmt::print("{}\n", one_line(line));
  };
  fmt::print("\n");
  print_line([&](size_t k) { return table[k].name; });
  for (const JsonValue& p : processes["rows"].list()) {
    print_line([&](size_t k) { return columns.all[k].cell(p, 0); });
  }
}

}  // namespace

bool print_once(ObserverClient& client, const std::string& filter) {
  JsonValue hello = client.ask(R"({"do":"hello"})"), home = client.ask(R"({"do":"home"})");
  JsonValue processes = client.ask(processes_request(filter, 20));
  ProcessColumns columns = ProcessColumns::ask(client);
  if (hello.is_null() || home.is_null() || processes.is_null() || columns.all.empty()) return false;
  client.ask(observer_request("warnings"));  // it begins to look
  print_home(hello, home);
  print_processes(columns, processes);
  fflush(stdout);  // warnings may take some seconds
  const std::string warned = ask_settled_warnings(client, {}, kMostWarnings);
  print_warnings("\nwarnings, the worst first", JsonValue::parse(warned)["data"]);
  return true;
}

bool print_json(ObserverClient& client, const std::string& filter) {
  std::string out, raw;
  JsonWriter w(out);
  w.open('{');
  const std::pair<const char*, std::string> kRequests[] = {
      {"hello", R"({"do":"hello"})"},
      {"home", R"({"do":"home"})"},
      {"warnings", {}},
      {"columns", R"({"do":"columns"})"},
      {"processes", processes_request(filter, 100)},
      {"schedulers", R"({"do":"schedulers"})"},
      {"collections", R"({"do":"collections"})"},
      {"groups", R"({"do":"groups"})"},
      {"calls", R"({"do":"calls"})"},
      {"exits", R"({"do":"exits"})"},
      {"flows", R"({"do":"flows"})"},
      {"tables", R"({"do":"tables"})"},
      {"modules", R"({"do":"modules"})"},
      {"persistent_terms", R"({"do":"persistent_terms"})"},
      {"atoms", R"({"do":"atoms"})"},
      {"ports", R"({"do":"ports"})"},
      {"nodes", R"({"do":"nodes"})"},
      {"natives", R"({"do":"natives"})"},
      {"allocators", R"({"do":"allocators"})"},
      {"jit", R"({"do":"jit"})"},
  };
  for (const auto& [name, request] : kRequests) {
    if (request.empty())
      raw = ask_settled_warnings(client, {}, kMostWarnings);
    else if (!client.ask(request, &raw))
      return false;
    const std::string data = data_of_answer(raw);
    if (raw.empty()) return false;
    if (data.empty()) {
      fmt::print(stderr, "whitebeam: {}\n", JsonValue::parse(raw)["error"].text());
      return false;
    }
    w.key(name).raw(data);
  }
  w.close('}');
  puts(out.c_str());
  return true;
}

bool print_open_metrics(ObserverClient& client) {
  const std::string text = open_metrics_text(client);
  fputs(text.c_str(), stdout);
  return !text.empty();
}

/// `-`: standard output.
static bool write_file(const std::string& file, const std::string& text) {
  FILE* f = file == "-" ? stdout : fopen(file.c_str(), "w");
  bool done = f && fwrite(text.data(), 1, text.size(), f) == text.size();
  if (f && f != stdout) done = fclose(f) == 0 && done;
  if (!done) fmt::print(stderr, "whitebeam: cannot write {}\n", file);
  return done;
}

bool write_perfetto(ObserverClient& client, const std::string& file, double seconds) {
  JsonValue hello = client.ask(R"({"do":"hello"})");
  Timeline timeline;
  auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  do {
    if (!timeline.refresh(client)) return false;
    usleep(5000);  // a ring holds 4096 events
  } while (std::chrono::steady_clock::now() < end);
  if (!timeline.refresh(client)) return false;
  return write_file(file, perfetto_json(timeline, hello["program"].text()));
}

bool write_profile(ObserverClient& client, const std::string& file, double seconds,
                   ProfileForm form) {
  if (client.ask(R"({"do":"profile","clear":true})").is_null()) return false;
  usleep(static_cast<useconds_t>(seconds * 1e6));
  JsonValue profile = client.ask(R"({"do":"profile"})");
  if (profile.is_null()) return false;
  return write_file(file, form == ProfileForm::folded       ? folded_stacks(profile)
                          : form == ProfileForm::speedscope ? speedscope_json(profile)
                                                            : pprof_gz(profile));
}

}  // namespace wb
