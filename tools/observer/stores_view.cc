// View 8: the tree of supervision, and what the machine keeps beside processes. Tab goes on.
#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include "tools/observer/groups_text.h"
#include "tools/observer/requests.h"
#include "tools/observer/table.h"
#include "tools/observer/table_contents.h"
#include "tools/observer/tables_text.h"
#include "tools/observer/terminal.h"
#include "tools/observer/units.h"
#include "tools/observer/view.h"
#include "vm/observe/json.h"

namespace wb {
namespace {

class StoresView final : public View {
 public:
  StoresView() {  // but trees
    for (size_t k = 1; k < kGroups; ++k) tables_[k].sortable = true;
  }
  const char* name() const override { return "System"; }
  const char* keys() const override {
    if (contents_.is_open()) return contents_.keys();
    if (page_ == 1) return "Enter contents  o owner  Tab modules, ports, flow, memory, terms ...";
    return page_ == kFlow ? "a by application  Tab tree, tables, modules ..."
           : page_ ? "Tab tree, tables, modules, ports, flow, memory, terms, atoms, timers ..."
                   : "Tab tables, modules, ports ...  Right open  Left close  Enter details";
  }

  void refresh(ObserverClient& client, int rows) override {
    if (contents_.is_open()) {
      contents_.refresh(client, rows);
      return;
    }
    if (page_ == 0) {
      refresh_tree(client);
      return;
    }
    if (page_ == kFlow) {
      refresh_flow(client);
      return;
    }
    if (page_ == kMemory) {
      refresh_memory(client);
      return;
    }
    static constexpr const char* kRequests[] = {
        "",      "tables", "modules", "ports",  "flows", "allocators", "persistent_terms",
        "atoms", "nodes",  "natives", "timers", "groups"};
    JsonValue before = std::exchange(data_, JsonValue());
    data_ = client.ask(observer_request(kRequests[page_], {}, {{"limit", 1000}}));
    shown().rows.clear();
    if (page_ == kGroups) {
      shown().rows = group_rows(data_, before);
      return;
    }
    if (page_ == kTables) {
      shown().rows = ets_rows(data_, before);
      return;
    }
    for (const JsonValue& r : data_["rows"].list()) add(r);
  }
  void draw(Screen& s, int first, int end) override {
    if (contents_.is_open()) {
      contents_.draw(s, first, end);
      return;
    }
    std::string title = page_ ? fmt::format("{} {}", data_["total"].integer(), kNames[page_])
                              : "processes by who spawned them and is linked to them";
    if (page_ == kFlow) {
      title = fmt::format("who writes to whom, by {} (estimated)",
                          by_application_ ? "application" : "name or start");
    }
    if (page_ == kMemory) title = memory_text();
    if (page_ == kNodes) title += ", this is " + data_["own"].text();
    if (page_ == kNatives) title += natives_text();
    if (page_ == kAtoms) title += limit_text() + makers_text();
    const double bytes = data_["bytes"].number();  // a crash dump does not know them of all
    if ((page_ == 1 || page_ == 2 || page_ == kTerms || page_ == kAtoms || page_ == kTimers) &&
        bytes)
      title += ", " + bytes_text(bytes);
    s.put(first, 0, title, kBold);
    shown().draw(s, first + 1, end);
  }
  TableWidget* table() override { return contents_.is_open() ? &contents_.rows() : &shown(); }
  void entered(const std::string& line) override { contents_.entered(line); }
  bool key(int key, Navigation& where) override {
    if (contents_.is_open() && key != kKeyTab) return contents_.key(key, where);
    contents_.close();
    const TableWidget::Row* row = shown().selected();
    switch (key) {
      case kKeyTab:
        page_ = (page_ + 1) % std::size(kNames);
        data_ = {};
        return true;
      case kKeyEnter:
        if (row && row->key.starts_with("<")) where.process = row->key;
        if (row && page_ == kGroups) where.filter = row->key;
        if (row && page_ == kTables) contents_.open(row->key, row->cells[0]);
        return true;
      case 'o':
        if (page_ != kTables) return false;
        if (row) where.process = row->cells[8];
        return true;
      case kKeyRight:
        if (page_ == 0 && row) open_[row->key];
        return true;
      case kKeyLeft:
        if (page_ == 0 && row) open_.erase(row->key);
        return true;
      case 'a':
        if (page_ != kFlow) return false;
        by_application_ = !by_application_;
        flows_.clear();
        shown().rows.clear();
        return true;
      default:
        return shown().key(key);
    }
  }

