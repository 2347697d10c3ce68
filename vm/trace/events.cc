#include "vm/trace/events.h"

#include <cstdio>
#include <optional>

#include "scheduler/scheduler.h"
#include "term/identifiers.h"
#include "term/lists.h"
#include "term/print.h"
#include "vm/core/vm.h"
#include "vm/process/info.h"
#include "vm/process/signal.h"
#include "vm/process/slices.h"
#include "vm/trace/match_actions.h"
#include "vm/trace/message.h"

namespace wb {

// --- messages ------------------------------------------------------------------------------------
/// What trace_pattern/3 says of a message; `about` are the elements that it may look at. Nothing:
/// it is not traced. Else the value of `message`, or kNone.
static std::optional<Term> verdict(Process& p, Tracing::Message kind, const Listener& l, Heap& h,
                                   std::initializer_list<Term> about) {
  auto filter = p.vm().tracing->filter(kind, l.session);
  if (!filter) return kNone;
  if (filter->nothing) return {};
  ListBuilder list(h);
  for (Term t : about) list.add(t);
  Matcher matcher(*filter->spec->program, trace_context(p, l));
  if (matcher.run(list.finish(), h, false) == kNone) return {};
  Term message = matcher.context().message;
  if (message == am::false_ || flags_now(p, l) & traced::silent) return {};
  return message == am::true_ ? kNone : message;
}

/// Is the observer to be notified?
static bool is_watched(const Process& p, uint32_t flag) {
  return p.trace_flags.load(std::memory_order_relaxed) & flag && p.vm().tracing->watch.admits();
}
constexpr PrintOptions kLine = {true, true, 2000};

void trace_send(Process& p, Term to, Term message, bool exists) {
  if (is_watched(p, traced::watch_send)) {
    const char* what = exists ? "send" : "to nobody";
    p.vm().tracing->watch.add(p, what, to_text(to, kLine), to_text(message, kLine));
  }
  for (const Listener& l : listeners(p, traced::send)) {
    ScratchHeap h;
    auto extra = verdict(p, Tracing::send, l, h, {to, message});
    if (!extra) continue;
    send_trace_message(p, l.tracer, l.flags, exists ? am::send : am::send_to_non_existing_process,
                       {message, to}, *extra);
  }
}
static void trace_arrival(Process& p, Term node, Term from, Term message) {
  for (const Listener& l : listeners(p, traced::receive)) {
    ScratchHeap h;
    auto extra = verdict(p, Tracing::receive, l, h, {node, from, message});
    if (extra) send_trace_message(p, l.tracer, l.flags, am::receive, {message}, *extra);
  }
}
static void watch_arrival(Process& p, Term from, Term message) {
  if (!is_watched(p, traced::watch_receive)) return;
  std::string peer = is_value(from) ? to_text(from, kLine) : std::string();
  p.vm().tracing->watch.add(p, "receive", std::move(peer), to_text(message, kLine));
}
void trace_receive(Process& p, const Signal& s) {
  if (s.from.is_name()) {  // of another node, whose name is all that is known
    watch_arrival(p, s.from.local_term(), s.term);
    return trace_arrival(p, s.from.local_term(), am::undefined, s.term);
  }
  FragmentHeap h(0);
  const Term from = term_of(s.from, h);
  const Term node = s.from.is_remote() ? node_of(s.from).name : local_node().name;
  watch_arrival(p, from, s.term);
  trace_arrival(p, node, is_value(from) ? from : am::undefined, s.term);
}
void trace_timeout(Process& p) {
  if (is_watched(p, traced::watch_receive)) p.vm().tracing->watch.add(p, "timeout", "", "");
  trace_arrival(p, am::clock_service, am::undefined, am::timeout);
}

// --- processes -----------------------------------------------------------------------------------
/// The same for all who want one of `flags`.
static void tell(Process& p, uint32_t flags, Term tag, std::initializer_list<Term> data) {
  for (const Listener& l : listeners(p, flags)) send_trace_message(p, l.tracer, l.flags, tag, data);
}
void trace_procs(Process& p, Term tag, Term what) {
  TraceWatch& watch = p.vm().tracing->watch;
  if (tag == am::exit && watch.wants_exits() && is_watched(p, traced::watched)) {
    watch.add(p, "exit", "", to_text(what, kLine));
  }
  tell(p, traced::procs, tag, {what});
}
static void trace_spawn(Process& parent, Term child, Term module, Term function, Term args,
                        bool linked) {
  if (!is_traced(parent, traced::procs)) return;
  FragmentHeap h(4);
  tell(parent, traced::procs, am::spawn, {child, tuple(h, module, function, args)});
  if (linked) trace_procs(parent, am::link, child);
}
static void trace_spawned(Process& child, Term parent, Term module, Term function, Term args,
                          bool linked) {
  if (!is_traced(child, traced::procs)) return;
  FragmentHeap h(4);
  tell(child, traced::procs, am::spawned, {parent, tuple(h, module, function, args)});
  if (linked) trace_procs(child, am::getting_linked, parent);
}

void trace_new_process(Process* parent, Process& child, Term module, Term function, Term args,
                       bool linked) {
  child.vm().tracing->inherit(parent, child, linked);
  if (parent) trace_spawn(*parent, child.id, module, function, args, linked);
  Term from = parent ? parent->id : am::undefined;
  trace_spawned(child, from, module, function, args, linked);
}

// --- running -------------------------------------------------------------------------------------
static Term info(Process& p, Heap& h, Term item) {
  return tuple_elements(process_info_items(p, h, item, false))[1];
}
Term trace_location(Process& p, Heap& h) {
  Term where = info(p, h, am::current_function);
  return is_tuple(where) ? where : make_small(0);
}
static void trace_running(Process& p, Term tag) {
  if (!is_traced(p, kWhereItRuns)) return;
  FragmentHeap h(4);
  tell(p, kWhereItRuns, tag, {trace_location(p, h)});
}
void trace_turn(Process& p, Term tag, const FunctionName& where) {
  if (!is_traced(p, kWhereItRuns)) return;
  FragmentHeap h(4);
  tell(p, kWhereItRuns, tag, {tuple(h, where.module, where.function, make_small(where.arity))});
}
void trace_in(Process& p) { trace_running(p, am::in); }
void trace_out(Process& p) { trace_running(p, am::out); }
void trace_exiting(Process& p, Term tag) { tell(p, traced::exiting, tag, {make_small(0)}); }

// --- collections ---------------------------------------------------------------------------------
void trace_collection(Process& p, Term tag, size_t words) {
  if (!is_traced(p, traced::garbage_collection)) return;
  FragmentHeap h(64);
  Term size = tuple(h, am::wordsize, make_small(static_cast<int64_t>(words)));
  tell(p, traced::garbage_collection, tag,
       {cons(h, size, info(p, h, am::garbage_collection_info))});
}

void watch_collection(Process& p, bool major, uint64_t ticks, size_t words) {
  if (!is_watched(p, traced::watch_collection)) return;
  EventClock clock = p.vm().scheduler->event_clock();
  uint64_t ns = clock.to_ns(clock.ticks0 + ticks) - clock.to_ns(clock.ticks0);
  char text[80];
  snprintf(text, sizeof text, "%.1f us, %zu words left", static_cast<double>(ns) / 1e3, words);
  p.vm().tracing->watch.add(p, major ? "major GC" : "minor GC", "", text);
}

}  // namespace wb
