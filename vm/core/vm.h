// The context of one machine, handed down to whoever runs in it.
//
// What stands here by value or unique_ptr is the core's: clock, code table, processes, scheduler,
// settings. Below it come pointers to the parts of the layers above. The core does not look into
// them and includes none of their headers; they are here because whoever has a process has its Vm,
// and a BIF of a layer finds that layer's state with one load. vm/machine/machine.h makes a whole
// machine: it owns those parts, and implements what the core asks of them (VmHooks).
//
// Life: construct a Machine, start(), spawn a first process, wait(). halt() from anywhere ends it.
// Several may live in one program: a thread works for one of them at a time (base/instance.h), and
// whoever calls from outside says for which: InstanceScope in(vm.instance). They share the tables
// of atoms and of literals' addresses (term/atom.h, term/literal_area.h), which only ever grow.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "loader/otp_release.h"
#include "term/fault.h"
#include "term/heap.h"
#include "term/instance.h"
#include "vm/core/hooks.h"
#include "vm/core/unique_numbers.h"

namespace wb {

class Oracle;
class Process;
class ProcessHost;
class Scheduler;
class Recording;
class CodeTable;
class ProcessTable;
class EtsTables;
struct Settings;
class PersistentTerms;
class LiteralCollector;
class Suspensions;
class TimeWatchers;
class Services;
class OsSignals;
class Environment;
class Clock;
class Timers;
class Tracing;
class SystemProfile;
class Baseline;
struct BifInfo;
class Orc;
class Ports;
class Network;
class Nifs;
class ExitLog;
class Sampler;
class StateReplies;
class EventLog;
class EmbeddedVm;

class Vm;

/// Which compilers run (--jit).
enum class JitMode : uint8_t { off, baseline, baseline_eager, full, always };

/// Are native libraries watched (--check-nifs)?
enum class NifChecks : uint8_t { off, report, abort };

struct VmOptions {
  uint32_t schedulers = 0;                                  ///< 0: as many as the machine suits
  uint32_t dirty_schedulers = 0, dirty_io_schedulers = 10;  ///< 0: as many as schedulers
  bool stepped = false;                                     ///< one, and Scheduler::step() runs it
  bool gc_stress = false;
  NifChecks check_nifs = NifChecks::off;
  JitMode jit = JitMode::off;
  bool perf_map = false, gdb_symbols = false;
  bool jit_report = false;
  std::string jit_ir;
  std::optional<uint64_t> seed;
  /// Written, or read in a replay; not owned, outlives the machine; null: none. Not with a seed.
  Recording* recording = nullptr;
  /// File for it (vm/process/event_log.h), of a run that can be repeated; empty: none.
  std::string event_log;
  std::vector<std::string> code_paths, last_paths;  ///< searched first, last
  std::string otp_root;                             ///< and these between (CodePath::set_usual)
  OtpRelease otp;                                   ///< whose library is there
  uint32_t max_processes = 1u << 25;
  std::string images;     ///< directory of ModuleImages; empty: none
  size_t max_memory = 0;  ///< bytes; 0: what the machine or its container has
  /// Called on the thread that cannot go on (out of memory, no thread, ...), with the exit code
  /// that a program would end with and what to tell the user. When it returns the machine has ended
  /// for wait(), its other threads stop, this one never runs again. Null: the program ends.
  void (*on_fatal)(Vm& vm, int exit_code, const char* message) = nullptr;
};

class Vm {
 public:
  Vm(const Vm&) = delete;

  void start();
  /// Until halt() or the end of the main process; returns the exit code.
  int wait();
  /// Ends the VM with this exit code, from any thread.
  void halt(int code);
  /// When it has ended, a crash dump with these words is written; `by`: who wants that.
  void dump_at_end(std::string slogan, Term by);
  bool halting() const { return halting_.load(std::memory_order_acquire); }
  int exit_code();  ///< when it is halting
  /// Ended by on_fatal: what its threads held they hold for ever, so it must not be destroyed.
  bool failed() const { return failed_.load(std::memory_order_acquire); }

  const VmOptions options;
  const bool gc_stress;
  const uint32_t warm_calls;  ///< a function gets native code at this call

  // --- the core ----------------------------------------------------------------------------------
  TermInstance instance;                                ///< goes last: whoever dies looks there
  std::optional<InstanceScope> constructing{instance};  ///< ends with the constructor of Vm
  VmHooks* const hooks;
  std::unique_ptr<Oracle> oracle;
  std::unique_ptr<Settings> settings;
  std::unique_ptr<Clock> clock;
  std::unique_ptr<ProcessTable> processes;
  std::unique_ptr<CodeTable> code;
  std::unique_ptr<ProcessHost> host;
  std::unique_ptr<TimeWatchers> time_watchers;
  std::unique_ptr<Scheduler> scheduler;
  std::unique_ptr<Timers> timers;  ///< of programs
  std::unique_ptr<LiteralCollector> literals;
  std::unique_ptr<Suspensions> suspensions;
  std::unique_ptr<EventLog> event_log;  ///< of a seeded run, if wanted, else null

