// View 9: what chosen processes do: calls, messages, collections, so many lines a second.
#include <algorithm>
#include <ctime>
#include <deque>

#include "tools/observer/requests.h"
#include "tools/observer/table.h"
#include "tools/observer/terminal.h"
#include "tools/observer/units.h"
#include "tools/observer/view.h"
#include "vm/observe/json.h"

namespace wb {
namespace {

constexpr size_t kKept = 2000;

class OneTraceView final : public TraceView {
 public:
  const char* name() const override { return "Trace"; }
  const char* keys() const override {
    return on_ ? "t end  Enter process"
               : "t begin  m calls  r returns  p s whose  w messages  g GC  x exits  R rate";
  }
  void open(std::string pid) override {
    filter_ = "pid=" + pid;
    calls_.clear();
    messages_ = collections_ = exits_ = true;
    todo_ = "start";
  }

  void refresh(ObserverClient& client, int) override {
    if (todo_ == "start") lines_.clear(), from_ = 0;
    JsonValue data = client.ask(request());
    bool read = todo_ == "read";
    todo_ = "read";
    if (data.is_null()) error_ = client.error();
    if (data.is_null()) return;
    if (!read) error_.clear();  // why nothing begins stays to be read
    on_ = data["on"].truth();
    if (!data["processes"].is_null()) chosen_ = data["processes"], functions_ = data["functions"];
    for (const JsonValue& l : data["lines"].list()) lines_.push_back(l);
    while (lines_.size() > kKept) lines_.pop_front();
    from_ = data["next"].integer();
    data_ = std::move(data);
    list();
  }

  void draw(Screen& s, int first, int end) override {
    s.put(first, 0, on_ ? "TRACING" : "not tracing", on_ ? kBold | kRed : unsigned{kBold});
    s.put(first, 12, state(), kPlain);
    s.put(first + 1, 0, what());
    unsigned style = error_.empty() ? unsigned{kYellow} : unsigned{kRed};
    s.put(first + 2, 0, error_.empty() ? warning() : error_, style);
    table_.draw(s, first + 3, end - draw_whole(s, end));
  }

  bool key(int key, Navigation& where) override {
    switch (key) {
      case 't':
        todo_ = on_ ? "stop" : "start";
        return true;
      case 'm':
        return prompt(where, 'm', "calls of (M:F/A, M:F or M, several): ", calls_);
      case 'p':
        return prompt(where, 'p', "processes (as in view 2; empty: all): ", filter_);
      case 'R':
        return prompt(where, 'R', "lines a second, at most: ", std::to_string(rate_));
      case 's':
        spawned_ = !spawned_;
        return changed();
      case 'w':
        messages_ = !messages_;
        return changed();
      case 'x':
        exits_ = !exits_;
        return changed();
      case 'r':
        returns_ = !returns_;
        return changed();
      case 'g':
        collections_ = !collections_;
        return changed();
      case kKeyEnter:
        if (table_.selected()) where.process = table_.selected()->key;
        return true;
      default:
        return table_.key(key);
    }
  }
  TableWidget* table() override { return &table_; }
  void entered(const std::string& line) override {
    if (asked_ == 'm') calls_ = line;
    if (asked_ == 'p') filter_ = line;
    if (asked_ == 'R') rate_ = std::max<int64_t>(1, atoll(line.c_str()));
    changed();
  }

 private:
  bool prompt(Navigation& where, char about, const char* query, std::string line) {
    asked_ = about;
    where.prompt = query, where.line = std::move(line);
    return true;
  }
  /// While it runs, it begins anew with what was changed.
  bool changed() {
    if (on_) todo_ = "start";
    return true;
  }

