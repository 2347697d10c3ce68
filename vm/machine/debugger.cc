#include "vm/machine/debugger.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <sstream>

#include "base/recording.h"
#include "gc/fragment.h"
#include "loader/code_table.h"
#include "scheduler/scheduler.h"
#include "term/atom.h"
#include "term/print.h"
#include "vm/core/clock.h"
#include "vm/core/vm.h"
#include "vm/process/backtrace.h"
#include "vm/process/dictionary.h"
#include "vm/process/exec.h"
#include "vm/process/extra.h"
#include "vm/process/info.h"
#include "vm/process/run.h"
#include "vm/process/signal.h"
#include "vm/process/table.h"
#include "vm/trace/pattern.h"
#include "vm/trace/tracing.h"

namespace wb {
namespace {

constexpr uint64_t kNever = ~uint64_t{0};
constexpr PrintOptions kShort = {true, true, 200};

constexpr const char* kHelp =
    R"(  s [N]        N slices on (1)             back [N]     N slices back (1)
  c            to the next breakpoint      goto N       to slice N
  b M:F/A      break where it is called    ps           all processes
  b            the breakpoints             p PID|NAME   one: stack, messages, dictionary
  d M:F/A      without that one            w            where it is
  q            end
)";

void say(const std::string& text) { fmt::print(stderr, "{}", text); }

/// A line of standard input, which is nobody else's here. False: there is no more.
bool read_line(std::string* line) {
  line->clear();
  for (char c;;) {
    const ssize_t n = ::read(STDIN_FILENO, &c, 1);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return !line->empty();
    if (c == '\n') return true;
    *line += c;
  }
}

bool to_number(const std::string& text, uint64_t* n) {
  const char* end = text.data() + text.size();
  return std::from_chars(text.data(), end, *n).ptr == end && !text.empty();
}
/// The first word behind the command, or `usual`. False: it is no number.
bool count_of(const std::vector<std::string>& words, uint64_t usual, uint64_t* n) {
  *n = usual;
  return words.size() < 2 || (words.size() == 2 && to_number(words[1], n));
}

/// M, M:F, M:F/A.
bool parse_pattern(const std::string& text, FunctionPattern* which) {
  const size_t colon = text.find(':'), slash = text.rfind('/');
  *which = {intern(text.substr(0, colon)), am::underscore, -1};
  if (colon == std::string::npos) return !text.empty();
  const bool has_arity = slash != std::string::npos && slash > colon;
  uint64_t arity = 0;
  if (has_arity && (!to_number(text.substr(slash + 1), &arity) || arity > 255)) return false;
  which->function = intern(text.substr(colon + 1, has_arity ? slash - colon - 1 : slash));
  if (has_arity) which->arity = static_cast<int64_t>(arity);
  return colon != 0 && colon + 1 != text.size();
}

/// "shop:price/1 (shop.erl:12)".
std::string place(const CodeTable& code, const Word* pc) {
  const Module* m = pc ? code.module_at(pc) : nullptr;
  const Module::Function* f = m ? m->function_at(pc) : nullptr;
  if (!f) return "-";
  const std::string name =
      fmt::format("{}:{}/{}", atom_source(m->name), atom_source(f->name), f->arity);
  const SourceLocation at = m->location(pc);
  return at.line ? fmt::format("{} ({}:{})", name, at.file, at.line) : name;
}
std::string name_or_pid(const Process& p) {
  const Term name = p.vm().processes->name_of(p.id);
  return is_value(name) ? fmt::format("{} {}", to_text(p.id), atom_source(name)) : to_text(p.id);
}

}  // namespace

Debugger::Debugger(Vm& vm, Recording& recording, DebuggerStart start)
    : vm_(vm),
      recording_(recording),
      start_(std::move(start)),
      stop_at_(start_.goes_on ? kNever : start_.slice) {
  vm_.tracing->stops = this;
  vm_.host->watch(ProcessHost::kDebugger, true);
  recording_.silent_until = start_.slice;
  recording_.cut_handler = this;
  recording_.on_cut = [](void* self) {
    static_cast<Debugger*>(self)->at_end("here the recording ends");
  };
  for (const std::string& text : std::exchange(start_.breaks, {})) set_break(text);
}
Debugger::~Debugger() {
  vm_.host->watch(ProcessHost::kDebugger, false);
  vm_.tracing->stops = nullptr;
  recording_.on_cut = nullptr;
}

// --- stopping ------------------------------------------------------------------------------------
void Debugger::at_slice(Exec& c) {
  if (recording_.slices() >= stop_at_) stop(c, nullptr);
}
void Debugger::at_call(Exec& c, const Breakpoint& b) {
  if (recording_.slices() >= start_.slice) stop(c, &b);
}
void Debugger::stop(Exec& c, const Breakpoint* called) {
  now_ = &c, called_ = called;
  show_where();
  prompt();
  now_ = nullptr, called_ = nullptr;
}
void Debugger::at_end(const char* how) {
  over_ = true;
  say(fmt::format("slice {}: {}\n", recording_.slices(), how));
  prompt();
}

void Debugger::prompt() {
  for (std::string line;;) {
    say("> ");
    if (!read_line(&line)) {
      say("\n");
      _exit(0);
    }
    std::istringstream in(line);
    Words words;
    for (std::string word; in >> word;) words.push_back(word);
    if (!words.empty() && obey(words)) return;
  }
}

