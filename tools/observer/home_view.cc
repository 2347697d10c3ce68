// View 1: the machine as a whole, now and in the last minutes.
#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include "tools/observer/requests.h"
#include "tools/observer/terminal.h"
#include "tools/observer/units.h"
#include "tools/observer/view.h"
#include "tools/observer/warnings_text.h"

namespace wb {
namespace {

/// One curve: a value a refresh.
struct Curve {
  const char* name;
  bool percent;  ///< of 100, else of its own maximum
  bool bytes;
  std::deque<double> values;

  void add(double v) {
    values.push_back(v);
    if (values.size() > 600) values.pop_front();
  }
};

class HomeView final : public View {
 public:
  const char* name() const override { return "Home"; }

  void refresh(ObserverClient& client, int) override {
    JsonValue next = client.ask(observer_request("home"));
    if (next.is_null()) return;
    if (!before_.is_null() && !std::exchange(knows_past_, true)) recall(client);
    before_ = std::move(now_);
    now_ = std::move(next);
    if (!before_.is_null()) add_rates();
    JsonValue warned = client.ask(observer_request("warnings"));  // of the machine's last look
    if (!warned.is_null()) warned_ = std::move(warned);
    JsonValue exits = client.ask(observer_request("exits", {}, {{"most", kMostExits}}));
    if (!exits.is_null()) exits_ = std::move(exits);
  }

  bool key(int key, Navigation& where) override {
    if (key != kKeyEnter) return false;
    for (const JsonValue& w : warned_["rows"].list()) {
      if (where.process.empty()) where.process = w["pid"].text();
    }
    return !where.process.empty();
  }

  void draw(Screen& s, int first, int end) override {
    if (now_.is_null()) return;
    int row = draw_counts(s, draw_dump(s, first));
    row = draw_warnings(s, row, end);
    row = draw_exits(s, row, end);
    row = draw_schedulers(s, row + 1, end);
    draw_curves(s, row + 1, end);
  }

 private:
  static constexpr int kMostExits = 3;
  static constexpr double kMostIdle = 600;  ///< seconds that are shown

  /// What was before somebody looked; asked for when the first screen is there.
  void recall(ObserverClient& client) {
    const JsonValue past = client.ask(observer_request("past"));
    const JsonValue now = std::exchange(now_, {}), before = std::exchange(before_, {});
    if (!past["looks"].list().empty()) {
      for (Curve& c : curves_) c.values.clear();
      grown_.clear();
    }
    for (const JsonValue& look : past["looks"].list()) {
      if (look["uptime_ns"].number() >= now["uptime_ns"].number()) break;
      before_ = std::exchange(now_, look);
      if (before_.is_null()) continue;
      add_rates();
      // No looks were kept while nothing ran: a column a second all the same.
      for (double s = std::min(seconds(), kMostIdle); s > 1.5; s -= 1) add_rates();
    }
    now_ = now, before_ = before;
  }
  /// How much a count or a kind of memory has grown in so many seconds; 0 if that is not known.
  double growth(const char* group, const std::string& name, double seconds) const {
    const double now = now_["uptime_ns"].number() / 1e9;
    const Amounts* then = nullptr;
    for (const Amounts& a : grown_) {
      if (a.at <= now - seconds) then = &a;
    }
    if (!then || grown_.empty()) return 0;
    const auto &last = grown_.back().of, &old = then->of;
    const auto key = std::make_pair(std::string(group), name);
    const auto a = last.find(key), b = old.find(key);
    return a == last.end() || b == old.end() ? 0 : a->second - b->second;
  }
  static std::string growth_text(double second, double minute, std::string (*text)(double)) {
    auto part = [&](double n, const char* per) {
      return n == 0 ? std::string() : fmt::format("{}{}/{}", n > 0 ? "+" : "", text(n), per);
    };
    return fmt::format("{:>12} {:>14}", part(second, "s"), part(minute, "min"));
  }
  void note_amounts() {
    Amounts a{now_["uptime_ns"].number() / 1e9, {}};
    for (const auto& [name, n] : now_["memory"].fields()) a.of[{"memory", name}] = n.number();
    for (const auto& [name, n] : now_["counts"].fields())
      a.of[{"counts", name}] = n["now"].number();
    grown_.push_back(std::move(a));
    while (grown_.size() > 2 && grown_[1].at < grown_.back().at - 60) grown_.pop_front();
  }

