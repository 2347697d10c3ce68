// What looks wrong in the whole machine, with the process and the cause (warnings.def): who knows
// only "it is slow" or "memory grows" asks for this, and is told where to go on.
//
// While somebody asks (and 20 s longer, or as long as was asked for) the observer's thread looks
// once a second. What is wrong by what it is (a queue, a cycle of calls) is asked of the processes
// that a pass over all has found; what is wrong by how it goes on (atoms, timers, searches, copies,
// time, crashes) is the difference of two looks, from what the machine counts and notes anyway. A
// warning is one when it was so at several looks in a row: what a healthy program does for a moment
// is none.
//
// A pass over the processes (suspects.h) is made as seldom as it takes a hundredth of the time, or
// each four seconds; whom it has found is looked at each second.
//
// Of the observer's thread only. Rejected: looking all the time (a machine that nobody looks at
// pays nothing for it); thresholds to choose (there are alarms for that, with numbers of one's
// own).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "term/address.h"
#include "term/fault.h"
#include "term/term.h"
#include "vm/observe/calls.h"
#include "vm/observe/suspects.h"
#include "vm/observe/warning_kinds.h"

namespace wb {

class Observer;
class ProcessQuery;
class Table;
struct CallSite;

struct Warning {
  Warning(WarningKind kind, uint64_t subject, std::string text, Term pid = kNone)
      : kind(kind), subject(subject), text(std::move(text)), pid(pid) {}
  WarningKind kind;
  uint64_t subject;  ///< tells it from others of its kind, look by look
  std::string text;  ///< in numbers
  Term pid;          ///< whom it is about; kNone: the machine
  std::string name;  ///< registered, or what it was started as
  Term other = kNone;
  std::string other_name;
  std::string function, file;
  uint32_t line = 0;
};

class Warnings {
 public:
  explicit Warnings(Observer& observer);
  ~Warnings() { forget_asked(); }
  Warnings(const Warnings&) = delete;

  /// Somebody wants to know, and for so long: looks now if nobody did before.
  void ask(uint64_t seconds);
  bool is_over() const;  ///< nobody has asked for long
  int due_in_ms() const;
  /// If it is time.
  void look();
  /// The first `limit` of those whose kind is called `what`; of all if that is empty. How many of
  /// each kind there are in any case.
  void write(JsonWriter& w, std::string_view what, size_t limit) const;
  size_t memory() const;

 private:
  static constexpr uint64_t kSecond = 1'000'000'000, kApart = 950'000'000;

  void note(Warning warning) { found_.push_back(std::move(warning)); }
  void name_subjects();
  void confirm();

  // --- of processes (warnings_processes.cc)
  void find_suspects(uint64_t now);
  void ask_suspects();
  void forget_asked();
  void find_call_warnings();
  void find_busy(uint64_t now);

  // --- of what goes on (warnings_rates.cc). `seconds`: since the last look; 0: there was none
  void find_limits();
  void find_crash_loops(uint64_t now);
  void find_searches(double seconds);
  void find_large_messages(double seconds);
  void find_atoms(double seconds);
  void find_timers(double seconds);
  void set_place(Warning* warning, const CallSite& where) const;

  Observer& o_;
  uint64_t until_ns_ = 0, looked_ns_ = 0, first_ns_ = 0, looks_ = 0;
  std::vector<Warning> found_;  ///< by the look that is made
  std::vector<Warning> rows_;   ///< what is answered
  struct Held {
    Warning warning;
    uint32_t looks;  ///< in a row, of which one may be missed: a process may not have answered
    bool missed;
  };
  std::map<std::pair<WarningKind, uint64_t>, Held> held_;

  uint64_t next_pass_ns_ = 0;
  uint32_t passes_ = 0;
  Suspects suspects_;
  std::vector<Term> to_ask_;  ///< some of them
  std::vector<CallTrouble> trouble_;
  std::unordered_map<Term, ProcessQuery*> asked_;  ///< who has not answered yet
  /// What a worker did in the time before its last event that was seen.
  struct WorkerTime {
    uint64_t until_ns = 0;
    std::unordered_map<uint64_t, double> shares;  ///< by label
  };
  std::vector<WorkerTime> workers_;

  struct Searches {
    uint64_t searches, searched;
  };
  std::unordered_map<const Table*, Searches> searches_;
  std::vector<uint64_t> next_flow_;
  uint32_t atoms_ = 0;
  using TimersFrom = std::tuple<Term, const Word*, Address>;
  std::map<TimersFrom, uint64_t> timers_;
  size_t timer_count_ = 0;
  /// How many of a kind there were, ten seconds ago or more, and since.
  std::unordered_map<uint64_t, uint64_t> exits_then_, exits_since_;
  uint64_t exits_ns_ = 0;
};

}  // namespace wb
