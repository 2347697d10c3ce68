#include "vm/observe/crash_dump.h"

#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "gc/fragment.h"
#include "loader/code_table.h"
#include "scheduler/scheduler.h"
#include "term/atom.h"
#include "term/external.h"
#include "term/print.h"
#include "vm/bif/machine_info.h"
#include "vm/bif/machine_report.h"
#include "vm/core/vm.h"
#include "vm/dist/node_report.h"
#include "vm/ets/persistent_terms.h"
#include "vm/ets/table_report.h"
#include "vm/ets/tables.h"
#include "vm/io/environment.h"
#include "vm/observe/dump_file.h"
#include "vm/observe/dump_terms.h"
#include "vm/port/port_report.h"
#include "vm/process/backtrace.h"
#include "vm/process/dictionary.h"
#include "vm/process/info.h"
#include "vm/process/signal.h"
#include "vm/process/table.h"
#include "vm/process/timers.h"

namespace wb {
namespace {

class CrashDump {
 public:
  CrashDump(Vm& vm, DumpFile& out, Term by) : vm_(vm), out_(out), by_(by), terms_(out) {}

  void write(const std::string& slogan) {
    heading(slogan);
    schedulers();
    out_.print(memory_report(vm_));
    vm_.processes->each([&](Process& p) { process(p); });
    out_.print(port_report(vm_));
    tables();
    timers();
    out_.print(node_report(vm_));
    modules();
    funs();
    vm_.processes->each([&](Process& p) { contents(p); });
    persistent_terms();
    out_.print("=literals\n");
    terms_.write_literals();
    terms_.write_binaries();
    atoms();
    out_.print("=end\n");
  }

 private:
  void heading(const std::string& slogan);
  void schedulers();
  void process(Process& p);
  void contents(Process& p);
  void messages(const Process& p);
  void stack(const Process& p);
  void tables();
  void timers();
  void modules();
  void described(const char* which, const Module& m);
  void funs();
  void persistent_terms();
  void atoms();

  ExecutionPoint at(const Process& p) const {
    ExecutionPoint point = stopped(p);
    if (p.id == by_) point.state = "Running";
    return point;
  }