  // --- what the layers above want to be notified of, asked where it happens (hooks.h)
  // --------------------
  std::atomic<uint32_t> profiled{0};            ///< system_profile/2 (vm/process/profiled.h)
  std::atomic<uint32_t> traces_new{0};          ///< flags of processes to come
  std::atomic<uint32_t> token_count{0};         ///< which tokens count (vm/process/sequential.h)
  std::atomic<bool> cpu_timestamps{false};      ///< of trace messages: processor time
  std::atomic<bool> samples_allocation{false};  ///< collections are reported
  bool samples_hot = false;                     ///< ends of slices are reported to the compiler

  // --- parts of the layers above: see the head ---------------------------------------------------
  std::span<const BifInfo> natives;  ///< all of them
  Baseline* baseline = nullptr;      ///< null: everything is interpreted
  Orc* orc = nullptr;                ///< null: nothing is compiled by LLVM
  EtsTables* ets = nullptr;
  PersistentTerms* persistent_terms = nullptr;
  Environment* environment = nullptr;
  Services* services = nullptr;     ///< of a machine that does not boot OTP (vm/io/), else null
  OsSignals* os_signals = nullptr;  ///< while run_program runs
  Network* network = nullptr;       ///< between sockets (vm/io/)
  Ports* ports = nullptr;           ///< programs outside (vm/port/)
  Nifs* nifs = nullptr;             ///< libraries of native functions (vm/nif/)
  Tracing* tracing = nullptr;       ///< who is traced for what (vm/trace/)
  SystemProfile* profile = nullptr;
  Sampler* sampler = nullptr;      ///< where time goes (vm/observe/)
  StateReplies* states = nullptr;  ///< of processes that were asked for their state
  ExitLog* exit_log = nullptr;     ///< who has ended abnormally
  EmbeddedVm* embedded = nullptr;  ///< as the program sees it that it is part of (vm/embed/)

  // --- unique numbers ----------------------------------------------------------------------------
  UniqueNumbers unique{0};                   ///< of erlang:unique_integer/1
  std::atomic<int64_t> unique_monotonic{0};  ///< the next one
  std::atomic<int64_t> last_now{0};          ///< erlang:now/0, microseconds
  int64_t now_us();                          ///< never the same value twice

  // --- references --------------------------------------------------------------------------------
  Term new_ref(Heap& h);
  uint64_t next_ref_number();
  /// A magic reference: owns one reference to `object`, which it takes over. `bytes`: what it keeps
  /// alive, for the collector's accounting.
  Term new_magic_ref(Heap& h, OffHeapObject* object, size_t bytes);
  /// What programs see of an address: itself; in a seeded run, in which no two runs may differ, a
  /// number that stands for it.
  uint64_t shown_address(const void* address);

  // --- processes ---------------------------------------------------------------------------------
  /// Sends `message` (copied) to local pid `to`; false if there is no such process.
  bool send(Term to, Term message, Process* from = nullptr);
  bool is_alive(Term pid);
  /// The process whose end ends the VM (`whitebeam run`); kNone: none.
  Term main_pid = kNone;
  void main_ended(Process& p, Term reason);
  bool main_reported = false;  ///< its crash has been reported; touched by its worker only
  /// Process that runs the I/O protocol for everybody whose leader it is.
  Term io_leader = kNone;

 protected:
  /// `handlers`: of all instructions (loader/code_table.h). The layers are attached afterwards,
  /// before start().
  Vm(const VmOptions& options, VmHooks& hooks, const Word* handlers, uint32_t warm_calls);
  ~Vm();

 private:
  void write_event_log(const std::string& path);

  UniqueNumbers ref_numbers_{1};
  static void fail(void* vm, int exit_code, const char* message);

  std::mutex shown_lock_;
  std::unordered_map<const void*, uint64_t> shown_;  ///< addresses, by a seeded run
  std::atomic<bool> halting_{false}, failed_{false};
  std::mutex end_lock_;
  std::condition_variable end_;
  bool ended_ = false;
  int exit_code_ = 0;
  std::optional<std::string> slogan_;  ///< of the crash dump
  Term dumped_by_ = kNone;
};

/// The object of a magic reference (Kind::magic_ref).
inline OffHeapObject* magic_object(Term ref) {
  return reinterpret_cast<OffHeapObject*>(boxed_ptr(ref)[1]);
}

}  // namespace wb
