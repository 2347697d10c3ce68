// One virtual machine: everything mutable hangs off it (the atom table, the literal range and the
// fun resolver are the process-wide exceptions; see term/atom.h, term/literal_area.h).
//
// Life: construct, start(), spawn a first process, wait(). halt() from anywhere ends it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/oracle.h"
#include "scheduler/scheduler.h"
#include "term/fault.h"
#include "term/heap.h"
#include "term/magic_registry.h"

namespace wb {

class Process;
class ProcessHost;
struct FunResolver;
class CodeServer;
class ProcessTable;
class EtsTables;
struct Settings;
class PersistentTerms;
class LiteralCollector;
class Suspensions;
class Services;
class OsSignals;
class Environment;
class Clock;
class Timers;
class Tracing;
class SystemProfile;
class Baseline;
class Orc;
class Ports;

/// Which compilers run (--jit).
enum class JitMode : uint8_t { off, baseline, baseline_eager, full, always };

struct VmOptions {
  uint32_t schedulers = 0;  ///< 0: as many as the machine suits
  bool gc_stress = false;
  JitMode jit = JitMode::off;
  bool perf_map = false, gdb_symbols = false;
  bool jit_report = false;
  std::string jit_ir;
  std::optional<uint64_t> seed;
  std::vector<std::string> code_paths, last_paths;  ///< searched first, last
  std::string otp_root;                             ///< and these between (CodePath::set_usual)
  uint32_t max_processes = 1u << 25;
};

class Vm {
 public:
  explicit Vm(const VmOptions& options);
  ~Vm();
  Vm(const Vm&) = delete;

  void start();
  /// Until halt() or the end of the main process; returns the exit code.
  int wait();
  /// Ends the VM with this exit code, from any thread.
  void halt(int code);
  bool halting() const { return halting_.load(std::memory_order_acquire); }

  const VmOptions options;
  const bool gc_stress;
  const uint32_t warm_calls;  ///< a function gets native code at this call

  MagicRegistry magic;  ///< goes last: objects that die forget themselves there
  std::unique_ptr<Oracle> oracle;
  std::unique_ptr<Settings> settings;
  std::unique_ptr<Clock> clock;
  std::unique_ptr<ProcessTable> processes;
  std::unique_ptr<Baseline> baseline;  ///< null: everything is interpreted
  std::unique_ptr<Orc> orc;            ///< null: nothing is compiled by LLVM
  std::unique_ptr<CodeServer> code;
  std::unique_ptr<EtsTables> ets;
  std::unique_ptr<PersistentTerms> persistent_terms;
  std::unique_ptr<ProcessHost> host;
  std::unique_ptr<Scheduler> scheduler;
  std::atomic<uint32_t> profiled{0};  ///< what system_profile/2 wants (vm/trace/system_profile.h)
  std::unique_ptr<Environment> environment;
  std::unique_ptr<Services> services;  ///< of a machine that does not boot OTP (vm/io/), else null
  OsSignals* os_signals = nullptr;     ///< while run_program runs
  std::unique_ptr<Timers> timers;      ///< of programs
  std::unique_ptr<LiteralCollector> literals;
  std::unique_ptr<Suspensions> suspensions;
  std::unique_ptr<Tracing> tracing;  ///< who is traced for what (vm/trace/)
  std::unique_ptr<Ports> ports;      ///< programs outside (vm/port/)
  std::unique_ptr<SystemProfile> profile;

  // --- unique numbers ----------------------------------------------------------------------------
  std::atomic<int64_t> unique{0}, unique_monotonic{0};  ///< the next of erlang:unique_integer/1
  std::atomic<int64_t> last_now{0};                     ///< erlang:now/0, microseconds
  int64_t now_us();                                     ///< never the same value twice

  // --- references --------------------------------------------------------------------------------
  Term new_ref(Heap& h);
  uint64_t next_ref_number() { return next_ref_.fetch_add(1, std::memory_order_relaxed); }
  /// A magic reference: owns one reference to `object`, which it takes over. `bytes`: what it keeps
  /// alive, for the collector's accounting.
  Term new_magic_ref(Heap& h, OffHeapObject* object, size_t bytes);

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

 private:
  std::atomic<uint64_t> next_ref_{1};
  std::atomic<bool> halting_{false};
  std::mutex end_lock_;
  std::condition_variable end_;
  std::unique_ptr<FunResolver> funs_;
  bool ended_ = false;
  int exit_code_ = 0;
};

/// The object of a magic reference (Kind::magic_ref).
inline OffHeapObject* magic_object(Term ref) {
  return reinterpret_cast<OffHeapObject*>(boxed_ptr(ref)[1]);
}

}  // namespace wb
