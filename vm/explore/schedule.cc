#include "vm/explore/schedule.h"

#include <cstdio>
#include <sstream>

#include <fmt/format.h>

#include "base/build_id.h"
#include "vm/io/outside.h"

namespace wb {
namespace {

constexpr std::string_view kHead = "whitebeam schedule 1";

/// A schedule means something to the build that wrote it. Empty: it is not known.
std::string this_build() {
  BuildId id{};
  if (!find_build_id(&id)) return {};
  std::string text;
  for (uint8_t byte : id) text += fmt::format("{:02x}", byte);
  return text;
}

/// In one line, whatever is in it.
std::string quoted(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '\n')
      out += "\\n";
    else if (c == '\\')
      out += "\\\\";
    else
      out += c;
  }
  return out;
}
std::string unquoted(std::string_view text) {
  std::string out;
  for (size_t k = 0; k < text.size(); ++k) {
    if (text[k] == '\\' && k + 1 < text.size())
      out += text[++k] == 'n' ? '\n' : text[k];
    else
      out += text[k];
  }
  return out;
}

bool parse_switch(const std::string& text, Switch* s) {
  std::istringstream words(text);
  std::string rest;
  if (!(words >> s->at.who >> s->at.operation >> s->at.turn >> s->to) || words >> rest)
    return false;
  if (s->at.who == "-") s->at.who.clear();
  return true;
}

bool parse_number(const std::string& text, uint64_t* n) {
  char rest;
  unsigned long long value;
  if (sscanf(text.c_str(), "%llu%c", &value, &rest) != 1) return false;
  *n = value;
  return true;
}

}  // namespace

std::string switch_text(const Switch& s) {
  if (const std::optional<Fault> fault = fault_named(s.to))
    return fmt::format("at {}: {}", place_text({s.at.who, s.at.operation}), fault_text(*fault));
  const std::string to = s.to == "clock" ? "the clock moves" : s.to + " runs";
  if (s.at.who.empty()) return fmt::format("at the beginning {}", to);
  return fmt::format("after operation {} of {} {}", s.at.operation, s.at.who, to);
}

std::string to_file(const Schedule& s) {
  std::string out =
      fmt::format("{}\nbuild {}\nprogram {}\ncode {}\nfunction {}\n", kHead, this_build(),
                  quoted(s.program), quoted(s.code), quoted(s.function));
  for (const std::string& arg : s.args) out += "argument " + quoted(arg) + "\n";
  out += fmt::format("patience {}\nending {}\n", s.patience_ms, quoted(s.ending));
  for (const std::string& m : s.modules) out += "module " + quoted(m) + "\n";
  for (const std::string& m : s.services) out += "service " + quoted(m) + "\n";
  for (const Switch& w : s.switches)
    out += fmt::format("switch {} {} {} {}\n", w.at.who.empty() ? "-" : quoted(w.at.who),
                       w.at.operation, w.at.turn, quoted(w.to));
  return out + fmt::format("end {}\n", s.switches.size());
}

Result<Schedule, std::string> schedule_of_file(const std::string& text) {
  Schedule s;
  bool ended = false;
  size_t line_number = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    if (end == std::string::npos) return std::string("it is cut short");
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    if (++line_number == 1) {
      if (line != kHead) return std::string("no schedule of this version");
      continue;
    }
    if (ended) return fmt::format("line {}: something behind the end", line_number);
    const size_t blank = line.find(' ');
    const std::string key = line.substr(0, blank);
    const std::string value = blank == std::string::npos ? "" : unquoted(line.substr(blank + 1));
    uint64_t n = 0;
    if (key == "build") {
      if (value.empty() || value != this_build())
        return std::string("another build of whitebeam has written it; explore again");
    } else if (key == "program") {
      s.program = value;
    } else if (key == "code") {
      s.code = value;
    } else if (key == "function") {
      s.function = value;
    } else if (key == "argument") {
      s.args.push_back(value);
    } else if (key == "patience" && parse_number(value, &n)) {
      s.patience_ms = n;
    } else if (key == "ending") {
      s.ending = value;
    } else if (key == "module") {
      s.modules.push_back(value);
    } else if (key == "service") {
      s.services.push_back(value);
    } else if (Switch w; key == "switch" && parse_switch(value, &w)) {
      s.switches.push_back(std::move(w));
    } else if (key == "end" && parse_number(value, &n)) {
      if (n != s.switches.size()) return std::string("switches are missing: it is cut short");
      ended = true;
    } else {
      return fmt::format("line {}: {}", line_number, quoted(line.substr(0, 60)));
    }
  }
  if (!ended) return std::string("it is cut short");
  return s;
}

}  // namespace wb
