#include "tools/observer/process_columns.h"

#include <algorithm>

#include "tools/observer/units.h"

namespace wb {

ProcessColumns ProcessColumns::ask(ObserverClient& client) {
  ProcessColumns columns;
  JsonValue answer = client.ask(R"({"do":"columns"})");
  for (const JsonValue& c : answer["columns"].list()) {
    columns.all.push_back({c["name"].text(), c["key"].text(), c["title"].text(), c["unit"].text(),
                           c["hint"].text(), static_cast<int>(c["width"].integer()),
                           c["orders"].truth(), c["least_first"].truth()});
  }
  return columns;
}

std::vector<Column> ProcessColumns::of_table(const std::vector<std::string>& chosen) const {
  constexpr int kLeast = 16;
  auto is_chosen = [&](const Column& c) {
    return std::find(chosen.begin(), chosen.end(), c.id()) != chosen.end();
  };
  const bool every = std::none_of(all.begin(), all.end(), is_chosen);
  std::vector<wb::Column> table;
  int from = 0;
  for (const Column& c : all) {
    const bool hidden = !every && !is_chosen(c);
    if (!hidden) from += (c.width ? c.width : kLeast) + 1;
    table.push_back({c.title, c.width, !c.is_text(), from, hidden});
  }
  return table;
}

std::vector<std::string> ProcessColumns::cells(const JsonValue& row, double seconds) const {
  std::vector<std::string> cells;
  for (const Column& c : all) cells.push_back(c.cell(row, seconds));
  return cells;
}

static std::string text_cell(const JsonValue& row, const std::string& key) {
  const JsonValue& value = row[key];
  if (key == "name") {
    for (const char* k : {"name", "label", "initial"}) {
      if (!row[k].text().empty()) return row[k].text();
    }
  }
  if (value.text() == "garbage_collecting") return "collecting";
  std::string text = value.text();
  for (const JsonValue& part : value.list()) text += (text.empty() ? "" : ", ") + part.text();
  return text;
}

static std::string signed_text(double bytes) {
  return bytes == 0 ? "0" : (bytes > 0 ? "+" : "") + bytes_text(bytes);
}

std::string ProcessColumns::Column::cell(const JsonValue& row, double seconds) const {
  if (is_text()) return text_cell(row, key);
  const JsonValue& value = row[key];
  double n = value.number();
  if (unit == "rate") return seconds > 0 ? count_text(n / seconds) : "-";
  if (unit == "growth") return seconds > 0 ? fmt::format("{:+}", value.integer()) : "-";
  if (value.is_null()) return "";
  if (unit == "byte rate") return seconds > 0 ? signed_text(n / seconds) : "";
  if (unit == "bytes a minute") return signed_text(n);
  if (unit == "share") return seconds > 0 ? fmt::format("{:.1f} %", n / seconds / 1e7) : "";
  if (unit == "ns") return duration_text(n);
  return unit == "bytes" ? bytes_text(n) : count_text(n);
}

}  // namespace wb
