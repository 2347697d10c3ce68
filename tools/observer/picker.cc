#include "tools/observer/picker.h"

#include <chrono>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tools/observer/json_value.h"
#include "tools/observer/screen.h"
#include "tools/observer/settings.h"
#include "tools/observer/table.h"
#include "tools/observer/terminal.h"
#include "tools/observer/units.h"
#include "tools/observer/warnings_text.h"

namespace wb {
namespace {

bool has_ended(const JsonValue& m) { return m["state"].text() == "ended"; }

std::string program_of(const JsonValue& m) {
  std::string program = m["program"].text();
  program.erase(0, program.rfind('/') + 1);
  if (program.ends_with(".beam")) program.resize(program.size() - 5);
  return program.empty() ? "-" : program;
}

/// Since when it runs; else why nothing newer is known of it.
std::string up_text(const JsonValue& m) {
  if (has_ended(m)) return "ended";
  if (m["late_s"].number() > 1) return fmt::format("no answer {} s", m["late_s"].integer());
  if (m["state"].text() == "refuses") return "has no room";
  return m["uptime_ns"].is_null() ? "-" : duration_text(m["uptime_ns"].number());
}

TableWidget::Row row_of(const JsonValue& m) {
  auto known = [&](const char* what, auto&& text) {
    return m[what].is_null() ? std::string() : text(m[what].number());
  };
  const bool ended = has_ended(m);
  const double warnings = ended ? 0 : m["warnings"].number();
  std::string text = warnings > 0 ? WarningText(m["worst"]).line() : std::string();
  const std::string pid = std::to_string(m["pid"].integer());
  return {{program_of(m), pid,
           known("use", [](double use) { return fmt::format("{:.0f} %", use * 100); }),
           known("resident", bytes_text), known("processes", count_text),
           warnings > 0 ? count_text(warnings) : "", up_text(m), std::move(text)},
          pid,
          ended          ? unsigned{kDim}
          : warnings > 0 ? unsigned{kYellow}
                         : unsigned{kPlain}};
}

class Picker {
 public:
  Picker(MachineList& list, pid_t before) : list_(list), wanted_(std::to_string(before)) {
    table_.sortable = true;
  }

  pid_t run(std::string* error) {
    *error = terminal_.open(settings_.mouse);
    if (!error->empty()) return 0;
    pid_t chosen = 0;
    for (auto last = std::chrono::steady_clock::time_point{}; !chosen;) {
      const auto now = std::chrono::steady_clock::now();
      if (now - last >= std::chrono::seconds(1)) refresh(), last = now;
      draw();
      const int key = terminal_.key(1000);
      if (key == 'q' || key == kKeyEscape || key == kKeyQuit) break;
      notice_.clear();
      if (opens(key))
        chosen = chosen_pid();
      else
        take_key(key);
    }
    terminal_.close();
    return chosen;
  }

 private:
  void refresh() {
    const TableWidget::Row* selected = table_.selected();
    if (selected) wanted_ = selected->key;
    const JsonValue data = JsonValue::parse(list_.data());
    table_.rows.clear();
    for (const JsonValue& m : data["machines"].list()) table_.rows.push_back(row_of(m));
    for (size_t k = 0; k < table_.rows.size(); ++k) {
      if (table_.rows[k].key == wanted_) table_.select(static_cast<int>(k));
    }
  }

  void draw() {
    screen_.begin();
    const int last = screen_.height() - 1;
    screen_.fill(0, kReverse);
    screen_.put(0, 0, " whitebeam  several machines run", kReverse | kBold);
    table_.draw(screen_, 2, last);
    screen_.put(last, 0,
                notice_.empty() ? "q quit  arrows select  Enter opens  < > ! order" : notice_,
                notice_.empty() ? unsigned{kDim} : unsigned{kYellow});
    screen_.show();
  }

  /// Enter, or a click on a row that is selected already.
  bool opens(int key) {
    if (key != kKeyClick) return key == kKeyEnter;
    const TableWidget::Place place = table_.at(terminal_.mouse_row(), terminal_.mouse_column());
    if (place.heading >= 0) table_.order_by(place.heading);
    return place.row >= 0 && !table_.select_shown(place.row);
  }
  pid_t chosen_pid() {
    const TableWidget::Row* row = table_.selected();
    if (!row) return 0;
    if (row->style == kDim) notice_ = row->cells[0] + " has ended";
    return row->style == kDim ? 0 : std::stoi(row->key);
  }
  void take_key(int key) {
    constexpr int kRows = 3;
    if (key == kKeyWheelUp || key == kKeyWheelDown)
      table_.move(key == kKeyWheelUp ? -kRows : kRows);
    if (key == '<' || key == '>') table_.step_order(key == '>' ? 1 : -1);
    if (key == '!' && table_.sorted >= 0) table_.order_by(table_.sorted);
    table_.key(key);
  }

  MachineList& list_;
  std::string wanted_, notice_;  ///< wanted: its pid
  ObserverSettings settings_ = ObserverSettings::load();
  UserTerminal terminal_;
  Screen screen_{terminal_};
  TableWidget table_{{{"program", 18},
                      {"pid", 8, true},
                      {"load", 5, true},
                      {"memory", 9, true},
                      {"processes", 9, true},
                      {"warnings", 8, true},
                      {"up", 13, true},
                      {"the worst", 0, false, 110}}};
};

}  // namespace

pid_t pick_machine(MachineList& list, pid_t before, std::string* error) {
  return Picker(list, before).run(error);
}

}  // namespace wb
