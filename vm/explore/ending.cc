#include "vm/explore/ending.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/fnv.h"
#include "term/print.h"
#include "vm/machine/machine.h"
#include "vm/observe/exit_log.h"
#include "vm/observe/stuck.h"
#include "vm/process/signal.h"
#include "vm/process/table.h"

namespace wb {
namespace {

constexpr PrintOptions kBrief = {.strings = true, .limit = 200};

/// Never 0.
uint64_t hash_of(std::string_view text) { return fnv1a(text) | 1; }

struct Facts {
  const char *name, *text;
};
constexpr Facts kFacts[] = {
#define ENDING(name, text) {#name, text},
#include "vm/explore/endings.def"
};

void add(std::vector<Finding>* all, EndingKind kind, std::string text, std::string_view like) {
  all->push_back({kind, hash_of(masked(like)) + static_cast<uint64_t>(kind), std::move(text)});
}

std::string waiting_of(Machine& vm, const Explorer& run) {
  return who_waits(vm, [&](const Process& p) { return run.is_of_program(p); });
}

void add_crashes(std::vector<Finding>* all, Machine& vm, const Explorer& run) {
  std::vector<ExitLog::Row> rows = vm.exit_log->newest(kNone, ExitLog::kMost);
  std::ranges::reverse(rows);
  for (const ExitLog::Row& row : rows) {
    const ExitLog::Exit& exit = row.exit;
    const std::string path = run.path_of(exit.pid);
    // Who is killed is so on purpose.
    if (path.empty() || (path != "main" && exit.reason == "killed")) continue;
    std::string where;
    for (const ExitLog::Frame& frame : exit.stack) {
      where += fmt::format("\n      in {}", frame.function);
      if (frame.line) where += fmt::format(" ({}:{})", frame.file, frame.line);
    }
    std::string who = path == "main" ? path : exit.initial;
    if (!exit.name.empty()) who += " " + exit.name;
    const std::string first =
        exit.stack.empty() ? "" : fmt::format("{}:{}", exit.stack[0].function, exit.stack[0].line);
    add(all, EndingKind::crash, fmt::format("{} ended with {}{}", who, exit.reason, where),
        fmt::format("{} {} {}", who, exit.reason, first));
  }
}

/// Reports of crashes have times and pids, and are findings of their own.
std::string without_reports(const std::string& output) {
  std::string kept;
  bool in_report = false;
  for (size_t at = 0; at < output.size();) {
    const size_t end = std::min(output.find('\n', at), output.size() - 1);
    const std::string line = output.substr(at, end + 1 - at);
    if (line.starts_with("=") && line.find(" REPORT==== ") != std::string::npos) in_report = true;
    if (!in_report) kept += line;
    if (line == "\n") in_report = false;
    at = end + 1;
  }
  return kept;
}

void add_what_is_left(std::vector<Finding>* all, Machine& vm, const Explorer& run) {
  std::vector<Process*> left;
  vm.processes->each([&](Process& p) {
    if (!p.exiting && run.is_temporary(p)) left.push_back(&p);
  });
  for (Process* p : left) {
    const std::string what = fmt::format("{} {}", shown_process(*p), shown_wait(*p));
    const std::string start = shown_start(*p);
    add(all, EndingKind::leak, what, start);
    for (const Signal* s = p->messages; s; s = s->next) {
      const std::string message = to_text(s->term, kBrief);
      add(all, EndingKind::unreceived,
          fmt::format("{} has not received {}", shown_process(*p), message), start + message);
    }
  }
  for (const std::string& message : run.left_by_main())
    add(all, EndingKind::unreceived, "main has not received " + message, "main" + message);
}

}  // namespace

const char* ending_name(EndingKind kind) { return kFacts[static_cast<size_t>(kind)].name; }
const char* ending_text(EndingKind kind) { return kFacts[static_cast<size_t>(kind)].text; }

std::vector<Finding> findings_of(Machine& vm, const Explorer& run, const std::string& output) {
  std::vector<Finding> all;
  switch (run.end()) {
    case Explorer::End::deadlock: {
      const std::string who = waiting_of(vm, run);
      add(&all, EndingKind::deadlock, "nothing can happen any more:\n" + who, who);
      break;
    }
    case Explorer::End::starvation:
      add(&all, EndingKind::starvation,
          fmt::format("{} can run and never does:\n{}", run.starving(), waiting_of(vm, run)), "");
      break;
    case Explorer::End::endless:
    case Explorer::End::none:
      add(&all, EndingKind::endless, "after so many steps:\n" + waiting_of(vm, run), "");
      break;
    case Explorer::End::halted:
    case Explorer::End::returned:
      break;
  }
  add_crashes(&all, vm, run);
  const std::string said = without_reports(output);
  if (run.end() == Explorer::End::halted) {
    add(&all, EndingKind::halt, fmt::format("exit code {}", run.exit_code()),
        fmt::format("{}", run.exit_code()));
    // What its number is belongs to it.
    all.back().signature += static_cast<uint64_t>(run.exit_code());
  }
  if (run.end() == Explorer::End::halted || run.end() == Explorer::End::returned) {
    add(&all, EndingKind::output, "it printed:\n" + said, "");
    all.back().signature = hash_of(said);
  }
  if (run.end() == Explorer::End::returned) add_what_is_left(&all, vm, run);
  std::vector<Finding> sorted;
  for (size_t kind = 0; kind < kEndingKinds; ++kind) {
    for (Finding& f : all) {
      if (f.kind == static_cast<EndingKind>(kind)) sorted.push_back(std::move(f));
    }
  }
  return sorted;
}

Finding class_of(const std::vector<Finding>& findings, const std::vector<Finding>& usual) {
  std::vector<uint64_t> known;
  for (const Finding& f : usual) {
    const bool news = f.kind < EndingKind::crash || f.kind == EndingKind::halt ||
                      (f.kind == EndingKind::crash && f.text.starts_with("main "));
    if (!news) known.push_back(f.signature);
  }
  for (const Finding& f : findings) {
    auto as_usual = std::ranges::find(known, f.signature);
    if (as_usual == known.end()) return f;
    known.erase(as_usual);  // twice is once more than usual
  }
  return {EndingKind::result, 0, "as the usual run"};
}

}  // namespace wb