  /// The selected line, if it is longer than the screen is wide: as a whole, below the others. How
  /// many rows it takes.
  int draw_whole(Screen& s, int end) {
    constexpr int kBefore = 56;  // columns
    const TableWidget::Row* row = table_.selected();
    const auto width = static_cast<size_t>(s.width());
    if (!row || row->cells.size() < 5 || row->cells[4].size() + kBefore <= width) return 0;
    const std::string& text = row->cells[4];
    std::vector<std::string> lines;
    for (size_t at = 0; at < text.size() && lines.size() < static_cast<size_t>(end) / 3;) {
      size_t stop = std::min(text.size(), at + width - 1);
      while (stop < text.size() && (text[stop] & 0xc0) == 0x80) ++stop;
      lines.push_back(text.substr(at, stop - at));
      at = stop;
    }
    int at = end - static_cast<int>(lines.size());
    s.put(at - 1, 0, row->cells[1] + " " + row->cells[2] + " " + row->cells[3], kCyan);
    for (const std::string& line : lines) s.put(at++, 0, line);
    return static_cast<int>(lines.size()) + 1;
  }

  std::string request() const {
    std::string out;
    JsonWriter w(out);
    w.open('{').text("do", "trace").text("what", todo_).number("from", from_);
    if (todo_ == "start") {
      w.text("calls", calls_).text("filter", filter_).boolean("messages", messages_);
      w.boolean("collections", collections_)
          .boolean("spawned", spawned_)
          .boolean("exits", exits_)
          .boolean("returns", returns_)
          .number("rate", rate_);
    }
    w.close('}');
    return out;
  }
  std::string what() const {
    return fmt::format("calls of {}{}{}{}{}, of {}{}, at most {}/s",
                       calls_.empty() ? "nothing" : calls_, returns_ ? " and returns" : "",
                       messages_ ? ", messages" : "", collections_ ? ", GC" : "",
                       exits_ ? ", exits" : "", filter_.empty() ? "all processes" : filter_,
                       spawned_ ? " + spawned" : "", rate_);
  }
  std::string state() const {
    if (data_["seen"].integer() == 0 && !on_) return "";
    std::string s = fmt::format("{} events", count_text(data_["seen"].number()));
    if (on_)
      s += fmt::format(" of {} processes, {} functions", count_text(chosen_.number()),
                       count_text(functions_.number()));
    if (data_["left_out"].integer())
      s += fmt::format(", {} left out", count_text(data_["left_out"].number()));
    return s;
  }
  std::string warning() const {
    if (data_["by_another"].truth()) return "another observer traces";
    if (!data_["overrun"].truth()) return "";
    return fmt::format("it ended by itself: more than {} events in a second",
                       count_text(data_["most_a_second"].number()));
  }

  static std::string moment(int64_t us) {
    time_t seconds = us / 1'000'000;
    tm t;
    localtime_r(&seconds, &t);
    return fmt::format("{:02}:{:02}:{:02}.{:06}", t.tm_hour, t.tm_min, t.tm_sec, us % 1'000'000);
  }
  /// The newest line first.
  void list() {
    table_.rows.clear();
    for (size_t k = lines_.size(); k-- > 0;) {
      const JsonValue& l = lines_[k];
      const std::string& pid = l["pid"].text();
      const std::string& name = l["name"].text();
      table_.rows.push_back({{moment(l["time_us"].integer()), name.empty() ? pid : name,
                              l["what"].text(), l["peer"].text(), l["text"].text()},
                             pid,
                             kPlain});
    }
  }

  std::string calls_, filter_, error_, todo_ = "read";
  bool messages_ = false, collections_ = false, exits_ = false, returns_ = false, spawned_ = false,
       on_ = false;
  int64_t rate_ = 100, from_ = 0;
  char asked_ = 0;
  JsonValue data_, chosen_, functions_;
  std::deque<JsonValue> lines_;
  TableWidget table_{{{"time", 15, false, 0},
                      {"process", 14, false, 0},
                      {"what", 10, false, 0},
                      {"to or from", 12, false, 0},
                      {"", 0, false, 0}}};
};

}  // namespace

std::unique_ptr<TraceView> make_trace_view() { return std::make_unique<OneTraceView>(); }

}  // namespace wb
