#include "vm/process/backtrace.h"

#include <fmt/format.h>

#include "gc/fragment.h"
#include "loader/code_table.h"
#include "term/external.h"
#include "term/lists.h"
#include "term/number.h"
#include "term/print.h"
#include "vm/core/vm.h"
#include "vm/process/dictionary.h"
#include "vm/process/exec.h"
#include "vm/process/extra.h"
#include "vm/process/relations.h"
#include "vm/process/signal.h"
#include "vm/process/table.h"
#include "vm/process/trace_flags.h"

namespace wb {
namespace {

std::string shown(Term t) { return to_text(t, kDisplay); }

std::string function_name(Term module, Term function, uint32_t arity) {
  return fmt::format("{}:{}/{}", atom_source(module), atom_source(function), arity);
}

/// What an address is in.
std::string place_in(const CodeTable& code, const Word* pc) {
  if (pc == code.process_end) return "<terminate process normally>";
  const Module* m = pc ? code.module_at(pc) : nullptr;
  const Module::Function* f = m ? m->function_at(pc) : nullptr;
  if (f) {
    return fmt::format("{} + {}", function_name(m->name, f->name, f->arity),
                       (pc - m->code - f->start) * static_cast<ptrdiff_t>(sizeof(Word)));
  }
  if (const Export* e = pc ? code.builtin_at(pc) : nullptr) {
    return fmt::format("{} + 0", function_name(e->module, e->function, e->arity));
  }
  return "unknown function";
}

class StackText {
 public:
  explicit StackText(Process& p) : process_(p), code_(*p.vm().code) {}

  void program_counter(const Word* pc, const std::string& where) {
    text_ += fmt::format("Program counter: {:#018x} ({})\n", shown_address(pc), where);
  }
  void program_counter(const Word* pc) { program_counter(pc, place_in(code_, pc)); }
  /// The function was called by the code before `pc`. `at`: where that stands.
  void return_address(const Term* at, const Word* pc) {
    text_ += fmt::format("\n{:#018x} Return addr {:#018x} ({})\n", shown_address(at),
                         shown_address(pc), place_in(code_, pc));
    y_ = 0;
  }
  /// What it goes on with. Of one that runs, and answers a signal, BEAM does not show it.
  void arguments() {
    text_ += fmt::format("arity = {}\n", process_.live);
    for (unsigned k = 0; k < process_.live; ++k) text_ += "   " + shown(process_.saved_x[k]) + "\n";
  }
  void stack() {
    const Term* base = process_.heap.stack_base();
    for (const Term* e = process_.heap.stack(); e < base; ++e) word(e);
  }
  std::string take_text() { return std::move(text_); }

 private:
  void word(const Term* e) {
    if (is_code(*e)) return return_address(e, reinterpret_cast<const Word*>(*e));
    text_ += fmt::format("{:<8} ", fmt::format("y({})", y_++));
    if (is_catch(*e)) {
      const Word* handler = catch_handler(*e);
      text_ +=
          fmt::format("Catch {:#018x} ({})\n", shown_address(handler), place_in(code_, handler));
    } else {
      text_ += shown(*e) + "\n";
    }
  }

  uint64_t shown_address(const void* address) { return process_.vm().shown_address(address); }