  Vm& vm_;
  DumpFile& out_;
  const Term by_;
  DumpTerms terms_;
};

void CrashDump::heading(const std::string& slogan) {
  time_t now = time(nullptr);
  char date[32] = "";
  ctime_r(&now, date);
  out_.print(fmt::format("=erl_crash_dump:0.5\n{}Slogan: {}\nSystem version: {}", date, slogan,
                         system_version(vm_)));
  out_.print(fmt::format("Taints: \nAtoms: {}\n", atom_count()));
}

void CrashDump::schedulers() {
  Scheduler& s = *vm_.scheduler;
  for (uint32_t i = 0; i < s.worker_count(); ++i) {
    Worker& worker = s.worker(i);
    RunQueue::Lengths n = worker.queue_lengths();
    out_.print(fmt::format(
        "=scheduler:{}\nScheduler Sleep Info Flags: {}\nScheduler Sleep Info Aux Work: \n"
        "Current Port: \nRun Queue Max Length: {}\nRun Queue High Length: {}\n"
        "Run Queue Normal Length: {}\nRun Queue Low Length: {}\nRun Queue Port Length: 0\n"
        "Run Queue Flags: \nCurrent Process: {}\n",
        i + 1, worker.asleep() ? "SLEEPING" : "", n.of[Runnable::kMax], n.of[Runnable::kHigh],
        n.of[Runnable::kNormal], n.of[Runnable::kLow],
        &worker == Scheduler::current() && by_ != kNone ? to_text(by_) : ""));
  }
}

// --- processes -----------------------------------------------------------------------------------
void CrashDump::process(Process& p) {
  if (out_.takes_more()) out_.print(process_summary(p, at(p)));
}

void CrashDump::messages(const Process& p) {
  if (!p.messages) return;
  out_.print(fmt::format("=proc_messages:{}\n", to_text(p.id)));
  for (const Signal* s = p.messages; s; s = s->next) {
    if (is_fault(s->term)) continue;
    out_.print(terms_.shown(s->term) + ":N\n");
  }
}

void CrashDump::stack(const Process& p) {
  out_.print(fmt::format("=proc_stack:{}\n", to_text(p.id)));
  unsigned y = 0;
  for (const Term* e = p.heap.stack(); e < p.heap.stack_base(); ++e) {
    if (is_code(*e)) {
      y = 0;
      auto* pc = reinterpret_cast<const Word*>(*e);
      out_.print(fmt::format("{:#018x}:SReturn addr {:#X} ({})\n", reinterpret_cast<uintptr_t>(e),
                             *e, place_of(*vm_.code, pc)));
    } else if (is_catch(*e)) {
      const Word* handler = catch_handler(*e);
      out_.print(fmt::format("y{}:SCatch {:#X} ({})\n", y++, reinterpret_cast<uintptr_t>(handler),
                             place_of(*vm_.code, handler)));
    } else {
      out_.print(fmt::format("y{}:{}\n", y++, terms_.shown(*e)));
    }
  }
}

/// What it holds. Of a sensitive process nothing.
void CrashDump::contents(Process& p) {
  if (!out_.takes_more() || is_sensitive(p)) return;
  messages(p);
  FragmentHeap h(64);
  Term pairs = dictionary_list(p, h);
  if (is_cons(pairs)) {
    out_.print(fmt::format("=proc_dictionary:{}\n", to_text(p.id)));
    for (; is_cons(pairs); pairs = tail(pairs)) out_.print(terms_.shown(head(pairs)) + "\n");
  }
  stack(p);
  out_.print(fmt::format("=proc_heap:{}\n", to_text(p.id)));
  terms_.write_heap();
}

// --- what is kept beside processes ---------------------------------------------------------------
void CrashDump::tables() {
  vm_.ets->each(this, [](void* self, Table& t) {
    static_cast<CrashDump*>(self)->out_.print(table_report(t, false));
  });
}

void CrashDump::timers() {
  vm_.timers->each([&](Address to, Term message, int64_t left) {
    if (to.is_remote()) return;
    out_.print(fmt::format("=timer:{}\nMessage: {}\nTime left: {}\n", to_text(to.word()),
                           to_text(message), left));
  });
}

void CrashDump::modules() {
  size_t current = 0, old = 0;
  auto bytes_of = [](const Module& m) {
    return (m.code_words + m.literals.words()) * sizeof(Word);
  };
  auto old_of = [&](const Module& m) {
    const Module* before = vm_.code->find_old_module(m.name);
    return before ? bytes_of(*before) : 0;
  };
  vm_.code->each_module([&](const Module& m) { current += bytes_of(m), old += old_of(m); });
  out_.print(fmt::format("=loaded_modules\nCurrent code: {}\nOld code: {}\n", current, old));
  vm_.code->each_module([&](const Module& m) {
    out_.print(fmt::format("=mod:{}\nCurrent size: {}\n", atom_source(m.name), bytes_of(m)));
    described("Current", m);
    const Module* before = vm_.code->find_old_module(m.name);
    if (!before) return;
    out_.print(fmt::format("Old size: {}\n", bytes_of(*before)));
    described("Old", *before);
  });
}

/// What the compiler has noted, as it stands in the file.
void CrashDump::described(const char* which, const Module& m) {
  auto print = [&](const char* what, const std::string& bytes) {
    if (bytes.empty()) return;
    const auto* first = reinterpret_cast<const uint8_t*>(bytes.data());
    out_.print(fmt::format("{} {}: {}\n", which, what, base64(first, bytes.size())));
  };
  print("attributes", m.attributes);
  print("compilation info", m.compile_info);
}

/// The table of funs. How many there are of each nobody counts (vm/bif/fun_count.h).
void CrashDump::funs() {
  vm_.code->each_module([&](const Module& m) {
    for (const FunEntry* f : m.funs) {
      const Word* entry = f->entry.load(std::memory_order_acquire);
      out_.print(fmt::format("=fun\nModule: {}\nUniq: {}\nIndex: {}\nAddress: {:#018x}\n",
                             atom_source(f->module), f->old_uniq, f->old_index,
                             reinterpret_cast<uintptr_t>(entry)));
    }
  });
}

void CrashDump::persistent_terms() {
  constexpr size_t kEntry = 5;  // words in the list
  out_.print("=persistent_terms\n");
  FragmentHeap h(vm_.persistent_terms->count() * kEntry + 64);
  for (Term l = vm_.persistent_terms->all(h); is_cons(l); l = tail(l)) {
    const Term* e = tuple_elements(head(l));
    out_.print(terms_.shown(e[0]) + "|" + terms_.shown(e[1]) + "\n");
  }
}

/// Newest first.
void CrashDump::atoms() {
  out_.print("=atoms\n");
  for (uint32_t k = atom_count(); k-- > 0 && out_.takes_more();) {
    out_.print(atom_source(make_atom(k)) + "\n");
  }
}

/// A limit that the environment sets: false if it is 0. *value stays where there is none.
bool read_limit(Environment& environment, const char* name, uint64_t* value) {
  std::optional<std::string> text = environment.get(name);
  if (!text || text->empty()) return true;
  long long n = strtoll(text->c_str(), nullptr, 10);
  if (n > 0) *value = static_cast<uint64_t>(n);
  return n != 0;
}

}  // namespace

void write_crash_dump(Vm& vm, const std::string& slogan, Term by) {
  fprintf(stderr, "%s\r\n", slogan.c_str());
  uint64_t bytes = 0, seconds = 0;
  if (!read_limit(*vm.environment, "ERL_CRASH_DUMP_BYTES", &bytes)) return;
  if (!read_limit(*vm.environment, "ERL_CRASH_DUMP_SECONDS", &seconds)) return;
  std::string path = vm.environment->get("ERL_CRASH_DUMP").value_or("erl_crash.dump");
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  uint64_t until = seconds ? (static_cast<uint64_t>(now.tv_sec) + seconds) * 1'000'000'000 : 0;
  fprintf(stderr, "\r\nCrash dump is being written to: %s...", path.c_str());
  fflush(stderr);
  DumpFile file(path, bytes, until);
  if (file.error() == 0) {
    CrashDump(vm, file, by).write(slogan);
    file.finish();
  }
  if (file.error()) {
    fprintf(stderr, "%s\r\n", strerror(file.error()));
  } else {
    fprintf(stderr, "done\r\n");
  }
}

}  // namespace wb
