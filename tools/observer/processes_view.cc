// View 2: the table of processes. The machine sorts and filters; what is asked for is what fits on
// the screen, so a million processes are as quick as ten.
#include <algorithm>
#include <utility>

#include "tools/observer/difference.h"
#include "tools/observer/table.h"
#include "tools/observer/terminal.h"
#include "tools/observer/units.h"
#include "tools/observer/view.h"
#include "vm/observe/json.h"

namespace wb {
namespace {

struct Order {
  const char* by;
  const char* text;
  int column;
};
constexpr Order kOrders[] = {{"dreds", "reductions/s", 3},
                             {"reds", "reductions", 4},
                             {"memory", "memory", 5},
                             {"msgq", "message queue", 6},
                             {"dmsgq", "queue growth", 7},
                             {"wait50", "50 % wait", 8},
                             {"wait", "99 % wait", 9},
                             {"migrations", "migrations", 10},
                             {"gc", "time in collections", 11},
                             {"dgc", "collecting", 12},
                             {"priority", "priority", 13},
                             {"state", "state", 2},
                             {"name", "name", 1},
                             {"fn", "function", 15},
                             {"pid", "age", 0}};
/// Texts and ages begin with the least.
constexpr bool goes_up(std::string_view by) { return by == "pid" || by == "name" || by == "fn"; }

class ProcessesView final : public View {
 public:
  explicit ProcessesView(std::string filter) : filter_(std::move(filter)) {}
  const char* name() const override { return "Processes"; }
  const char* keys() const override {
    return comparing_ ? "d back  Enter details"
                      : "s sort  r reverse  / filter  n p page  d difference  Enter details";
  }

  void refresh(ObserverClient& client, int rows) override {
    if (std::exchange(shoots_, false)) {
      if (!base_.when) {
        base_ = take_snapshot(client, filter_);
      } else {
        show_changes(changes_between(base_, take_snapshot(client, filter_)));
      }
    }
    if (comparing_) return;
    std::string request;
    JsonWriter w(request);
    asked_ = std::max(1, rows - 2);
    w.open('{').text("do", "processes").text("by", kOrders[order_].by).text("filter", filter_);
    w.boolean("ascending", reversed_ != goes_up(kOrders[order_].by));
    w.number("limit", asked_).number("offset", offset_).close('}');
    JsonValue data = client.ask(request);
    error_ = data.is_null() ? client.error() : "";
    if (!data.is_null()) show(data);
  }

  void draw(Screen& s, int first, int end) override {
    if (comparing_) {
      s.put(first, 0, "what has changed since " + clock_text(base_.when), kBold);
      changes_.draw(s, first + 1, end);
      return;
    }
    s.put(first, 0, fmt::format("{} processes", total_), kBold);
    if (!filter_.empty()) {
      s.put(first, 20, fmt::format("{} match {}", matched_, filter_), kYellow);
    }
    s.put_right(first, s.width() - 45, 44,
                fmt::format("{}by {}{}{}", base_.when ? clock_text(base_.when) + " kept, " : "",
                            kOrders[order_].text, reversed_ ? " reversed" : "",
                            offset_ ? fmt::format(", from {}", offset_ + 1) : ""),
                kDim);
    if (!error_.empty()) {
      s.put(first + 2, 0, error_, kRed);
      return;
    }
    table_.draw(s, first + 1, end);
  }

