#include "vm/process/event_log.h"

#include <fmt/format.h>

#include "loader/code.h"
#include "loader/code_table.h"
#include "scheduler/oracle.h"
#include "scheduler/scheduler.h"
#include "term/atom.h"
#include "term/hash.h"
#include "term/print.h"
#include "vm/core/vm.h"
#include "vm/process/exec.h"
#include "vm/process/signal.h"

namespace wb {

std::unique_ptr<EventLog> EventLog::open(Vm& vm, const std::string& path) {
  FILE* file = fopen(path.c_str(), "we");
  if (!file) return nullptr;
  return std::unique_ptr<EventLog>(new EventLog(vm, file));
}
EventLog::~EventLog() { fclose(file_); }

void EventLog::line(const char* what, const std::string& text) {
  fmt::print(file_, "{} {} {}\n", vm_.oracle->now_ns(), what, text);
}

/// M:F/A and how far into it, in words.
std::string EventLog::place(const Word* pc) const {
  const Module* m = vm_.code->module_at(pc);
  const Module::Function* f = m ? m->function_at(pc) : nullptr;
  if (!f) return "-";
  return fmt::format("{}:{}/{}+{}", atom_text(m->name), atom_text(f->name), f->arity,
                     pc - (m->code + f->entry));
}

/// Of a process that goes on later.
std::string EventLog::slice_end(const Worker& w) const {
  const Process& p = *static_cast<const Exec*>(w.context)->p;
  return fmt::format("at {} heap {} messages {}", place(p.resume), p.heap.used_words(),
                     uint32_t{p.message_count});
}

static std::string pid_text(uint64_t label) { return to_text(pid_of_label(label)); }

void EventLog::event(Worker& w, EventKind kind, uint64_t argument) {
  switch (kind) {
    case EventKind::parked:
    case EventKind::requeued:
      return line(event_name(kind), fmt::format("{} reductions {} {}", pid_text(argument),
                                                w.reductions_used, slice_end(w)));
    case EventKind::gone:
      return line("gone", fmt::format("{} reductions {}", pid_text(argument), w.reductions_used));
    case EventKind::spawn:
    case EventKind::collect_begin:
    case EventKind::native_begin:
    case EventKind::native_end:
      return line(event_name(kind), pid_text(argument));
    case EventKind::timers:
    case EventKind::collect_end:
      return line(event_name(kind), fmt::format("{}", argument));
    case EventKind::load:
      return line("load", std::string(atom_text(make_atom(static_cast<uint32_t>(argument)))));
    case EventKind::stolen:
    case EventKind::woke:
    case EventKind::asleep:
    case EventKind::awake:
    case EventKind::io:
    case EventKind::compile:
      return;  // of the thread, or of the outside
  }
}

void EventLog::slice_begins(const Exec& c) {
  line("runs", fmt::format("{} for {} at {}", to_text(c.p->id), c.slice, place(c.p->resume)));
}

static const char* signal_name(SignalKind kind) {
  switch (kind) {
#define NAME(kind)       \
  case SignalKind::kind: \
    return #kind;
    NAME(message)
    NAME(alias_message)
    NAME(priority_message)
    NAME(alias_exit)
    NAME(priority_exit)
    NAME(exit)
    NAME(link_exit)
    NAME(link)
    NAME(unlink)
    NAME(unlink_ack)
    NAME(monitor)
    NAME(demonitor)
    NAME(down)
    NAME(timeout)
    NAME(group_leader)
    NAME(request)
    NAME(reply)
    NAME(suspend)
    NAME(resume)
    NAME(visit)
    NAME(work_done)
#undef NAME
  }
}

void EventLog::signals(const Process& p, const Signal* first) {
  for (const Signal* s = first; s; s = s->next) {
    FragmentHeap h(0);
    // `ref` of some is an address.
    const bool is_number = s->kind != SignalKind::visit && s->request != Request::token;
    line("signal", fmt::format("{} {} from {} {} {} {:x}", to_text(p.id), signal_name(s->kind),
                               s->from ? to_text(term_of(s->from, h)) : "-", is_number ? s->ref : 0,
                               to_text(s->term, {.limit = 60}), phash2(s->term)));
  }
}

// By its header: who tells may have locks that the code table has, too.
void EventLog::code(const char* what, const Word* entry) {
  line(what, fmt::format("{}:{}/{}", atom_text(entry_module(entry)),
                         atom_text(entry_function(entry)), entry_arity(entry)));
}
void EventLog::fault(const char* name, const std::string& place) {
  line("fault", fmt::format("{} {}", name, place));
}

}  // namespace wb
