// The LLVM tier: which functions are hot, having them compiled, putting their code in place.
//
// What is hot is known by preemption: a slice ends at the entry of the function whose call took the
// last reduction, so being preempted there is a sample in proportion to calls, for nothing. The
// count stands in the function's header word, where its calls were counted until it had baseline
// code (EntryWord in loader/code.h). When it has grown by a fifth or so somebody looks: compiling
// costs some 3 ms and 0.3 ms an operation, so a function of many operations must have been hot for
// longer (kSamplesPerOp), and even one of few for some (kLeastOps). Then a copy of it is queued.
//
// The first one, for which the plugin is opened (25 ms, 40 MB), must not come in a program's first
// moments (kFirstSamples), and must stand out: have a good part of all samples (kFirstShare). In a
// program without a hot spot (a compiler, a test run) what LLVM makes of one function after the
// other does not bring in for seconds what it costs; kAnyShare samples say that it runs that long.
//
// One thread, started with the first hot function, opens the plugin and compiles what is queued. A
// scheduler never waits for it. Then the words of the function's roots (plugin/layout.h) are set,
// as a layer of its patch stack (loader/code_words.h): below a breakpoint that was set meanwhile.
// The code is freed with its module. A process that runs gets to the new code with its next call or
// return; one that loops, when its slice ends.
//
// Which funs a function is called with may change after it was compiled for some: samples of it go
// on, rarely, and when most funs are others than those it has in line, its code is invalidated and
// it is compiled anew; each time after twice as many samples.
//
// So may the types of numbers: the lower tiers say which additions and the like have met floats
// (loader/met_floats.h), those are compiled for at least one float, and when samples find that two
// integers came again and again the code is invalidated, and made for whatever comes.
//
// A seeded run (scheduler/oracle.h) has no second thread whose speed could be seen in it: what is
// queued is compiled and installed on its worker, as other long native work is, between two slices
// that the oracle chooses. Until then the function runs in the baseline, as it does elsewhere.
//
// What was compiled is kept for later runs (kept_code.h), as images of modules are and where they
// are. A function for which there is such code gets it after a few samples (kKeptSamples), a
// quarter of a millisecond of its own time, so the plugin is not even opened for it; or at a later
// look, when what it has in line was not loaded before. What a run has no time to finish is
// *wanted*: a later run begins with it at that look. Not sooner: placing code costs 20 to 30 us,
// which a function that is hot in other programs, and not in this one, would never bring in. It is
// installed as if it had been compiled just now, and may be invalidated likewise; what is compiled
// then takes its place.
//
// Going back is the other way round, by whoever must see every call of the function, a breakpoint:
// the patch stack hides what would pass it by. Code that has the function in line (callees.h) is
// *invalidated*, too, for good: its layer is removed, so nobody comes to it any more, and it is
// compiled anew when it is hot again.
//
// Code that has a function of another module in line is invalidated as well when that module's
// version is not current any more (invalidate_module). Until then, and while somebody is still in
// it, it is right: what it calls is compared with what the fun or the export leads to at that
// moment, which never is code of a version that is gone. A process in the middle of such a copy
// stands, as soon as anybody can see it, at a word of the other module, with words on its stack:
// purging sees what it would see had the call been made. The version's code and literals are freed
// after every scheduler has passed a safe point, hence after all have left the copy; so is the code
// that was invalidated.
//
// Locks: keeping_ around what is written to files, a State's inside of it; lock_ for the queue;
// State::lock of a module between installing and its end, within an Edit of the words, one at a
// time. Looking for breakpoints on what is in line and installing the code are one Edit; so are
// setting a breakpoint and invalidating what has the function in line.
//
// Rejected: counting calls (costs every call; preemption knows already); compiling on the
// schedulers.
#pragma once

#include <atomic>
#include <bit>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "loader/code_table.h"
#include "loader/code_words.h"
#include "scheduler/dirty_pool.h"
#include "scheduler/thread.h"
#include "vm/jit/baseline.h"
#include "vm/orc/compiler.h"
#include "vm/orc/kept_code.h"