  Process& process_;
  const CodeTable& code_;
  std::string text_;
  unsigned y_ = 0;
};

/// Links, then monitors it has set, then those that others have set on it.
std::string link_list(Process& p) {
  if (!p.links) return {};
  FragmentHeap h(64);
  ListBuilder list(h);
  for (auto& [to, unlinking] : p.links->links) {
    if (!unlinking) list.add(term_of(to, h));
  }
  for (auto& [number, m] : p.links->monitors) {
    Term to = monitored(m, h);
    list.add(tuple(h, intern("to"), to, monitor_ref(p, h, number, m.alias)));
  }
  for (auto& [number, w] : p.links->watchers) {
    const Term who = watcher_term(h, w);
    if (is_value(who)) list.add(tuple(h, intern("from"), who, make_ref(h, number)));
  }
  Term all = list.finish();
  if (is_nil(all)) return {};
  std::string text = "Link list: [";
  for (Term l = all; is_cons(l); l = tail(l)) {
    text += shown(head(l)) + (is_cons(tail(l)) ? ", " : "]\n");
  }
  return text;
}

std::string queue_length(const Process& p) {
  return fmt::format("Message queue length: {}\n", p.message_count.get());
}
std::string fragments_and_links(Process& p) {
  return fmt::format("Number of heap fragments: {}\nHeap fragment data: {}\n",
                     p.heap.fragment_words() ? 1 : 0, p.heap.fragment_words()) +
         link_list(p);
}
std::string messages_and_links(Process& p, bool sensitive) {
  std::string text = queue_length(p);
  if (!sensitive && p.messages) {
    text += "Message queue: [";
    for (const Signal* s = p.messages; s; s = s->next)
      text += shown(s->term) + (s->next ? "," : "");
    text += "]\n";
  }
  text += fragments_and_links(p);
  FragmentHeap h(64);
  Term dictionary = sensitive ? kNil : dictionary_list(p, h);
  if (!is_nil(dictionary)) text += "Dictionary: " + shown(dictionary) + "\n";
  return text;
}

std::string sizes(Process& p) {
  const ProcessHeap& h = p.heap;
  const uint64_t now = p.exec ? static_cast<uint64_t>(p.exec->slice - p.exec->fc) : 0;
  const size_t used = h.used_words() + h.stack_words();
  const size_t young = h.young_words();
  std::string text = fmt::format("Reductions: {}\n", p.reductions + now);
  text += fmt::format("Stack+heap: {}\nOldHeap: {}\nHeap unused: {}\nOldHeap unused: {}\n", young,
                      h.old_words(), young > used ? young - used : 0,
                      h.old_words() - h.old_used_words());
  auto left = [](size_t limit, size_t now) { return limit > now ? limit - now : 0; };
  text +=
      fmt::format("BinVHeap: {}\nOldBinVHeap: {}\nBinVHeap unused: {}\nOldBinVHeap unused: {}\n",
                  h.vheap_words(), h.old_vheap_words(), left(h.vheap_limit(), h.vheap_words()),
                  left(h.old_vheap_limit(), h.old_vheap_words()));
  return text + fmt::format("Memory: {}\n", process_bytes(p));
}

/// Levels of priority by the names of BEAM's flags.
std::string internal_state(const Process& p, std::string_view state) {
  static constexpr const char* names[] = {"LOW", "NORMAL", "HIGH", "MAX"};
  const char* level = names[p.priority.get() & 3];
  std::string text =
      fmt::format("Internal State: ACT_PRIO_{0} | USR_PRIO_{0} | PRQ_PRIO_{0}", level);
  if (p.off_heap_messages) text += " | OFF_HEAP_MSGQ";
  if (state == "Scheduled") text += fmt::format(" | IN_PRQ_{} | ACTIVE | IN_RUNQ", level);
  if (state == "Suspended") text += " | SUSPENDED";
  if (state == "Running") text += " | ACTIVE | RUNNING";
  return text + "\n";
}

}  // namespace

bool is_sensitive(const Process& p) {
  return p.trace_flags.load(std::memory_order_relaxed) & traced::sensitive;
}

size_t process_bytes(const Process& p) {
  size_t bytes = Process::kBlockBytes + p.heap.outer_words() * sizeof(Term) + message_bytes(p);
  bytes += p.saved_capacity * sizeof(Term);
  if (p.extra) bytes += sizeof(ProcessExtra) + p.extra->dictionary.bytes();
  if (receive_of(p)) bytes += sizeof(ReceiveParts);
  if (rare_of(p)) bytes += sizeof(RareParts);
  if (p.links) bytes += sizeof(Relations) + p.links->bytes();
  return bytes;
}

ExecutionPoint in_called(const Process& p) {
  const CodeTable& code = *p.vm().code;
  for (const Term* e = p.heap.stack(); e < p.heap.stack_base(); ++e) {
    auto* pc = reinterpret_cast<const Word*>(*e);
    if (is_code(*e) && code.module_at(pc)) return {pc - 1, nullptr, "Running"};
  }
  return {nullptr, nullptr, "Running"};
}
ExecutionPoint in_bif(const Process& p, const Export* bif) {
  const Word* pc = p.exec->pc;
  return {p.vm().code->module_at(pc) ? pc : nullptr, bif, "Running"};
}
std::string backtrace_text(Process& p, const ExecutionPoint& at) {
  if (is_sensitive(p)) return {};
  StackText text(p);
  if (at.bif) {
    const Export& bif = *at.bif;
    text.program_counter(bif.stub_entry(),
                         function_name(bif.module, bif.function, bif.arity) + " + 32");
    if (at.pc) text.return_address(p.heap.stack() - 1, at.pc);
  } else {
    text.program_counter(at.pc ? at.pc : p.resume.get(), place_in(*p.vm().code, at.pc));
  }
  if (!p.exec) text.arguments();
  text.stack();
  return text.take_text();
}

/// "Spawned as: lists:map/2", or nothing without a function.
static std::string line_of(const char* label, const Export* e) {
  return e ? label + function_name(e->module, e->function, e->arity) + "\n" : "";
}

static std::string heading(const Process& p, const char* state, const std::string& call) {
  std::string text = fmt::format("=proc:{}\nState: {}\n", shown(p.id), state);
  Term name = p.named.load() ? p.vm().processes->name_of(p.id) : kNone;
  if (is_value(name)) text += fmt::format("Name: {}\n", atom_source(name));
  text += line_of("Spawned as: ", p.initial_call) + call;
  return text + "Spawned by: " + (is_local_pid(p.parent) ? shown(p.parent) : "[]") + "\n";
}

std::string process_heading(const Process& p, const char* state) { return heading(p, state, ""); }

std::string place_of(const CodeTable& code, const Word* pc) { return place_in(code, pc); }

static std::string heading(const Process& p, const ExecutionPoint& at) {
  if (p.hibernating) return heading(p, at.state, "Current call: erlang:hibernate/3\n");
  return heading(p, at.state, line_of("Last scheduled in for: ", at.bif));
}

std::string process_summary(Process& p, const ExecutionPoint& at) {
  std::string text = heading(p, at) + queue_length(p);
  text += fragments_and_links(p) + sizes(p);
  if (!is_sensitive(p)) {
    StackText where(p);
    where.program_counter(at.pc ? at.pc : p.resume.get(), place_in(*p.vm().code, at.pc));
    text += where.take_text() + fmt::format("arity = {}\n", p.live);
  }
  return text + internal_state(p, at.state);
}

std::string process_dump(Process& p, const ExecutionPoint& at) {
  const bool sensitive = is_sensitive(p);
  std::string text = heading(p, at);
  text += messages_and_links(p, sensitive) + sizes(p);
  text += "Stack dump:\n" + backtrace_text(p, at);
  return text + internal_state(p, at.state);
}

}  // namespace wb
