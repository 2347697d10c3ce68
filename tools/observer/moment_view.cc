// Two moments compared: what has changed since the one that was marked, of processes and of
// everything that is counted. It lies over the view from which it was opened.
#include <algorithm>
#include <chrono>
#include <utility>

#include "tools/observer/difference.h"
#include "tools/observer/requests.h"
#include "tools/observer/table.h"
#include "tools/observer/terminal.h"
#include "tools/observer/units.h"
#include "tools/observer/view.h"

namespace wb {
namespace {

class DifferenceView final : public MomentView {
 public:
  DifferenceView() { processes_.sortable = counters_.sortable = true; }
  const char* name() const override { return "Since"; }
  const char* keys() const override {
    return counts_ ? "Tab processes  M mark anew  D b back"
                   : "Tab counters  M mark anew  D b back  Enter details";
  }
  void mark() override { marks_ = true; }
  bool has_mark() const override { return base_.when || marks_; }

  void refresh(ObserverClient& client, int) override {
    if (std::exchange(marks_, false)) {
      home_ = client.ask(observer_request("home"));
      base_ = snapshot(client);
      now_ = {};
    }
    JsonValue now = client.ask(observer_request("home"));
    if (now.is_null()) return;
    now_ = std::move(now);
    counters_.rows = counter_rows(home_, now_);
    if (counts_ || Clock::now() < next_) return;
    processes_.rows = change_rows(changes_between(client, base_, snapshot(client)));
  }

  void draw(Screen& s, int first, int end) override {
    const double ns = now_["uptime_ns"].number() - home_["uptime_ns"].number();
    s.put(first, 0,
          fmt::format("{} since {}: {}", counts_ ? "what is counted" : "processes",
                      clock_text(base_.when), duration_text(std::max(ns, 0.0))),
          kBold);
    if (!counts_) s.put(first, 40, "of those with most, then and now", kDim);
    table()->draw(s, first + 1, end);
  }

  TableWidget* table() override { return counts_ ? &counters_ : &processes_; }
  bool key(int key, Navigation& where) override {
    if (key == kKeyTab) {
      counts_ = !counts_;
      return true;
    }
    if (key != kKeyEnter) return table()->key(key);
    if (!counts_ && processes_.selected()) where.process = processes_.selected()->key;
    return true;
  }

 private:
  using Clock = std::chrono::steady_clock;

  /// Some passes over all processes: so rarely that they take a twentieth of the time.
  ProcessSnapshot snapshot(ObserverClient& client) {
    const auto begin = Clock::now();
    ProcessSnapshot s = take_snapshot(client, "");
    constexpr std::chrono::seconds kLeast{1}, kMost{10};
    const auto pause = std::clamp<Clock::duration>(20 * (Clock::now() - begin), kLeast, kMost);
    next_ = Clock::now() + pause;
    return s;
  }

  bool marks_ = false, counts_ = false;
  JsonValue home_, now_;  ///< of the marked moment, of this one
  ProcessSnapshot base_;
  Clock::time_point next_{};
  TableWidget processes_{change_columns()}, counters_{counter_columns()};
};

}  // namespace

std::unique_ptr<MomentView> make_moment_view() { return std::make_unique<DifferenceView>(); }

}  // namespace wb
