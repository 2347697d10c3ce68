// Programs of the system in a seeded run: the machine and they run by turns.
//
// A program has a time of its own, so whether its answer has come would be a matter of luck. In a
// seeded run virtual time stands still while a program runs: before anybody is told what came of
// it, the machine waits until it has settled, that is, until each of its threads, and of those that
// it has started, waits for something that only somebody else can bring (input, room in a pipe, the
// end of a child). What has come by then has come at one moment of virtual time, soon after the
// program was given something. So a program that computes its answers from its input repeats; one
// that looks at a clock, or at what others do, does not.
//
// Whether a program has settled is read in /proc: all threads asleep, in a system call without a
// time limit, and none has been awake between two looks. One that does not settle within kPatience
// is taken as it is, and not waited for again before it has been awake.
//
// A process that was forked from the one that started a program (as the runs of `explore` are) must
// not talk to it: others do. The first time that it gives it something it starts another one of its
// own, in the place of the first.
//
// Rejected: waiting for output for a while (which while? a loaded system makes another run of it).
//
// All of it on the worker that simulates.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "scheduler/io_poller.h"
#include "scheduler/timer_wheel.h"
#include "vm/port/child.h"

namespace wb {

class Reaper;
class Vm;

class Lockstep {
 public:
  Lockstep(Vm& vm, Reaper& reaper);
  ~Lockstep();
  Lockstep(const Lockstep&) = delete;
  struct Look;

  /// `name`: of the program, for faults (vm/io/outside.h): it may be killed then.
  void started(const ChildSpec& spec, const Child& child, const std::string& name);
  /// It is about to get bytes to read.
  void given(pid_t known_as);
  /// As IoPoller's, of a program's pipes and of the program itself.
  int watch(FdWatch& watch, uint32_t events);
  void unwatch(FdWatch& watch);

 private:
  struct Program {
    pid_t known_as, pid;  ///< to its port; and in truth
    pid_t home;           ///< who has started it
    int input, output;    ///< of its port
    ChildSpec spec;
    std::string name;                     ///< for faults
    uint64_t given_up_at = ~uint64_t{0};  ///< Look::switches, when it had not settled in time
  };
  struct Watched {
    FdWatch* watch;
    uint32_t events;
  };
  struct Alarm : Timer {
    Lockstep* lockstep = nullptr;
    bool running = false;
  };
  static void on_alarm(Worker& w, Timer& timer);
  void start_own(Program& p);
  static void end_now(pid_t pid);
  void stir();  ///< something may come of what was done
  Look look() const;
  void settle();
  void report(Worker& w);

  Vm& vm_;
  Reaper& reaper_;
  Alarm alarm_;
  std::vector<Program> programs_;
  std::vector<Watched> watched_;
};

}  // namespace wb
