#include "tools/observer/app.h"

#include <array>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "term/utf8.h"
#include "tools/observer/difference.h"
#include "tools/observer/screen.h"
#include "tools/observer/settings.h"
#include "tools/observer/table.h"
#include "tools/observer/terminal.h"
#include "tools/observer/view.h"

namespace wb {
namespace {

class App {
 public:
  App(ObserverClient& client, const AppOptions& options) : client_(client), options_(options) {
    auto process = make_process_view();
    process_ = process.get();
    views_[1] = make_home_view();
    views_[2] = make_processes_view(options.filter, settings_);
    views_[3] = std::move(process);
    views_[4] = make_schedulers_view();
    views_[5] = make_timeline_view();
    views_[6] = make_flame_view();
    views_[7] = make_jit_view();
    views_[8] = make_stores_view();
    auto trace = make_trace_view();
    trace_ = trace.get();
    views_[9] = std::move(trace);
    views_[0] = make_exits_view();
  }

  int run(std::string* error) {
    JsonValue hello =
        client_.ask(fmt::format(R"({{"do":"hello","actions":{}}})", options_.actions));
    *error = terminal_.open(settings_.mouse);
    if (!error->empty()) return 2;
    std::string program = hello["program"].text();
    program.erase(0, program.rfind('/') + 1);
    if (program.ends_with(".beam")) program.resize(program.size() - 5);
    title_ = fmt::format("{} ({})", program, hello["pid"].integer());
    auto last = std::chrono::steady_clock::time_point{};
    bool stale = true;
    client_.late = [this](int seconds) { return wait(seconds); };
    for (;;) {
      auto now = std::chrono::steady_clock::now();
      auto since = std::chrono::duration_cast<std::chrono::milliseconds>(now - last).count();
      bool due = !frozen_ && since >= options_.interval_ms;
      if (stale || due) {
        view().refresh(client_, terminal_.height() - 2);
        if (due) last = now;
        if (!client_.connected()) {
          if (!left_) stay_at_end();
          terminal_.close();
          *error = left_ ? "" : "the machine has ended";
          return 0;
        }
        stale = false;
      }
      draw();
      auto wait = frozen_ ? 60000 : std::max<long>(0, options_.interval_ms - since);
      int key = terminal_.key(due ? options_.interval_ms : static_cast<int>(wait));
      if (key == kKeyQuit || (key == 'q' && !prompting_)) break;
      if (key != kKeyNone) stale = take_key(key);
    }
    terminal_.close();
    return 0;
  }

 private:
  View& view() { return since_ ? *moment_ : *views_[current_]; }

  /// The machine has not answered for so long: says so. False: the user has had enough.
  bool wait(int seconds) {
    if (seconds > 1) {
      draw();
      int last = screen_.height() - 1;
      screen_.fill(last, kReverse | kYellow);
      screen_.put(last, 0,
                  fmt::format(" the machine has not answered for {} s: waiting (q quits)", seconds),
                  kReverse | kYellow);
      screen_.show();
    }
    for (int key; (key = terminal_.key(0)) != kKeyNone;) {
      if (key == 'q' || key == kKeyQuit) left_ = true;
    }
    return !left_;
  }

  void draw() {
    screen_.begin();
    int last = screen_.height() - 1;
    draw_views();
    if (helping_) {
      draw_help();
    } else {
      view().draw(screen_, 1, last);
    }
    screen_.put(last, 0, std::string(static_cast<size_t>(screen_.width()), ' '));
    if (prompting_) {
      int end = screen_.put(last, 0, prompt_ + line_, kBold);
      screen_.put(last, end, " ", kReverse);
    } else if (!notice_.empty()) {
      screen_.put(last, 0, notice_, kYellow);
    } else {
      screen_.put(
          last, 0,
          fmt::format("{}q quit  ? help  f freeze  {}", frozen_ ? "FROZEN  " : "", view().keys()),
          frozen_ ? unsigned{kYellow} : unsigned{kDim});
    }
    screen_.show();
  }

