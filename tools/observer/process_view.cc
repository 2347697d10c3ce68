// View 3: one process. A list of lines; those that name another process lead there.
#include <algorithm>
#include <utility>

#include "tools/observer/calls_text.h"
#include "tools/observer/requests.h"
#include "tools/observer/table.h"
#include "tools/observer/terminal.h"
#include "tools/observer/units.h"
#include "tools/observer/view.h"

namespace wb {
namespace {

constexpr int kMessages = 20;

class OneProcessView final : public ProcessView {
 public:
  const char* name() const override { return "Process"; }
  const char* keys() const override {
    return "Enter follow  b back  n p messages  s state  c collect  z suspend  K kill  t trace";
  }
  void open(std::string pid) override {
    if (!pid_.empty() && pid_ != pid) history_.push_back(pid_);
    pid_ = std::move(pid);
    data_ = {}, state_ = {};
    said_.clear();
    from_ = 0;
    table_.select(0);
  }

  void refresh(ObserverClient& client, int) override {
    if (!act_.empty()) {
      if (client.ask(observer_request("act", {{"pid", pid_}, {"what", act_}})).is_null()) {
        said_ = client.error();
      } else {
        said_ = act_ + ": done";
      }
      act_.clear();
    }
    if (pid_.empty()) return;
    if (std::exchange(wants_state_, false)) ask_state(client);
    JsonValue data = client.ask(observer_request(
        "process", {{"pid", pid_}}, {{"messages_from", from_}, {"messages", kMessages}}));
    error_ = data.is_null() ? client.error() : "";
    if (data.is_null()) return;
    collections_ = client.ask(observer_request("collections", {{"pid", pid_}}, {{"most", 50}}));
    data_ = std::move(data);
    if (std::exchange(wants_holders_, false)) {
      holders_ = client.ask(observer_request("holders", {{"pid", pid_}, {"binary", binary_}}));
    }
    list();
  }

  void draw(Screen& s, int first, int end) override {
    if (pid_.empty()) {
      s.put(first + 1, 0,
            "No process is chosen: press Enter on one in view 2, or P and its pid or name.");
      return;
    }
    s.put(first, 0, pid_, kBold);
    s.put(first, 14, data_["name"].text(), kCyan);
    s.put_right(first, s.width() - 41, 40, !error_.empty() ? error_ : said_,
                error_.empty() ? unsigned{kYellow} : unsigned{kRed});
    table_.draw(s, first + 1, end);
  }

  TableWidget* table() override { return &table_; }
  bool key(int key, Navigation& where) override {
    const TableWidget::Row* row = table_.selected();
    said_.clear();
    switch (key) {
      case 'b':
      case kKeyBackspace:
        if (history_.empty()) return true;
        pid_ = history_.back();
        history_.pop_back();
        data_ = {}, state_ = {};
        return true;
      case 'n':
        if (from_ + kMessages < data_["msgq"].integer()) from_ += kMessages;
        return true;
      case 'p':
        from_ = std::max(0, from_ - kMessages);
        return true;
      case 'c':
        act_ = "collect";
        return true;
      case 's':
        wants_state_ = true;
        return true;
      case 'z':
        act_ = data_["waits_for"].text() == "resume" ? "resume" : "suspend";
        return true;
      case 't':
        where.trace = data_["pid"].text();
        return !where.trace.empty();
      case 'g':
        if (!data_["group"].integer()) return table_.key(key);
        where.filter = fmt::format("group={}", data_["group"].integer());
        return true;
      case 'K':
        where.prompt = fmt::format("kill {}? Type yes: ", pid_), where.line.clear();
        return true;
      case kKeyEnter:
        if (row && !row->key.empty() && !row->key.starts_with(kBinary)) open(row->key);
        return true;
      case 'h':
        if (!row || !row->key.starts_with(kBinary)) return true;
        binary_ = row->key.substr(kBinary.size());
        wants_holders_ = true;
        return true;
      default:
        return table_.key(key);
    }
  }
  void entered(const std::string& line) override {
    if (line == "yes") act_ = "kill";
  }

