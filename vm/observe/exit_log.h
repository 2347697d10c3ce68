// Who has ended abnormally: the last thousand, with or without a logger.
//
// What dies alike (the same initial call, the same reason but for numbers, pids and the like, at
// the same place) is one *kind*. A crash loop must not push out what happened once before it, nor
// may it cost what it has not cost before: a kind keeps its newest ten exits, makes at most ten a
// second, and for the rest is a count. All kinds together make at most kMostASecond.
//
// A record is text, made by the process that dies, of what is in its hands: nothing refers to a
// heap or to code that goes. A process that is `sensitive` leaves its name and where it came from.
//
// Lock: `lock_`, a leaf, held for moving strings only.
//
// Rejected: a ring for each scheduler (the same kind would be counted several times, and abnormal
// ends are rare enough for one lock); the reason as a term (a reason may hold a whole state, and
// whoever reads it would have to own it).
#pragma once

#include <cstdint>
#include <list>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/ranked_lock.h"
#include "term/fault.h"
#include "term/term.h"

namespace wb {

class Process;

class ExitLog {
 public:
  static constexpr size_t kMost = 1000, kMostOfKind = 10, kMostASecond = 1000;
  static constexpr size_t kMostReason = 600, kMostFrames = 20;

  struct Frame {
    std::string function, file;
    uint32_t line;
  };
  struct Exit {
    uint64_t number = 0;   ///< counts all that are recorded, from 1
    uint64_t at_ns = 0;    ///< of the monotonic clock
    uint64_t wall_ms = 0;  ///< since 1970
    Term pid = kNone, parent = kNone;
    std::string name;        ///< registered, or empty
    std::string label;       ///< proc_lib:set_label/1, or empty
    std::string initial;     ///< what proc_lib started, or what it was spawned with
    std::string supervisor;  ///< the first of its ancestors: name or pid; empty without proc_lib
    std::string child;       ///< its id there, once the supervisor has seen the end
    std::string reason;
    std::vector<Frame> stack;  ///< innermost first
    uint64_t kind = 0;
  };
  struct Kind {
    uint64_t count = 0;  ///< all of them, recorded or not
    uint64_t first_ns = 0, last_ns = 0, recorded_ns = 0;
    size_t kept = 0;
  };
  struct Row {
    Exit exit;
    Kind kind;
  };

  // --- by the process itself, as VmHooks says
  /// 0: it is only counted.
  uint64_t count(Process& p, Term reason, Word place);
  void record(Process& p, Term reason, Term trace, uint64_t kind);
  /// {child, Pid, Id, ...}, by its supervisor.
  void note_child(const Process& supervisor, Term child);

  /// The newest first. `pid`: its only; kNone: all.
  std::vector<Row> newest(Term pid, size_t most) const;
  /// The newest exit of each kind that has at least so many, the last one after `since_ns`.
  std::vector<Row> repeated(uint64_t least, uint64_t since_ns) const;
  /// Exits that are in no record: too many of a kind, or too many at all.
  uint64_t unrecorded() const;

 private:
  bool wants(uint64_t kind, uint64_t now);
  void drop_oldest(uint64_t kind, bool any);

  mutable RankedLock<LockRank::exit_log> lock_;
  std::list<Exit> exits_;  ///< the oldest first
  std::unordered_map<uint64_t, Kind> kinds_;
  uint64_t last_number_ = 0, unrecorded_ = 0;
  uint64_t second_ = 0;  ///< that `in_second_` is of
  size_t in_second_ = 0;
};

}  // namespace wb
