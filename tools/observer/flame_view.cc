// View 6: where reductions go, outermost function above, as wide as its share.
#include <algorithm>

#include "tools/observer/profile.h"
#include "tools/observer/save.h"
#include "tools/observer/terminal.h"
#include "tools/observer/units.h"
#include "tools/observer/view.h"

namespace wb {
namespace {

class FlameView final : public View {
 public:
  const char* name() const override { return "Flame"; }
  const char* keys() const override { return "c begin anew  e export (speedscope, flamegraph.pl)"; }

  void refresh(ObserverClient& client, int) override {
    data_ = client.ask(clear_ ? R"({"do":"profile","clear":true})" : R"({"do":"profile"})");
    clear_ = false;
  }
  void draw(Screen& s, int first, int end) override {
    int64_t samples = data_["samples"].integer();
    s.put(first, 0, fmt::format("{} samples, by reductions", samples), kBold);
    s.put(first, 40, said_, kYellow);
    FlameNode root = flame_tree(data_);
    if (root.total <= 0) return;
    all_ = root.total;
    draw_children(s, first + 2, end, 0, s.width() - 1, root);
  }
  bool key(int key, Navigation&) override {
    said_.clear();
    if (key == 'c') {
      clear_ = true;
    } else if (key == 'e') {
      said_ = save_text("whitebeam-stacks.folded", folded_stacks(data_));
    } else {
      return false;
    }
    return true;
  }

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
  bool clear_ = false;
  std::string said_;
};

}  // namespace

std::unique_ptr<View> make_flame_view() { return std::make_unique<FlameView>(); }

}  // namespace wb