namespace wb {

class EventLog;

struct OrcCounters {
#define BASELINE(name, text)
#define LLVM(name, text) std::atomic<uint64_t> name{0};
#include "vm/jit/counters.def"
#undef BASELINE
#undef LLVM
};

class Orc {
 public:
  /// A function is queued when so many slices have ended at its entry for each of its operations.
  static constexpr uint32_t kSamplesPerOp = 16;
  static constexpr size_t kLeastOps = 32;  ///< what compiling any costs, in operations
  /// And nothing is before so many have ended at all: a few tenths of a second.
  static constexpr uint64_t kFirstSamples = 4096;
  /// Code of an earlier run is looked for when so many slices have ended at the function's entry.
  static constexpr uint32_t kKeptSamples = 8;
  /// What has so many at the end, some ten milliseconds, and this part of all, is wanted, too.
  static constexpr uint32_t kWantedSamples = 256, kWantedShare = 16;
  /// The first has at least this part of all, until there are so many.
  static constexpr uint64_t kFirstShare = 8, kAnyShare = 32 * kFirstSamples;

  /// `handlers`: the VM's table. `report`: one line for each compilation, on standard error.
  /// `show_ir`: of this function, what LLVM was given and made of it, too.
  Orc(const Word* handlers, const CodeTable& code, Baseline& baseline, bool report,
      std::string show_ir);
  /// Instead of the plugin's, before anything is compiled; must live longer.
  void use_compiler(OrcCompiler* compiler) { compiler_ = compiler, opened_ = true; }
  ~Orc();
  /// Who says when everybody has left code. `log`: where a seeded run tells what it does, or null.
  void use(Scheduler* s, EventLog* log) { scheduler_ = s, log_ = log; }
  /// Code is kept, and taken, from now on. Before anything runs.
  void keep_code();
  /// Writes what is to be kept. From then on nothing is.
  void write_kept();

  /// Does one more slice that ended at this entry say anything new?
  bool wants(const Word* entry) {
    const uint32_t count = entry_count(entry);
    if (count == kQueued || code_.code_words().warms_up(entry)) return false;
    if (count != kGuessed) return true;
    return samples_.fetch_add(1, std::memory_order_relaxed) % kRarely == 0;
  }
  /// A slice ended at the entry of a function of `m`, which has its arguments in `x`. True: its
  /// code is for other funs or numbers than it is called with by now (invalidate_function).
  bool sample(Module& m, Word* entry, const Term* x) {
    uint32_t before = entry_count(entry);
    if (before == kQueued) return false;
    if (before == kGuessed) return is_stale(m, entry, x);
    note_funs(m, entry, x);
    uint32_t samples = before + 1;
    set_entry_count(entry, samples);
    samples_.fetch_add(1, std::memory_order_relaxed);
    if (samples == kKeptSamples && !use_kept(m, entry) && is_wanted(m, entry)) {
      consider(m, entry, samples, true);
    }
    if (samples >= kFirstCheck && samples % (std::bit_floor(samples) / 4) == 0) {
      consider(m, entry, samples);
    }
    return false;
  }
  /// Installs what an earlier run has compiled of the function, which has baseline code. False:
  /// there is nothing, or not yet.
  bool use_kept(Module& m, Word* entry);
  /// Compiles the function, which has baseline code, and installs it, before it returns; what it
  /// has in line as well. `x`: its arguments, or nullptr.
  void compile_now(Module& m, Word* entry, const Term* x, std::string* ir = nullptr);
  // Invalidated code is freed when everybody has passed a safe point. True: there was some, and
  // somebody may be in it until then.
  /// A breakpoint is being set on the function at `entry`: code that has it in line is invalidated.
  bool invalidate_inlined(CodeWords::Edit& edit, const Module& m, const Word* entry);
  /// `m` is not current any more: other modules' code that has functions of it in line is
  /// invalidated, and none gets any.
  bool invalidate_module(CodeWords::Edit& edit, Module& m);
  /// The function's code is no good any more.
  bool invalidate_function(CodeWords::Edit& edit, const Module& m, const Word* entry);
  /// Nothing that is queued is begun any more. What runs is waited for.
  void stop();

  /// A function's code, for who looks; the module must stay meanwhile.
  struct Hot {
    const uint8_t* code = nullptr;
    size_t bytes = 0;
    std::vector<OrcCompiler::Entry> entries;
    std::vector<OrcCompiler::Line> lines;
    std::vector<unsigned> handlers;
    uint64_t exit_count = 0;  ///< exits to the interpreter (lowered_function.h)
  };
  /// How often all code has.
  uint64_t native_exits();
  /// False: it has none.
  bool find(const Module& m, const Word* entry, Hot* out);
  /// `m` is not current any more.
  void count_unloaded(const Module& m);

