// View 7: native code: how much of it there is, the functions that are hot, and one of them line by
// line with its machine code.
#include <chrono>

#include "tools/observer/code_text.h"
#include "tools/observer/requests.h"
#include "tools/observer/table.h"
#include "tools/observer/terminal.h"
#include "tools/observer/units.h"
#include "tools/observer/view.h"

namespace wb {
namespace {

class JitView final : public View {
 public:
  JitView() { functions_.sortable = true; }
  const char* name() const override { return "JIT"; }
  const char* keys() const override {
    return function_.empty() ? "Enter its code  / any function's" : "b back  / another function";
  }

  void refresh(ObserverClient& client, int) override {
    if (function_.empty()) {
      refresh_list(client);
    } else {
      refresh_code(client);
    }
  }
  void draw(Screen& s, int first, int end) override {
    if (!function_.empty()) return draw_code(s, first, end);
    if (!data_["on"].truth()) {
      s.put(first, 0, "The machine interprets (--jit off).");
      return;
    }
    for (const auto& [tier, c] : data_.fields()) {
      if (c.kind() == JsonValue::Kind::object) first = draw_tier(s, first, tier, c);
    }
    functions_.draw(s, first, end);
  }
  TableWidget* table() override { return function_.empty() ? &functions_ : &code_; }
  bool key(int key, Navigation& where) override {
    if (key == '/') {
      where.prompt = "function M:F/A: ", where.line = function_;
      return true;
    }
    if (!function_.empty()) {
      if (key != 'b' && key != kKeyBackspace && key != kKeyEscape) return code_.key(key);
      open("");
      return true;
    }
    if (key != kKeyEnter) return functions_.key(key);
    if (functions_.selected()) open(functions_.selected()->key);
    return true;
  }
  void entered(const std::string& line) override { open(line); }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kCodeInterval{2};  // a disassembler runs

  void open(const std::string& function) {
    function_ = function;
    error_.clear();
    code_.rows.clear();
    code_.select(0);
    asked_ = {};
  }

  void refresh_list(ObserverClient& client) {
    data_ = client.ask(observer_request("jit"));
    functions_.rows.clear();
    for (const JsonValue& r : data_["rows"].list()) {
      int64_t samples = r["samples"].integer();
      functions_.rows.push_back(
          {{r["fn"].text(), r["tier"].text(), samples ? count_text(double(samples)) : "",
            bytes_text(r["bytes"].number() + r["hot_bytes"].number()),
            count_text(r["instructions"].number()),
            r["returns"].integer() ? count_text(r["returns"].number()) : ""},
           r["fn"].text(),
           kPlain});
    }
  }
  static bool is_return(std::string_view name) {
    return name == "traced" || name == "interpreted" || name == "unloaded" || name == "native_left";
  }
  static std::string counter_text(const std::string& name, const JsonValue& value) {
    return name == "ns"      ? "time " + duration_text(value.number())
           : name == "bytes" ? "bytes " + bytes_text(value.number())
                             : name + " " + count_text(value.number());
  }
  /// What it has made; below, what went back to the interpreter. Returns the row behind.
  static int draw_tier(Screen& s, int row, const std::string& tier, const JsonValue& c) {
    constexpr int kIndent = 9;
    for (bool returns : {false, true}) {
      int column = s.put(row, 0, fmt::format("{:<9}", returns ? "  back" : tier), kCyan);
      for (const auto& [name, value] : c.fields()) {
        if (is_return(name) != returns) continue;
        std::string text = fmt::format(" {} ", counter_text(name, value));
        if (column + static_cast<int>(text.size()) > s.width()) ++row, column = kIndent;
        column = s.put(row, column, text);
      }
      if (double functions = c["functions"].number(); functions > 0 && !returns) {
        std::string text = "a function " + duration_text(c["ns"].number() / functions);
        if (column + static_cast<int>(text.size()) <= s.width()) s.put(row, column + 1, text);
      }
      ++row;
    }
    return row;
  }

  void refresh_code(ObserverClient& client) {
    if (Clock::now() - asked_ < kCodeInterval) return;
    JsonValue code = client.ask(observer_request("code", {{"function", function_}}));
    asked_ = Clock::now();
    error_ = code.is_null() ? client.error() : "";
    if (code.is_null()) return;
    double samples = code["samples"].number();
    size_t digits = code["bytes"].text().size() + code["LLVM"]["bytes"].text().size();
    title_ = fmt::format("{}  {}, {} of machine code", function_, code["tier"].text(),
                         bytes_text(static_cast<double>(digits / 2)));
    title_ += samples > 0 ? fmt::format(", {} samples", count_text(samples))
                          : ", no samples (view 6 takes them)";
    code_.rows.clear();
    for (const CodeLine& l : code_lines(code)) add_line(l, samples);
  }
  void add_line(const CodeLine& l, double samples) {
    static constexpr unsigned kStyles[] = {kCyan, kPlain, kDim, kBold};
    static constexpr const char* kIndents[] = {"", "  ", "      ", ""};
    std::string share =
        l.samples ? fmt::format("{:.0f} %", static_cast<double>(l.samples) / samples * 100) : "";
    code_.rows.push_back({{share, kIndents[l.kind] + l.text}, "", kStyles[l.kind]});
  }
  void draw_code(Screen& s, int first, int end) {
    s.put(first, 0, error_.empty() ? title_ : function_ + ": " + error_,
          error_.empty() ? unsigned{kBold} : unsigned{kRed});
    code_.draw(s, first + 1, end);
  }

  JsonValue data_;
  std::string function_, title_, error_;
  Clock::time_point asked_{};
  TableWidget functions_{{{"function", 40, false, 0},
                          {"tier", 9, false, 0},
                          {"samples", 8, true, 0},
                          {"code", 10, true, 0},
                          {"instructions", 12, true, 90},
                          {"went back", 9, true, 0}}};
  TableWidget code_{
      {{"share", 6, true, 0}, {"line, loaded instruction, machine code", 0, false, 0}}};
};

}  // namespace

std::unique_ptr<View> make_jit_view() { return std::make_unique<JitView>(); }

}  // namespace wb