  /// How much of the first line they take if the others' names have `most` characters.
  size_t room_of_views(size_t most, bool spaced) const {
    size_t room = spaced ? 11 : 0;
    for (size_t k = 0; k < views_.size(); ++k) {
      const size_t name = std::string_view(views_[k]->name()).size();
      room += k == current_ ? name + 4 : std::min(name, most) + (spaced ? 4 : 2);
    }
    return room;
  }
  /// All of them, and the program. Where that is too long for the screen, the names of those that
  /// are not shown are cut, to nothing but their keys if need be.
  void draw_views() {
    screen_.fill(0, kReverse);
    constexpr size_t kWhole = 100, kReadable = 3;
    const auto width = static_cast<size_t>(screen_.width());
    const size_t title = title_.size() + 2;
    const bool spaced = room_of_views(kWhole, true) + title <= width;
    size_t most = spaced ? kWhole : 9;
    while (!spaced && most > kReadable && room_of_views(most, false) + title > width) --most;
    while (!spaced && most > 0 && room_of_views(most, false) > width) --most;
    int column = spaced ? screen_.put(0, 0, " whitebeam ", kReverse | kBold) : 0;
    names_begin_ = column;
    for (size_t n = 1; n <= views_.size(); ++n) {
      const size_t k = n % views_.size();  // as the keys are on a keyboard: 0 is last
      const std::string_view name = views_[k]->name();
      const bool whole = spaced || k == current_;
      column = screen_.put(
          0, column,
          whole ? fmt::format(" {} {} ", k, name) : fmt::format(" {}{}", k, name.substr(0, most)),
          k == current_ ? unsigned{kBold} : unsigned{kReverse});
      names_end_[k] = column;
    }
    const int room = screen_.width() - column - 2;
    if (room > 3) screen_.put_right(0, column + 1, room, title_, kReverse);
  }

  /// What was seen last stays until the user has had enough.
  void stay_at_end() {
    for (int key = kKeyNone; key != 'q' && key != kKeyQuit; key = terminal_.key(60000)) {
      if (key == kKeyResize) draw();
      const auto width = static_cast<size_t>(screen_.width());
      screen_.put(
          screen_.height() - 1, 0,
          fmt::format("{:<{}}", " the machine has ended: this was seen last (q quits)", width),
          kReverse | kYellow);
      screen_.show();
    }
  }

  void draw_help() {
    static constexpr const char* kHelp[] = {
        "1 to 9, 0   home, processes, process, schedulers, timeline, flame, JIT, system, trace, "
        "exits",
        "arrows, j k, PgUp, PgDn, Home, End   move; n p: pages; Enter: details",
        "< > !       any table: order by the next heading, the one before; reverse",
        "s S r o C   processes: the same; order by a name; choose columns",
        "/           filter processes: msgq>100 & fn=gen_server:loop/7 | name~log; else search",
        "mouse       a view's name, a heading, a row (once more: open), the wheel",
        "d           processes: keep a snapshot; what has changed since; back",
        "M D         mark a moment; what has changed since (Tab: counters)",
        "P b h       one process by pid or name; the one before; who holds a binary",
        "c z K t s   one process: collect, suspend, kill, trace, state (--allow-actions)",
        "Tab         view 4: use, moves and waits, collections",
        "Tab a       view 8: tree, tables, modules, ports, flow (a: by application), memory, "
        "timers ...",
        "+ - h l G   view 5: zoom, move (also with arrows), follow what is new; e export",
        "/ c t a     view 6: search; anew; by time; by allocation",
        "p g d i     view 6: one process; by process; compare with what was; tiers",
        "Enter / Esc view 6: zoom to what arrows have chosen; back",
        "e E w       view 6: export folded, for speedscope, for pprof",
        "Enter / b   view 7: a function's code; any; back. View 8: what is in a table (/ pattern)",
        "t m r p s x view 9: begin or end; calls; returns; processes; what they spawn; exits",
        "w g R       view 9: messages; collections; rate",
        "f Ctrl-L q  freeze: what is shown stays until f; draw anew; quit",
    };
    int row = 2;
    for (const char* line : kHelp) screen_.put(row++, 2, line);
  }

  /// True: the view has to ask again.
  bool take_key(int key) {
    if (prompting_) return take_prompt(key);
    notice_.clear();
    bool helped = std::exchange(helping_, false);
    if (key == '?') {
      helping_ = !helped;
      return false;
    }
    if (key == kKeyResize) return true;
    if (key == 12) {
      screen_.forget();
      return true;
    }
    if (key == 'f') {
      frozen_ = !frozen_;
      return !frozen_;
    }
    if (key >= '0' && key <= '9') {
      current_ = static_cast<size_t>(key - '0'), since_ = false;
      return true;
    }
    if (key == 'P') {
      prompt("process: ", "");
      wants_process_ = true;
      return false;
    }
    if (key == 'M' || key == 'D') return take_moment(key);
    if (since_ && (key == 'b' || key == kKeyEscape || key == kKeyBackspace)) {
      since_ = false;
      return true;
    }
    Navigation where;
    if (key == kKeyClick) return take_click();
    if (key == kKeyWheelUp || key == kKeyWheelDown) {
      constexpr int kRows = 3;
      view().wheel(key == kKeyWheelUp ? -kRows : kRows, where);
      return !frozen_;
    }
    if (!view().key(key, where)) return take_table_key(key);
    follow(where);
    const bool leads = !where.process.empty() || !where.trace.empty() || !where.filter.empty();
    return !frozen_ || leads;
  }

