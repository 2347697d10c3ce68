// Breakpoints: how a call of a traced function is noticed, when calls of others pay nothing.
//
// A function is reached through the first word of its code (bytecode: the handler's address; native
// code: its own), by whatever call, in either tier. So a breakpoint *in the code* is the highest
// layer of the function's patch stack (loader/code_words.h), the handler `breakpoint` in that word:
// local, meta, call_count, call_time and call_memory tracing. It does what the patterns say and
// goes on with the word that is below it, which the stack keeps up to date in `go_on`. Only a
// function that calls itself in native code does not pass its first word: such a function runs
// interpreted as long as it is traced, its native code hidden; whoever is inside that leaves it
// within a slice, for which trace_pattern/3 waits.
//
// A breakpoint *on an export* (global tracing) puts a stub of its own into the export's entry,
// whose instruction `export_breakpoint` goes on at the code that was there.
//
// A BIF is called through its export's `body`. A breakpoint puts a body there that traps to a stub
// of the breakpoint: the BIF is then called like any function, with a return address on the stack,
// and what is to be reported of its return finds a frame as everywhere else
// (trace_frames.h). From there on a stub that calls the native body itself.
//
// A function has a record for each session of tracing that sets something on it (session.h): the
// first, of the usual session, is the one that is put in; the others are a chain behind it. Records
// of a session that is over are used again.
//
// Records are found by address (of the first word, or of the export) in a table read without a
// lock, and are never freed while the code they are in may run: records of a module go when its
// code is freed, those of exports stay. What is set on a function is one immutable CallPatterns,
// replaced as a whole and freed by thread progress: who runs with the old one finishes with it.
//
// Locks: the code table's, then Breakpoints::lock_, then an Edit of the words.
//
// Rejected: patching native code (code memory is never writable where it runs, and other processors
// may be fetching it); stopping the world; storing the record's number beside the arity (a racing
// call counter of warm_up would overwrite it).
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/ranked_lock.h"
#include "loader/code_table.h"
#include "term/address.h"
#include "term/atom.h"
#include "vm/ets/match_spec.h"
#include "vm/orc/orc.h"
#include "vm/process/call_meter.h"
#include "vm/trace/session.h"

namespace wb {

class Vm;

/// {M,F,A} with `_` from the right.
struct FunctionPattern {
  Term module, function;  ///< am::underscore: all
  int64_t arity;          ///< -1: all
  bool matches(Term m, Term f, uint32_t a) const {
    return (module == am::underscore || module == m) &&
           (function == am::underscore || function == f) && (arity < 0 || arity == a);
  }
};

/// A match specification and the term it was made of.
struct TraceSpec {
  explicit TraceSpec(MatchSpec* s, Term t) : program(s), source(t) {}
  ~TraceSpec() { program->release(); }
  TraceSpec(const TraceSpec&) = delete;
  MatchSpec* const program;
  KeptTerm source;
};
using TraceSpecRef = std::shared_ptr<const TraceSpec>;  ///< null: matches everything

/// What trace_pattern/3 has set on a function.
struct CallPatterns {
  bool global = false, local = false, meta = false, count = false, count_paused = false;
  uint8_t costs = 0, paused_costs = 0;  ///< call_time, call_memory: bits of CallCost
  bool watch = false;  ///< by the observer (watch.h): of that programs know nothing
  bool tally = false;  ///< always there: what a supervisor restarts is counted, and which child has
                       ///< ended is told (for the observer)
  bool debug = false;  ///< calls are the error handler's (erts_debug:breakpoint/2)
  bool save = false;   ///< an export's: some process saves calls (saved_calls.h)
  TraceSpecRef spec, meta_spec;
  Address meta_tracer;
  std::shared_ptr<const void> meta_module;  ///< keeps a tracer that is a module
  bool in_code() const { return local || meta || count || costs || watch || tally || debug; }
  bool any() const { return global || save || in_code(); }
  /// Nothing but what no trace_pattern/3 has set.
  CallPatterns kept() const {
    CallPatterns p;
    p.watch = watch, p.tally = tally, p.debug = debug, p.save = save;
    return p;
  }
  /// Nothing for whom does not save calls.
  bool only_save() const { return save && !global && !in_code(); }
  /// Anything that a program has set.
  bool by_program() const { return global || local || meta || count || costs; }
  uint8_t metered() const { return costs & static_cast<uint8_t>(~paused_costs); }
};

/// call_time, call_memory: what one process has spent in a function.
struct CallCosts {
  int64_t calls = 0;
  int64_t spent = 0;  ///< ns, words
};

struct Breakpoint {
  enum Kind : uint8_t { code, export_, bif };
  const Kind kind;
  const Term module, function;
  const uint32_t arity;
  const uint32_t number;  ///< what frames on stacks say
  std::atomic<SessionId> session{kUsualSession};
  std::atomic<Breakpoint*> next{nullptr};  ///< of the same function, for another session
  Breakpoint* first = this;                ///< in that chain
  std::atomic<const CallPatterns*> patterns{nullptr};
  std::atomic<int64_t> calls{0};              ///< call_count
  std::atomic<bool> meta_tracer_gone{false};  ///< a call found that it has ended
  std::mutex costs_lock;
  std::unordered_map<Term, CallCosts> costs[kCallCostCount];  ///< by CallCost, then by pid
  auto& costs_of(CallCost c) { return costs[static_cast<size_t>(c)]; }