 private:
  static constexpr const char* kNames[] = {"tree",  "tables",  "modules",          "ports",
                                           "flow",  "memory",  "persistent terms", "atoms",
                                           "nodes", "natives", "timers",           "groups"};
  static constexpr size_t kTables = 1;
  static constexpr size_t kFlow = 4, kMemory = 5, kTerms = 6, kAtoms = 7, kNodes = 8;
  static constexpr size_t kNatives = 9, kTimers = 10, kGroups = 11;
  static constexpr size_t kMostOpen = 200;

  TableWidget& shown() { return tables_[page_]; }

  std::string limit_text() const {
    const double limit = data_["limit"].number();
    return limit > 0 ? " of " + count_text(limit) : "";
  }
  /// How fast the table fills, and who fills it.
  std::string makers_text() const {
    const auto& makers = data_["makers"].list();
    const double rate = data_["a_second"].number();
    if (makers.empty() || rate < 0.05) return "";
    return fmt::format(", {:.1f} new a second, full in {}: {}", rate,
                       duration_text(data_["left_s"].number() * 1e9), maker_text(makers[0]));
  }
  /// What dirty threads run.
  std::string natives_text() const {
    std::string text = fmt::format("; {} dirty calls", count_text(data_["dirty_calls"].number()));
    for (const JsonValue& d : data_["dirty"].list()) {
      text += fmt::format(", {} of {} on {}", d["fn"].text(), d["pid"].text(), d["thread"].text());
    }
    return text;
  }
  void add_native(const JsonValue& r) {
    const std::string kind = r["kind"].text();
    const auto number = [&](const char* name) { return count_text(r[name].number()); };
    std::string what, bytes, about = r["path"].text();
    if (kind == "library") {
      what = fmt::format("{} functions, {} dirty", number("functions"), number("dirty_functions"));
      if (r["old"].truth()) what += ", old";
    } else if (kind == "resource") {
      what = number("objects") + " objects";
      bytes = bytes_text(r["bytes"].number());
      if (!r["open"].truth()) about = "its library has gone";
    } else {
      what = fmt::format("{}, {} ports, {} users", r["state"].text(), number("ports"),
                         number("users"));
    }
    shown().rows.push_back({{r["name"].text(), kind, what, bytes, about}, "", kPlain});
  }

  void add(const JsonValue& r) {
    auto count = [&](const char* name) { return count_text(r[name].number()); };
    auto bytes = [&](const char* name) { return bytes_text(r[name].number()); };
    if (page_ == 2) {
      shown().rows.push_back({{r["name"].text(), bytes("code_bytes"), bytes("literal_bytes"),
                               count("functions"), r["has_old"].truth() ? "yes" : "",
                               r["from_image"].truth() ? "yes" : "", r["path"].text()},
                              "",
                              kPlain});
    } else if (page_ == kNodes) {
      std::string state = r["state"].text();
      if (r["hidden"].truth()) state += ", hidden";
      if (r["busy"].truth()) state += ", busy";
      shown().rows.push_back({{r["name"].text(), state, bytes("bytes_in"), bytes("bytes_out"),
                               bytes("queued_bytes"), count("senders_waiting"), count("links"),
                               count("monitors"), count("monitored_by"), r["controller"].text()},
                              r["controller"].text(),
                              r["busy"].truth() ? unsigned{kYellow} : unsigned{kPlain}});
    } else if (page_ == kNatives) {
      add_native(r);
    } else if (page_ == kTerms) {
      shown().rows.push_back({{r["name"].text(), r["value"].text()}, "", kPlain});
    } else if (page_ == kAtoms) {
      shown().rows.push_back({{r["age_ns"].is_null() ? "" : duration_text(r["age_ns"].number()),
                               r["name"].text(), maker_text(r["maker"])},
                              r["maker"]["pid"].text(),
                              kPlain});
    } else if (page_ == kTimers) {
      const std::string& to = r["to_name"].text();
      shown().rows.push_back(
          {{count("count"), bytes("bytes"), maker_text(r), to.empty() ? r["to"].text() : to,
            duration_text(r["first_ms"].number() * 1e6),
            duration_text(r["last_ms"].number() * 1e6)},
           r["pid"].text(),
           kPlain});
    } else {
      shown().rows.push_back(
          {{r["id"].text(), r["owner"].text(), r["os_pid"].text(), r["bytes_in"].text(),
            r["bytes_out"].text(), r["queue"].text(), r["name"].text() + "  " + r["about"].text()},
           r["owner"].text(),
           kPlain});
    }
  }

