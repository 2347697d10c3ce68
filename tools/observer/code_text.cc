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

using Machine = std::map<uint64_t, std::string>;
Machine machine_code(const JsonValue& code) {
  Machine names, text;
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

class CodeLines {
 public:
  explicit CodeLines(const JsonValue& code) : code_(code), source_(code["file"].text()) {
    for (const JsonValue& s : code["line_samples"].list()) {
      if (s.list().size() < 2) continue;
      samples_[static_cast<uint32_t>(s.list()[0].integer())] =
          static_cast<uint64_t>(s.list()[1].integer());
    }
  }
  std::vector<CodeLine> make() {
    if (code_["rows"].list().empty()) {  // it is interpreted
      for (auto [line, n] : samples_) add_source(line);
      return std::move(lines_);
    }
    if (!code_["LLVM"].is_null()) {
      heading("made by LLVM", code_["LLVM"]);
      add_hot(code_["LLVM"]);
      heading("of the baseline, where it goes back to", code_);
    }
    add_baseline();
    return std::move(lines_);
  }

 private:
  void add_source(uint32_t line) {
    auto n = samples_.find(line);
    lines_.push_back(
        {CodeLine::source, source_.text(line), line, n == samples_.end() ? 0 : n->second});
  }
  void heading(const char* what, const JsonValue& code) {
    auto bytes = code["bytes"].text().size() / 2;
    lines_.push_back({CodeLine::heading, fmt::format("{}: {} bytes", what, bytes)});
  }
  void add_machine(const Machine& machine, uint64_t from, uint64_t end) {
    for (auto i = machine.lower_bound(from); i != machine.end() && i->first < end; ++i) {
      lines_.push_back({CodeLine::machine, fmt::format("{:x}  {}", i->first, i->second)});
    }
  }
  void add_baseline() {
    Machine machine = machine_code(code_);
    auto address = static_cast<uint64_t>(code_["address"].integer());
    std::vector<uint64_t> begins;
    for (const JsonValue& r : code_["rows"].list()) {
      if (!r["native"].is_null())
        begins.push_back(address + static_cast<uint64_t>(r["native"].integer()));
    }
    std::sort(begins.begin(), begins.end());
    uint32_t line = UINT32_MAX;
    for (const JsonValue& r : code_["rows"].list()) {
      auto of = static_cast<uint32_t>(r["line"].integer());
      if (of != line) add_source(line = of);
      lines_.push_back({CodeLine::instruction, r["text"].text()});
      if (r["native"].is_null()) continue;
      uint64_t from = address + static_cast<uint64_t>(r["native"].integer());
      auto next = std::upper_bound(begins.begin(), begins.end(), from);
      add_machine(machine, from, next == begins.end() ? UINT64_MAX : *next);
    }
  }
  /// In the order of machine code: an instruction may be there more than once, or in pieces.
  void add_hot(const JsonValue& hot) {
    Machine machine = machine_code(hot);
    auto address = static_cast<uint64_t>(hot["address"].integer());
    std::map<int64_t, const JsonValue*> rows;
    for (const JsonValue& r : code_["rows"].list()) rows[r["at"].integer()] = &r;
    std::map<uint64_t, int64_t> lines;
    for (const JsonValue& l : hot["lines"].list()) {
      if (l.list().size() == 2)
        lines[address + static_cast<uint64_t>(l.list()[0].integer())] = l.list()[1].integer();
    }
    std::map<uint64_t, int64_t> entries;
    for (const JsonValue& e : hot["entries"].list()) {
      if (e.list().size() == 2)
        entries[address + static_cast<uint64_t>(e.list()[0].integer())] = e.list()[1].integer();
    }
    uint32_t line = UINT32_MAX;
    for (auto l = lines.begin(); l != lines.end(); ++l) {
      if (entries.contains(l->first)) {
        lines_.push_back({CodeLine::instruction, "-- entered from outside:"});
        line = UINT32_MAX;
      }
      auto row = rows.find(l->second);
      if (row != rows.end()) {
        auto of = static_cast<uint32_t>((*row->second)["line"].integer());
        if (of != line) add_source(line = of);
      }
      lines_.push_back({CodeLine::instruction, row == rows.end() ? "(of several instructions)"
                                                                 : (*row->second)["text"].text()});
      auto next = std::next(l);
      add_machine(machine, l->first, next == lines.end() ? UINT64_MAX : next->first);
    }
  }

  const JsonValue& code_;
  Source source_;
  std::map<uint32_t, uint64_t> samples_;
  std::vector<CodeLine> lines_;
};

}  // namespace

std::vector<CodeLine> code_lines(const JsonValue& code) { return CodeLines(code).make(); }

std::string with_lines(const std::string& answer) {
  JsonValue all = JsonValue::parse(answer);
  const JsonValue& code = all["data"];
  if (!all["ok"].truth()) return answer;
  static constexpr const char* kKinds[] = {"source", "instruction", "machine", "heading"};
  std::string out;
  JsonWriter w(out);
  w.open('{').number("id", all["id"].integer()).boolean("ok", true).object("data");
  w.text("function", code["function"].text()).text("tier", code["tier"].text());
  w.text("file", code["file"].text()).number("samples", code["samples"].integer());
  size_t bytes = code["bytes"].text().size() + code["LLVM"]["bytes"].text().size();
  w.number("code_bytes", bytes / 2).array("lines");
  for (const CodeLine& l : code_lines(code)) {
    w.open('[').text(kKinds[l.kind]).text(l.text).number(l.line).number(l.samples).close(']');
  }
  w.close(']').close('}').close('}');
  return out;
}

}  // namespace wb