  /// Is a function being compiled right now?
  bool busy() const { return busy_.load(std::memory_order_relaxed); }
  OrcCounters counters;

 private:
  struct State;
  struct Attached;
  struct Code {
    CodeOwner* owner;
    Baseline* names;
    void* code;
    const uint8_t* block;
  };
  struct Job {
    LoweredFunction lowered;
    std::shared_ptr<State> module;
    std::vector<std::shared_ptr<State>> others;  ///< whose functions it has in line
    size_t of_others = 0;                        ///< callees
    std::string name;
    CodeOwner* owner = nullptr;
    std::optional<HotFunction> kept;  ///< what to keep, but for the code
  };
  /// What stands for the number of samples of a function that is queued or compiled; of one that
  /// takes funs, when it is compiled.
  static constexpr uint32_t kQueued = UINT32_MAX, kGuessed = kQueued - 1;
  static constexpr uint32_t kFirstCheck = 64;
  static constexpr uint64_t kRarely = 16;  ///< one in so many is enough to see that funs change
  /// `wanted`: whatever it costs.
  void consider(Module& m, Word* entry, uint32_t samples, bool wanted = false);
  bool is_time_for_first(uint32_t samples) const;
  void note_funs(Module& m, const Word* entry, const Term* x);
  bool is_stale(const Module& m, const Word* entry, const Term* x);
  std::shared_ptr<State> find_state(const Module& m);  ///< nullptr: it has none
  std::shared_ptr<State> state_of(Module& m);          ///< made if needed
  bool make_job(Module& m, Word* entry, Job* job, bool all = false);
  void describe(const Module& m, Job* job);
  void finish_job(Module& m, const std::vector<Module*>& others, Job* job);
  KeptCode::Found find_kept(Module& m, Word* entry, const std::shared_ptr<State>& state, Job* job,
                            OrcCompiler::Result* made);
  void keep(const Job& job, CodeImage code);
  bool is_wanted(const Module& m, const Word* entry);
  void come_back_to(Module& m, const Word* entry, uint32_t samples);
  void note_wanted();
  void write_changed();
  static bool has_breakpoint_in_line(const CodeWords::Edit& edit, const Job& job);
  static bool join_others(const Job& job);
  template <class F>
  void invalidate(CodeWords::Edit& edit, State& state, F which, std::atomic<uint64_t>& count,
                  std::vector<Code>* invalidated);
  bool free_code(std::vector<Code> code);
  void work();
  void begin_work();
  static void compile_one(DirtyJob& work);
  bool open();
  void compile(Job& job, std::string* ir = nullptr);
  bool install(Job& job, OrcCompiler::Result& made);
  bool install(CodeWords::Edit& edit, Job& job, OrcCompiler::Result& made);

  const Word* const handlers_;
  const CodeTable& code_;
  Baseline& baseline_;
  Scheduler* scheduler_ = nullptr;
  EventLog* log_ = nullptr;
  const bool keep_report_;
  const std::string show_ir_;
  OrcCompiler* compiler_ = nullptr;  ///< the plugin's; never freed: code may still be released
  std::mutex compiling_;             ///< one compilation at a time
  bool opened_ = false;
  const void* plugin_base_ = nullptr;  ///< where it is mapped
  std::atomic<bool> busy_{false}, unavailable_{false};
  std::atomic<uint64_t> samples_{0};
  std::string why_not_;  ///< the plugin is not there
  std::unique_ptr<KeptCode> kept_;  ///< null: none is
  std::mutex keeping_;              ///< of the two that follow
  bool keeps_ = false;
  std::vector<std::shared_ptr<State>> changed_;  ///< whose files are to be written

  std::mutex lock_;
  std::condition_variable wake_;
  std::deque<Job> queue_;
  /// What the thread compiles.
  std::shared_ptr<State> current_;
  const Word* current_entry_ = nullptr;
  /// What may be wanted: hot, but not yet for what it would cost.
  std::unordered_map<const Word*, std::shared_ptr<State>> almost_;
  /// Of a seeded run: stands for what is in the queue.
  struct SimulatedWork final : DirtyJob {
    Orc* orc = nullptr;
    bool submitted = false;
  } simulated_;
  bool stopping_ = false;
  std::deque<uint64_t> exit_counters_;  ///< a counter each; code counts there as long as it lives
  Thread thread_;  ///< not there before the first job, nor while there is no memory for it
};

}  // namespace wb
