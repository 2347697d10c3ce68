// View 2: the table of processes. The machine sorts and filters; what is asked for is what fits on
// the screen, so a million processes are as quick as ten.
#include <algorithm>
#include <utility>

#include "tools/observer/column_chooser.h"
#include "tools/observer/difference.h"
#include "tools/observer/process_columns.h"
#include "tools/observer/settings.h"
#include "tools/observer/table.h"
#include "tools/observer/terminal.h"
#include "tools/observer/units.h"
#include "tools/observer/view.h"
#include "vm/observe/json.h"

namespace wb {
namespace {

class ProcessesView final : public View {
 public:
  ProcessesView(std::string filter, ObserverSettings& settings)
      : settings_(settings), filter_(std::move(filter)) {
    changes_.sortable = true;
  }
  const char* name() const override { return "Processes"; }
  const char* keys() const override {
    if (chooser_.is_open()) return chooser_.keys();
    return comparing_ ? "d back  Enter details"
                      : "s sort  r reverse  / filter  n p page  d difference  Enter details";
  }

  void refresh(ObserverClient& client, int rows) override {
    if (std::exchange(shoots_, false)) {
      if (!base_.when) {
        base_ = take_snapshot(client, filter_);
      } else {
        changes_.rows = change_rows(changes_between(client, base_, take_snapshot(client, filter_)));
      }
    }
    if (comparing_) return;
    if (columns_.all.empty()) take_columns(ProcessColumns::ask(client));
    if (columns_.all.empty()) {
      error_ = client.error();
      return;
    }
    std::string request;
    JsonWriter w(request);
    asked_ = std::max(1, rows - 2);
    w.open('{').text("do", "processes").text("by", order().name).text("filter", filter_);
    w.boolean("ascending", reversed_ != order().least_first);
    w.number("limit", asked_).number("offset", offset_).close('}');
    JsonValue data = client.ask(request);
    error_ = data.is_null() ? client.error() : "";
    if (!data.is_null()) show(data);
  }

  void draw(Screen& s, int first, int end) override {
    if (chooser_.is_open()) return chooser_.draw(s, first, end);
    if (comparing_) {
      s.put(first, 0, "what has changed since " + clock_text(base_.when), kBold);
      changes_.draw(s, first + 1, end);
      return;
    }
    s.put(first, 0, fmt::format("{} processes", total_), kBold);
    if (!filter_.empty()) {
      s.put(first, 20, fmt::format("{} match {}", matched_, filter_), kYellow);
    }
    draw_order(s, first);
    if (!error_.empty()) {
      s.put(first + 2, 0, error_, kRed);
      return;
    }
    show_warnings(s.width());
    table_.draw(s, first + 1, end);
  }

  TableWidget* table() override {
    return chooser_.is_open() ? &chooser_.rows() : comparing_ ? &changes_ : &table_;
  }
  void order_by(int heading) override {
    const auto k = static_cast<size_t>(heading);
    if (comparing_ || chooser_.is_open()) return View::order_by(heading);
    if (k >= columns_.all.size() || !columns_.all[k].orders) return;
    reversed_ = order_ == k && !reversed_;
    order_ = k, offset_ = 0;
  }
  void wheel(int rows, Navigation& where) override {
    if (table() != &table_) return View::wheel(rows, where);
    offset_ = std::clamp(offset_ + rows, 0, std::max(0, std::min(matched_, 10000) - asked_));
  }
  bool key(int key, Navigation& where) override {
    if (chooser_.is_open()) {
      const bool taken = chooser_.key(key, columns_, settings_, where);
      table_.set_columns(columns_.of_table(settings_.columns));
      return taken;
    }
    if (key == 'd') {
      shoots_ = !comparing_;
      if (comparing_) base_ = {};
      comparing_ = comparing_ ? false : base_.when != 0;
      return true;
    }
    if (comparing_) {
      if (key != kKeyEnter) return changes_.key(key);  // else the keys of every table
      if (changes_.selected()) where.process = changes_.selected()->key;
      return true;
    }
    switch (key) {
      case 's':
      case '>':
        return step(1);
      case 'S':
      case '<':
        return step(-1);
      case 'o':
        ordering_ = true;
        where.prompt = "order by: ";
        return true;
      case 'C':
        chooser_.open(columns_, settings_);
        return true;
      case '!':
      case 'r':
        reversed_ = !reversed_, offset_ = 0;
        return true;
      case 'n':
        if (offset_ + asked_ < std::min(matched_, 10000 - asked_)) offset_ += asked_;
        return true;
      case 'p':
        offset_ = std::max(0, offset_ - asked_);
        return true;
      case '/':
        ordering_ = false;
        where.prompt = "filter: ", where.line = filter_;
        return true;
      case kKeyEnter:
        if (table_.selected()) where.process = table_.selected()->key;
        return true;
      default:
        return table_.key(key);
    }
  }
  void entered(const std::string& line) override {
    offset_ = 0;
    if (!std::exchange(ordering_, false)) {
      filter_ = line;
      return;
    }
    for (size_t k = columns_.all.size(); k-- > 0 && !line.empty();) {  // the first that begins so
      const auto& c = columns_.all[k];
      if (c.orders && (c.title.starts_with(line) || c.name.starts_with(line)))
        order_ = k, reversed_ = false;
    }
  }

