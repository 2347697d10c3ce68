// One run of a program whose schedule is chosen.
//
// The explorer is the guide (scheduler/guide.h) of a seeded machine whose handlers and BIFs have
// points (vm/process/points.h). A process that comes to a point ends its slice there, and the next
// choice is between all that stand in the queue, and the clock: a step of a run is one operation of
// one process and what it computes up to its next one. What it computes in between nobody sees.
//
// Priorities of Erlang's stay strict: no normal process runs while one of high priority can. The
// machine's own processes (`user`, logger ...) are no part of the game: they run as soon as they
// can, so that printing is one step.
//
// Time. A timer may come first although somebody could run, because the system may keep anybody
// from running for a while, but not for long: the clock moves only if nobody who can run has been
// able to for longer than `patience`. So a time-out of 100 ms may strike a process that is about to
// answer, and one of five seconds comes only if there is no answer.
//
// Fairness. A strategy may keep somebody from running for ever, and a program that polls would
// never end. After half of the steps that a run may have, all run in turn, so a run that still does
// not end is the program's own fault.
//
// When main has returned, the others go on in the usual way until nobody can, or for a minute of
// virtual time; what is left then has leaked.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "vm/explore/strategy.h"
#include "vm/io/outside.h"
#include "vm/process/points.h"

namespace wb {

class Machine;
class Races;
class Story;
struct Export;

struct RunLimits {
  uint64_t steps = 20'000;
  uint64_t patience_ns = 1'000'000'000;
};

class Explorer final : public Points, private Outside {
 public:
  explicit Explorer(Machine& vm);
  ~Explorer() override;

  /// Before main is spawned: the run that comes now.
  void begin(Strategy& strategy, const RunLimits& limits, Story* story, Races* races, bool records);
  /// What may go wrong outside, from now on.
  void inject(FaultSet faults) {
    want(faults);
    outside = faults.empty() ? nullptr : this;
  }
  /// Before a run: the machine stops when nothing can happen any more, or soon after `awaited` has
  /// ended (kNone: soon): services may go on for ever, by timers.
  void settles(Term awaited);
  /// Processes that were there before, and take part in the next run all the same: "app.1" ...
  void takes_part(const std::vector<Term>& pids) { others_ = pids; }
  /// Whoever is to be looked at as a part of the program, from now on.
  void started(Term main);

  enum class End : uint8_t {
    none,
    returned,    ///< main has; and the others had time enough
    halted,      ///< somebody has ended the machine, or main has crashed
    deadlock,    ///< nobody can ever run again
    endless,     ///< it took all steps it may have
    starvation,  ///< the same, and somebody who could run never did
  };
  End end() const { return end_; }
  int exit_code() const { return exit_code_; }
  uint64_t steps() const { return steps_; }
  uint64_t choices() const { return choices_; }
  const Switches& switches() const { return switches_; }  ///< if it records
  const std::string& starving() const { return starving_; }
  /// What was in main's queue as it returned.
  const std::vector<std::string>& left_by_main() const { return left_by_main_; }
  /// Is it a process of the program?
  bool is_of_program(const Process& p) const;
  /// And one that should have ended when main does?
  bool is_temporary(const Process& p) const;
  std::string path_of(Term pid) const;

  // --- Guide
  void next_timer(uint64_t deadline_ns) override { deadline_ = deadline_ns; }
  Runnable* next(std::span<Runnable* const> waiting) override;
  bool stuck(Worker& w) override;

  // --- Points
  bool before(Exec& c, const Word* I, PointKind kind) override;
  void takes(Exec& c, const Word* I, const Signal& message) override;
  void times_out(Exec& c, const Word* I) override;

  /// The bodies of BIFs that are points.
  Term call(Process& p, const Term* a);
  /// whitebeam:exit/1, with which the machine's own process ends it.
  Term ends(Process& p, const Term* a);

 private:
  struct Operation {
    void* body;
    bool looks;
  };
  // --- Outside
  std::optional<Fault> choose(const OutsidePlace& place, std::span<const Fault> possible) override;

  void put_points();
  Party& party_of(Process& p);
  Party& add_party(Term pid, std::string path);
  Runnable* play(std::span<Runnable* const> waiting);
  Runnable* grant(Process& p, Party& party);
  bool hold(Exec& c, Party& q, const Word* I, bool looks);
  bool may_move_clock(std::span<Runnable* const> candidates);
  size_t usual_of(std::span<Party* const> candidates) const;
  void gather(std::span<Runnable* const> waiting);
  void stop(End end);
  Runnable* next_service(Runnable* service);
  void look_whether_ready();
  bool is_hopeless();
  void too_long(std::span<Runnable* const> waiting);
  uint64_t timers_fired() const;
  void note_what_came();

  Machine& vm_;
  std::unordered_map<const Export*, Operation> operations_;
  void* exit_body_ = nullptr;

  Strategy* strategy_ = nullptr;
  RunLimits limits_;
  Story* story_ = nullptr;
  Races* races_ = nullptr;
  bool records_ = false, begun_ = false;
  std::unordered_map<Term, std::unique_ptr<Party>> parties_;
  std::vector<Term> others_;  ///< takes_part()
  Party clock_;
  Party* last_ = nullptr;
  std::vector<Process*> runnable_;  ///< of the choice that is made now
  std::vector<Party*> candidates_;
  Spot spot_;
  Switches switches_;
  uint64_t deadline_ = ~uint64_t{0};
  uint64_t steps_ = 0, choices_ = 0, in_a_row_ = 0;
  bool moving_ = false;  ///< the clock moves until a timer fires
  uint64_t fired_ = 0, seen_fired_ = 0;
  bool settling_ = false;
  uint64_t settles_until_ = 0, settling_steps_ = 0;
  Term awaited_ = kNone;
  uint64_t ready_at_ = ~uint64_t{0};  ///< before a run: when to stop
  uint64_t last_play_ = 0;            ///< when main or a descendant could run last
  uint64_t services_in_a_row_ = 0;    ///< slices of others since then
  End end_ = End::none;
  int exit_code_ = 0;
  std::string starving_;
  std::vector<std::string> left_by_main_;
};

/// Numbers, pids and references of a text as one word each, so that two runs can be compared.
std::string masked(std::string_view text);

}  // namespace wb