  double seconds() const {
    return (now_["uptime_ns"].number() - before_["uptime_ns"].number()) / 1e9;
  }
  double rate(const char* counter) const {
    return (now_["counters"][counter].number() - before_["counters"][counter].number()) / seconds();
  }
  double use(size_t k) const {
    const auto &now = now_["schedulers"].list(), &before = before_["schedulers"].list();
    if (k >= now.size() || k >= before.size() || seconds() <= 0) return 0;
    double ns = now[k]["active_ns"].number() - before[k]["active_ns"].number();
    return std::clamp(ns / 1e7 / seconds(), 0.0, 100.0);
  }
  void add_rates() {
    if (seconds() <= 0) return;
    note_amounts();
    double all = 0, queued = 0;
    size_t n = now_["schedulers"].list().size();
    for (size_t k = 0; k < n; ++k) {
      all += use(k);
      queued += now_["schedulers"].list()[k]["queue"].number();
    }
    curves_[0].add(n ? all / static_cast<double>(n) : 0);
    curves_[1].add(queued);
    curves_[2].add(rate("reductions"));
    curves_[3].add(rate("messages"));
    curves_[4].add(rate("collections"));
    curves_[5].add(rate("bytes_in") + rate("file_bytes_in"));
    curves_[6].add(rate("bytes_out") + rate("file_bytes_out"));
    curves_[7].add(now_["memory"]["total"].number());
  }

  /// Of a crash dump why it was written, and by what.
  int draw_dump(Screen& s, int row) {
    const JsonValue& dump = now_["dump"];
    if (dump.is_null()) return row;
    s.put(row++, 0, "crash dump: " + dump["slogan"].text(), kRed | kBold, s.width());
    s.put(row++, 0,
          fmt::format("written {}{} by {}", dump["written"].text(),
                      dump["cut"].truth() ? ", cut short," : "", dump["system"].text()),
          kPlain, s.width());
    return row;
  }

  /// Where counts and kinds of memory stand: their columns, and how wide those are.
  struct Layout {
    bool both;  ///< growth a second and a minute
    int name, bytes, count, counts, limit, grown, growth;
    std::string share(double part) const {
      return both ? fmt::format(" ({:.1f} %)", part * 100) : "";
    }
  };
  static constexpr Layout kWide = {true, 17, 12, 10, 64, 92, 116, 0};
  static constexpr Layout kNarrow = {false, 16, 10, 7, 39, 72, 63, 8};

  int draw_counts(Screen& s, int row) {
    const JsonValue &m = now_["memory"], &os = now_["os"], &o = now_["observer"];
    if (now_["dump"].is_null())
      s.put(row, 0, fmt::format("up {}", duration_text(now_["uptime_ns"].number())), kBold);
    double resident = os["resident"].number(), limit = os["memory_limit"].number();
    bool full = limit > 0 && resident > 0.85 * limit;
    s.put(row, 14,
          fmt::format("resident {}{}", bytes_text(resident),
                      limit > 0 ? " of " + bytes_text(limit) : ""),
          full ? kRed : kPlain);
    const std::string cost = fmt::format("observer {} cpu, {}", duration_text(o["cpu_ns"].number()),
                                         bytes_text(o["memory"].number()));
    s.put(row, std::min(50, s.width() - static_cast<int>(cost.size())), cost, kDim);
    const Layout at = s.width() >= 136 ? kWide : kNarrow;
    auto draw_growth = [&](int line, int column, const char* group, const std::string& name,
                           std::string (*text)(double)) {
      const double minute = growth(group, name, 60);
      const std::string both = growth_text(growth(group, name, 1), minute, text);
      const std::string one = minute == 0 ? "" : (minute > 0 ? "+" : "") + text(minute);
      if (at.both)
        s.put(line, column, both, kDim);
      else
        s.put_right(line, column, group[0] == 'm' ? at.growth + 2 : at.growth, one, kDim);
    };
    s.put(row + 1, 0, "memory", kCyan);
    s.put(row + 1, at.counts, "counts", kCyan);
    if (!at.both && !grown_.empty()) {
      s.put_right(row + 1, at.name + at.bytes + 1, at.growth + 2, "a minute", kDim);
      s.put_right(row + 1, at.grown, at.growth, "a minute", kDim);
    }
    int left = row + 2, right = row + 2;
    for (const auto& [name, bytes] : m.fields()) {
      s.put(left, 0, name, kPlain, at.name);
      s.put_right(left, at.name, at.bytes, bytes_text(bytes.number()));
      draw_growth(left++, at.name + at.bytes + 1, "memory", name, bytes_text);
    }
    for (const auto& [name, c] : now_["counts"].fields()) {
      double n = c["now"].number(), most = c["limit"].number();
      unsigned style = most > 0 && n > 0.85 * most ? kRed : kPlain;
      s.put(right, at.counts, name, style, at.name);
      s.put_right(right, at.counts + at.name, at.count, count_text(n), style);
      if (most > 0)
        s.put(right, at.limit, fmt::format("of {}{}", count_text(most), at.share(n / most)), style);
      draw_growth(right++, at.grown, "counts", name, count_text);
    }
    return std::max(left, right);
  }

