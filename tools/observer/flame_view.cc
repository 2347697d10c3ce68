// View 6: where reductions, time or words go, outermost function above, as wide as its share.
// Arrows choose a box, Enter makes it as wide as the screen.
#include <algorithm>

#include "tools/observer/difference.h"
#include "tools/observer/pprof.h"
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
    return zoom_.empty()
               ? "arrows Enter zoom  / search  c anew  t a what  p g whose  i tiers  d compare  e "
                 "E w "
                 "export"
               : "Esc b wider  arrows Enter zoom  / search  c anew  d compare  e E w export";
  }

  void refresh(ObserverClient& client, int) override {
    std::string request;
    JsonWriter w(request);
    w.open('{').text("do", "profile").text("what", what_);
    w.text("pid", pid_).boolean("by_process", by_process_).boolean("clear", clear_).close('}');
    data_ = client.ask(request);
    error_ = data_.is_null() ? client.error() : "";
    clear_ = false;
    root_ = flame_tree(data_);
    tiers_ = function_tiers(data_);
  }
  void draw(Screen& s, int first, int end) override {
    s.put(first, 0, title(), kBold);
    const FlameNode* chosen = node_at(chosen_);
    std::string below = !error_.empty() ? error_ : said_;
    if (below.empty() && chosen && !chosen_.empty() && root_.total > 0) {
      auto tiers = tiers_.find(chosen->function);
      below = fmt::format("{}: {:.1f} % of all, {:.1f} % itself{}", chosen->function,
                          chosen->total / root_.total * 100, chosen->self / root_.total * 100,
                          tiers == tiers_.end() ? "" : "; " + tiers->second.text());
    }
    s.put(first + 1, 0, below, kYellow);
    if (root_.total <= 0) return;
    if (!search_.empty()) {
      std::string found =
          fmt::format("{}: {:.0f} % of all", search_, share_of(root_) / root_.total * 100);
      s.put_right(first, s.width() - 41, 40, found, kYellow);
    }
    draw_zoomed(s, first + 2, end);
  }
  bool key(int key, Navigation& where) override {
    said_.clear();
    if (key == 'c') {
      clear_ = true;
    } else if (key == 'a' || key == 't') {
      std::string_view other = key == 'a' ? "allocation" : "time";
      what_ = what_ == other ? "reductions" : other;
      base_.reset();
    } else if (choose(key)) {
      return true;
    } else if (key == 'i') {
      by_tier_ = !by_tier_;
    } else if (key == 'g') {
      by_process_ = !by_process_;
    } else if (key == 'd') {
      clear_ = !base_;  // what comes from now on is compared with what was
      base_ = base_ ? nullptr : std::make_unique<FlameNode>(flame_tree(data_));
      base_when_ = time(nullptr);
    } else if (key == '/') {
      searching_ = true;
      where.prompt = "search: ", where.line = search_;
    } else if (key == 'E') {
      said_ = save_text("whitebeam.speedscope.json", speedscope_json(data_));
    } else if (key == 'w') {
      said_ = save_text("whitebeam-stacks.pb.gz", pprof_gz(data_));
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
  using Path = std::vector<std::string>;
  std::string title() const {
    double samples = data_["samples"].number();
    std::string text = what_ == "allocation"
                           ? bytes_text(samples * 8) + " allocated"
                           : fmt::format("{} samples, by {}", data_["taken"].integer(), what_);
    if (!pid_.empty()) text += " of " + pid_;
    if (by_process_) text += ", by process";
    if (by_tier_) text += "; green LLVM, yellow baseline, red interpreter";
    if (base_) text += ", against " + clock_text(base_when_);
    return text;
  }
  /// As far as the path still leads.
  const FlameNode* node_at(const Path& path) const {
    const FlameNode* node = &root_;
    for (const std::string& function : path) {
      node = child_of(node, function);
      if (!node) return nullptr;
    }
    return node;
  }
  /// Moves what is chosen, or zooms.
  bool choose(int key) {
    if (!node_at(chosen_)) chosen_ = zoom_;
    const FlameNode* node = node_at(chosen_);
    switch (key) {
      case kKeyDown:
        if (node && !node->children.empty()) chosen_.push_back(node->children[0]->function);
        return true;
      case kKeyUp:
        if (chosen_.size() > zoom_.size()) chosen_.pop_back();
        return true;
      case kKeyLeft:
        return step(-1);
      case kKeyRight:
        return step(1);
      case kKeyEnter:
        zoom_ = chosen_;
        return true;
      case kKeyEscape:
      case kKeyBackspace:
      case 'b':
        if (!zoom_.empty()) zoom_.pop_back();
        chosen_ = zoom_;
        return true;
      default:
        return false;
    }
  }
  /// To the box beside it.
  bool step(int by) {
    if (chosen_.size() <= zoom_.size()) return choose(kKeyDown);
    Path above(chosen_.begin(), chosen_.end() - 1);
    const FlameNode* parent = node_at(above);
    if (!parent) return true;
    for (size_t k = 0; k < parent->children.size(); ++k) {
      if (parent->children[k]->function != chosen_.back()) continue;
      auto next = static_cast<size_t>(static_cast<int64_t>(k) + by);
      if (next < parent->children.size()) chosen_.back() = parent->children[next]->function;
      break;
    }
    return true;
  }
  /// Those above what is zoomed to take a row each.
  void draw_zoomed(Screen& s, int row, int end) {
    const FlameNode *node = &root_, *was = base_.get();
    Path path;
    for (const std::string& function : zoom_) {
      const FlameNode* next = child_of(node, function);
      if (!next || row >= end - 1) break;
      node = next, was = child_of(was, function);
      path.push_back(function);
      std::string text = fmt::format("{} {:.0f}%", function, node->total / root_.total * 100);
      text.resize(static_cast<size_t>(s.width() - 1), ' ');
      s.put(row++, 0, text, kReverse | kDim);
    }
    draw_children(s, row, end, 0, s.width() - 1, *node, was, path);
  }
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
    return fmt::format(" {:+.0f}", now.total / root_.total * 100 - before);
  }
  /// By what mostly ran it. What is no function (a process) has none.
  unsigned tier_style(const std::string& function) const {
    static constexpr unsigned kStyles[] = {kReverse | kRed, kReverse | kYellow, kReverse | kGreen};
    auto tiers = tiers_.find(function);
    return tiers == tiers_.end() ? kReverse | kDim : kStyles[tiers->second.most()];
  }
  /// Rows below each other; each level as deep as there is room.
  void draw_children(Screen& s, int row, int end, int column, int width, const FlameNode& node,
                     const FlameNode* was, Path& path) {
    static constexpr unsigned kStyles[] = {kReverse | kGreen, kReverse | kYellow, kReverse | kCyan,
                                           kReverse | kRed};
    if (row >= end) return;
    size_t k = static_cast<size_t>(row) % 2;
    for (const auto& c : node.children) {
      int w = static_cast<int>(c->total / node.total * width + 0.5);
      w = std::min(w, width);
      if (w < 1) continue;
      const FlameNode* before = child_of(was, c->function);
      std::string text = fmt::format("{} {:.0f}%{}", c->function, c->total / root_.total * 100,
                                     change_text(*c, before));
      text.resize(static_cast<size_t>(w - (w > 1)), ' ');
      path.push_back(c->function);
      unsigned style = path == chosen_ ? unsigned{kBold}
                       : found(*c)     ? unsigned{kReverse | kBold}
                       : by_tier_      ? tier_style(c->function)
                                       : kStyles[k];
      s.put(row, column, text, style, w);
      draw_children(s, row + 1, end, column, w, *c, before, path);
      path.pop_back();
      column += w;
      k = (k + 2) % 4;
    }
  }

  JsonValue data_;
  FlameNode root_;
  Path zoom_, chosen_;  ///< functions from the outermost
  std::string_view what_ = "reductions";
  std::map<std::string, FunctionTiers> tiers_;
  bool clear_ = false, by_process_ = false, by_tier_ = false;
  bool searching_ = false;
  std::string said_, pid_, error_, search_;
  std::unique_ptr<FlameNode> base_;  ///< what it is compared with
  time_t base_when_ = 0;
};

}  // namespace

std::unique_ptr<View> make_flame_view() { return std::make_unique<FlameView>(); }

}  // namespace wb
