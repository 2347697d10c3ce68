#include "vm/run_stats.h"

#include <sys/resource.h>

#include <fmt/format.h>

#include "loader/code_server.h"
#include "vm/jit/baseline.h"
#include "vm/vm.h"

namespace wb {
namespace {

double seconds(const timeval& t) { return double(t.tv_sec) + double(t.tv_usec) / 1e6; }

void print_process_counts(Vm& vm) {
  fmt::print(stderr, "processes    {} started, {} ended\n", vm.counters.spawned.load(),
             vm.counters.exited.load());
  fmt::print(stderr, "modules      {} loaded\n", vm.code->loaded_modules().size());
}

/// One line a counter that counted: the sum, and each scheduler's share if there are several.
void print_scheduler_counts(Scheduler& scheduler) {
  struct Row {
    const char* name;
    const char* text;
    Counter WorkerCounters::* counter;
  };
  const Row rows[] = {
#define PROBE(name, text) {#name, text, &WorkerCounters::name},
#include "scheduler/probes.def"
#undef PROBE
  };
  uint32_t workers = scheduler.worker_count();
  for (const Row& row : rows) {
    uint64_t sum = 0;
    std::string shares;
    for (uint32_t i = 0; i < workers; ++i) {
      uint64_t n = (scheduler.worker(i).counters.*row.counter).value();
      sum += n;
      shares += fmt::format("{}{}", i ? " + " : " = ", n);
    }
    if (!sum) continue;
    fmt::print(stderr, "{:<12} {}{}: {}\n", row.name, sum, workers > 1 ? shares : "", row.text);
  }
}

void print_native_code(const BaselineCounters& c) {
  uint64_t instructions = c.instructions;
  fmt::print(stderr, "native code  {} functions of {} instructions, {} bytes, {:.1f} ms, {} refused\n",
             c.functions.load(), instructions, c.bytes.load(), double(c.nanoseconds) / 1e6,
             c.refused.load());
}

void print_resources() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  fmt::print(stderr, "time         {:.3f} s user, {:.3f} s system\n", seconds(use.ru_utime),
             seconds(use.ru_stime));
  fmt::print(stderr, "memory       {:.1f} MiB at most\n", double(use.ru_maxrss) / 1024);
}

}  // namespace

void print_run_stats(Vm& vm) {
  fmt::print(stderr, "\n");
  print_process_counts(vm);
  print_scheduler_counts(*vm.scheduler);
  if (vm.baseline) print_native_code(vm.baseline->counters);
  print_resources();
}

}  // namespace wb