  // --- how it is put in; under Breakpoints::lock_ but for `go_on`
  bool installed = false;  ///< the first one
  bool traced = false;
  std::atomic<Word> go_on{0};  ///< code: the first word below it; export_: the code's address
  Module* owner = nullptr;     ///< code: the module
  Word* entry = nullptr;       ///< code: the first word
  Export* target = nullptr;    ///< export_, bif
  Export via{}, plain{};       ///< the stub with the breakpoint; bif: the stub that calls its body

  Breakpoint(Kind p, Term m, Term f, uint32_t a, uint32_t n)
      : kind(p), module(m), function(f), arity(a), number(n) {}
  ~Breakpoint() { delete patterns.load(std::memory_order_relaxed); }
};

class Breakpoints {
 public:
  explicit Breakpoints(Vm& vm);
  ~Breakpoints();

  /// The first record for the code at `entry` or for an export; nullptr: there never was one.
  Breakpoint* find(const void* where) const;
  /// The record of that session.
  Breakpoint* find(const void* where, SessionId session) const;
  /// By number; nullptr: its code was freed.
  Breakpoint* at(uint32_t number) const {
    const Chunk* chunk = chunks_[number / kChunk].load(std::memory_order_acquire);
    return chunk[number % kChunk].load(std::memory_order_acquire);
  }

  // --- for trace_pattern/3 (pattern.cc), under lock() and the code table's lock
  using Lock = RankedLock<LockRank::breakpoints>;
  std::unique_lock<Lock> lock() { return std::unique_lock(lock_); }
  Breakpoint& on_code(Module& m, Word* entry, Term function, uint32_t arity,
                      SessionId session = kUsualSession);
  Breakpoint& on_export(Export& e, SessionId session = kUsualSession);
  /// Sets what is on; puts the breakpoint in or takes it out.
  void set(Breakpoint& b, const CallPatterns& patterns);
  /// Is anything traced at all? What is counted always does not count.
  bool any() const { return traced_.load(std::memory_order_relaxed) != 0; }
  /// Did `set` hide or invalidate native code since this was asked last? Then processes may still
  /// be in it.
  bool has_hidden_native() { return std::exchange(hidden_native_, false); }

  /// Code made by LLVM for the function at `entry` is no good any more.
  void invalidate_hot_code(const Module& m, const Word* entry);

  // --- one more process saves calls, or one less
  void begin_saving();
  void end_saving();

  /// on_load: what functions of modules to come get, in each session.
  std::map<SessionId, CallPatterns> for_new;  ///< under lock_
  /// What the observer watches, in modules to come, too.
  std::vector<FunctionPattern> watched;  ///< under lock_

  // --- what happens to versions of modules (CodeHooks)
  void became_current(Module& m);
  void becoming_old(Module& m);
  void being_freed(Module& m);

 private:
  static constexpr uint32_t kChunk = 32768, kChunks = 1024;
  using Chunk = std::atomic<Breakpoint*>;
  struct Slot {
    std::atomic<const void*> where{nullptr};
    std::atomic<Breakpoint*> breakpoint{nullptr};
  };
  struct Table {
    explicit Table(size_t size) : mask(size - 1), slots(new Slot[size]) {}
    const size_t mask;
    std::unique_ptr<Slot[]> slots;
  };
  Breakpoint& make(Breakpoint::Kind kind, const void* where, Term m, Term f, uint32_t arity);
  void put(const void* where, Breakpoint* b);
  void rebuild();
  void trace_new(Module& m);
  void trace_new(Module& m, SessionId session, const CallPatterns& patterns);
  Breakpoint& of_session(Breakpoint& first, SessionId session);
  void clear(Breakpoint& first);
  void watch_new(Module& m, const FunctionPattern& which);
  void tally_new(Module& m);
  void set_saving(Export& e, bool on);
  void set_saving_everywhere(bool on);
  void install(Breakpoint& b);
  void remove(Breakpoint& b);
  void install_in_code(Breakpoint& b);
  void invalidate_module(Module& m);
  void remove_from_code(Breakpoint& b);
  static size_t hash(const void* p) {
    return (reinterpret_cast<Word>(p) >> 3) * 0x9e3779b97f4a7c15 >> 20;
  }

  Vm& vm_;
  Lock lock_;
  std::atomic<Table*> table_;
  std::vector<std::unique_ptr<Table>> tables_;
  size_t used_ = 0;                           ///< slots, in the newest table
  std::atomic<Chunk*> chunks_[kChunks] = {};  ///< by number; numbers are never used again
  uint32_t count_ = 0;
  std::unordered_map<const Module*, std::vector<Breakpoint*>> of_module_;
  bool hidden_native_ = false;
  bool saving_ = false;                            ///< under lock_
  RankedLock<LockRank::saved_calls> savers_lock_;  ///< the outermost
  size_t savers_ = 0;
  std::atomic<uint32_t> traced_{0};
};

}  // namespace wb
