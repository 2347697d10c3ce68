#include "vm/explore/story_file.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include <fmt/format.h>

#include "vm/observe/json.h"
#include "vm/observe/json_lexer.h"

namespace wb {
namespace {

constexpr size_t kMostLines = 400;
constexpr size_t kMostEvents = 200'000, kMostLifelines = 20'000, kMostSwitches = 20'000;
constexpr int kDeepest = 16;  // of what is skipped
constexpr int64_t kVersion = 1;

struct Facts {
  const char* name;
  bool told;
};
constexpr Facts kFacts[] = {
#define STORY_EVENT(name, told, what) {#name, told},
#include "vm/explore/story_events.def"
};
const Facts& facts_of(StoryKind kind) { return kFacts[static_cast<size_t>(kind)]; }

// --- as text -------------------------------------------------------------------------------------
/// "main.2 <0.43.0> server"
std::string who_text(const Telling& told, const StoryEvent& e) {
  const Lifeline& line = told.lifelines[e.process];
  std::string who = line.path;
  if (who != "main") who += " " + line.pid;
  if (!e.name.empty()) who += " " + e.name;
  return who;
}

std::string what_text(const StoryEvent& e) {
  switch (e.kind) {
    case StoryKind::receives:
      return "receives " + e.message;
    case StoryKind::times_out:
      return "its time is up";
    case StoryKind::ends:
      return "ends";
    case StoryKind::clock:
      return fmt::format("the clock moves on by {:.3f} ms", double(e.moved_ns) / 1e6);
    case StoryKind::sends:
      if (e.text.empty()) return fmt::format("{} ! {}", e.target, e.message);
      break;
    default:
      break;
  }
  return e.result.empty() ? e.text : fmt::format("{} -> {}", e.text, e.result);
}

std::vector<std::string> lines_of(const Telling& told) {
  std::vector<std::string> lines;
  std::string last;
  uint32_t number = 0;
  for (const StoryEvent& e : told.events) {
    if (const uint32_t left_out = e.number - number - 1; left_out && !told.left_out)
      lines.push_back(fmt::format("    ... {} more events ...", left_out));
    number = e.number;
    if (!is_told(e.kind)) continue;
    if (e.process == StoryEvent::kNobody) {
      last.clear();
      lines.push_back("  " + what_text(e));
      continue;
    }
    if (std::string who = who_text(told, e); who != last)
      lines.push_back("  " + (last = std::move(who)));
    lines.push_back(fmt::format("    {:<24} {}", e.place, what_text(e)));
  }
  return lines;
}

// --- as JSON -------------------------------------------------------------------------------------
void write_event(JsonWriter& w, const StoryEvent& e, size_t lifelines) {
  auto text = [&](const char* name, const std::string& value) {
    if (!value.empty()) w.text(name, value);
  };
  auto number = [&](const char* name, uint64_t value) {
    if (value) w.number(name, value);
  };
  auto lifeline = [&](const char* name, uint32_t line) {
    if (line < lifelines) w.number(name, line);
  };
  w.open('{').number("number", e.number).text("kind", story_kind_name(e.kind));
  lifeline("process", e.process);
  text("name", e.name), text("place", e.place), text("text", e.text);
  text("message", e.message), text("target", e.target), text("result", e.result);
  lifeline("to", e.to);
  number("from", e.from), number("at_ns", e.at_ns), number("moved_ns", e.moved_ns);
  w.close('}');
}

/// Reads what is expected where it stands; the first thing that is wrong ends it.
class Reader : JsonLexer {
 public:
  explicit Reader(std::string_view text) : JsonLexer(text), size_(text.size()) {}

  Result<StoryFile, std::string> story() {
    if (!object([&](std::string_view key) { return heading(key); })) return error();
    skip_space();
    if (!rest_.empty()) return fmt::format("something behind the end, at byte {}", at());
    if (version_ != kVersion) return std::string("no story of this version");
    if (!ended_) return std::string("it has no events");
    if (std::string wrong = check(); !wrong.empty()) return wrong;
    return std::move(story_);
  }

 private:
  size_t at() const { return size_ - rest_.size(); }
  bool wrong(std::string_view what) {
    if (wrong_.empty()) wrong_ = fmt::format("{}, at byte {}", what, at());
    return false;
  }
  std::string error() {
    if (rest_.empty() && wrong_.empty()) return "it is cut short";
    return wrong_.empty() ? fmt::format("no JSON, at byte {}", at()) : wrong_;
  }

