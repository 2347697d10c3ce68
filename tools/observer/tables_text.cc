#include "tools/observer/tables_text.h"

#include <map>

#include "tools/observer/units.h"

namespace wb {

std::vector<Column> ets_columns() {
  return {{"name", 22, false, 0},    {"type", 13, false, 0},     {"objects", 8, true, 0},
          {"memory", 10, true, 0},   {"reads/s", 8, true, 0},    {"writes/s", 8, true, 0},
          {"time", 7, true, 86},     {"waits/s", 8, true, 95},   {"owner", 12, false, 108},
          {"access", 9, false, 118}, {"searched", 8, true, 127}, {"searched by", 0, false, 140}};
}

std::string maker_text(const JsonValue& m) {
  std::string text = m["name"].text();
  if (!m["fn"].is_null()) text += (text.empty() ? "" : " in ") + m["fn"].text();
  if (!m["line"].is_null()) text += fmt::format(":{}", m["line"].integer());
  return text;
}

std::vector<TableWidget::Row> ets_rows(const JsonValue& now, const JsonValue& before) {
  std::map<std::string, const JsonValue*> was;
  for (const JsonValue& t : before["rows"].list()) was[t["id"].text()] = &t;
  const double seconds =
      before.is_null() ? 0 : (now["now_ns"].number() - before["now_ns"].number()) / 1e9;
  std::vector<TableWidget::Row> rows;
  for (const JsonValue& t : now["rows"].list()) {
    const auto at = was.find(t["id"].text());
    const bool known = seconds > 0 && at != was.end() && !t["reads"].is_null();
    auto rate = [&](const char* name) {
      return known ? (t[name].number() - (*at->second)[name].number()) / seconds : 0;
    };
    auto per_second = [&](const char* name) { return known ? count_text(rate(name)) : "-"; };
    const double waiting = rate("lock_wait_ns") / 1e9;
    rows.push_back({{t["name"].text(), t["type"].text(), count_text(t["objects"].number()),
                     bytes_text(t["bytes"].number()), per_second("reads"), per_second("writes"),
                     known ? fmt::format("{:.1f} %", rate("used_ns") / 1e7) : "-",
                     per_second("lock_waits"), t["owner"].text(), t["protection"].text(),
                     count_text(t["searched"].number()), maker_text(t["searcher"])},
                    t["id"].text(),
                    waiting > 0.05 ? unsigned{kYellow} : unsigned{kPlain}});
  }
  return rows;
}

}  // namespace wb