 private:
  void line(const std::string& name, const std::string& text, const std::string& key = {},
            unsigned style = kPlain) {
    table_.rows.push_back({{name, text}, key.empty() ? whom(text) : key, style});
  }
  /// The first process that a text names, by pid or by one of its aliases.
  std::string whom(const std::string& text) const {
    for (size_t at = text.find('<'); at != text.npos; at = text.find('<', at + 1)) {
      size_t end = text.find('>', at);
      if (end == text.npos) break;
      std::string word = text.substr(at, end + 1 - at);
      if (at >= 4 && text.compare(at - 4, 4, "#Ref") == 0) {
        for (const JsonValue& o : data_["alias_owners"].list()) {
          if (o.list()[0].text() == "#Ref" + word) return o.list()[1].text();
        }
      } else if (word.starts_with("<0.")) {
        return word;
      }
    }
    return {};
  }
  void ask_state(ObserverClient& client) {
    state_ = client.ask(observer_request("state", {{"pid", pid_}}));
    said_ = state_.is_null() ? client.error() : "state: done";
  }
  void title(const std::string& text) { line(text, "", "", kCyan); }
  void pids(const char* name, const char* count) {
    title(fmt::format("{} ({})", name, data_[count].integer()));
    for (const JsonValue& p : data_[name].list()) {
      // A monitor may be of a name.
      bool named = name == std::string_view("monitors") && p.text().find('<') == std::string::npos;
      bool leads = named || p.text().starts_with("<0.");
      line("", p.text(), leads ? p.text() : whom(p.text()));
    }
  }

