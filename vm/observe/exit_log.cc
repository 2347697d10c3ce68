#include "vm/observe/exit_log.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <utility>

#include "loader/code.h"
#include "scheduler/scheduler.h"
#include "term/lists.h"
#include "term/number.h"
#include "term/print.h"
#include "vm/core/vm.h"
#include "vm/observe/stack_frames.h"
#include "vm/observe/table_scan.h"
#include "vm/process/backtrace.h"
#include "vm/process/dictionary.h"
#include "vm/process/table.h"

namespace wb {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;

uint64_t mix(uint64_t h, uint64_t with) { return (h ^ with) * 0x9e3779b97f4a7c15 ^ (h >> 29); }

/// What a reason is like: its atoms and tuples, not its numbers, pids and texts.
uint64_t shape(Term t, int depth, uint64_t h) {
  if (is_atom(t)) return mix(h, t);
  if (is_tuple(t)) {
    const size_t n = tuple_arity(t);
    h = mix(h, 2 * n + 1);
    for (size_t k = 0; depth && k < std::min<size_t>(n, 4); ++k) {
      h = shape(tuple_elements(t)[k], depth - 1, h);
    }
    return h;
  }
  return mix(h, is_list(t)      ? 2
                : is_integer(t) ? 4
                : is_boxed(t)   ? 6 + static_cast<uint64_t>(header_kind(header_of(t)))
                                : 8);
}

/// A program can put any term where a trace or its dictionary should have something else.
constexpr PrintOptions kBrief = {.strings = true, .limit = 100};

/// Of M, F and an arity or arguments; empty if it is none.
std::string function_of(const Term* mfa) {
  constexpr int64_t kMostArguments = 255;
  int64_t arity = is_small(mfa[2]) ? small_value(mfa[2]) : 0;
  for (Term l = mfa[2]; is_cons(l) && arity <= kMostArguments; l = tail(l)) ++arity;
  if (!is_atom(mfa[0]) || !is_atom(mfa[1]) || arity < 0 || arity > kMostArguments) return {};
  return mfa_text(mfa[0], mfa[1], static_cast<uint32_t>(arity));
}

void add_place(Term location, ExitLog::Frame* frame) {
  for (int k = 0; k < 4 && is_cons(location); ++k, location = tail(location)) {
    Term pair = head(location);
    if (!is_tuple(pair) || tuple_arity(pair) != 2) continue;
    Term key = tuple_elements(pair)[0], value = tuple_elements(pair)[1];
    if (key == am::line && is_small(value)) frame->line = static_cast<uint32_t>(small_value(value));
    if (key != am::file) continue;
    frame->file = to_text(value, kBrief);
    if (frame->file.size() > 1 && frame->file[0] == '"')
      frame->file = frame->file.substr(1, frame->file.size() - 2);
  }
}

/// {M, F, ArityOrArguments, [{file, F}, {line, L}]}, or {Fun, Arguments, _}.
ExitLog::Frame frame_of(Term t) {
  ExitLog::Frame frame{{}, {}, 0};
  if (is_tuple(t) && tuple_arity(t) == 4) frame.function = function_of(tuple_elements(t));
  if (frame.function.empty())
    frame.function = to_text(t, kBrief);
  else
    add_place(tuple_elements(t)[3], &frame);
  return frame;
}

bool is_trace(Term t) {
  if (!is_cons(t)) return false;
  Term first = head(t);
  if (!is_tuple(first) || tuple_arity(first) != 4) return false;
  const Term* e = tuple_elements(first);
  return is_atom(e[0]) && is_atom(e[1]) && is_list(e[3]);
}

std::vector<ExitLog::Frame> stack_of(Process& p, Term trace) {
  std::vector<ExitLog::Frame> stack;
  if (trace == kNone) {
    each_frame(p, [&](const StackFrame& f) {
      stack.push_back({f.function, f.file, f.line});
      return stack.size() < ExitLog::kMostFrames;
    });
  }
  for (; is_cons(trace) && stack.size() < ExitLog::kMostFrames; trace = tail(trace)) {
    stack.push_back(frame_of(head(trace)));
  }
  return stack;
}

/// An atom as it is; a pid by its name, if it has one.
std::string party(const Process& p, Term who) {
  if (is_atom(who)) return std::string(atom_text(who));
  if (!is_local_pid(who)) return is_value(who) ? to_text(who, kBrief) : std::string();
  Term name = p.vm().processes->name_of(who);
  return is_value(name) ? std::string(atom_text(name)) : to_text(who);
}

std::string initial_of(const Process& p) {
  Term call = dictionary_get(p, intern("$initial_call"));
  std::string text;
  if (is_tuple(call) && tuple_arity(call) == 3) text = function_of(tuple_elements(call));
  const Export* e = p.initial_call;
  return !text.empty() || !e ? text : mfa_text(e->module, e->function, e->arity);
}

/// What is known of it even if it is sensitive.
ExitLog::Exit heading(const Process& p) {
  ExitLog::Exit exit;
  exit.pid = p.id, exit.parent = p.parent;
  if (p.named.load(std::memory_order_relaxed))
    exit.name = party(p, p.vm().processes->name_of(p.id));
  exit.initial = initial_of(p);
  Term ancestors = dictionary_get(p, intern("$ancestors"));
  if (is_cons(ancestors)) exit.supervisor = party(p, head(ancestors));
  return exit;
}

void describe(ExitLog::Exit* exit, Process& p, Term reason, Term trace) {
  // {Reason, Trace} of an error, proc_lib's as well: the trace is shown by itself.
  if (is_tuple(reason) && tuple_arity(reason) == 2 && is_trace(tuple_elements(reason)[1])) {
    trace = tuple_elements(reason)[1];
    reason = tuple_elements(reason)[0];
  }
  exit->reason = to_text(reason, {.strings = true, .limit = ExitLog::kMostReason});
  exit->stack = stack_of(p, trace);
  // Of a fun that was spawned, the outermost frame says which.
  if (!exit->stack.empty() && exit->initial == "erlang:apply/2")
    exit->initial = exit->stack.back().function;
  Term label = dictionary_get(p, am::process_label);
  if (is_value(label) && label != am::undefined) exit->label = to_text(label, kBrief);
}

}  // namespace

