// Which operations of a run race, and the runs that would turn them round.
//
// Two operations of different processes are dependent if they touch the same thing (a mailbox, a
// key of a table, a name, whether somebody is alive, the time) and at least one changes it; adding
// to a thing does not interfere with adding. What must come before what follows from that: the
// operations of one process, a spawn before what it spawned, a send before what its receiver does
// with it, dependent ones as they came. Two dependent operations race if nothing else puts one
// before the other. Each race is turned round: where the first was chosen, the second's process is
// chosen instead (or, if it could not run there, everybody who could is). Runs in which all
// dependent operations come in one order are one run to everybody in it, and only one of them is
// looked at for further races (dynamic partial-order reduction: Flanagan and Godefroid, 2005; with
// a bound on the number of switches, so that it ends).
//
// What is not known is taken to be dependent: the clock with all sends and all timers, the end of a
// process that fails with all mailboxes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "vm/explore/party.h"
#include "vm/explore/schedule.h"

namespace wb {

class Process;
struct Export;

enum class AccessKind : uint8_t { read, add, write };

class Races {
 public:
  struct Reversal {
    size_t before;  ///< so many of the run's switches stay
    Switch instead;
  };

  // --- as the run goes
  /// A step of `party` begins. `before`: how many switches there have been. `choice`: null, if
  /// nobody else could run.
  void step(const Party& party, size_t before, const Spot* choice,
            std::span<Party* const> candidates);
  void spawned(const Party& child, const Party& parent);
  void sends(Process& p, Term to, Term message);
  /// It finds nothing in its mailbox, and goes on.
  void polls(const Process& p);
  void ends(Process& p);
  /// It has ended otherwise.
  void died(const Party& party);
  void takes(const Process& p, Term message);
  void calls(Process& p, const Export& e, const Term* arguments);
  /// Something outside could have gone wrong, after so many switches.
  void could(size_t before, const Switch& wrong) { faults_.push_back({before, wrong}); }
  /// It has: that is another run, whatever comes of it.
  void went_wrong(const Switch& what);

  // --- afterwards
  /// Of each race, and of each fault that could have been; some may come twice.
  std::vector<Reversal> reversals();
  /// The same for runs in which all dependent operations come in one order.
  uint64_t trace() const { return trace_; }

 private:
  using Clocks = std::unordered_map<std::string, uint32_t>;
  struct Touch {
    uint64_t what;
    AccessKind how;
  };
  struct Sent {
    uint64_t mailbox, message;
    size_t step;
    bool taken = false;
  };
  struct Step {
    std::string who;
    size_t before = 0;
    bool chosen = false, acts = false, has_ended = false;
    Spot spot;
    std::vector<std::string> candidates;
    std::vector<Touch> touches;
    std::vector<size_t> after;  ///< steps whose messages it has taken, or that spawned it
  };
  void begin_operation();
  void touch(uint64_t what, AccessKind how);
  void touch_key(Term table, Term key, AccessKind how);
  void touch_table(Term table, AccessKind how);
  void send_to(Process& p, Term to, Term message);
  void send_to_pid(Term pid, Term message);
  void end(Process& p);
  static bool are_dependent(const Step& a, const Step& b);

  std::vector<Step> steps_;
  std::vector<Sent> sent_;
  std::unordered_map<std::string, size_t> born_;  ///< the step that spawned it
  std::unordered_map<Term, size_t> ended_;        ///< the step in which it did
  size_t clock_step_ = ~size_t{0};
  std::vector<Reversal> faults_;
  uint64_t trace_ = 0;
};

}  // namespace wb
