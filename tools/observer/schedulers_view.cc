// View 4: what each scheduler did since the last look.
#include <algorithm>

#include "tools/observer/requests.h"
#include "tools/observer/table.h"
#include "tools/observer/units.h"
#include "tools/observer/view.h"

namespace wb {
namespace {

class SchedulersView final : public View {
 public:
  const char* name() const override { return "Schedulers"; }

  void refresh(ObserverClient& client, int) override {
    JsonValue next = client.ask(observer_request("schedulers"));
    if (next.is_null()) return;
    before_ = std::move(now_);
    now_ = std::move(next);
    list();
  }
  void draw(Screen& s, int first, int end) override { table_.draw(s, first, end); }
  bool key(int key, Navigation&) override { return table_.key(key); }

 private:
  void list() {
    table_.rows.clear();
    const auto &now = now_["schedulers"].list(), &before = before_["schedulers"].list();
    double seconds = (now_["uptime_ns"].number() - before_["uptime_ns"].number()) / 1e9;
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
            fmt::format("{:.1f} %", std::max(collecting, 0.0)), count_text(s["queue"].number()),
            rate("slices"), rate("reductions"), rate("messages"), rate("spawns"), rate("steals"),
            rate("balances"), rate("wakes"), rate("sleeps"),
            duration_text(c["longest_pause_ns"].number()), count_text(s["timers"].number())},
           "",
           kPlain});
    }
  }
  JsonValue now_, before_;
  TableWidget table_{{{"no", 4, false, 0},
                      {"state", 8, false, 0},
                      {"use", 8, true, 0},
                      {"in GC", 7, true, 0},
                      {"queue", 6, true, 0},
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

/// View 7: native code.
class JitView final : public View {
 public:
  const char* name() const override { return "JIT"; }
  void refresh(ObserverClient& client, int) override {
    data_ = client.ask(observer_request("jit"));
  }
  void draw(Screen& s, int first, int) override {
    if (!data_["on"].truth()) {
      s.put(first, 0, "The machine interprets (--jit off).");
      return;
    }
    for (const auto& [tier, c] : data_.fields()) {
      if (c.kind() != JsonValue::Kind::object) continue;
      s.put(first++, 0, tier, kCyan);
      for (const auto& [name, value] : c.fields()) {
        std::string text = name == "ns"      ? duration_text(value.number())
                           : name == "bytes" ? bytes_text(value.number())
                                             : count_text(value.number());
        s.put(first, 2, name == "ns" ? "time to make it" : name);
        s.put_right(first++, 24, 12, text);
      }
      double functions = c["functions"].number();
      if (functions > 0) {
        s.put(first, 2, "a function took");
        s.put_right(first++, 24, 12, duration_text(c["ns"].number() / functions));
      }
      ++first;
    }
  }

 private:
  JsonValue data_;
};

}  // namespace

std::unique_ptr<View> make_schedulers_view() { return std::make_unique<SchedulersView>(); }
std::unique_ptr<View> make_jit_view() { return std::make_unique<JitView>(); }

}  // namespace wb