  // --- JSON
  template <class F>
  bool object(F field) {
    if (!take_char('{')) return rest_.empty() ? false : wrong("an object is wanted");
    if (take_char('}')) return true;
    do {
      std::string key;
      skip_space();
      if (!string(&key) || !take_char(':') || !field(key)) return false;
    } while (take_char(','));
    return take_char('}');
  }
  template <class F>
  bool list(F element) {
    if (!take_char('[')) return rest_.empty() ? false : wrong("a list is wanted");
    if (take_char(']')) return true;
    do {
      if (!element()) return false;
    } while (take_char(','));
    return take_char(']');
  }
  bool string(std::string* out) {
    out->clear();
    if (!take_char('"')) return rest_.empty() ? false : wrong("a text is wanted");
    while (!rest_.empty() && rest_[0] != '"') {
      const size_t plain = std::min(rest_.find_first_of("\"\\"), rest_.size());
      out->append(rest_.substr(0, plain));
      rest_.remove_prefix(plain);
      if (word("\\") && !escaped(out)) return false;
    }
    return take_char('"');
  }
  template <class N>
  bool number(N* n) {
    skip_space();
    if (rest_.empty()) return false;
    const auto [end, ec] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), *n);
    if (ec != std::errc()) return wrong("a whole number is wanted");
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return true;
  }
  /// What later versions may have.
  bool skip(int depth) {
    skip_space();
    if (rest_.empty()) return false;
    if (depth == kDeepest) return wrong("too deep");
    std::string text;
    if (rest_[0] == '"') return string(&text);
    if (rest_[0] == '{') return object([&](std::string_view) { return skip(depth + 1); });
    if (rest_[0] == '[') return list([&] { return skip(depth + 1); });
    if (word("true") || word("false") || word("null")) return true;
    double n;
    const auto [end, ec] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), n);
    if (ec == std::errc::invalid_argument) return false;
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return true;
  }

  // --- what belongs there
  bool heading(std::string_view key) {
    if (key == "whitebeam_story") return number(&version_);
    if (key == "program") return string(&story_.program);
    if (key == "repeat") return string(&story_.repeat);
    if (key == "ending") return object([&](std::string_view k) { return ending(k); });
    if (key == "switches") {
      return list([&] {
        if (story_.switches.size() == kMostSwitches) return wrong("too many switches");
        return string(&story_.switches.emplace_back());
      });
    }
    if (key == "telling") return object([&](std::string_view k) { return telling(k); });
    return skip(1);
  }
  bool ending(std::string_view key) {
    if (key == "text") return string(&story_.ending.text);
    if (key != "class") return skip(2);
    std::string name;
    if (!string(&name)) return false;
    for (size_t k = 0; k < kEndingKinds; ++k) {
      story_.ending.kind = static_cast<EndingKind>(k);
      if (name == ending_name(story_.ending.kind)) return true;
    }
    return wrong("an unknown ending");
  }
  bool telling(std::string_view key) {
    Telling& t = story_.telling;
    if (key == "lifelines") {
      return list([&] {
        if (t.lifelines.size() == kMostLifelines) return wrong("too many lifelines");
        Lifeline& line = t.lifelines.emplace_back();
        return object([&](std::string_view k) { return lifeline(k, &line); });
      });
    }
    if (key != "events") return skip(2);
    ended_ = true;
    return list([&] {
      if (t.events.size() == kMostEvents) return wrong("too many events");
      StoryEvent& e = t.events.emplace_back();
      return object([&](std::string_view k) { return event(k, &e); });
    });
  }
  bool lifeline(std::string_view key, Lifeline* line) {
    std::string* text = key == "path"   ? &line->path
                        : key == "pid"  ? &line->pid
                        : key == "name" ? &line->name
                                        : nullptr;
    return text ? string(text) : skip(4);
  }
  bool event(std::string_view key, StoryEvent* e) {
    if (key == "number") return number(&e->number);
    if (key == "process") return number(&e->process);
    if (key == "to") return number(&e->to);
    if (key == "from") return number(&e->from);
    if (key == "at_ns") return number(&e->at_ns);
    if (key == "moved_ns") return number(&e->moved_ns);
    if (key == "kind") return kind(&e->kind);
    std::string* text = key == "name"      ? &e->name
                        : key == "place"   ? &e->place
                        : key == "text"    ? &e->text
                        : key == "message" ? &e->message
                        : key == "target"  ? &e->target
                        : key == "result"  ? &e->result
                                           : nullptr;
    return text ? string(text) : skip(4);
  }
  bool kind(StoryKind* kind) {
    std::string name;
    if (!string(&name)) return false;
    for (size_t k = 0; k < kStoryKinds; ++k) {
      *kind = static_cast<StoryKind>(k);
      if (name == story_kind_name(*kind)) return true;
    }
    return wrong("an unknown kind of event");
  }

  /// Numbers that lead nowhere. Empty: there are none.
  std::string check() const {
    const Telling& t = story_.telling;
    constexpr uint64_t kLongest = uint64_t{1} << 53;  // what the page can count
    uint32_t last = 0;
    for (const StoryEvent& e : t.events) {
      if (e.number <= last) return fmt::format("event {} stands behind event {}", e.number, last);
      last = e.number;
      for (uint32_t line : {e.process, e.to}) {
        if (line != StoryEvent::kNobody && line >= t.lifelines.size())
          return fmt::format("event {}: there is no lifeline {}", e.number, line);
      }
      if (e.from >= e.number) return fmt::format("event {}: it comes of a later one", e.number);
      if (e.at_ns > kLongest || e.moved_ns > kLongest)
        return fmt::format("event {}: there is no such time", e.number);
    }
    return {};
  }

  const size_t size_;
  StoryFile story_;
  int64_t version_ = 0;
  bool ended_ = false;
  std::string wrong_;
};

}  // namespace