  /// M marks this moment; D shows what has changed since, and goes back.
  bool take_moment(int key) {
    if (key == 'M') {
      moment_->mark();
      moment_->refresh(client_, terminal_.height() - 2);
      notice_ = fmt::format("marked {}: D shows what has changed since", clock_text(time(nullptr)));
    } else if (!moment_->has_mark()) {
      notice_ = "no moment is marked: M marks one";
    } else {
      since_ = !since_;
    }
    return true;
  }
  /// What is the same in every view that has a table, where the key has no other meaning.
  bool take_table_key(int key) {
    TableWidget* table = view().table();
    if (!table) return false;
    if (key == '/') {
      prompt("search: ", searched_);
      searches_ = true;
    } else if (key == '<' || key == '>') {
      table->step_order(key == '>' ? 1 : -1);
    } else if (key == '!' && table->sorted >= 0) {
      table->order_by(table->sorted);
    }
    return false;
  }
  /// A view's name, a heading, a row; a row that is selected already is opened.
  bool take_click() {
    const int row = terminal_.mouse_row(), column = terminal_.mouse_column();
    if (row == 0) {
      int from = names_begin_;
      for (size_t n = 1; n <= views_.size(); ++n) {
        const size_t k = n % views_.size();
        if (column >= from && column < names_end_[k]) current_ = k, since_ = false;
        from = names_end_[k];
      }
      return true;
    }
    TableWidget* table = view().table();
    if (!table) return false;
    const TableWidget::Place place = table->at(row, column);
    if (place.heading >= 0) {
      view().order_by(place.heading);
      return !frozen_;
    }
    return place.row >= 0 && !table->select_shown(place.row) && take_key(kKeyEnter);
  }
  void follow(const Navigation& where) {
    if (!where.process.empty() || !where.filter.empty() || !where.trace.empty()) since_ = false;
    if (!where.process.empty()) {
      process_->open(where.process);
      current_ = 3;
    }
    if (!where.filter.empty()) {
      views_[2]->entered(where.filter);
      current_ = 2;
    }
    if (!where.trace.empty()) {
      trace_->open(where.trace);
      current_ = 9;
    }
    if (!where.prompt.empty()) prompt(where.prompt, where.line);
    if (!where.message.empty()) notice_ = where.message;
  }

  void prompt(std::string query, std::string line) {
    prompting_ = true;
    wants_process_ = searches_ = false;
    prompt_ = std::move(query), line_ = std::move(line);
  }
  bool take_prompt(int key) {
    if (key == kKeyEscape) {
      prompting_ = false;
    } else if (key == kKeyEnter) {
      prompting_ = false;
      if (wants_process_) {
        process_->open(line_);
        current_ = 3, since_ = false;
      } else if (searches_) {
        searched_ = line_;
        TableWidget* table = view().table();
        if (table && !table->find(line_)) notice_ = "nothing here has " + line_ + " in it";
        return false;
      } else {
        view().entered(line_);
      }
      return true;
    } else if (key == kKeyBackspace) {
      while (!line_.empty() && (line_.back() & 0xc0) == 0x80) line_.pop_back();
      if (!line_.empty()) line_.pop_back();
    } else if (key == 21) {  // Ctrl-U
      line_.clear();
    } else if (key >= ' ' && key < kKeyUp && line_.size() < 500) {
      append_utf8(line_, static_cast<uint32_t>(key));
    }
    return false;
  }

  ObserverClient& client_;
  const AppOptions options_;
  ObserverSettings settings_ = ObserverSettings::load();
  UserTerminal terminal_;
  Screen screen_{terminal_};
  std::array<std::unique_ptr<View>, 10> views_;
  ProcessView* process_;
  TraceView* trace_;
  std::unique_ptr<MomentView> moment_ = make_moment_view();
  bool since_ = false;  ///< that is shown
  size_t current_ = 1;
  int names_begin_ = 0;                 ///< of views, in the first row
  std::array<int, 10> names_end_ = {};  ///< of each
  std::string title_, prompt_, line_, searched_;
  std::string notice_ = settings_.trouble;  ///< until a key is pressed
  bool frozen_ = false, helping_ = false, prompting_ = false, wants_process_ = false;
  bool searches_ = false;
  bool left_ = false;
};

}  // namespace

int run_observer(ObserverClient& client, const AppOptions& options, std::string* error) {
  return App(client, options).run(error);
}

}  // namespace wb
