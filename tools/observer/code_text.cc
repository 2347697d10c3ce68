#include "tools/observer/code_text.h"

#include <algorithm>
#include <fstream>
#include <map>

#include <fmt/format.h>

#include "tools/machine_text.h"
#include "vm/observe/json.h"

namespace wb {
namespace {

/// Lines of the source, if it is where it was when it was compiled.
class Source {
 public:
  explicit Source(const std::string& file) : name_(file.substr(file.rfind('/') + 1)) {
    std::ifstream in(file);
    for (std::string line; lines_.size() < kMost && std::getline(in, line);) {
      lines_.push_back(std::move(line));
    }
  }
  std::string text(uint32_t line) const {
    std::string where = fmt::format("{}:{}", name_, line);
    return line && line <= lines_.size() ? where + "  " + lines_[line - 1] : where;
  }

 private:
  static constexpr size_t kMost = 100'000;
  std::string name_;
  std::vector<std::string> lines_;
};

int digit(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }
std::string bytes_of(const std::string& hex) {
  std::string bytes;
  for (size_t k = 0; k + 1 < hex.size(); k += 2) {
    bytes += static_cast<char>(digit(hex[k]) * 16 + digit(hex[k + 1]));
  }
  return bytes;
}

std::map<uint64_t, std::string> machine_code(const JsonValue& code) {
  std::map<uint64_t, std::string> names, text;
  for (const JsonValue& n : code["names"].list()) {
    if (n.list().size() == 2) {
      names[static_cast<uint64_t>(n.list()[0].integer())] = n.list()[1].text();
    }
  }
  auto address = static_cast<uint64_t>(code["address"].integer());
  std::string bytes = bytes_of(code["bytes"].text());
  if (!bytes.empty() && !machine_text(address, bytes, names, &text)) {
    text[address] = "(machine code needs objdump, of binutils)";
  }
  return text;
}

}  // namespace

std::vector<CodeLine> code_lines(const JsonValue& code) {
  std::vector<CodeLine> lines;
  std::map<uint32_t, uint64_t> samples;
  for (const JsonValue& s : code["line_samples"].list()) {
    if (s.list().size() < 2) continue;
    samples[static_cast<uint32_t>(s.list()[0].integer())] =
        static_cast<uint64_t>(s.list()[1].integer());
  }
  Source source(code["file"].text());
  auto add_source = [&](uint32_t line) {
    lines.push_back({CodeLine::source, source.text(line), line, samples[line]});
  };
  const auto& rows = code["rows"].list();
  if (rows.empty()) {  // it is interpreted
    for (auto [line, n] : std::map(samples)) add_source(line);
    return lines;
  }
  std::map<uint64_t, std::string> machine = machine_code(code);
  auto address = static_cast<uint64_t>(code["address"].integer());
  std::vector<uint64_t> begins;
  for (const JsonValue& r : rows) {
    if (!r["native"].is_null())
      begins.push_back(address + static_cast<uint64_t>(r["native"].integer()));
  }
  std::sort(begins.begin(), begins.end());
  uint32_t line = UINT32_MAX;
  for (const JsonValue& r : rows) {
    auto of = static_cast<uint32_t>(r["line"].integer());
    if (of != line) add_source(line = of);
    lines.push_back({CodeLine::instruction, r["text"].text()});
    if (r["native"].is_null()) continue;
    uint64_t from = address + static_cast<uint64_t>(r["native"].integer());
    auto next = std::upper_bound(begins.begin(), begins.end(), from);
    for (auto i = machine.lower_bound(from); i != machine.end(); ++i) {
      if (next != begins.end() && i->first >= *next) break;
      lines.push_back({CodeLine::machine, fmt::format("{:x}  {}", i->first, i->second)});
    }
  }
  return lines;
}

std::string with_lines(const std::string& answer) {
  JsonValue all = JsonValue::parse(answer);
  const JsonValue& code = all["data"];
  if (!all["ok"].truth()) return answer;
  static constexpr const char* kKinds[] = {"source", "instruction", "machine"};
  std::string out;
  JsonWriter w(out);
  w.open('{').number("id", all["id"].integer()).boolean("ok", true).object("data");
  w.text("function", code["function"].text()).text("tier", code["tier"].text());
  w.text("file", code["file"].text()).number("samples", code["samples"].integer());
  w.number("code_bytes", code["bytes"].text().size() / 2).array("lines");
  for (const CodeLine& l : code_lines(code)) {
    w.open('[').text(kKinds[l.kind]).text(l.text).number(l.line).number(l.samples).close(']');
  }
  w.close(']').close('}').close('}');
  return out;
}

}  // namespace wb
