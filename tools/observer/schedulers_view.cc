// View 4: what each scheduler did since the last look.
#include <algorithm>
#include <map>

#include "tools/observer/requests.h"
#include "tools/observer/table.h"
#include "tools/observer/terminal.h"
#include "tools/observer/units.h"
#include "tools/observer/view.h"

namespace wb {
namespace {

constexpr int kMostShown = 8;  // schedulers a side of the matrices

class SchedulersView final : public View {
 public:
  SchedulersView() { table_.sortable = collections_.sortable = true; }
  const char* name() const override { return "Schedulers"; }
  const char* keys() const override {
    return "Tab use, moves and waits, collections  Enter process";
  }

  void refresh(ObserverClient& client, int) override {
    if (page_ == 2) {
      list_collections(client.ask(observer_request("collections")));
      return;
    }
    JsonValue next = client.ask(observer_request("schedulers"));
    if (next.is_null()) return;
    before_ = std::move(now_);
    now_ = std::move(next);
    list();
  }
  void draw(Screen& s, int first, int end) override {
    if (page_ == 0) {
      int below = std::min(end, first + 2 + static_cast<int>(table_.rows.size()));
      table_.draw(s, first, std::min(below, end - 4));
      return draw_others(s, std::min(below + 1, end - 4));
    }
    if (page_ == 2) {
      s.put(first, 0, "the newest collections of all processes", kBold);
      return collections_.draw(s, first + 1, end);
    }
    int row = draw_matrix(s, first, "taken_from", "work taken by (down) from (across)");
    row = draw_matrix(s, row, "came_from", "processes that came to (down) from (across)");
    draw_times(s, row, 0, "wakeups", "from woken to running");
    draw_times(s, row, s.width() / 3, "waits", "in a run queue (estimated)");
    draw_times(s, row, s.width() / 3 * 2, "pauses", "collections");
  }
  TableWidget* table() override {
    return page_ == 0 ? &table_ : page_ == 2 ? &collections_ : nullptr;
  }
  bool key(int key, Navigation& where) override {
    if (key == kKeyTab) {
      page_ = (page_ + 1) % 3;
      return true;
    }
    if (key == kKeyEnter && page_ == 2) {
      if (collections_.selected()) where.process = collections_.selected()->key;
      return true;
    }
    return page_ == 2 ? collections_.key(key) : table_.key(key);
  }