  /// Over the last five seconds, as rates are estimated from few messages.
  void refresh_flow(ObserverClient& client) {
    std::string request;
    JsonWriter w(request);
    w.open('{').text("do", "flows").text("by", by_application_ ? "application" : "name");
    w.array("from");
    if (!flows_.empty()) {
      for (const JsonValue& n : flows_.front()["next"].list()) w.number(n.integer());
    }
    w.close(']').close('}');
    JsonValue now = client.ask(request);
    if (now.is_null()) return;
    if (!flows_.empty()) {  // else it is of all time
      shown().rows.clear();
      double seconds = (now["now_ns"].number() - flows_.front()["now_ns"].number()) / 1e9;
      for (const JsonValue& r : now["rows"].list()) {
        shown().rows.push_back(
            {{r["from"].text(), r["to"].text(), count_text(r["messages"].number() / seconds),
              "\u00b1 " + count_text(r["margin"].number() / seconds),
              bytes_text(r["bytes"].number() / seconds),
              bytes_text(r["bytes"].number() / std::max(1.0, r["messages"].number()))},
             "",
             kPlain});
      }
    }
    flows_.push_back(std::move(now));
    double last = flows_.back()["now_ns"].number();
    while (last - flows_.front()["now_ns"].number() > 5e9) flows_.pop_front();
  }
  /// Of what malloc holds, by size; what is not in use is fragmentation.
  void refresh_memory(ObserverClient& client) {
    data_ = client.ask(observer_request("allocators"));
    shown().rows.clear();
    for (const JsonValue& r : data_["rows"].list()) {
      double live = r["live"].number(), held = r["held"].number();
      shown().rows.push_back(
          {{bytes_text(r["size"].number()), r["kind"].text(), count_text(r["objects"].number()),
            bytes_text(live), bytes_text(held), bytes_text(held - live),
            fmt::format("{:.0f} %", (held - live) / std::max(held, 1.0) * 100)},
           "",
           kPlain});
    }
  }
  std::string memory_text() const {
    double in_use = data_["allocated"].number(), active = data_["active"].number();
    if (active <= 0) return data_["allocator"].text() + " tells nothing of itself";
    return fmt::format("{} in use, in pages {} ({:.1f} % lost), resident {}, given back {}",
                       bytes_text(in_use), bytes_text(active), (active - in_use) / active * 100,
                       bytes_text(data_["resident"].number()),
                       bytes_text(data_["retained"].number()));
  }
  void refresh_tree(ObserverClient& client) {
    JsonValue roots = client.ask(observer_request("children"));
    shown().rows.clear();
    for (const JsonValue& p : roots["rows"].list()) {
      if (first_) open_[p["pid"].text()];
    }
    first_ = false;
    for (const JsonValue& p : roots["rows"].list()) add_branch(client, p, 0);
  }
  static std::string restarts_text(const JsonValue& r) {
    if (r.is_null()) return "";
    return fmt::format("{}; {} in {} s (max {})", count_text(r["total"].number()),
                       r["count"].integer(), r["period_s"].integer(), r["intensity"].integer());
  }
  void add_branch(ObserverClient& client, const JsonValue& p, int depth) {
    const std::string& pid = p["pid"].text();
    std::string what = p["name"].text();
    if (what.empty()) what = p["initial"].text();
    auto open = open_.find(pid);
    bool is_open = open != open_.end();
    shown().rows.push_back(
        {{std::string(static_cast<size_t>(depth) * 2, ' ') + (is_open ? "- " : "+ ") + what, pid,
          count_text(p["reds"].number()), bytes_text(p["memory"].number()),
          count_text(p["msgq"].number()), restarts_text(p["restarts"]), p["fn"].text()},
         pid,
         p["lint"].list().empty() ? unsigned{kPlain} : unsigned{kYellow}});
    if (!is_open || depth > 30 || open_.size() > kMostOpen) return;
    JsonValue children = client.ask(observer_request("children", {{"pid", pid}}));
    for (const JsonValue& c : children["rows"].list()) add_branch(client, c, depth + 1);
  }

