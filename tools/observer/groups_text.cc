#include "tools/observer/groups_text.h"

#include <map>

#include "tools/observer/units.h"

namespace wb {
namespace {

constexpr size_t kDeepest = 32;

std::string of_budget(const std::string& used, double budget, std::string (*text)(double)) {
  return budget > 0 ? used + " of " + text(budget) : used;
}

class GroupTree {
 public:
  GroupTree(const JsonValue& now, const JsonValue& before) {
    if (!before.is_null()) seconds_ = (now["now_ns"].number() - before["now_ns"].number()) / 1e9;
    for (const JsonValue& g : before["rows"].list()) before_[g["number"].integer()] = &g;
    std::map<int64_t, bool> is_there;
    for (const JsonValue& g : now["rows"].list()) is_there[g["number"].integer()] = true;
    for (const JsonValue& g : now["rows"].list()) {
      const int64_t parent = g["parent"].integer();
      below_[is_there.contains(parent) ? parent : 0].push_back(&g);
    }
    add(0, 0);
  }
  std::vector<TableWidget::Row> rows;

 private:
  void add(int64_t parent, size_t depth) {
    if (depth == kDeepest) return;
    for (const JsonValue* g : below_[parent]) {
      add_row(*g, depth);
      add((*g)["number"].integer(), depth + 1);
    }
  }
  std::string rate(const JsonValue& g, const char* name, const char* budget) const {
    const auto at = before_.find(g["number"].integer());
    const bool known = at != before_.end() && seconds_ > 0;
    const double n = known ? (g[name].number() - (*at->second)[name].number()) / seconds_ : 0;
    return of_budget(known ? count_text(n) : "-", g[budget].number(), count_text);
  }
  void add_row(const JsonValue& g, size_t depth) {
    const std::string number = fmt::format("{}", g["number"].integer());
    const double memory = g["memory"].number(), budget = g["memory_budget"].number();
    const std::string& name = g["name"].text();
    const auto at = before_.find(g["number"].integer());
    const bool waits = at != before_.end() && g["waits"].number() > (*at->second)["waits"].number();
    const bool over = (budget > 0 && memory > budget) || waits;
    rows.push_back(
        {{std::string(depth * 2, ' ') + (name.empty() ? "group " + number : name), number,
          count_text(g["processes"].number()), of_budget(bytes_text(memory), budget, bytes_text),
          rate(g, "reductions", "reductions_budget"), count_text(g["waits"].number()),
          rate(g, "messages", "messages_budget"), count_text(g["exceeded"].number()),
          g["when_exceeded"].text()},
         "group=" + number,
         over ? unsigned{kYellow} : unsigned{kPlain}});
  }

  double seconds_ = 0;
  std::map<int64_t, const JsonValue*> before_;
  std::map<int64_t, std::vector<const JsonValue*>> below_;
};

}  // namespace

std::vector<Column> group_columns() {
  return {{"group", 20, false, 0},       {"number", 6, true, 0},     {"processes", 9, true, 0},
          {"memory", 22, true, 0},       {"reds/s", 16, true, 0},    {"waits", 7, true, 90},
          {"messages/s", 16, true, 106}, {"exceeded", 8, true, 116}, {"then", 0, false, 130}};
}

std::vector<TableWidget::Row> group_rows(const JsonValue& now, const JsonValue& before) {
  return GroupTree(now, before).rows;
}

}  // namespace wb