 private:
  /// Returns the row below.
  int draw_matrix(Screen& s, int row, const char* name, const char* title) {
    s.put(row++, 0, title, kCyan);
    const auto& all = now_["schedulers"].list();
    for (size_t k = 0; k < all.size() && k < kMostShown; ++k) {
      s.put_right(row, static_cast<int>(k + 1) * 9, 8, fmt::format("{}", k + 1), kDim);
    }
    ++row;
    for (size_t k = 0; k < all.size() && k < kMostShown; ++k, ++row) {
      s.put_right(row, 0, 4, fmt::format("{}", all[k]["number"].integer()), kDim);
      const auto& from = all[k][name].list();
      for (size_t i = 0; i < from.size() && i < kMostShown; ++i) {
        std::string n = i == k ? "." : count_text(from[i].number());
        s.put_right(row, static_cast<int>(i + 1) * 9, 8, n);
      }
    }
    return row + 1;
  }
  /// What schedulers share: dirty pools, timers, polling.
  void draw_others(Screen& s, int row) {
    for (const char* kind : {"cpu", "io"}) {
      const JsonValue& d = now_["dirty"][kind];
      s.put(row++, 0,
            fmt::format("dirty {:<4} {} of {} threads, {} run, {} wait, {}/s done", kind,
                        d["threads"].integer(), d["online"].integer(), d["running"].integer(),
                        d["waiting"].integer(),
                        count_text((d["done"].number() - before_["dirty"][kind]["done"].number()) /
                                   seconds())));
    }
    double timers = 0;
    for (const JsonValue& w : now_["schedulers"].list()) timers += w["timers"].number();
    s.put(row++, 0,
          fmt::format("timers     {}, {}/s started, {}/s cancelled, {}/s fired", count_text(timers),
                      count_text(rate("timers_started")), count_text(rate("timers_cancelled")),
                      count_text(rate("timers_fired"))));
    s.put(row, 0,
          fmt::format("poll       {} descriptors, {}/s looks, {}/s reports",
                      now_["watched_descriptors"].integer(), count_text(rate("polls")),
                      count_text(rate("io_events"))));
  }
  /// Of a crash dump, in which nothing goes on, some.
  double seconds() const {
    return std::max(1e-9, (now_["uptime_ns"].number() - before_["uptime_ns"].number()) / 1e9);
  }
  /// Of all schedulers together.
  double rate(const char* counter) const {
    double n = 0;
    for (const JsonValue& w : now_["schedulers"].list()) n += w["counters"][counter].number();
    for (const JsonValue& w : before_["schedulers"].list()) n -= w["counters"][counter].number();
    return n / seconds();
  }
  /// max/high/normal/low
  static std::string queues_text(const JsonValue& q) {
    std::string text;
    for (const char* priority : {"max", "high", "normal", "low"}) {
      text += (text.empty() ? "" : "/") + count_text(q[priority].number());
    }
    return text;
  }
  /// How often what took how long, all schedulers together.
  void draw_times(Screen& s, int row, int column, const char* name, const char* title) {
    std::map<double, double> counts;
    double most = 0;
    for (const JsonValue& w : now_["schedulers"].list()) {
      for (const JsonValue& t : w[name].list()) {
        double& n = counts[t.list()[0].number()];
        n += t.list()[1].number();
        most = std::max(most, n);
      }
    }
    s.put(row++, column, title, kCyan, s.width() / 3 - 1);
    int room = s.width() / 3 - 20;
    for (const auto& [below, n] : counts) {
      s.put_right(row, column, 11, "< " + duration_text(below));
      s.put_right(row, column + 11, 7, count_text(n));
      s.put(row++, column + 19, std::string(static_cast<size_t>(n / most * room + 0.99), '#'),
            kGreen, room);
    }
  }
  void list_collections(const JsonValue& data) {
    collections_.rows.clear();
    for (const JsonValue& c : data["rows"].list()) {
      const std::string &pid = c["pid"].text(), &name = c["name"].text();
      double ago = data["now_ns"].number() - c["end_ns"].number();
      collections_.rows.push_back(
          {{duration_text(ago), pid, name, c["major"].truth() ? "major" : "minor",
            duration_text(c["pause_ns"].number()), bytes_text(c["words_before"].number() * 8),
            bytes_text(c["words_after"].number() * 8), fmt::format("{}", c["scheduler"].integer())},
           pid,
           kPlain});
    }
  }
  void list() {
    table_.rows.clear();
    const auto &now = now_["schedulers"].list(), &before = before_["schedulers"].list();
    const double seconds = this->seconds();
    for (size_t k = 0; k < now.size(); ++k) {
      const JsonValue &s = now[k], &c = s["counters"];
      const JsonValue& b = k < before.size() ? before[k] : JsonValue();
      auto rate = [&](const char* counter) {
        return count_text((c[counter].number() - b["counters"][counter].number()) / seconds);
      };
      double active = (s["active_ns"].number() - b["active_ns"].number()) / seconds / 1e7;
      double collecting =
          (c["pause_ns"].number() - b["counters"]["pause_ns"].number()) / seconds / 1e7;
      table_.rows.push_back(
          {{fmt::format("{}{}", s["number"].integer(), s["dedicated"].truth() ? "d" : ""),
            !s["online"].truth()  ? "offline"
            : s["asleep"].truth() ? "asleep"
                                  : "runs",
            fmt::format("{:.1f} %", std::clamp(active, 0.0, 100.0)),
            fmt::format("{:.1f} %", std::max(collecting, 0.0)), queues_text(s["queues"]),
            rate("slices"), rate("reductions"), rate("messages"), rate("spawns"), rate("steals"),
            rate("balances"), rate("wakes"), rate("sleeps"),
            duration_text(c["longest_pause_ns"].number()), count_text(s["timers"].number())},
           "",
           kPlain});
    }
  }
  int page_ = 0;
  JsonValue now_, before_;
  TableWidget collections_{{{"ago", 9, true, 0},
                            {"process", 14, false, 0},
                            {"name", 14, false, 0},
                            {"kind", 6, false, 0},
                            {"pause", 9, true, 0},
                            {"before", 10, true, 0},
                            {"after", 10, true, 0},
                            {"scheduler", 9, true, 90}}};
  TableWidget table_{{{"no", 4, false, 0},
                      {"state", 8, false, 0},
                      {"use", 8, true, 0},
                      {"in GC", 7, true, 0},
                      {"max/hi/nor/low", 14, true, 0},
                      {"slices/s", 9, true, 0},
                      {"reds/s", 7, true, 0},
                      {"msgs/s", 7, true, 0},
                      {"spawns/s", 9, true, 90},
                      {"steals/s", 9, true, 100},
                      {"balances/s", 10, true, 110},
                      {"wakes/s", 8, true, 120},
                      {"sleeps/s", 9, true, 130},
                      {"longest GC", 10, true, 140},
                      {"timers", 7, true, 150}}};
};

}  // namespace

std::unique_ptr<View> make_schedulers_view() { return std::make_unique<SchedulersView>(); }

}  // namespace wb
