// View 0: who has ended abnormally, the newest first; below, the selected one with its stack.
#include <algorithm>

#include "tools/observer/requests.h"
#include "tools/observer/table.h"
#include "tools/observer/terminal.h"
#include "tools/observer/units.h"
#include "tools/observer/view.h"

namespace wb {
namespace {

class ExitsView final : public View {
 public:
  ExitsView() { table_.sortable = true; }
  const char* name() const override { return "Exits"; }
  const char* keys() const override { return "arrows select  Enter its supervisor"; }

  void refresh(ObserverClient& client, int) override {
    JsonValue next = client.ask(observer_request("exits", {}, {{"most", 1000}}));
    if (next.is_null()) return;
    const int64_t selected = number_of(table_.selection());
    data_ = std::move(next);
    table_.rows.clear();
    const auto& rows = data_["rows"].list();
    for (const JsonValue& r : rows) table_.rows.push_back(row_of(r));
    for (size_t k = 0; selected && k < rows.size(); ++k) {
      if (rows[k]["number"].integer() == selected) table_.select(static_cast<int>(k));
    }
  }

  void draw(Screen& s, int first, int end) override {
    std::string title = fmt::format("{} abnormal exits", count_text(data_["abnormal"].number()));
    if (double left_out = data_["unrecorded"].number(); left_out > 0)
      title += fmt::format(", {} of them only counted", count_text(left_out));
    s.put(first, 0, title, kBold);
    const int detail = std::max(first + 4, end - std::max(8, (end - first) / 2));
    table_.draw(s, first + 1, detail);
    draw_detail(s, detail, end);
  }

  TableWidget* table() override { return &table_; }
  bool key(int key, Navigation& where) override {
    if (key != kKeyEnter) return table_.key(key);
    if (table_.selected()) where.process = table_.selected()->key;
    return true;
  }

 private:
  int64_t number_of(int row) const {
    const auto& rows = data_["rows"].list();
    const auto k = static_cast<size_t>(row);
    return k < rows.size() ? rows[k]["number"].integer() : 0;
  }

  static std::string name_of(const JsonValue& r) {
    for (const char* what : {"name", "label"}) {
      if (!r[what].text().empty()) return r[what].text();
    }
    return r["initial"].text();
  }
  static std::string frame_text(const JsonValue& f) {
    if (f["file"].is_null()) return f["fn"].text();
    return fmt::format("{}  {}:{}", f["fn"].text(), f["file"].text(), f["line"].integer());
  }
  static TableWidget::Row row_of(const JsonValue& r) {
    const auto& stack = r["stack"].list();
    const int64_t alike = r["alike"].integer();
    // Enter leads to who may know more: the supervisor, else who spawned it.
    std::string about =
        r["supervisor"].text().empty() ? r["parent"].text() : r["supervisor"].text();
    return {{duration_text(r["age_ns"].number()), r["pid"].text(), name_of(r), r["reason"].text(),
             alike > 1 ? count_text(static_cast<double>(alike)) : "",
             stack.empty() ? "" : stack[0]["fn"].text()},
            std::move(about),
            alike > 10 ? unsigned{kYellow} : unsigned{kPlain}};
  }

  void draw_detail(Screen& s, int row, int end) {
    const auto& rows = data_["rows"].list();
    const auto k = static_cast<size_t>(table_.selection());
    if (k >= rows.size()) return;
    const JsonValue& r = rows[k];
    std::string who = fmt::format("{} {}", r["pid"].text(), name_of(r));
    if (name_of(r) != r["initial"].text()) who += ", started as " + r["initial"].text();
    if (!r["supervisor"].text().empty()) who += ", under " + r["supervisor"].text();
    if (!r["child"].text().empty()) who += " as child " + r["child"].text();
    if (!r["parent"].text().empty()) who += ", spawned by " + r["parent"].text();
    s.put(row++, 0, who, kCyan);
    if (r["alike"].integer() > 1) {
      s.put(row++, 0,
            fmt::format("{} alike, the first {} ago, the last {} ago", r["alike"].integer(),
                        duration_text(r["first_age_ns"].number()),
                        duration_text(r["last_age_ns"].number())),
            kYellow);
    }
    const std::string& reason = r["reason"].text();
    const auto width = static_cast<size_t>(std::max(20, s.width() - 1));
    for (size_t at = 0; at < reason.size() && row < end - 2; at += width)
      s.put(row++, 0, reason.substr(at, width));
    for (const JsonValue& f : r["stack"].list()) {
      if (row >= end) return;
      s.put(row++, 2, frame_text(f), kDim);
    }
  }

  JsonValue data_;
  TableWidget table_{{{"ago", 8, true, 0},
                      {"pid", 14, false, 0},
                      {"name or start", 26, false, 0},
                      {"reason", 0, false, 0},
                      {"alike", 6, true, 0},
                      {"where", 30, false, 110}}};
};

}  // namespace

std::unique_ptr<View> make_exits_view() { return std::make_unique<ExitsView>(); }

}  // namespace wb