 private:
  void draw_order(Screen& s, int row) const {
    if (columns_.all.empty()) return;
    constexpr int kRoom = 44;
    std::string text = fmt::format(
        "{}by {}{}{}", base_.when ? clock_text(base_.when) + " kept, " : "", order().title,
        reversed_ ? " reversed" : "", offset_ ? fmt::format(", from {}", offset_ + 1) : "");
    std::string with_hint = fmt::format("{}: {}", text, order().hint);
    const int room = std::min(std::max(kRoom, s.width() - 80), std::max(10, s.width() - 24));
    if (static_cast<int>(with_hint.size()) <= room) text = with_hint;
    s.put_right(row, s.width() - room - 1, room, text, kDim);
  }
  const ProcessColumns::Column& order() const { return columns_.all[order_]; }
  void take_columns(ProcessColumns columns) {
    columns_ = std::move(columns);
    table_.set_columns(columns_.of_table(settings_.columns));
    for (std::string_view name : {"reds", "dreds"}) {  // a crash dump has no changes
      for (size_t k = 0; k < columns_.all.size(); ++k) {
        if (columns_.all[k].name == name) order_ = k;
      }
    }
  }
  /// To the next column, or the one before, that orders.
  bool step(int by) {
    size_t count = columns_.all.size();
    if (!count) return true;
    do {
      order_ = (order_ + count + static_cast<size_t>(by)) % count;
    } while (!order().orders);
    offset_ = 0;
    return true;
  }
  /// On a screen where their column has no room they stand in that of where a process is.
  void show_warnings(int width) {
    const std::vector<Column> table = columns_.of_table(settings_.columns);
    size_t lint = 0, where = 0;
    for (size_t k = 0; k < columns_.all.size(); ++k) {
      if (columns_.all[k].key == "lint") lint = k;
      if (columns_.all[k].key == "fn") where = k;
    }
    if (table.empty() || (width >= table[lint].from && !table[lint].hidden)) return;
    for (TableWidget::Row& row : table_.rows) {
      if (!row.cells[lint].empty()) row.cells[where] = row.cells[lint];
    }
  }
  void show(const JsonValue& data) {
    total_ = data["total"].integer();
    matched_ = static_cast<int>(data["matched"].integer());
    double interval = data["interval_ns"].number() / 1e9;
    table_.rows.clear();
    table_.sorted = static_cast<int>(order_);
    for (const JsonValue& p : data["rows"].list()) {
      table_.rows.push_back({columns_.cells(p, interval), p["pid"].text(),
                             p["lint"].list().empty() ? unsigned{kPlain} : unsigned{kYellow}});
    }
  }

  ObserverSettings& settings_;
  ColumnChooser chooser_;
  bool ordering_ = false;  ///< the line that is asked for is a column's name
  std::string filter_, error_;
  size_t order_ = 0;
  bool reversed_ = false;
  int offset_ = 0, asked_ = 20, matched_ = 0;
  int64_t total_ = 0;
  bool shoots_ = false, comparing_ = false;
  ProcessSnapshot base_;
  TableWidget changes_{change_columns()};
  ProcessColumns columns_;
  TableWidget table_{{}};
};

}  // namespace

std::unique_ptr<View> make_processes_view(std::string filter, ObserverSettings& settings) {
  return std::make_unique<ProcessesView>(std::move(filter), settings);
}

}  // namespace wb
