#include "vm/explore/story.h"

#include <fmt/format.h>

#include "loader/code_table.h"
#include "term/atom.h"
#include "term/print.h"
#include "vm/core/vm.h"
#include "vm/explore/explorer.h"
#include "vm/observe/stack_frames.h"
#include "vm/observe/stuck.h"
#include "vm/observe/table_scan.h"
#include "vm/port/socket_operations.h"
#include "vm/process/table.h"

namespace wb {
namespace {

constexpr PrintOptions kBrief = {.strings = true, .limit = 100};
constexpr size_t kMostLines = 400;

}  // namespace

std::string program_place(Process& p, const Word* I) {
  std::string innermost, own;
  each_frame(p, I, [&](const StackFrame& frame) {
    std::string text = frame.line ? fmt::format("{}:{}", frame.file, frame.line) : frame.function;
    const Module* m = frame.entry ? p.vm().code->module_at(frame.entry) : nullptr;
    if (innermost.empty()) innermost = text;
    if (!m || is_library(p.vm(), *m)) return true;
    own = std::move(text);
    return false;
  });
  return own.empty() ? innermost : own;
}

/// "main.2 <0.43.0> server"
std::string Story::name_of(Process& p) const {
  const Term name = p.vm().processes->name_of(p.id);
  std::string text = explorer_.path_of(p.id);
  if (text != "main") text += " " + to_text(p.id);
  if (is_value(name)) text += " " + atom_source(name);
  return text;
}

std::string Story::shown(Term t) const { return is_value(t) ? to_text(t, kBrief) : "an error"; }

void Story::line(Process& p, const std::string& place, const std::string& what) {
  std::string who = name_of(p);
  if (who != last_) lines_.push_back(fmt::format("  {}", last_ = std::move(who)));
  lines_.push_back(fmt::format("    {:<24} {}", place, what));
}

void Story::sends(Process& p, const Word* I, Term to, Term message) {
  line(p, program_place(p, I), fmt::format("{} ! {}", shown(to), shown(message)));
}
void Story::takes(Process& p, const Word* I, Term message) {
  line(p, program_place(p, I), fmt::format("receives {}", shown(message)));
}
void Story::times_out(Process& p, const Word* I) { line(p, program_place(p, I), "its time is up"); }
void Story::ends(Process& p, const Word* I) { line(p, "", "ends"); }
void Story::clock_moves(uint64_t ns) {
  last_.clear();
  lines_.push_back(fmt::format("  the clock moves on by {:.3f} ms", double(ns) / 1e6));
}

void Story::goes_wrong(const OutsidePlace& place, Fault fault) {
  last_.clear();
  lines_.push_back(
      fmt::format("  at {}: {} ({})", place_text(place), fault_text(fault), fault_name(fault)));
}

Story::Call Story::begins_call(Process& p, const Word* I, const Export& e, const Term* arguments) {
  Call call{program_place(p, I), {}};
  if (e.function == am::port_control) {
    if (const auto operation = socket_operation(arguments[1])) {
      call.text =
          fmt::format("{} of socket {}", socket_operation_name(*operation), shown(arguments[0]));
      return call;
    }
  }
  call.text = fmt::format("{}:{}(", atom_text(e.module), atom_text(e.function));
  for (uint32_t k = 0; k < e.arity; ++k) call.text += (k ? ", " : "") + shown(arguments[k]);
  call.text += ")";
  return call;
}
void Story::ends_call(Process& p, Call call, Term result) {
  line(p, call.place,
       is_value(result) ? fmt::format("{} -> {}", call.text, shown(result)) : call.text);
}

std::string Story::text() const {
  std::string text;
  for (size_t k = 0; k < lines_.size(); ++k) {
    if (lines_.size() > kMostLines && k == kMostLines / 2) {
      const size_t left_out = lines_.size() - kMostLines;
      text += fmt::format("    ... {} more lines ...\n", left_out);
      k += left_out;
    }
    text += lines_[k] + "\n";
  }
  return text;
}

}  // namespace wb
