// View 6: where reductions go, outermost function above, as wide as its share.
#include <algorithm>

#include "tools/observer/difference.h"
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
    return "/ search  c begin anew  a allocation  p process  g by process  d compare  e E export";
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
    if (base_) title += ", against " + clock_text(base_when_);
    s.put(first, 0, title, kBold);
    s.put(first + 1, 0, error_.empty() ? said_ : error_, kYellow);
    FlameNode root = flame_tree(data_);
    if (root.total <= 0) return;
    all_ = root.total;
    if (!search_.empty()) {
      std::string found =
          fmt::format("{}: {:.0f} % of all", search_, share_of(root) / root.total * 100);
      s.put_right(first, s.width() - 41, 40, found, kYellow);
    }
    draw_children(s, first + 2, end, 0, s.width() - 1, root, base_.get());
  }
  bool key(int key, Navigation& where) override {
    said_.clear();
    if (key == 'c') {
      clear_ = true;
    } else if (key == 'a') {
      allocation_ = !allocation_;
    } else if (key == 'g') {
      by_process_ = !by_process_;
    } else if (key == 'd') {
      base_ = base_ ? nullptr : std::make_unique<FlameNode>(flame_tree(data_));
      base_when_ = time(nullptr);
    } else if (key == '/') {
      searching_ = true;
      where.prompt = "search: ", where.line = search_;
    } else if (key == 'E') {
      said_ = save_text("whitebeam.speedscope.json", speedscope_json(data_));
    } else if (key == 'p') {
      searching_ = false;
      where.prompt = "process (empty: all): ", where.line = pid_;
    } else if (key == 'e') {
      said_ = save_text("whitebeam-stacks.folded", folded_stacks(data_));
    } else {
      return false;
    }
    return true;
  }

  void entered(const std::string& line) override { (searching_ ? search_ : pid_) = line; }

 private:
  bool found(const FlameNode& n) const {
    return !search_.empty() && n.function.find(search_) != n.function.npos;
  }
  /// Samples with what was searched on their stack.
  double share_of(const FlameNode& node) const {
    double n = 0;
    for (const auto& c : node.children) n += found(*c) ? c->total : share_of(*c);
    return n;
  }
  static const FlameNode* child_of(const FlameNode* node, const std::string& function) {
    if (!node) return nullptr;
    for (const auto& c : node->children) {
      if (c->function == function) return c.get();
    }
    return nullptr;
  }
  /// " +5": by how many percent of all it has grown since.
  std::string change_text(const FlameNode& now, const FlameNode* was) const {
    if (!base_ || base_->total <= 0) return "";
    double before = was ? was->total / base_->total * 100 : 0;
    return fmt::format(" {:+.0f}", now.total / all_ * 100 - before);
  }
  /// Rows below each other; each level as deep as there is room.
  void draw_children(Screen& s, int row, int end, int column, int width, const FlameNode& node,
                     const FlameNode* was) {
    static constexpr unsigned kStyles[] = {kReverse | kGreen, kReverse | kYellow, kReverse | kCyan,
                                           kReverse | kRed};
    if (row >= end) return;
    size_t k = static_cast<size_t>(row) % 2;
    for (const auto& c : node.children) {
      int w = static_cast<int>(c->total / node.total * width + 0.5);
      w = std::min(w, width);
      if (w < 1) continue;
      const FlameNode* before = child_of(was, c->function);
      std::string text =
          fmt::format("{} {:.0f}%{}", c->function, c->total / all_ * 100, change_text(*c, before));
      text.resize(static_cast<size_t>(w - (w > 1)), ' ');
      s.put(row, column, text, found(*c) ? unsigned{kReverse | kBold} : kStyles[k], w);
      draw_children(s, row + 1, end, column, w, *c, before);
      column += w;
      k = (k + 2) % 4;
    }
  }

  JsonValue data_;
  double all_ = 1;
  bool clear_ = false, allocation_ = false, by_process_ = false;
  bool searching_ = false;
  std::string said_, pid_, error_, search_;
  std::unique_ptr<FlameNode> base_;  ///< what it is compared with
  time_t base_when_ = 0;
};

}  // namespace

std::unique_ptr<View> make_flame_view() { return std::make_unique<FlameView>(); }

}  // namespace wb
