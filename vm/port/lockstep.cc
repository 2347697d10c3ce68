#include "vm/port/lockstep.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include <fmt/format.h>

#include "scheduler/oracle.h"
#include "scheduler/scheduler.h"
#include "vm/core/vm.h"
#include "vm/io/outside.h"
#include "vm/port/reaper.h"

namespace wb {
namespace {

using std::chrono::steady_clock;
constexpr auto kPatience = std::chrono::seconds(5);
constexpr auto kPause = std::chrono::microseconds(100);
constexpr auto kLongestPause = std::chrono::microseconds(5'000);
/// Where the system does not say in which call a thread sleeps, that it has slept so long must do.
constexpr auto kLongSleep = std::chrono::milliseconds(20);
constexpr uint64_t kAnswerNs = 50'000;  ///< of virtual time

/// Does a thread in this call, with these arguments, wait for others, however long?
bool waits_for_others(long call, const uint64_t (&a)[6]) {
  const auto forever = [](uint64_t timeout) { return static_cast<int32_t>(timeout) < 0; };
  switch (call) {
    case SYS_read:
    case SYS_readv:
    case SYS_write:
    case SYS_writev:
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_accept:
    case SYS_accept4:
    case SYS_wait4:
    case SYS_waitid:
    case SYS_rt_sigsuspend:
    case SYS_splice:
    case SYS_copy_file_range:
      return true;
    case SYS_ppoll:
      return a[2] == 0;
    case SYS_pselect6:
      return a[4] == 0;
    case SYS_epoll_pwait:
      return forever(a[3]);
    case SYS_futex:
      return a[3] == 0;
#ifdef SYS_poll
    case SYS_poll:
      return forever(a[2]);
    case SYS_select:
      return a[4] == 0;
    case SYS_epoll_wait:
      return forever(a[3]);
    case SYS_pause:
      return true;
#endif
    default:
      return false;
  }
}

}  // namespace

/// What one look at programs and those that they have started shows.
struct Lockstep::Look {
  bool asleep = true;       ///< all threads wait for others
  bool knows_calls = true;  ///< the system says in which calls
  uint64_t switches = 0;    ///< how often they have gone to sleep
  bool operator==(const Look&) const = default;
};
using Look = Lockstep::Look;

namespace {

/// Empty: there is none, or it has just gone.
std::string contents(const std::string& path) {
  std::string all;
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return all;
  char buffer[4096];
  for (ssize_t n; (n = read(fd, buffer, sizeof buffer)) > 0;)
    all.append(buffer, static_cast<size_t>(n));
  close(fd);
  return all;
}

void look_at_thread(const std::string& directory, Look* look) {
  const std::string status = contents(directory + "/status");
  const size_t state = status.find("\nState:\t");
  if (state == std::string::npos) return;  // it has ended
  const char s = status[state + 8];
  if (s == 'Z' || s == 'X' || s == 'T' || s == 't') return;
  for (const char* line : {"\nvoluntary_ctxt_switches:\t", "\nnonvoluntary_ctxt_switches:\t"}) {
    const size_t at = status.find(line);
    if (at != std::string::npos)
      look->switches +=
          strtoull(status.c_str() + at + std::char_traits<char>::length(line), nullptr, 10);
  }
  if (s != 'S') {
    look->asleep = false;
    return;
  }
  const std::string call = contents(directory + "/syscall");
  long number;
  uint64_t a[6];
  const int n = sscanf(call.c_str(),
                       "%ld %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64,
                       &number, &a[0], &a[1], &a[2], &a[3], &a[4], &a[5]);
  if (call.starts_with("running"))
    look->asleep = false;
  else if (n != 7)
    look->knows_calls = false;
  else if (!waits_for_others(number, a))
    look->asleep = false;
}

/// The entries of a directory that are numbers: of processes, of threads.
std::vector<pid_t> numbers_in(const std::string& directory) {
  std::vector<pid_t> numbers;
  DIR* d = opendir(directory.c_str());
  if (!d) return numbers;
  while (const dirent* entry = readdir(d)) {
    if (const pid_t n = atoi(entry->d_name); n > 0) numbers.push_back(n);
  }
  closedir(d);
  return numbers;
}

/// Who is in the session of a program that has ended, whoever has started it.
std::vector<pid_t> left_behind(pid_t session) {
  std::vector<pid_t> left = numbers_in("/proc");
  std::erase_if(left, [&](pid_t pid) {
    const std::string stat = contents(fmt::format("/proc/{}/stat", pid));
    const size_t name_end = stat.rfind(')');
    int parent, group, its;
    return pid == session || name_end == std::string::npos ||
           sscanf(stat.c_str() + name_end + 1, " %*c %d %d %d", &parent, &group, &its) != 3 ||
           its != session;
  });
  return left;
}

void look_at(pid_t pid, Look* look) {
  const std::string tasks = fmt::format("/proc/{}/task", pid);
  for (pid_t task : numbers_in(tasks)) {
    const std::string directory = fmt::format("{}/{}", tasks, task);
    look_at_thread(directory, look);
    const std::string children = contents(directory + "/children");
    for (const char* at = children.c_str(); *at;) {
      char* end;
      look_at(static_cast<pid_t>(strtol(at, &end, 10)), look);
      at = *end ? end + 1 : end;
    }
  }
}

/// A program, and whoever it has left behind.
void look_at_all(pid_t pid, Look* look) {
  const std::string status = contents(fmt::format("/proc/{}/status", pid));
  look_at(pid, look);
  if (!status.empty() && status.find("\nState:\tZ") == std::string::npos) return;
  for (pid_t other : left_behind(pid)) look_at(other, look);
}

}  // namespace

Lockstep::Lockstep(Vm& vm, Reaper& reaper) : vm_(vm), reaper_(reaper) { alarm_.lockstep = this; }
Lockstep::~Lockstep() { vm_.scheduler->cancel_timer(alarm_); }

void Lockstep::started(const ChildSpec& spec, const Child& child, const std::string& name) {
  programs_.push_back({child.pid, child.pid, getpid(), child.input, child.output, spec,
                       name.substr(0, name.find(' '))});
  given(child.pid);
}

void Lockstep::given(pid_t known_as) {
  auto program = std::ranges::find(programs_, known_as, &Program::known_as);
  if (program == programs_.end()) return;
  if (program->home != getpid()) start_own(*program);
  if (Outside* outside = outside_of(vm_)) {
    if (outside->strikes("program", program->name, {Fault::killed_port})) end_now(program->pid);
  }
  stir();
}

/// It is dead when this returns, and left to the reaper.
void Lockstep::end_now(pid_t pid) {
  siginfo_t how;
  if (kill(pid, SIGKILL) == 0) waitid(P_PID, static_cast<id_t>(pid), &how, WEXITED | WNOWAIT);
}

/// The other one's pipes are left to it. Nothing changes if there is no program to be had.
void Lockstep::start_own(Program& p) {
  Child child;
  if (start_child(p.spec, &child) != 0) return;
  auto replace = [](int with, int* what) {
    if (with < 0) return;
    dup3(with, *what, O_CLOEXEC);
    close(with);
  };
  replace(child.input, &p.input), replace(child.output, &p.output);
  reaper_.replace(p.pid, child.pid);
  p.pid = child.pid, p.home = getpid();
}

void Lockstep::stir() {
  if (watched_.empty() || std::exchange(alarm_.running, true)) return;
  vm_.scheduler->start_timer(alarm_, vm_.oracle->now_ns() + kAnswerNs, on_alarm);
}

int Lockstep::watch(FdWatch& watch, uint32_t events) {
  auto known = std::ranges::find(watched_, &watch, &Watched::watch);
  if (known == watched_.end())
    watched_.push_back({&watch, events});
  else
    known->events = events;
  stir();
  return 0;
}
void Lockstep::unwatch(FdWatch& watch) {
  std::erase_if(watched_, [&](const Watched& w) { return w.watch == &watch; });
  std::erase_if(programs_,
                [&](const Program& p) { return (p.input < 0 ? p.output : p.input) == watch.fd; });
  stir();
}

/// Of all programs of this process together. One that has not settled in time counts as asleep
/// until it has been awake.
Lockstep::Look Lockstep::look() const {
  Look all;
  for (const Program& p : programs_) {
    if (p.home != getpid()) continue;
    Look its;
    look_at_all(p.pid, &its);
    all.asleep &= its.asleep || its.switches == p.given_up_at;
    all.knows_calls &= its.knows_calls;
    all.switches += its.switches;
  }
  return all;
}

void Lockstep::settle() {
  const auto began = steady_clock::now();
  std::optional<Look> before;
  auto since = began;
  auto pause = kPause;
  for (auto now = began; now - began < kPatience; now = steady_clock::now()) {
    const Look now_is = look();
    const bool same = now_is.asleep && before == now_is;
    if (!same) since = now;
    if (same && (now_is.knows_calls || now - since > kLongSleep)) return;
    before = now_is;
    if (programs_.empty()) continue;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, kLongestPause);
  }
  for (Program& p : programs_) {
    Look its;
    look_at_all(p.pid, &its);
    p.given_up_at = its.switches;
  }
}

void Lockstep::on_alarm(Worker& w, Timer& timer) {
  Lockstep& self = *static_cast<Alarm&>(timer).lockstep;
  self.alarm_.running = false;
  self.settle();
  self.report(w);
}

/// Whoever is notified may watch others, and let go of some.
void Lockstep::report(Worker& w) {
  std::vector<pollfd> asked;
  for (const Watched& x : watched_) {
    short events = 0;
    if (x.events & EPOLLIN) events |= POLLIN;
    if (x.events & EPOLLOUT) events |= POLLOUT;
    asked.push_back({x.watch->fd, events, 0});
  }
  if (poll(asked.data(), asked.size(), 0) <= 0) return;
  const std::vector<Watched> watched = watched_;
  for (size_t k = 0; k < watched.size(); ++k) {
    if (!asked[k].revents) continue;
    auto still = std::ranges::find(watched_, watched[k].watch, &Watched::watch);
    if (still == watched_.end()) continue;
    watched_.erase(still);
    FdWatch& watch = *watched[k].watch;
    watch.ready(w, watch, static_cast<uint32_t>(asked[k].revents));
  }
}

}  // namespace wb
