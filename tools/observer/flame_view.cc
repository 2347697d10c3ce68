// View 6: where reductions go, outermost function above, as wide as its share.
#include <algorithm>

#include "tools/observer/profile.h"
#include "tools/observer/save.h"
#include "tools/observer/terminal.h"
#include "tools/observer/units.h"
#include "tools/observer/view.h"
#include "vm/observe/json.h"

namespace wb {
namespace {

class FlameView final : public View {
 public:
  const char* name() const override { return "Flame"; }
  const char* keys() const override {
    return "c begin anew  a allocation  p process  g by process  e export";
  }

  void refresh(ObserverClient& client, int) override {
    std::string request;
    JsonWriter w(request);
    w.open('{').text("do", "profile").text("what", allocation_ ? "allocation" : "reductions");
    w.text("pid", pid_).boolean("by_process", by_process_).boolean("clear", clear_).close('}');
    data_ = client.ask(request);
    error_ = data_.is_null() ? client.error() : "";
    clear_ = false;
  }
  void draw(Screen& s, int first, int end) override {
    int64_t samples = data_["samples"].integer();
    std::string title = allocation_ ? bytes_text(static_cast<double>(samples) * 8) + " allocated"
                                    : fmt::format("{} samples, by reductions", samples);
    if (!pid_.empty()) title += " of " + pid_;
    if (by_process_) title += ", by process";
    s.put(first, 0, title, kBold);
    s.put(first + 1, 0, error_.empty() ? said_ : error_, kYellow);
    FlameNode root = flame_tree(data_);
    if (root.total <= 0) return;
    all_ = root.total;
    draw_children(s, first + 2, end, 0, s.width() - 1, root);
  }
  bool key(int key, Navigation& where) override {
    said_.clear();
    if (key == 'c') {
      clear_ = true;
    } else if (key == 'a') {
      allocation_ = !allocation_;
    } else if (key == 'g') {
      by_process_ = !by_process_;
    } else if (key == 'p') {
      where.prompt = "process (empty: all): ", where.line = pid_;
    } else if (key == 'e') {
      said_ = save_text("whitebeam-stacks.folded", folded_stacks(data_));
    } else {
      return false;
    }
    return true;
  }

  void entered(const std::string& line) override { pid_ = line; }

 private:
  /// Rows below each other; each level as deep as there is room.
  void draw_children(Screen& s, int row, int end, int column, int width, const FlameNode& node) {
    static constexpr unsigned kStyles[] = {kReverse | kGreen, kReverse | kYellow, kReverse | kCyan,
                                           kReverse | kRed};
    if (row >= end) return;
    size_t k = static_cast<size_t>(row) % 2;
    for (const auto& c : node.children) {
      int w = static_cast<int>(c->total / node.total * width + 0.5);
      w = std::min(w, width);
      if (w < 1) continue;
      std::string text = fmt::format("{} {:.0f}%", c->function, c->total / all_ * 100);
      text.resize(static_cast<size_t>(w - (w > 1)), ' ');
      s.put(row, column, text, kStyles[k], w);
      draw_children(s, row + 1, end, column, w, *c);
      column += w;
      k = (k + 2) % 4;
    }
  }

  JsonValue data_;
  double all_ = 1;
  bool clear_ = false, allocation_ = false, by_process_ = false;
  std::string said_, pid_, error_;
};

}  // namespace

std::unique_ptr<View> make_flame_view() { return std::make_unique<FlameView>(); }

}  // namespace wb