  /// What looks wrong: who, where, why, and the key of the view that tells more. A third of the
  /// screen at most, the worst first.
  int draw_warnings(Screen& s, int row, int end) {
    const auto& rows = warned_["rows"].list();
    if (rows.empty()) return row;
    s.put(row + 1, 0,
          fmt::format("warnings: {} (its key leads on; Enter: the first one's process)",
                      warned_["total"].integer()),
          kYellow);
    int line = row + 2;
    const int last = line + std::max(3, (end - row) / 3);
    for (size_t k = 0; k < rows.size() && line < last; ++k, ++line) {
      const JsonValue& w = rows[k];
      const WarningText text(w);
      int column = s.put(line, 0, w["key"].text() + ' ', kBold);
      column = s.put(line, column, text.kind + ": ", kPlain);
      if (!text.who.empty()) column = s.put(line, column, text.who + ": ", kPlain, 30);
      column = s.put(line, column, text.text, kYellow);
      column = s.put(line, column, text.place);
      s.put(line, column, " (" + w["why"].text() + ')', kDim);
    }
    return line;
  }

  /// The newest.
  int draw_exits(Screen& s, int row, int end) {
    const auto& rows = exits_["rows"].list();
    if (rows.empty() || row + 8 > end) return row;
    s.put(row + 1, 0,
          fmt::format("abnormal exits: {} (0 shows them)", count_text(exits_["abnormal"].number())),
          kCyan);
    int line = row + 2;
    for (const JsonValue& r : rows) {
      const std::string& name = r["name"].text();
      s.put(line, 0, r["pid"].text(), kPlain, 14);
      s.put(line, 15, name.empty() ? r["initial"].text() : name, kPlain, 24);
      s.put_right(line, 40, 10, duration_text(r["last_age_ns"].number()));
      s.put(line++, 52, r["reason"].text());
    }
    return line;
  }

  int draw_schedulers(Screen& s, int row, int end) {
    const auto& list = now_["schedulers"].list();
    s.put(row++, 0, "schedulers", kCyan);
    int columns = std::max(1, s.width() / 39);
    size_t most = static_cast<size_t>(std::max(1, (end - row) / 3) * columns);
    for (size_t k = 0; k < list.size() && k < most; ++k) {
      int column = static_cast<int>(k) % columns * 39;
      double percent = before_.is_null() ? 0 : use(k);
      auto bar = static_cast<size_t>(percent / 5 + 0.5);
      s.put(row, column,
            fmt::format("{:>3} [{:<20}] {:>5.1f} %", k + 1, std::string(bar, '|'), percent));
      s.put(row, column + 35, fmt::format("q{}", count_text(list[k]["queue"].number())),
            list[k]["queue"].number() > 10 ? kYellow : kDim);
      if (static_cast<int>(k) % columns == columns - 1) ++row;
    }
    return list.size() % static_cast<size_t>(columns) ? row + 1 : row;
  }

  /// Each curve is a band as high as there is room; the newest on the right.
  void draw_curves(Screen& s, int row, int end) {
    int shown = std::min(8, end - row);
    if (shown <= 0) return;
    int height = std::clamp((end - row) / shown, 1, 4);
    for (int k = 0; k < shown; ++k, row += height) {
      const Curve& c = curves_[k];
      double last = c.values.empty() ? 0 : c.values.back();
      std::string value = c.percent ? fmt::format("{:.1f} %", last)
                          : c.bytes ? bytes_text(last)
                                    : count_text(last);
      s.put(row, 0, c.name, kPlain, 15);
      s.put_right(row, 15, 11, value, kBold);
      draw_curve(s, row, height, 27, s.width() - 28, c);
    }
  }
  void draw_curve(Screen& s, int row, int height, int column, int width, const Curve& c) {
    static constexpr std::string_view kPlainLevels[] = {" ", ".", ":", "-", "=",
                                                        "+", "*", "#", "@"};
    static constexpr std::string_view kBlocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    const auto& levels = s.has_utf8() ? kBlocks : kPlainLevels;
    double most = c.percent ? 100 : 1e-9;
    if (!c.percent) {
      for (double v : c.values) most = std::max(most, v);
    }
    auto count = static_cast<int>(c.values.size());
    for (int x = 0; x < width; ++x) {
      int k = count - width + x;
      if (k < 0) continue;
      double level = c.values[static_cast<size_t>(k)] / most * height;
      for (int y = 0; y < height; ++y) {  // from below
        double part = std::clamp(level - y, 0.0, 1.0);
        auto ink = static_cast<size_t>(part * 8 + (part > 0 ? 0.9 : 0));
        s.put(row + height - 1 - y, column + x, levels[std::min<size_t>(ink, 8)], kGreen, 1);
      }
    }
  }

  JsonValue now_, before_, warned_, exits_;
  /// What there was at a moment of uptime, by group and name: of a minute.
  struct Amounts {
    double at;
    std::map<std::pair<std::string, std::string>, double> of;
  };
  std::deque<Amounts> grown_;
  bool knows_past_ = false;
  Curve curves_[8] = {{"scheduler use", true, false, {}},  {"run queues", false, false, {}},
                      {"reductions/s", false, false, {}},  {"messages/s", false, false, {}},
                      {"collections/s", false, false, {}}, {"input/s", false, true, {}},
                      {"output/s", false, true, {}},       {"memory", false, true, {}}};
};

}  // namespace

std::unique_ptr<View> make_home_view() { return std::make_unique<HomeView>(); }

}  // namespace wb
