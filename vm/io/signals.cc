#include "vm/io/signals.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string_view>

#include "base/cannot_start.h"
#include "base/recording.h"
#include "gc/fragment.h"
#include "scheduler/scheduler.h"
#include "term/atom.h"
#include "term/instance.h"
#include "vm/core/vm.h"
#include "vm/io/services.h"
#include "vm/process/send.h"
#include "vm/process/table.h"

namespace wb {

/// Ours: wakes the thread.
static int wake_up() { return SIGRTMIN; }

namespace {
struct Named {
  int since;
  std::string_view name;
  int number;
};
constexpr Named kNamed[] = {
#define OS_SIGNAL(since, id, signal) {since, #id, signal},
#include "vm/io/os_signals.def"
#undef OS_SIGNAL
};

Term name_of(int number) {
  for (const Named& s : kNamed) {
    if (s.number == number) return intern(s.name);
  }
  return kNone;
}
}  // namespace

std::optional<int> OsSignals::number(Term name) {
  for (const Named& s : kNamed) {
    if (s.since <= otp_release() && atom_text(name) == s.name) return s.number;
  }
  return std::nullopt;
}

/// Unless it is ignored: started with nohup or in the background.
void OsSignals::end_with_machine(int signal) {
  struct sigaction now;
  bool ignored = sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
  if (!ignored) actions_[static_cast<size_t>(signal)] = Action::kEnd;
}

OsSignals::OsSignals(Vm& vm, Receiver receiver, Action on_break, SignalCallbacks callbacks)
    : vm_(vm), callbacks_(callbacks) {
  ::signal(SIGCHLD, SIG_DFL);  // whoever started us may ignore it
  sigemptyset(&all_);
  for (const Named& s : kNamed) sigaddset(&all_, s.number);
  sigaddset(&all_, SIGINT);
  sigaddset(&all_, wake_up());
  if (receiver == Receiver::machine) {
    for (int s : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1}) end_with_machine(s);
  } else {
    for (int s : {SIGTERM, SIGQUIT, SIGUSR1}) actions_[s] = Action::kHandle;
    actions_[SIGINT] = on_break;
    if (on_break == Action::kIgnore) signal(SIGINT, SIG_IGN);
    if (callbacks.continued) actions_[SIGCONT] = Action::kContinued;
  }
  pthread_sigmask(SIG_BLOCK, &all_, &before_);
  auto serve = [](void* self) { static_cast<OsSignals*>(self)->serve(); };
  if (!thread_.start("wb-signals", serve, this)) cannot_start("no thread for signals", errno);
  while (!handle_.load(std::memory_order_acquire)) sched_yield();
  vm_.os_signals = this;
  if (Recording* r = vm_.oracle->recording()) r->on_signal = act_recorded, r->signal_handler = this;
}

OsSignals::~OsSignals() {
  vm_.os_signals = nullptr;
  if (Recording* r = vm_.oracle->recording()) r->on_signal = nullptr;
  {
    std::lock_guard lock(lock_);
    over_ = true;
  }
  pthread_kill(handle_.load(std::memory_order_relaxed), wake_up());
  thread_.join();
  // A second signal, come too late for _exit(), must not change the exit code of the first.
  if (!ending_) pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void OsSignals::set(int signal, Action action) {
  if (signal == SIGSTOP) return;  // nobody can
  struct sigaction how = {};
  // Who has SIGCHLD ignored never hears how its children ended; by default it does nothing anyway.
  const bool ignored = action == Action::kIgnore && signal != SIGCHLD;
  how.sa_handler = ignored ? SIG_IGN : SIG_DFL;
  std::unique_lock lock(lock_);
  // Never a moment in which a signal that is to be handled does what it does by default.
  if (action != Action::kHandle) sigaction(signal, &how, nullptr);
  actions_[static_cast<size_t>(signal)] = action;
  uint64_t version = ++wanted_;
  pthread_kill(handle_.load(std::memory_order_relaxed), wake_up());
  adopted_.wait(lock, [&] { return in_force_ >= version; });
  if (action == Action::kHandle) sigaction(signal, &how, nullptr);
}

void OsSignals::tell_terminal(int pipe) {
  {
    std::lock_guard lock(lock_);
    terminal_pipe_ = pipe;
  }
  set(SIGWINCH, pipe < 0 ? Action::kDefault : Action::kTerminal);
}

sigset_t OsSignals::adopt() {
  std::lock_guard lock(lock_);
  sigset_t waited, mask = before_;
  sigemptyset(&waited);
  sigaddset(&waited, wake_up());
  for (int s = 1; s < static_cast<int>(actions_.size()); ++s) {
    bool ours = actions_[static_cast<size_t>(s)] >= Action::kHandle;
    if (ours) sigaddset(&waited, s);
    if (ours || s == wake_up()) sigaddset(&mask, s);
  }
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  in_force_ = wanted_;
  adopted_.notify_all();
  return waited;
}

void OsSignals::serve() {
  handle_.store(pthread_self(), std::memory_order_release);
  for (;;) {
    sigset_t waited = adopt();
    siginfo_t info = {};
    const int s = sigwaitinfo(&waited, &info);
    if (s < 0) continue;
    if (s != wake_up() && !children.have_sent(info)) arrived(s);
    std::lock_guard lock(lock_);
    if (over_) return;
  }
}

void OsSignals::arrived(int signal) {
  const Action action = action_of(signal);
  if (Recording* r = vm_.oracle->recording()) return arrived_recorded(*r, action, signal);
  act(action, signal);
}

/// The worker of a recorded run acts, at a moment that is kept. In a replay only what ends it
/// counts.
void OsSignals::arrived_recorded(Recording& r, Action action, int signal) {
  const int code = signal == SIGUSR1 ? 1 : 128 + signal;
  if (action == Action::kEnd && (r.replays() || std::exchange(end_posted_, true))) _exit(code);
  if (r.replays()) return;
  r.post_signal(signal);
  vm_.scheduler->when_all_passed(nullptr, [](void*) {});  // wakes it
}
void OsSignals::act_recorded(void* self, int signal) {
  auto& signals = *static_cast<OsSignals*>(self);
  signals.act(signals.action_of(signal), signal);
}

OsSignals::Action OsSignals::action_of(int signal) {
  std::lock_guard lock(lock_);
  return actions_[static_cast<size_t>(signal)];
}

void OsSignals::act(Action action, int signal) {
  if (action == Action::kBreak) {
    if (!vm_.halting()) callbacks_.break_menu(vm_);
    return;
  }
  if (signal == SIGCONT && callbacks_.continued) callbacks_.continued(vm_);
  if (signal == SIGCONT || action == Action::kTerminal) {
    std::lock_guard lock(lock_);
    const char said = signal == SIGCONT ? 'c' : 'w';
    if (terminal_pipe_ >= 0 && write(terminal_pipe_, &said, 1) < 0) return;  // full: known already
  }
  ReaderGuard guard(vm_.scheduler->progress());  // the receiver may just be ending
  if (action == Action::kHandle) {
    FragmentHeap h(4);
    Term server = vm_.processes->whereis(am::erl_signal_server);
    if (is_value(server)) send_message(vm_, server, tuple(h, am::notify, name_of(signal)));
  } else if (action == Action::kEnd) {
    int code = signal == SIGUSR1 ? 1 : 128 + signal;
    if (ending_) _exit(code);
    ending_ = true;
    if (signal == SIGUSR1) fprintf(stderr, "Received SIGUSR1\n");
    if (vm_.services)
      vm_.services->halt(code);
    else
      vm_.halt(code);
  }
}

}  // namespace wb
