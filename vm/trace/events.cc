#include "vm/trace/events.h"

#include <optional>

#include "term/identifiers.h"
#include "vm/bif/bif.h"
#include "vm/process/info.h"
#include "vm/process/signal.h"
#include "vm/trace/actions.h"
#include "vm/trace/message.h"
#include "vm/vm.h"

namespace wb {

// --- messages
// -------------------------------------------------------------------------------------------
/// What trace_pattern/3 says of a message; `about` are the elements that it may look at. Nothing:
/// it is not traced. Else the value of `message`, or kNone.
static std::optional<Term> verdict(Process& p, Tracing::Message kind, Term tracer, Heap& h,
                                   std::initializer_list<Term> about) {
  auto filter = p.vm().tracing->filter(kind);
  if (!filter) return kNone;
  if (filter->nothing) return {};
  ListBuilder list(h);
  for (Term t : about) list.add(t);
  Matcher matcher(*filter->spec->program, trace_context(p, tracer));
  if (matcher.run(list.finish(), h, false) == kNone) return {};
  Term message = matcher.context().message;
  if (message == am::false_ || p.trace_flags.load(std::memory_order_relaxed) & traced::silent) {
    return {};
  }
  return message == am::true_ ? kNone : message;
}

void trace_send(Process& p, Term to, Term message, bool exists) {
  Term tracer = listener(p, traced::send);
  if (is_fault(tracer)) return;
  ScratchHeap h;
  auto extra = verdict(p, Tracing::send, tracer, h, {to, message});
  if (!extra) return;
  tell(p, tracer, p.trace_flags, exists ? am::send : am::send_to_non_existing_process,
       {message, to}, *extra);
}
static void trace_arrival(Process& p, Term node, Term from, Term message) {
  Term tracer = listener(p, traced::receive);
  if (is_fault(tracer)) return;
  ScratchHeap h;
  auto extra = verdict(p, Tracing::receive, tracer, h, {node, from, message});
  if (extra) tell(p, tracer, p.trace_flags, am::receive, {message}, *extra);
}
void trace_receive(Process& p, const Signal& s) {
  trace_arrival(p, local_node().name, is_value(s.from) ? s.from : am::undefined, s.term);
}
void trace_timeout(Process& p) { trace_arrival(p, am::clock_service, am::undefined, am::timeout); }

// --- processes
// ------------------------------------------------------------------------------------------
void trace_procs(Process& p, Term tag, Term what) {
  Term tracer = listener(p, traced::procs);
  if (is_value(tracer)) tell(p, tracer, p.trace_flags, tag, {what});
}
void trace_spawn(Process& parent, Term child, Term module, Term function, Term args, bool linked) {
  Term tracer = listener(parent, traced::procs);
  if (is_fault(tracer)) return;
  FragmentHeap h(4);
  tell(parent, tracer, parent.trace_flags, am::spawn, {child, tuple(h, module, function, args)});
  if (linked) trace_procs(parent, am::link, child);
}
void trace_spawned(Process& child, Term parent, Term module, Term function, Term args,
                   bool linked) {
  Term tracer = listener(child, traced::procs);
  if (is_fault(tracer)) return;
  FragmentHeap h(4);
  tell(child, tracer, child.trace_flags, am::spawned, {parent, tuple(h, module, function, args)});
  if (linked) trace_procs(child, am::getting_linked, parent);
}

// --- running
// --------------------------------------------------------------------------------------------
static Term info(Process& p, Heap& h, Term item) {
  return tuple_elements(process_info_items(p, h, item, false))[1];
}
/// Where a process goes on: {M,F,A}, or 0.
static Term place(Process& p, Heap& h) {
  Term where = info(p, h, am::current_function);
  return is_tuple(where) ? where : make_small(0);
}
void trace_in(Process& p) {
  Term tracer = listener(p, traced::running | traced::running_procs);
  if (is_fault(tracer)) return;
  FragmentHeap h(4);
  tell(p, tracer, p.trace_flags, am::in, {place(p, h)});
}
void trace_out(Process& p, bool ended) {
  constexpr uint32_t any = traced::running | traced::running_procs;
  Term tracer = listener(p, ended ? traced::exiting : any);
  if (is_fault(tracer)) return;
  FragmentHeap h(4);
  if (ended) return tell(p, tracer, p.trace_flags, am::out_exited, {make_small(0)});
  tell(p, tracer, p.trace_flags, am::out, {place(p, h)});
}

// --- collections
// ----------------------------------------------------------------------------------------
void trace_collection(Process& p, Term tag, size_t words) {
  Term tracer = listener(p, traced::garbage_collection);
  if (is_fault(tracer)) return;
  FragmentHeap h(64);
  Term size = tuple(h, am::wordsize, make_small(static_cast<int64_t>(words)));
  tell(p, tracer, p.trace_flags, tag, {cons(h, size, info(p, h, am::garbage_collection_info))});
}

}  // namespace wb
