#include "tools/observer/difference.h"

#include <algorithm>
#include <cmath>

#include "vm/observe/json.h"

namespace wb {

ProcessSnapshot take_snapshot(ObserverClient& client, const std::string& filter) {
  ProcessSnapshot s;
  s.when = time(nullptr);
  for (const char* by : {"reds", "memory", "msgq"}) {
    std::string request;
    JsonWriter w(request);
    w.open('{').text("do", "processes").text("by", by).text("filter", filter);
    w.number("limit", 1000).boolean("deltas", false).boolean("detail", false).close('}');
    JsonValue data = client.ask(request);
    for (const JsonValue& p : data["rows"].list()) {
      const std::string& name = p["name"].text().empty() ? p["initial"].text() : p["name"].text();
      s.rows[p["pid"].text()] = {name, p["fn"].text(), p["reds"].number(), p["memory"].number(),
                                 p["msgq"].number()};
    }
  }
  return s;
}

std::vector<ProcessChange> changes_between(const ProcessSnapshot& before,
                                           const ProcessSnapshot& now) {
  std::vector<ProcessChange> all;
  for (const auto& [pid, p] : now.rows) {
    auto at = before.rows.find(pid);
    ProcessChange c{pid, at == before.rows.end() ? "new" : "", p};
    if (at != before.rows.end()) {
      const auto& was = at->second;
      c.by.reds -= was.reds, c.by.memory -= was.memory, c.by.msgq -= was.msgq;
    }
    bool same = c.by.reds == 0 && c.by.memory == 0 && c.by.msgq == 0;
    if (!same || !c.fate.empty()) all.push_back(std::move(c));
  }
  for (const auto& [pid, p] : before.rows) {
    if (now.rows.contains(pid)) continue;
    all.push_back({pid, "gone", {p.name, p.where, -p.reds, -p.memory, -p.msgq}});
  }
  std::sort(all.begin(), all.end(), [](const ProcessChange& a, const ProcessChange& b) {
    return std::abs(a.by.reds) > std::abs(b.by.reds);
  });
  return all;
}

std::string clock_text(time_t when) {
  char text[16];
  tm parts;
  return std::string(text, strftime(text, sizeof text, "%H:%M:%S", localtime_r(&when, &parts)));
}

}  // namespace wb