  bool key(int key, Navigation& where) override {
    if (key == 'd') {
      shoots_ = !comparing_;
      if (comparing_) base_ = {};
      comparing_ = comparing_ ? false : base_.when != 0;
      return true;
    }
    if (comparing_) {
      if (key != kKeyEnter) return changes_.key(key);
      if (changes_.selected()) where.process = changes_.selected()->key;
      return true;
    }
    switch (key) {
      case 's':
        order_ = (order_ + 1) % std::size(kOrders), offset_ = 0;
        return true;
      case 'S':
        order_ = (order_ + std::size(kOrders) - 1) % std::size(kOrders), offset_ = 0;
        return true;
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
    filter_ = line;
    offset_ = 0;
  }

 private:
  static std::string time_text(const JsonValue& ns) {
    return ns.is_null() ? "" : duration_text(ns.number());
  }
  static std::string change_text(double n, std::string (*text)(double)) {
    if (n == 0) return "";
    return (n > 0 ? "+" : "-") + text(n > 0 ? n : -n);
  }
  void show_changes(const std::vector<ProcessChange>& all) {
    changes_.rows.clear();
    for (const ProcessChange& c : all) {
      changes_.rows.push_back(
          {{c.pid, c.by.name, c.fate, change_text(c.by.reds, count_text),
            change_text(c.by.memory, bytes_text), change_text(c.by.msgq, count_text), c.by.where},
           c.pid,
           c.fate == "gone" ? unsigned{kDim} : unsigned{kPlain}});
    }
  }
  void show(const JsonValue& data) {
    total_ = data["total"].integer();
    matched_ = static_cast<int>(data["matched"].integer());
    double interval = data["interval_ns"].number() / 1e9;
    table_.rows.clear();
    table_.sorted = kOrders[order_].column;
    for (const JsonValue& p : data["rows"].list()) {
      std::string what = p["name"].text();
      if (what.empty()) what = p["label"].text();
      if (what.empty()) what = p["initial"].text();
      std::string state = p["state"].text();
      if (state == "garbage_collecting") state = "collecting";
      std::string lint;
      for (const JsonValue& l : p["lint"].list()) lint += (lint.empty() ? "" : ", ") + l.text();
      double reds = p["dreds"].number();
      table_.rows.push_back(
          {{p["pid"].text(), what, state, interval > 0 ? count_text(reds / interval) : "-",
            count_text(p["reds"].number()), bytes_text(p["memory"].number()),
            count_text(p["msgq"].number()),
            interval > 0 ? fmt::format("{:+}", p["dmsgq"].integer()) : "-",
            time_text(p["wait_p50_ns"]), time_text(p["wait_p99_ns"]),
            count_text(p["migrations"].number()), time_text(p["gc_ns"]),
            p["dgc_ns"].is_null() || interval <= 0
                ? ""
                : fmt::format("{:.1f} %", p["dgc_ns"].number() / interval / 1e7),
            p["priority"].text(), lint, p["fn"].text(), p["waits_for"].text()},
           p["pid"].text(),
           lint.empty() ? unsigned{kPlain} : unsigned{kYellow}});
    }
  }

  std::string filter_, error_;
  size_t order_ = 0;
  bool reversed_ = false;
  int offset_ = 0, asked_ = 20, matched_ = 0;
  int64_t total_ = 0;
  bool shoots_ = false, comparing_ = false;
  ProcessSnapshot base_;
  TableWidget changes_{{{"pid", 12, false, 0},
                        {"name or start", 20, false, 0},
                        {"", 4, false, 0},
                        {"reds", 8, true, 0},
                        {"memory", 11, true, 0},
                        {"queue", 7, true, 0},
                        {"where", 0, false, 80}}};
  TableWidget table_{{{"pid", 12, false, 0},
                      {"name or start", 20, false, 0},
                      {"state", 10, false, 70},
                      {"reds/s", 7, true, 0},
                      {"reds", 6, true, 100},
                      {"memory", 10, true, 0},
                      {"queue", 6, true, 0},
                      {"grows", 6, true, 90},
                      {"wait 50 %", 9, true, 150},
                      {"wait 99 %", 9, true, 120},
                      {"moves", 6, true, 140},
                      {"GC time", 9, true, 110},
                      {"in GC", 7, true, 165},
                      {"priority", 8, false, 170},
                      {"warnings", 22, false, 130},
                      {"where", 0, false, 80},
                      {"waits for", 18, false, 160}}};
};

}  // namespace

std::unique_ptr<View> make_processes_view(std::string filter) {
  return std::make_unique<ProcessesView>(std::move(filter));
}

}  // namespace wb