  size_t page_ = 0;
  TableContents contents_;
  JsonValue data_;
  std::deque<JsonValue> flows_;
  bool first_ = true, by_application_ = false;
  std::map<std::string, bool> open_;
  TableWidget tables_[12] = {
      TableWidget({{"process", 32, false, 0},
                   {"pid", 12, false, 0},
                   {"reds", 7, true, 90},
                   {"memory", 10, true, 0},
                   {"queue", 6, true, 94},
                   {"restarts", 24, true, 0},
                   {"where", 0, false, 110}}),
      TableWidget(ets_columns()),
      TableWidget({{"name", 28, false, 0},
                   {"code", 10, true, 0},
                   {"literals", 10, true, 0},
                   {"functions", 9, true, 0},
                   {"old", 4, false, 0},
                   {"image", 6, false, 0},
                   {"path", 0, false, 90}}),
      TableWidget({{"id", 12, false, 0},
                   {"owner", 12, false, 0},
                   {"os pid", 9, true, 0},
                   {"in", 10, true, 0},
                   {"out", 10, true, 0},
                   {"queued", 7, true, 0},
                   {"program or socket", 0, false, 0}}),
      TableWidget({{"from", 34, false, 0},
                   {"to", 34, false, 0},
                   {"messages/s", 10, true, 0},
                   {"", 9, true, 90},
                   {"bytes/s", 10, true, 100},
                   {"a message", 10, true, 120}}),
      TableWidget({{"size", 10, true, 0},
                   {"kind", 6, false, 0},
                   {"objects", 8, true, 0},
                   {"in use", 10, true, 0},
                   {"held", 10, true, 0},
                   {"lost", 10, true, 0},
                   {"share", 6, true, 0}}),
      TableWidget({{"key", 34, false, 0}, {"value", 0, false, 0}}),
      TableWidget({{"ago", 8, true, 0}, {"the newest atoms", 0, false, 0}, {"by", 44, false, 110}}),
      TableWidget({{"node", 24, false, 0},
                   {"state", 12, false, 0},
                   {"in", 10, true, 0},
                   {"out", 10, true, 0},
                   {"queued", 10, true, 0},
                   {"waiting", 7, true, 0},
                   {"links", 6, true, 0},
                   {"monitors", 8, true, 0},
                   {"watched", 7, true, 0},
                   {"controller", 0, false, 90}}),
      TableWidget({{"name", 30, false, 0},
                   {"kind", 9, false, 0},
                   {"what", 30, false, 0},
                   {"memory", 10, true, 0},
                   {"file", 0, false, 90}}),
      TableWidget({{"timers", 8, true, 0},
                   {"messages", 10, true, 0},
                   {"started by", 0, false, 0},
                   {"for", 20, false, 90},
                   {"next in", 8, true, 100},
                   {"last in", 8, true, 110}}),
      TableWidget(group_columns())};
};

}  // namespace

std::unique_ptr<View> make_stores_view() { return std::make_unique<StoresView>(); }

}  // namespace wb
