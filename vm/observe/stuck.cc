#include "vm/observe/stuck.h"

#include <algorithm>
#include <cstdio>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "base/exit_codes.h"
#include "loader/code_table.h"
#include "loader/embedded_modules.h"
#include "term/atom.h"
#include "term/print.h"
#include "vm/core/vm.h"
#include "vm/observe/calls.h"
#include "vm/observe/json.h"
#include "vm/observe/process_report.h"
#include "vm/observe/stack_frames.h"
#include "vm/observe/table_scan.h"
#include "vm/process/extra.h"
#include "vm/process/park_reasons.h"
#include "vm/process/signal.h"
#include "vm/process/table.h"

namespace wb {
namespace {

constexpr size_t kMostMessages = 3, kMostProcesses = 100;
constexpr PrintOptions kBrief = {.strings = true, .limit = 120};

std::string place_text(const StackFrame& frame) {
  return frame.line ? fmt::format("{} ({}:{})", frame.function, frame.file, frame.line)
                    : frame.function;
}

/// The innermost frame; if that is OTP's, the first of the program's own, too.
std::string where_text(Process& p) {
  std::string first, own;
  each_frame(p, [&](const StackFrame& frame) {
    const Module* m = frame.entry ? p.vm().code->module_at(frame.entry) : nullptr;
    const bool of_program = m && !is_library(p.vm(), *m);
    if (of_program) own = place_text(frame);
    if (first.empty()) first = place_text(frame);
    return !of_program;
  });
  if (first.empty()) return "-";
  return own.empty() || own == first ? first : first + ", called by " + own;
}

std::string queue_text(const Process& p) {
  const uint32_t n = p.message_count;
  if (!n) return {};
  std::string text =
      fmt::format("; {} message{} in its queue, of which none is wanted: ", n, n == 1 ? "" : "s");
  size_t shown = 0;
  for (const Signal* s = p.messages; s; s = s->next) {
    if (shown++ == kMostMessages) return text + ", ...";
    if (shown > 1) text += ", ";
    text += to_text(s->term, kBrief);
  }
  return text;
}

/// Whom it has called; kNone: nobody.
Term callee_of(Process& p) {
  std::string fields;
  JsonWriter w(fields);
  CallMark mark;
  return write_call(w, p, &mark) ? mark.callee : kNone;
}

/// Circles of calls, each once.
std::string circles_text(Vm& vm, const std::vector<Process*>& waiting) {
  std::unordered_map<Term, Term> calls;
  for (Process* p : waiting) {
    if (Term callee = callee_of(*p); is_value(callee) && !is_nil(callee)) calls[p->id] = callee;
  }
  std::string text;
  std::unordered_map<Term, size_t> walk;
  size_t number = 0;
  for (Process* start : waiting) {
    ++number;
    Term at = start->id;
    while (calls.contains(at) && walk.emplace(at, number).second) at = calls[at];
    if (!calls.contains(at) || walk[at] != number) continue;
    text += "  a circle: ";
    Term member = at;
    do {
      Term name = vm.processes->name_of(member);
      text += is_value(name) ? atom_source(name) : to_text(member);
      text += " waits for ";
      member = calls[member];
    } while (member != at);
    Term name = vm.processes->name_of(at);
    text += (is_value(name) ? atom_source(name) : to_text(at)) + "\n";
  }
  return text;
}

/// Part of the machine, or started by a part of it.
bool is_service(Vm& vm, const Process& p) {
  constexpr int kMostAncestors = 1000;
  const Process* q = &p;
  for (int k = 0; q && k < kMostAncestors; ++k) {
    if (q->system) return true;
    q = vm.processes->find(q->parent);
  }
  return false;
}

}  // namespace

/// Of a fun that was spawned, the outermost frame says which.
std::string shown_start(Process& p) {
  std::string text = started_as(p);
  if (text != "erlang:apply/2") return text;
  each_frame(p, [&](const StackFrame& frame) {
    text = frame.function;
    return true;
  });
  return text;
}

std::string shown_process(Process& p) {
  Term name = p.vm().processes->name_of(p.id);
  std::string text = to_text(p.id);
  if (is_value(name)) text += " " + atom_source(name);
  if (p.id == p.vm().main_pid) text += " main";
  return text + " (" + shown_start(p) + ")";
}

std::string shown_wait(Process& p) {
  if (p.suspend_count) return "is suspended in " + where_text(p);
  if (p.waiting_for == WaitFor::work) return "waits for native work in " + where_text(p);
  if (p.waiting_for == WaitFor::reply) return "waits for the answer of a process to a request";
  if (p.hibernating) return "hibernates" + queue_text(p);
  if (p.waiting_for != WaitFor::message) return "can run at " + where_text(p);
  const Term callee = callee_of(p);
  std::string text = "waits for a message";
  if (is_value(callee)) {
    text = "waits for the answer of ";
    if (Process* q = p.vm().processes->find(callee))
      text += shown_process(*q);
    else
      text += is_nil(callee) ? "another node" : to_text(callee) + ", which has ended";
  }
  return text + " in " + where_text(p) + queue_text(p);
}

std::string who_waits(Vm& vm, const std::function<bool(const Process&)>& concerns) {
  std::vector<Process*> waiting;
  vm.processes->each([&](Process& p) {
    if (!p.exiting && !is_service(vm, p) && concerns(p)) waiting.push_back(&p);
  });
  std::ranges::sort(waiting, {}, [](const Process* p) { return p->id; });
  std::string text;
  for (size_t k = 0; k < waiting.size() && k < kMostProcesses; ++k)
    text += fmt::format("  {} {}\n", shown_process(*waiting[k]), shown_wait(*waiting[k]));
  if (waiting.size() > kMostProcesses)
    text += fmt::format("  ... and {} more\n", waiting.size() - kMostProcesses);
  return text + circles_text(vm, waiting);
}

bool is_library(const Vm& vm, const Module& m) {
  if (!vm.options.otp_root.empty() && m.path.starts_with(vm.options.otp_root)) return true;
  for (const char* of_elixir : {"/elixir/ebin/", "/ex_unit/ebin/", "/logger/ebin/", "/eex/ebin/"}) {
    if (m.path.find(of_elixir) != std::string::npos) return true;
  }
  return !embedded_module(atom_text(m.name)).empty();
}

bool has_outside(Vm& vm) {
  bool outside = is_fault(vm.main_pid);
  vm.code->each_module([&](Module& m) { outside |= m.nifs != nullptr; });
  return outside;
}

bool StuckRun::stuck(Worker&) {
  if (has_outside(vm_)) return false;
  const std::string text = who_waits(vm_, [](const Process&) { return true; });
  fmt::print(
      stderr,
      "whitebeam: nothing can happen any more: whoever is left waits, and no timer is set\n{}",
      text);
  vm_.halt(kExitStuck);
  return true;
}

}  // namespace wb
