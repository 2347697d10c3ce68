// A program that is run again and again, each time from the same state.
//
// A machine is made once: its modules loaded, its services started, everything at rest. A run is a
// child that is forked from there: it begins in exactly that state, whatever other runs have done,
// and costs no more than what it changes (a page that is written to is copied). The machine has no
// thread but the one that forks, so nothing is lost in the child. What a run has to tell it writes
// into memory that both share.
//
// What is loaded and started before is found out by some runs: whatever they load or start, the
// machine has before the next. So the first run of all would be another one than the last; none of
// those counts.
//
// Measured (docs/exploring.md): a fork of such a machine, a run of four processes and its end take
// 0.6 ms of processor time. Rejected: going on in the same machine when all processes have ended
// (pids, references, unique integers and tables would be others than in a run by itself, and so
// would what depends on them); a fresh Machine for each run, which would load and start all anew.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "vm/explore/ending.h"
#include "vm/explore/fork_ready.h"
#include "vm/explore/races.h"
#include "vm/machine/embed.h"

namespace wb {

/// What a run is to be.
struct Plan {
  const Switches* switches = nullptr;  ///< the usual one but for these; null: of the seed
  uint64_t seed = 0;
  bool story = false, records = false;
  bool events = false;  ///< the story's, too
  bool races = false;   ///< and it records
  bool prints = false;  ///< what the program prints is printed
  bool quotes = false;  ///< Outcome::output is wanted
};

struct Outcome {
  Finding ending;
  uint64_t steps = 0, choices = 0;
  Switches switches;  ///< if it records
  std::string story, output;
  std::string telling;                     ///< the story's events: JSON, for to_file
  std::vector<Races::Reversal> reversals;  ///< if its races are wanted
  uint64_t trace = 0;
  bool changes_files = false;
};

struct ExploreRules {
  StrategyKind strategy = StrategyKind::mixed;
  uint32_t depth = 3;
  RunLimits limits;
  FaultSet faults;    ///< that may happen
  std::string entry;  ///< module whose function is called; empty: the program itself
  /// With an entry: what its prepare/1 is called with before the first run. There is no program
  /// then.
  std::vector<std::string> preparation;
};

class Runner {
 public:
  using Made = Result<std::unique_ptr<Runner>, std::string>;
  /// `prepared`: what is to be loaded and started before; null: what some runs need. With a
  /// preparation it has to aim before it runs.
  static Made make(const RunOptions& options, const ExploreRules& rules, const Schedule* prepared);
  /// From now on runs call this function of the entry. What they need is made ready.
  void aim(const std::string& function, const std::vector<std::string>& args);
  /// What this function of the entry prints.
  std::string ask(const std::string& function);
  ~Runner();
  Runner(const Runner&) = delete;

  /// One run; in whatever process forked from the one that made the runner, after channels().
  Outcome run(const Plan& plan);
  /// Memory and files for what runs say: each process that runs needs its own.
  bool make_channels();

  const std::vector<Finding>& usual() const { return usual_; }
  uint64_t usual_choices() const { return choices_; }
  /// Do runs change files? All of them see the same ones.
  bool changes_files() const { return changes_files_; }
  /// What runs run of the code of files.
  const std::vector<CodeRange>& code() const { return code_; }
  /// Of this program: what a schedule says before its switches.
  Schedule heading() const;
  const std::string& name() const { return name_; }

 private:
  struct Shared;
  Runner(const RunOptions& options, const ExploreRules& rules);
  std::string load(const Schedule* prepared);
  std::string find_program();
  std::string run_preparation();
  void take_part();
  void settle(Term awaited = kNone);
  void warm_up();
  [[noreturn]] void run_here(const Plan& plan);
  void prepare(const std::vector<std::string>& modules, const std::vector<std::string>& services);
  void tell(const Plan& plan, const Explorer& run, const std::string& output, Story* story,
            Races& races);

  RunOptions options_;
  const ExploreRules rules_;
  std::unique_ptr<Machine> vm_;
  std::unique_ptr<Explorer> explorer_;
  Term module_ = kNone;
  std::string name_;
  std::vector<std::string> modules_, services_;  ///< prepared
  std::vector<Finding> usual_;
  uint64_t choices_ = 0;  ///< of a run, about
  std::vector<CodeRange> code_;
  bool changes_files_ = false;
  bool judges_ = false;  ///< usual_ is known
  Shared* shared_ = nullptr;
  int out_ = -1, nothing_ = -1;
  std::vector<std::string> wanted_modules_, wanted_services_;  ///< of the last run
};

}  // namespace wb
