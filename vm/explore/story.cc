#include "vm/explore/story.h"

#include <algorithm>

#include <fmt/format.h>

#include "loader/code_table.h"
#include "scheduler/oracle.h"
#include "term/address.h"
#include "term/atom.h"
#include "term/lists.h"
#include "term/print.h"
#include "vm/core/vm.h"
#include "vm/explore/explorer.h"
#include "vm/observe/exit_log.h"
#include "vm/observe/stack_frames.h"
#include "vm/observe/stuck.h"
#include "vm/observe/table_scan.h"
#include "vm/port/socket_operations.h"
#include "vm/process/table.h"

namespace wb {
namespace {

constexpr PrintOptions kBrief = {.strings = true, .limit = 100};
constexpr PrintOptions kWhole = {.strings = true, .limit = 4000};  // tells messages apart
constexpr uint64_t kMostMs = uint64_t{1} << 40;
constexpr size_t kMostEvents = 50'000;  // of the beginning, and of the end

/// Functions of `erlang` that concern another process, and which argument says whom.
struct Concern {
  std::string_view function;
  uint32_t arity, whom;
};
constexpr Concern kConcerns[] = {
    {"send", 2, 0},         {"send", 3, 0},         {"send_after", 3, 1},
    {"send_after", 4, 1},   {"start_timer", 3, 1},  {"start_timer", 4, 1},
    {"exit", 2, 0},         {"exit_signal", 2, 0},  {"link", 1, 0},
    {"unlink", 1, 0},       {"monitor", 2, 1},      {"monitor", 3, 1},
    {"process_info", 1, 0}, {"process_info", 2, 0}, {"is_process_alive", 1, 0},
};

std::string mailbox_key(Term receiver, const std::string& message) {
  return fmt::format("{} {}", receiver, message);
}
std::string shown(Term t) { return is_value(t) ? to_text(t, kBrief) : "an error"; }

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

// --- who -----------------------------------------------------------------------------------------
uint32_t Story::lifeline_of(Term pid) {
  auto known = lifeline_by_pid_.find(pid);
  if (known != lifeline_by_pid_.end()) return known->second;
  const std::string path = explorer_.path_of(pid);
  if (path.empty()) return StoryEvent::kNobody;  // of the machine, or not yet known
  const auto number = static_cast<uint32_t>(lifelines_.size());
  lifelines_.push_back({path, to_text(pid), ""});
  pids_.push_back(pid);
  lifeline_by_pid_[pid] = number;
  return number;
}

/// The process that a message to this goes to; kNone: none that is known.
Term Story::receiver_of(Term to) const {
  if (is_atom(to)) to = vm_.processes->registered(to);
  if (is_local_pid(to)) return to;
  if (is_value(to) && is_kind(to, Kind::pid_ref)) return boxed_ptr(to)[3];
  return kNone;
}

/// Those that have ended since the last event, otherwise than by returning.
void Story::note_the_dead() {
  for (uint32_t k = 0; k < pids_.size(); ++k) {
    const Term pid = pids_[k];
    if (pid == kNone || vm_.processes->find(pid)) continue;
    pids_[k] = kNone;
    if (ended_.contains(pid)) continue;
    StoryEvent e;
    e.number = ++count_, e.kind = StoryKind::dies, e.process = k;
    e.at_ns = events_.empty() ? 0 : events_.back().at_ns;
    const std::vector<ExitLog::Row> rows = vm_.exit_log->newest(pid, 1);
    if (!rows.empty()) e.text = rows[0].exit.reason, e.name = rows[0].exit.name;
    if (!rows.empty() && !rows[0].exit.stack.empty()) {
      const ExitLog::Frame& frame = rows[0].exit.stack[0];
      e.place = frame.line ? fmt::format("{}:{}", frame.file, frame.line) : frame.function;
    }
    ended_[pid] = e.number;
    events_.push_back(std::move(e));
  }
}

// --- what ----------------------------------------------------------------------------------------
StoryEvent& Story::add(StoryKind kind, Process* p, std::string place) {
  note_the_dead();
  if (events_.size() == 3 * kMostEvents) {
    const auto begin = events_.begin() + kMostEvents, end = begin + kMostEvents;
    left_out_ += static_cast<uint64_t>(
        std::count_if(begin, end, [](const StoryEvent& e) { return is_told(e.kind); }));
    events_.erase(begin, end);
  }
  const uint64_t now = vm_.oracle->now_ns();
  if (!count_) began_ns_ = now;
  StoryEvent& e = events_.emplace_back();
  e.number = ++count_, e.kind = kind, e.place = std::move(place);
  e.at_ns = now - std::min(now, began_ns_);
  if (!p) return e;
  e.process = lifeline_of(p->id);
  const Term name = vm_.processes->name_of(p->id);
  if (is_value(name) && e.process < lifelines_.size())
    lifelines_[e.process].name = e.name = atom_source(name);
  return e;
}

void Story::is_on_its_way(Term to, const std::string& message, const StoryEvent& e,
                          uint64_t after_ns) {
  if (to != kNone) on_its_way_[mailbox_key(to, message)].push_back({e.number, e.at_ns + after_ns});
}
void Story::is_cancelled(const std::string& timer) {
  auto found = timers_.find(timer);
  if (found == timers_.end()) return;
  const auto& [key, event] = found->second;
  std::erase_if(on_its_way_[key], [&](const Sent& s) { return s.event == event; });
  timers_.erase(found);
}

uint32_t Story::sender_of(Term receiver, Term message) {
  auto sent = on_its_way_.find(mailbox_key(receiver, to_text(message, kWhole)));
  if (sent != on_its_way_.end() && !sent->second.empty()) {
    const auto first = std::ranges::min_element(sent->second, {}, &Sent::arrives_ns);
    const uint32_t event = first->event;
    sent->second.erase(first);
    return event;
  }
  // Told by who has ended.
  if (!is_tuple(message) || !tuple_arity(message)) return 0;
  const Term* elements = tuple_elements(message);
  if (elements[0] != am::DOWN && elements[0] != am::EXIT) return 0;
  for (size_t k = 1; k < tuple_arity(message); ++k) {
    auto end = ended_.find(elements[k]);
    if (end != ended_.end()) return end->second;
  }
  return 0;
}

void Story::sends(Process& p, const Word* I, Term to, Term message) {
  StoryEvent& e = add(StoryKind::sends, &p, program_place(p, I));
  e.target = shown(to), e.message = shown(message);
  const Term receiver = receiver_of(to);
  e.to = lifeline_of(receiver);
  is_on_its_way(receiver, to_text(message, kWhole), e, 0);
}
void Story::takes(Process& p, const Word* I, Term message) {
  StoryEvent& e = add(StoryKind::receives, &p, program_place(p, I));
  e.message = shown(message), e.from = sender_of(p.id, message);
}
void Story::times_out(Process& p, const Word* I) {
  add(StoryKind::times_out, &p, program_place(p, I));
}
void Story::ends(Process& p, const Word* I) { ended_[p.id] = add(StoryKind::ends, &p, "").number; }
void Story::clock_moves(uint64_t ns) { add(StoryKind::clock, nullptr, "").moved_ns = ns; }

void Story::goes_wrong(const OutsidePlace& place, Fault fault) {
  add(StoryKind::fault, nullptr, "").text =
      fmt::format("at {}: {} ({})", place_text(place), fault_text(fault), fault_name(fault));
}
void Story::switches(const Switch& to) {
  add(StoryKind::switches, nullptr, "").text = switch_text(to);
}

/// Whom it concerns, and which message comes of it.
void Story::look_at_arguments(Process& p, const Export& e, const Term* a, Call* call) const {
  const std::string_view name = atom_text(e.function);
  if (e.module != am::erlang) return;
  if (name.starts_with("spawn")) call->kind = StoryKind::spawns;
  if (name == "cancel_timer") call->cancels = to_text(a[0]);
  for (const Concern& c : kConcerns) {
    if (c.function != name || c.arity != e.arity) continue;
    call->to = receiver_of(a[c.whom]), call->target = shown(a[c.whom]);
    if (c.whom == 1 && is_small(a[0]) && small_value(a[0]) > 0)  // of a timer: milliseconds
      call->after_ns = std::min(static_cast<uint64_t>(small_value(a[0])), kMostMs) * 1'000'000;
    if (name == "send") {
      call->kind = StoryKind::sends;
      call->message = shown(a[1]), call->arrives = to_text(a[1], kWhole);
    } else if (name == "send_after") {
      call->is_timer = true;
      call->message = shown(a[2]), call->arrives = to_text(a[2], kWhole);
    } else if (name == "start_timer") {
      call->message = shown(a[2]), call->arrives = "," + to_text(a[2], kWhole) + "}";
      call->is_timer = call->names_itself = true;
    } else if (name.starts_with("exit")) {
      call->arrives = fmt::format("{{'EXIT',{},{}}}", to_text(p.id), to_text(a[1], kWhole));
    }
  }
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
  look_at_arguments(p, e, arguments, &call);
  return call;
}
void Story::ends_call(Process& p, Call call, Term result) {
  StoryEvent& e = add(call.kind, &p, std::move(call.place));
  e.text = std::move(call.text), e.target = std::move(call.target);
  e.message = std::move(call.message);
  if (is_value(result)) e.result = shown(result);
  e.to = lifeline_of(call.to);
  if (call.names_itself && is_value(result))
    call.arrives = "{timeout," + to_text(result) + call.arrives;
  if (!call.arrives.empty()) is_on_its_way(call.to, call.arrives, e, call.after_ns);
  if (call.is_timer && is_value(result))
    timers_[to_text(result)] = {mailbox_key(call.to, call.arrives), e.number};
  if (!call.cancels.empty() && result != am::false_) is_cancelled(call.cancels);
  if (e.kind != StoryKind::spawns || !is_value(result)) return;
  Term child = result;
  if (is_tuple(child) && tuple_arity(child) == 2) child = tuple_elements(child)[0];
  if (is_local_pid(child)) spawned_.emplace_back(e.number, child);
}

Telling Story::told() {
  note_the_dead();
  // Who is spawned has a path when it runs for the first time.
  auto event = events_.begin();
  for (const auto& [number, child] : spawned_) {
    event = std::ranges::lower_bound(event, events_.end(), number, {}, &StoryEvent::number);
    if (event != events_.end() && event->number == number) event->to = lifeline_of(child);
  }
  return {lifelines_, events_, left_out_};
}

}  // namespace wb