  void list() {
    table_.rows.clear();
    line("state",
         data_["state"].text() +
             (data_["waits_for"].text().empty() ? "" : ", waits for " + data_["waits_for"].text()));
    if (std::string call = call_text(data_); !call.empty())
      line("answer of", call, data_["callee"].text(), kYellow);
    line("started as", data_["initial"].text());
    if (!data_["label"].text().empty()) line("label", data_["label"].text());
    line("parent", data_["parent"].text(),
         data_["parent"].text().starts_with("<") ? data_["parent"].text() : "");
    line("application", data_["application"].text());
    if (!data_["priority"].is_null()) line("priority", data_["priority"].text());
    if (data_["gc_ns"].number() > 0) line("in collections", duration_text(data_["gc_ns"].number()));
    line("reductions", count_text(data_["reds"].number()));
    line("message queue", count_text(data_["msgq"].number()));
    line("migrations", count_text(data_["migrations"].number()));
    if (!data_["wait_p50_ns"].is_null()) {
      line("waits to run",
           fmt::format("{}, 99 % below {}", duration_text(data_["wait_p50_ns"].number()),
                       duration_text(data_["wait_p99_ns"].number())));
    }
    list_choices();
    for (const JsonValue& l : data_["lint"].list()) line("warning", l.text(), "", kYellow);
    if (!data_["answered"].truth()) {
      line("", "it has not answered: it is busy with something long", "", kYellow);
      return;
    }
    list_state();
    list_stack();
    list_heap();
    list_collections();
    pids("links", "link_count");
    pids("monitors", "monitor_count");
    pids("monitored_by", "monitored_by_count");
    pids("aliases", "alias_count");
    title("flags");
    for (const auto& [name, v] : data_["flags"].fields()) line("  " + name, plain(v));
    title(fmt::format("dictionary ({})", data_["dictionary_count"].integer()));
    for (const JsonValue& e : data_["dictionary"].list()) {
      if (e.list().size() == 2) line("  " + e.list()[0].text(), e.list()[1].text());
    }
    title(fmt::format("messages ({})", data_["msgq"].integer()));
    int64_t n = from_;
    for (const JsonValue& m : data_["shapes"].list()) {
      line(fmt::format("  {} like", count_text(m["messages"].number())),
           fmt::format("{}, {}", m["shape"].text(), bytes_text(m["bytes"].number())));
    }
    for (const JsonValue& m : data_["messages"].list()) line(fmt::format("  {}", ++n), m.text());
  }
  /// What was chosen when it was spawned, unless that is the usual.
  void list_choices() {
    const std::string& policy = data_["policy"].text();
    if (!policy.empty() && policy != "default") line("policy", policy);
    if (data_["group"].integer()) {
      line("group", fmt::format("{} {} (g: all of it)", data_["group"].integer(),
                                data_["group_name"].text()));
    }
    const JsonValue& m = data_["mailbox_bound"];
    if (m.is_null()) return;
    const bool presses = m["held"].integer() >= m["limit"].integer() || m["dropped"].integer();
    line("mailbox",
         fmt::format("{} of {}, then {}; {} dropped, {} senders wait", m["held"].integer(),
                     m["limit"].integer(), m["when_full"].text(), count_text(m["dropped"].number()),
                     m["senders_waiting"].integer()),
         "", presses ? unsigned{kYellow} : unsigned{kPlain});
  }
  /// A part of it a line.
  void list_state() {
    if (state_.is_null()) return;
    constexpr size_t kWide = 160;
    title(fmt::format("state ({} words)", state_["words"].integer()));
    const std::string& text = state_["state"].text();
    for (size_t at = 0; at < text.size();) {
      size_t end = std::min(text.size(), at + kWide);
      while (end < text.size() && (text[end] & 0xc0) == 0x80) ++end;
      line("", text.substr(at, end - at));
      at = end;
    }
  }
  void list_stack() {
    title("stack");
    for (const JsonValue& f : data_["stack"].list()) {
      std::string where = f["file"].text();
      if (!where.empty()) where += fmt::format(":{}", f["line"].integer());
      line("", fmt::format("{:<40} {}", f["fn"].text(), where));
      for (const JsonValue& v : f["values"].list()) line("", "  " + v.text(), "", kDim);
    }
  }
  void list_heap() {
    const JsonValue& h = data_["heap"];
    auto words = [&](const char* name) { return bytes_text(h[name].number() * 8); };
    title("heap");
    line("", picture(h));
    line("  young", fmt::format("{} of {} ({} survived once)", words("young_used"),
                                words("young_words"), words("survived_once")));
    line("  old", fmt::format("{} of {}", words("old_used"), words("old_words")));
    line("  fragments", words("fragment_words"));
    line("  stack", words("stack_words"));
    line("  off heap",
         fmt::format("{} of the young, {} of the old; collects at {}", words("off_heap_words"),
                     words("old_off_heap_words"), words("off_heap_limit")));
    if (!h["collections"].is_null()) {
      line("  so far",
           fmt::format("{} collections, {} major; {} copied, {} freed", h["collections"].integer(),
                       h["major"].integer(), words("words_copied"), words("words_reclaimed")));
    }
    line("  collections",
         fmt::format("{} minor since the last major one", h["minor_since_major"].integer()));
    if (h["binaries"].list().empty()) return;
    title(fmt::format("binaries outside of the heap ({})", bytes_text(h["binary_bytes"].number())));
    for (const JsonValue& b : h["binaries"].list()) {
      line("",
           fmt::format("{:>10}  {} references (h: whose)", bytes_text(b["bytes"].number()),
                       b["holders"].integer()),
           std::string(kBinary) + b["id"].text());
      if (b["id"].text() == binary_) list_holders();
    }
  }
  /// To scale: new, survived once, free, stack; old, free; fragments; outside.
  static std::string picture(const JsonValue& h) {
    constexpr double kRoom = 30;
    auto n = [&](const char* name) { return h[name].number(); };
    double off = n("off_heap_words") + n("old_off_heap_words"), stack = n("stack_words");
    double young = n("young_used"), survived = n("survived_once"), old = n("old_used");
    double all = n("young_words") + n("old_words") + n("fragment_words") + off;
    std::string out;
    auto part = [&](double words, char ink) {
      out += std::string(static_cast<size_t>(words / std::max(all, 1.0) * kRoom + 0.5), ink);
    };
    out += "young [";
    part(survived, 's'), part(young - survived, '#');
    part(n("young_words") - young - stack, ' '), part(stack, 'k');
    out += "] old [";
    part(old, '#'), part(n("old_words") - old, ' ');
    out += "] fragments [";
    part(n("fragment_words"), '#');
    out += "] off heap [";
    part(off, '#');
    return out + "]";
  }
  /// Who else holds binary_.
  void list_holders() {
    for (const JsonValue& h : holders_["rows"].list()) {
      const std::string& pid = h["pid"].text();
      line("",
           fmt::format("            {} {} {} times", pid, h["name"].text(), h["times"].integer()),
           pid);
    }
    line("",
         fmt::format("            of {} processes that were asked, the largest; there are {}",
                     holders_["asked"].integer(), holders_["processes"].integer()),
         "", kDim);
  }
  void list_collections() {
    const auto& rows = collections_["rows"].list();
    if (rows.empty()) return;
    title(fmt::format("newest collections ({})", rows.size()));
    for (const JsonValue& c : rows) {
      double ago = collections_["now_ns"].number() - c["end_ns"].number();
      line("  " + duration_text(ago) + " ago",
           fmt::format("{} pause {}, {} before, {} after", c["major"].truth() ? "major" : "minor",
                       duration_text(c["pause_ns"].number()),
                       bytes_text(c["words_before"].number() * 8),
                       bytes_text(c["words_after"].number() * 8)));
    }
  }
  static std::string plain(const JsonValue& v) {
    if (v.kind() == JsonValue::Kind::boolean) return v.truth() ? "true" : "false";
    if (v.kind() == JsonValue::Kind::number) return fmt::format("{}", v.integer());
    return v.text();
  }

  static constexpr std::string_view kBinary = "binary ";  ///< begins the key of such a row
  std::string pid_, error_, said_, act_, binary_;
  bool wants_holders_ = false, wants_state_ = false;
  std::vector<std::string> history_;
  int from_ = 0;
  JsonValue data_, collections_, holders_, state_;
  TableWidget table_{{{"", 20, false, 0}, {"", 0, false, 0}}};
};

}  // namespace

std::unique_ptr<ProcessView> make_process_view() { return std::make_unique<OneProcessView>(); }

}  // namespace wb