const char* story_kind_name(StoryKind kind) { return facts_of(kind).name; }
bool is_told(StoryKind kind) { return facts_of(kind).told; }

std::string text_of(const Telling& told) {
  const std::vector<std::string> lines = lines_of(told);
  std::string text;
  for (size_t k = 0; k < lines.size(); ++k) {
    if (lines.size() > kMostLines && k == kMostLines / 2) {
      const size_t left_out = lines.size() - kMostLines;
      text += fmt::format("    ... {} more lines ...\n", left_out + told.left_out);
      k += left_out;
    }
    text += lines[k] + "\n";
  }
  return text;
}

std::string text_of(const StoryFile& story) {
  std::string text =
      fmt::format("{}: {}: {}\n", story.program, ending_name(story.ending.kind), story.ending.text);
  for (const std::string& s : story.switches) text += fmt::format("  {}\n", s);
  for (const std::string& line : lines_of(story.telling)) text += line + "\n";
  return text;
}

std::string to_json(const Telling& told, size_t most) {
  std::string out;
  JsonWriter w(out);
  size_t lifelines = 0;
  w.open('{').array("lifelines");
  for (const Lifeline& line : told.lifelines) {
    if (lifelines == kMostLifelines || out.size() > most / 2) break;
    w.open('{').text("path", line.path).text("pid", line.pid).text("name", line.name).close('}');
    ++lifelines;
  }
  w.close(']').array("events");
  std::vector<std::string> texts;
  size_t size = out.size() + 2;
  for (const StoryEvent& e : told.events) {
    JsonWriter one(texts.emplace_back());
    write_event(one, e, lifelines);
    size += texts.back().size() + 1;
  }
  size_t first = texts.size() / 2, after = first;  // what is left out
  while (size > most && after - first < texts.size()) {
    const bool front = first > texts.size() - after;  // the longer end gives
    size -= texts[front ? --first : after++].size() + 1;
  }
  for (size_t k = 0; k < texts.size(); ++k) {
    if (k < first || k >= after) w.raw(texts[k]);
  }
  w.close(']').close('}');
  return out;
}

std::string to_file(const StoryFile& story, std::string_view telling) {
  std::string out;
  JsonWriter w(out);
  w.open('{').number("whitebeam_story", kVersion).text("program", story.program);
  w.object("ending").text("class", ending_name(story.ending.kind));
  w.text("text", story.ending.text).close('}').array("switches");
  for (const std::string& s : story.switches) w.text(s);
  w.close(']').text("repeat", story.repeat).key("telling").raw(telling).close('}');
  return out;
}

Result<StoryFile, std::string> story_of_file(std::string_view text) {
  if (text.size() > kMostStoryBytes)
    return fmt::format("more than {} MB: no story", kMostStoryBytes >> 20);
  return Reader(text).story();
}

}  // namespace wb