uint64_t ExitLog::count(Process& p, Term reason, Word place) {
  const uint64_t now = p.vm().scheduler->now_ns();
  const uint64_t start = reinterpret_cast<Word>(p.initial_call);
  const uint64_t kind = mix(shape(reason, 3, start), place) | 1;
  std::lock_guard guard(lock_);
  return wants(kind, now) ? kind : 0;
}

void ExitLog::record(Process& p, Term reason, Term trace, uint64_t kind) {
  Exit exit = heading(p);
  if (is_sensitive(p))
    exit.reason = "(sensitive)";
  else
    describe(&exit, p, reason, trace);
  exit.at_ns = p.vm().scheduler->now_ns(), exit.kind = kind;
  exit.wall_ms = static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(
                                           std::chrono::system_clock::now().time_since_epoch())
                                           .count());
  std::lock_guard guard(lock_);
  Kind& of = kinds_[kind];
  if (!of.count) of.count = 1, of.first_ns = of.last_ns = exit.at_ns;  // it was dropped meanwhile
  if (of.kept >= kMostOfKind) drop_oldest(kind, false);
  of.kept++, exit.number = ++last_number_;
  exits_.push_back(std::move(exit));
  if (exits_.size() > kMost) drop_oldest(0, true);
}

void ExitLog::note_child(const Process& supervisor, Term child) {
  if (!is_tuple(child) || tuple_arity(child) < 3) return;
  const Term pid = tuple_elements(child)[1];
  const std::string id = to_text(tuple_elements(child)[2], kBrief);
  const std::string name = party(supervisor, supervisor.id);
  std::lock_guard guard(lock_);
  auto newest =
      std::find_if(exits_.rbegin(), exits_.rend(), [&](const Exit& e) { return e.pid == pid; });
  if (newest == exits_.rend()) return;
  newest->child = id, newest->supervisor = name;
}

/// Counts it. True: it is to be recorded.
bool ExitLog::wants(uint64_t kind, uint64_t now) {
  Kind& of = kinds_[kind];
  if (!of.count++) of.first_ns = now;
  of.last_ns = now;
  if (now / kSecond != second_) second_ = now / kSecond, in_second_ = 0;
  const bool enough = of.kept >= kMostOfKind && now - of.recorded_ns < kSecond / kMostOfKind;
  if (enough || in_second_ >= kMostASecond) {
    unrecorded_++;
    if (!of.kept) kinds_.erase(kind);
    return false;
  }
  of.recorded_ns = now, in_second_++;
  return true;
}

void ExitLog::drop_oldest(uint64_t kind, bool any) {
  auto oldest = std::ranges::find_if(exits_, [&](const Exit& e) { return any || e.kind == kind; });
  if (oldest == exits_.end()) return;
  auto of = kinds_.find(oldest->kind);
  if (--of->second.kept == 0) kinds_.erase(of);
  exits_.erase(oldest);
}

std::vector<ExitLog::Row> ExitLog::newest(Term pid, size_t most) const {
  std::vector<Row> rows;
  std::lock_guard guard(lock_);
  for (auto e = exits_.rbegin(); e != exits_.rend() && rows.size() < most; ++e) {
    if (is_value(pid) && e->pid != pid) continue;
    rows.push_back({*e, kinds_.at(e->kind)});
  }
  return rows;
}

std::vector<ExitLog::Row> ExitLog::repeated(uint64_t least, uint64_t since_ns) const {
  std::vector<Row> rows;
  std::lock_guard guard(lock_);
  for (auto e = exits_.rbegin(); e != exits_.rend(); ++e) {
    const Kind& kind = kinds_.at(e->kind);
    if (kind.count < least || kind.last_ns < since_ns) continue;
    auto newer = std::ranges::find_if(rows, [&](const Row& r) { return r.exit.kind == e->kind; });
    // The newest may not have been seen by its supervisor yet, which knows which child it was.
    if (newer == rows.end())
      rows.push_back({*e, kind});
    else if (newer->exit.child.empty() && !e->child.empty())
      newer->exit = *e;
  }
  return rows;
}

uint64_t ExitLog::unrecorded() const {
  std::lock_guard guard(lock_);
  return unrecorded_;
}

}  // namespace wb
