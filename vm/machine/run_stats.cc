#include "vm/machine/run_stats.h"

#include <sys/resource.h>

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/live_bytes.h"
#include "base/recording.h"
#include "loader/code_table.h"
#include "loader/module_images.h"
#include "scheduler/scheduler.h"
#include "term/atom.h"
#include "vm/core/memory_use.h"
#include "vm/core/vm.h"
#include "vm/ets/persistent_terms.h"
#include "vm/ets/tables.h"
#include "vm/jit/baseline.h"
#include "vm/orc/orc.h"
#include "vm/process/table.h"

namespace wb {
namespace {

constexpr uint32_t kMostColumns = 8;  // schedulers shown one by one

double seconds(const timeval& t) { return double(t.tv_sec) + double(t.tv_usec) / 1e6; }

/// 1234567 -> 1,234,567
std::string grouped(uint64_t n) {
  std::string digits = std::to_string(n), out;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

std::string time_text(double ns) {
  if (ns >= 1e9) return fmt::format("{:.3f} s", ns / 1e9);
  if (ns >= 1e6) return fmt::format("{:.2f} ms", ns / 1e6);
  return fmt::format("{:.1f} us", ns / 1e3);
}

std::string size_text(int64_t bytes) {
  if (bytes >= 1 << 20) return fmt::format("{:.1f} MiB", double(bytes) / (1 << 20));
  return fmt::format("{:.1f} KiB", double(bytes) / 1024);
}

void print_line(const char* name, const std::string& value, const std::string& text) {
  fmt::print(stderr, "  {:<22}{:>16}  {}\n", name, value, text);
}

// --- counters of schedulers
struct Row {
  const char* group;
  const char* name;
  const char* text;
  Counter WorkerCounters::* counter;
  bool largest;

  bool is_time() const { return std::string_view(name).ends_with("_ticks"); }
};
const Row kRows[] = {
#define PROBE(group, name, text) {#group, #name, text, &WorkerCounters::name, false},
#define PROBE_MAX(group, name, text) {#group, #name, text, &WorkerCounters::name, true},
#include "scheduler/probes.def"
#undef PROBE
};

class CounterTable {
 public:
  explicit CounterTable(Scheduler& scheduler)
      : scheduler_(scheduler), clock_(scheduler.event_clock()) {}

  /// One line a counter that counted, under the name of its group.
  void print() {
    print_head();
    std::string_view group;
    for (const Row& row : kRows) {
      std::vector<uint64_t> shares;
      for (uint32_t i = 0; i < scheduler_.all_worker_count(); ++i) {
        shares.push_back((scheduler_.worker(i).counters.*row.counter).value());
      }
      uint64_t all = 0;
      for (uint64_t n : shares) all = row.largest ? std::max(all, n) : all + n;
      if (!all) continue;
      if (group != row.group) fmt::print(stderr, "{}\n", group = row.group);
      std::string text;
      if (shows_shares()) {
        for (uint64_t n : shares) text += fmt::format("{:>14}", value(row, n));
        text += "  ";
      }
      std::string name = row.name;
      if (row.is_time()) name.resize(name.size() - 6);
      print_line(name.c_str(), value(row, all), text + row.text);
    }
  }

 private:
  bool shows_shares() const {
    return scheduler_.all_worker_count() > 1 && scheduler_.all_worker_count() <= kMostColumns;
  }

  std::string value(const Row& row, uint64_t n) const {
    if (!row.is_time()) return grouped(n);
    return time_text(double(clock_.to_ns(clock_.ticks0 + n)) - double(clock_.to_ns(clock_.ticks0)));
  }

  /// Whose columns follow, and how busy each was.
  void print_head() {
    if (!shows_shares()) return;
    std::string names, busy;
    uint64_t all = 0;
    for (uint32_t i = 0; i < scheduler_.all_worker_count(); ++i) {
      uint64_t ns = scheduler_.worker(i).active_ns();
      all += ns;
      names += fmt::format("{:>14}", fmt::format("scheduler {}", i + 1));
      busy += fmt::format("{:>14}", time_text(double(ns)));
    }
    fmt::print(stderr, "  {:<22}{:>16}  {}\n", "", "all", names);
    fmt::print(stderr, "  {:<22}{:>16}  {}  not asleep\n", "awake", time_text(double(all)), busy);
  }

  Scheduler& scheduler_;
  const EventClock clock_;
};

// --- the rest
void print_resources() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  fmt::print(stderr, "resources\n");
  print_line("user time", fmt::format("{:.3f} s", seconds(use.ru_utime)), "");
  print_line("system time", fmt::format("{:.3f} s", seconds(use.ru_stime)), "");
  print_line("resident", size_text(int64_t{use.ru_maxrss} * 1024), "at most");
}

void print_memory(Vm& vm) {
  MemoryUse u = memory_use(vm);
  fmt::print(stderr, "memory at the end\n");
  print_line("heaps", size_text(u.heaps), fmt::format("of {} processes", vm.processes->count()));
  print_line("binaries", size_text(u.binaries),
             fmt::format("{} outside of heaps", grouped(uint64_t(live_bytes(Live::binary_count)))));
  print_line("tables", size_text(u.tables), "ETS");
  print_line("persistent terms", size_text(int64_t(vm.persistent_terms->words() * sizeof(Term))),
             grouped(vm.persistent_terms->count()));
  print_line("atoms", size_text(u.atoms), grouped(atom_count()));
  print_line("code", size_text(u.code),
             fmt::format("{} modules", vm.code->loaded_modules().size()));
}

void print_loading(CodeTable& code) {
  const CodeTable::LoadCounts& n = code.counts;
  fmt::print(stderr, "loading\n");
  print_line("modules", grouped(n.modules),
             fmt::format("{} of files", size_text(int64_t(n.file_bytes))));
  if (const ModuleImages* images = code.images()) {
    print_line("from images", grouped(images->counts.used),
               fmt::format("{} written, {} refused", grouped(images->counts.written),
                           grouped(images->counts.refused)));
    if (images->hot_counts.used + images->hot_counts.written + images->hot_counts.refused) {
      print_line("with hot code", grouped(images->hot_counts.used),
                 fmt::format("{} written, {} refused", grouped(images->hot_counts.written),
                             grouped(images->hot_counts.refused)));
    }
  }
  print_line("time", time_text(double(n.ns)), "to check and link them");
}

// --- what the compilers did
std::string counter_text(std::string_view name, uint64_t n) {
  if (name == "bytes") return size_text(static_cast<int64_t>(n));
  return name == "ns" ? time_text(static_cast<double>(n)) : grouped(n);
}
void print_counter(const char* name, const std::atomic<uint64_t>& n, const char* text) {
  if (n == 0) return;
  std::string shown = name == std::string_view("ns") ? "time" : name;
  print_line(shown.c_str(), counter_text(name, n), text);
}
void print_native_code(const BaselineCounters& c) {
  fmt::print(stderr, "native code\n");
#define BASELINE(name, text) print_counter(#name, c.name, text);
#define LLVM(name, text)
#include "vm/jit/counters.def"
#undef BASELINE
#undef LLVM
}
void print_hot_code(const OrcCounters& c) {
  fmt::print(stderr, "compiled by LLVM\n");
#define BASELINE(name, text)
#define LLVM(name, text) print_counter(#name, c.name, text);
#include "vm/jit/counters.def"
#undef BASELINE
#undef LLVM
}

}  // namespace

void print_jit_stats(Vm& vm) {
  if (vm.baseline) print_native_code(vm.baseline->counters);
  if (!vm.orc) return;
  print_hot_code(vm.orc->counters);
  print_line("native_left", grouped(vm.orc->native_exits()),
             "times it left what it was not made for to the interpreter");
}

void print_run_stats(Vm& vm) {
  fmt::print(stderr, "\n");
  print_resources();
  print_memory(vm);
  print_loading(*vm.code);
  print_jit_stats(vm);
  fmt::print(stderr, "alive at once\n");
  print_line("processes", grouped(vm.processes->peak()), "at most");
  if (const Recording* r = vm.oracle->recording()) {
    fmt::print(stderr, "{}\n", r->replays() ? "replay" : "recording");
    print_line("slices", grouped(r->slices()), "that processes had");
    print_line("answers", grouped(r->entries()), "that came from outside");
    if (!r->replays()) print_line("file", size_text(static_cast<int64_t>(r->bytes())), "with them");
  }
  fmt::print(stderr, "counters\n");
  CounterTable(*vm.scheduler).print();
}

}  // namespace wb
