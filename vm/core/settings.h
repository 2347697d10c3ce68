// What programs set for the whole machine: erlang:system_flag/2, system_monitor, system_profile.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <vector>

#include "base/ranked_lock.h"
#include "scheduler/cpu_count.h"
#include "term/address.h"
#include "term/atom.h"
#include "vm/core/cpu_binding.h"
#include "vm/core/microstates.h"
#include "vm/core/multi_scheduling.h"

namespace wb {

class TracerModules;

/// What system_flag/2 says about the heaps of processes to come.
struct HeapDefaults {
  std::atomic<uint32_t> min_heap_size{0};  ///< words; 0: the smallest
  std::atomic<uint32_t> min_bin_vheap_size{46422};
  std::atomic<uint32_t> fullsweep_after{65535};
  std::atomic<uint64_t> max_heap_size{0};
  std::atomic<bool> max_heap_kill{true}, max_heap_log{true}, max_heap_shared{false};
  std::atomic<bool> off_heap_messages{false};
  std::atomic<bool> changed{false};  ///< any of them, ever: a spawn looks only at this
};

/// How names of files and variables of the environment are read and written (+fn). Set before the
/// machine runs.
struct FileNames {
  bool latin1 = false;              ///< else UTF-8
  Term untranslated = am::warning;  ///< prim_file's word for a name that is no UTF-8
};

/// What of system_monitor the machine looks at where things happen; 0: nobody wants to know.
struct MonitorLimits {
  std::atomic<uint64_t> long_gc_ms{0}, large_heap_words{0}, long_schedule_ms{0};
  std::atomic<uint32_t> long_queue{0};
  std::atomic<bool> busy_port{false};
  std::atomic<uint32_t> collection_sleep_ms{0};  ///< for tests: collections take longer by it
  std::atomic<bool> collections{false};          ///< any of those about collections
};

struct Settings {
  HeapDefaults heap;
  FileNames file_names;
  MultiScheduling multi_scheduling;
  static constexpr uint32_t kMostFrames = 64;
  std::atomic<uint32_t> backtrace_depth{8};
  /// Of an exception: what failed is always shown.
  uint32_t exception_depth() const {
    uint32_t depth = backtrace_depth.load(std::memory_order_relaxed);
    return depth ? depth : 1;
  }
  /// What system_info tells of processors; update_cpu_info looks again.
  std::atomic<uint32_t> allowed_cpus{wb::allowed_cpus()};
  static constexpr uint32_t kNotAsked = UINT32_MAX;
  std::atomic<uint32_t> cpu_quota{kNotAsked};
  CpuBinding cpus;
  std::atomic<Term> system_logger{am::logger};  ///< a name, a pid, or undefined
  std::atomic<Address> sequential_tracer{Address()};
  TracerModules* tracer_modules = nullptr;  ///< vm/trace; for tracers that are modules
  std::atomic<uint32_t> trace_control_word{0};
  std::atomic<bool> internal_state{false};  ///< erts_debug:get_internal_state/1 answers
  /// After so many steps long work gave way on BEAM (re, unicode, binary); here it goes by
  /// reductions, and the numbers are only kept.
  static constexpr uint32_t kLoopLimits[] = {40000, 40000, 0};
  std::atomic<uint32_t> loop_limits[3] = {40000, 40000, 0};
  bool time_correction = true;            ///< +c; of Linux no clock is corrected here
  std::atomic<uint32_t> ets_limit{8192};  ///< what is said of it: there is none
  std::atomic<uint32_t> outstanding_requests{
      4};  ///< the most system tasks one process asks for at once
  Microstates microstates;
  // What flags of the command line set (vm/boot/emulator_flags.def) and programs only ask for.
  std::atomic<Term> printable_range{am::latin1};  ///< +pc
  std::atomic<Term> warning_map{am::warning};     ///< +W
  std::atomic<uint32_t> async_threads{1};         ///< +A; there are none
  std::atomic<bool> break_ignored{false};         ///< +Bi
  /// How many asked for it (kernel_refc counts users); statistics tell nothing while nobody does.
  std::atomic<bool> scheduler_wall_time{false};
  std::atomic<int64_t> wall_time_since{0};  ///< monotonic time when it was switched on

  /// What a watcher of the system wants to hear, in OTP's order; what goes without a number has 1.
  struct Wish {
    Term key;
    uint64_t number = 1;
    uint64_t until =
        0;  ///< long_message_queue: it is long from `number` on, until no more than this
  };
  struct Watch {
    Term who = kNone;
    std::vector<Wish> wishes;
  };
  RankedLock<LockRank::settings> lock;  ///< of those two
  Watch profile;
  std::map<uint32_t, Watch> monitors;  ///< by session of tracing; 0: erlang:system_monitor/2
  MonitorLimits limits;                ///< the least of `monitors` (vm/trace/system_monitor.h)

  // --- statistics report what was since they were asked last -------------------------------------
  std::atomic<uint64_t> reductions_reported{0}, exact_reductions_reported{0};
  std::atomic<int64_t> runtime_reported{0}, wall_clock_reported{0};
};

}  // namespace wb
