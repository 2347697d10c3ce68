// View 5: lanes of the schedulers, the last milliseconds to seconds.
#include <algorithm>
#include <array>
#include <map>

#include "tools/observer/save.h"
#include "tools/observer/terminal.h"
#include "tools/observer/timeline.h"
#include "tools/observer/units.h"
#include "tools/observer/view.h"

namespace wb {
namespace {

class TimelineView final : public View {
 public:
  const char* name() const override { return "Timeline"; }
  const char* keys() const override {
    return "+ - zoom  arrows h l move  G End follow  e export for ui.perfetto.dev";
  }

  void refresh(ObserverClient& client, int) override {
    if (timeline_.refresh(client)) timeline_.forget_before(timeline_.now_ns() - 30e9);
  }
  void draw(Screen& s, int first, int end) override {
    double newest = timeline_.now_ns(), now = follows() ? newest : end_ns_;
    int width = s.width() - 6;
    double cell = span_ns_ / width;
    s.put(first, 0,
          fmt::format("{} {}, {} a column: # runs  G collects  . sleeps  1 message from 1",
                      follows() ? "the last" : "moved:", duration_text(span_ns_),
                      duration_text(cell)),
          kDim);
    if (!follows()) {
      s.put_right(first + 1, s.width() - 31, 30,
                  fmt::format("until {} ago", duration_text(newest - now)), kYellow);
    }
    if (!said_.empty()) s.put(first + 1, 0, said_, kYellow);
    int row = first + 2;
    for (size_t k = 0; k < timeline_.lanes().size() && row < end; ++k, row += 2) {
      const Lane& lane = timeline_.lanes()[k];
      if (lane.spans.empty() && lane.instants.empty()) {
        row -= 2;
        continue;
      }
      s.put(row, 0, fmt::format("{:>4}", k + 1), kCyan);
      draw_lane(s, row, 6, width, now - span_ns_, cell, lane);
      draw_arrows(s, row + 1, 6, width, now - span_ns_, cell, k);
    }
    draw_busiest(s, row + 1, end, now - span_ns_, now);
  }
  bool key(int key, Navigation&) override {
    said_.clear();
    if (key == '+' || key == '=') {
      zoom(0.5);
    } else if (key == '-') {
      zoom(2);
    } else if (key == kKeyLeft || key == 'h') {
      move(-kStep);
    } else if (key == kKeyRight || key == 'l') {
      move(kStep);
    } else if (key == kKeyEnd || key == 'G') {
      end_ns_ = 0;
    } else if (key == 'e') {
      said_ = save_text("whitebeam-timeline.json", perfetto_json(timeline_, "whitebeam"));
    } else {
      return false;
    }
    return true;
  }

 private:
  static constexpr double kStep = 0.2, kShortest = 1e5, kLongest = 3e10;
  bool follows() const { return end_ns_ == 0; }
  /// What is at the right edge stays there while it follows, else what is in the middle.
  void zoom(double by) {
    double span = std::clamp(span_ns_ * by, kShortest, kLongest);
    if (!follows()) end_ns_ += (span - span_ns_) / 2;
    span_ns_ = span;
    move(0);
  }
  void move(double part) {
    if (follows() && part >= 0) return;
    double newest = timeline_.now_ns(), end = (follows() ? newest : end_ns_) + part * span_ns_;
    end_ns_ = end >= newest ? 0 : std::max(end, newest - kLongest);
  }

  /// In each cell what took most of it.
  void draw_lane(Screen& s, int row, int column, int width, double from, double cell,
                 const Lane& lane) {
    static constexpr char kInk[] = {'#', 'G', '.', 'N'};
    static constexpr unsigned kStyles[] = {kGreen, kRed, kDim, kYellow};
    std::vector<std::array<double, 4>> time(static_cast<size_t>(width));
    for (const Span& span : lane.spans) {
      if (span.end_ns < from || span.begin_ns > from + cell * width) continue;
      double begin = std::max(0.0, (span.begin_ns - from) / cell);
      double end = std::min<double>(width, (span.end_ns - from) / cell);
      for (auto x = static_cast<int>(begin); x < end && x < width; ++x) {
        double part = std::min<double>(end, x + 1) - std::max<double>(begin, x);
        if (part > 0) time[static_cast<size_t>(x)][static_cast<size_t>(span.kind)] += part;
      }
    }
    for (int x = 0; x < width; ++x) {
      const auto& t = time[static_cast<size_t>(x)];
      auto most = static_cast<size_t>(std::max_element(t.begin(), t.end()) - t.begin());
      if (t[most] > 0.02) s.put(row, column + x, {&kInk[most], 1}, kStyles[most]);
    }
  }

  /// Who ran longest in what is shown.
  void draw_busiest(Screen& s, int row, int end, double from, double until) {
    std::map<std::string, double> ran;
    for (const Lane& lane : timeline_.lanes()) {
      for (const Span& span : lane.spans) {
        const double ns = std::min(span.end_ns, until) - std::max(span.begin_ns, from);
        if (ns > 0 && !span.who.empty()) ran[span.who] += ns;
      }
    }
    std::vector<std::pair<double, std::string>> rows;
    for (const auto& [who, ns] : ran) rows.emplace_back(ns, who);
    std::sort(rows.rbegin(), rows.rend());
    if (!rows.empty() && row + 1 < end) s.put(row++, 0, "who ran", kCyan);
    for (size_t k = 0; k < rows.size() && row < end; ++k, ++row) {
      s.put_right(row, 0, 10, duration_text(rows[k].first));
      s.put(row, 12, timeline_.named(rows[k].second));
    }
  }

  /// Below a lane: from which lane what it took there had come.
  void draw_arrows(Screen& s, int row, int column, int width, double from, double cell,
                   size_t lane) {
    for (const Arrow& a : timeline_.arrows()) {
      if (a.to_lane != lane || a.end_ns < from || a.end_ns > from + cell * width) continue;
      auto x = static_cast<int>((a.end_ns - from) / cell);
      if (x < width) s.put(row, column + x, std::to_string((a.from_lane + 1) % 10), kCyan);
    }
  }

  Timeline timeline_;
  double span_ns_ = 1e9;
  double end_ns_ = 0;  ///< of what is shown; 0: it follows what is new
  std::string said_;
};

}  // namespace

std::unique_ptr<View> make_timeline_view() { return std::make_unique<TimelineView>(); }

}  // namespace wb
