// Signals of the operating system. Until a program says otherwise (os:set_signal/2), SIGINT,
// SIGTERM, SIGHUP and SIGQUIT end the machine as halt does: what was printed is complete, the exit
// code is 128 and the signal's number (SIGUSR1: 1, as BEAM); a second one ends the OS process at
// once. All others do what they do to any OS process.
//
// All of them are blocked in every thread (construct this before the machine starts its own) but
// one, which waits for those that something is to happen for and leaves the rest unblocked, so that
// the kernel does what it does by default. Nothing ever runs inside a signal handler. Whoever
// starts another OS program clears its signal mask first.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <optional>

#include "scheduler/thread.h"
#include "term/term.h"
#include "vm/io/known_children.h"

namespace wb {

class Recording;
class Vm;

/// What a booted machine does of itself, on the thread of signals.
struct SignalCallbacks {
  void (*break_menu)(Vm& vm) = nullptr;  ///< of SIGINT, if that is a kBreak
  void (*continued)(Vm& vm) = nullptr;   ///< SIGCONT: the terminal may be in another mode
};

class OsSignals {
 public:
  enum class Action : uint8_t { kDefault, kIgnore, kHandle, kEnd, kBreak, kContinued, kTerminal };

  /// Who has booted OTP hears of SIGTERM, SIGQUIT and SIGUSR1 in its erl_signal_server, and SIGHUP
  /// does what it does to any OS process. `on_break`: of SIGINT there.
  enum class Receiver : uint8_t { machine, erl_signal_server };
  explicit OsSignals(Vm& vm, Receiver receiver = Receiver::machine, Action on_break = Action::kEnd,
                     SignalCallbacks callbacks = {});
  ~OsSignals();
  OsSignals(const OsSignals&) = delete;

  /// The number of the signal with this name (an atom of os_signals.def).
  static std::optional<int> number(Term name);
  /// kHandle: `erl_signal_server` is notified. In force when this returns.
  void set(int signal, Action action);
  /// SIGWINCH and SIGCONT are told as bytes `w` and `c` to a pipe from now on; -1: no more.
  void tell_terminal(int pipe);
  KnownChildren children;

 private:
  void serve();
  void end_with_machine(int signal);
  /// What the thread waits for; its mask lets everything else through.
  sigset_t adopt();
  void arrived(int signal);
  void arrived_recorded(Recording& r, Action action, int signal);
  static void act_recorded(void* self, int signal);
  Action action_of(int signal);
  void act(Action action, int signal);

  Vm& vm_;
  const SignalCallbacks callbacks_;
  sigset_t all_, before_;
  std::mutex lock_;
  std::condition_variable adopted_;
  std::array<Action, 65> actions_{};
  uint64_t wanted_ = 0, in_force_ = 0;  ///< versions of actions_
  int terminal_pipe_ = -1;              ///< under lock_
  bool over_ = false;
  bool ending_ = false;      ///< touched by the thread only, or the worker of a recorded run
  bool end_posted_ = false;  ///< touched by the thread only
  Thread thread_;
  std::atomic<pthread_t> handle_{};  ///< the thread, once it runs
};

}  // namespace wb