bool Debugger::obey(const Words& words) {
  const std::string& what = words[0];
  const bool alone = words.size() == 1;
  uint64_t n;
  if (what == "q" && alone) _exit(0);
  if (what == "s" && count_of(words, 1, &n)) return step(words);
  if (what == "c" && alone) return over_ ? step(words) : (stop_at_ = kNever, true);
  if (what == "back" && count_of(words, 1, &n))
    return go_to(recording_.slices() - std::min(n, recording_.slices()));
  if (what == "goto" && words.size() == 2 && count_of(words, 0, &n)) return go_to(n);
  if (what == "b" && words.size() == 2) return set_break(words[1]), false;
  if (what == "b" && alone) {
    for (const std::string& text : start_.breaks) say("  " + text + "\n");
  } else if (what == "d" && words.size() == 2 && std::erase(start_.breaks, words[1])) {
    go_to(recording_.slices());  // a breakpoint that was never there
  } else if (what == "ps" && alone) {
    show_processes();
  } else if (what == "p" && words.size() == 2) {
    show_process(words[1]);
  } else if (what == "w" && alone && now_) {
    show_where();
  } else {
    say(kHelp);
  }
  return false;
}

bool Debugger::step(const Words& words) {
  uint64_t n;
  count_of(words, 1, &n);
  if (over_) return say("It is over: back N, goto N, or q.\n"), false;
  // Before this slice it has stopped already.
  stop_at_ = recording_.slices() + std::max<uint64_t>(n, 1);
  return true;
}
bool Debugger::go_to(uint64_t slice) {
  if (!over_ && slice > recording_.slices()) return stop_at_ = slice, true;
  DebuggerStart again = start_;
  again.slice = slice, again.goes_on = false;
  start_.restart(again);
  say(fmt::format("It cannot be started again: {}\n", strerror(errno)));
  return false;
}

bool Debugger::set_break(const std::string& text) {
  FunctionPattern which;
  if (!parse_pattern(text, &which)) {
    say(text + ": no function: MODULE:FUNCTION/ARITY, or without the last, or the last two\n");
    return false;
  }
  if (std::ranges::find(start_.breaks, text) != start_.breaks.end()) return true;
  start_.breaks.push_back(text);
  Breakpoints& breakpoints = vm_.tracing->breakpoints;
  {
    auto lock = breakpoints.lock();
    breakpoints.watched.push_back(which);
  }
  PatternChange change;
  change.what = PatternChange::on, change.watch = true;
  change_patterns(vm_, which, change);
  return true;
}

// --- showing -------------------------------------------------------------------------------------
/// Of whoever runs: where it goes on, or the call.
std::string Debugger::place_of_current() const {
  if (!called_) return "at " + place(*vm_.code, now_->p->resume.get());
  std::string arguments;
  for (uint32_t k = 0; k < called_->arity; ++k)
    arguments += (k ? ", " : "") + to_text(now_->x[k], kShort);
  return fmt::format("calls {}:{}({})", atom_source(called_->module),
                     atom_source(called_->function), arguments);
}
void Debugger::show_where() {
  say(fmt::format("slice {}, {:.6f} s: {} {}\n", recording_.slices(),
                  static_cast<double>(vm_.scheduler->now_ns() - recording_.began_ns()) / 1e9,
                  name_or_pid(*now_->p), place_of_current()));
}

void Debugger::show_processes() {
  vm_.processes->each([&](Process& p) {
    const bool runs = now_ && now_->p == &p;
    say(fmt::format("  {:<24} {:>6} words {:>5} messages  {}\n", name_or_pid(p),
                    p.heap.used_words(), uint32_t{p.message_count},
                    runs ? "runs" : place(*vm_.code, p.resume.get())));
  });
}

void Debugger::show_process(const std::string& name) {
  Process* found = nullptr;
  vm_.processes->each([&](Process& p) {
    const Term its = vm_.processes->name_of(p.id);
    if (to_text(p.id) == name || (is_value(its) && atom_text(its) == name)) found = &p;
  });
  if (!found) return say("There is no process " + name + " now.\n");
  Process& p = *found;
  const bool runs = now_ && now_->p == &p;
  say(fmt::format("{}, {} messages", name_or_pid(p), uint32_t{p.message_count}));
  if (!runs) say(fmt::format(", {} words, {} reductions", p.heap.used_words(), p.reductions));
  say("\n");
  say(fmt::format("  {}\n", runs ? place_of_current() : "at " + place(*vm_.code, p.resume.get())));
  show_stack(p);
  for (const Signal* s = p.messages; s; s = s->next) {
    if (!is_fault(s->term)) say("  message " + to_text(s->term, kShort) + "\n");
  }
  if (!p.extra) return;
  for (Term entry : p.extra->dictionary.slots()) {
    if (!is_value(entry)) continue;
    const Term* e = tuple_elements(entry);
    say(fmt::format("  dictionary {} = {}\n", to_text(e[0], kShort), to_text(e[1], kShort)));
  }
}
void Debugger::show_stack(const Process& p) {
  const Term* const base = p.heap.stack_base();
  unsigned y = 0;
  for (const Term* e = p.heap.stack(); e < base; ++e) {
    if (is_code(*e)) {
      const auto* pc = reinterpret_cast<const Word*>(*e);
      say(fmt::format("  {}\n", place(*vm_.code, pc - 1)));
      y = 0;
    } else if (!is_catch(*e)) {
      say(fmt::format("    y({}) {}\n", y++, to_text(*e, kShort)));
    } else {
      ++y;
    }
  }
}

}  // namespace wb
