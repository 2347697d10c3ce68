#include "vm/boot/break_menu.h"

#include <fmt/format.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "vm/bif/machine_report.h"
#include "vm/core/vm.h"
#include "vm/dist/node_report.h"
#include "vm/ets/table_report.h"
#include "vm/ets/tables.h"
#include "vm/port/port_report.h"
#include "vm/port/ports.h"
#include "vm/port/terminal.h"
#include "vm/process/route.h"
#include "vm/process/run.h"
#include "vm/process/signal.h"
#include "vm/process/table.h"

namespace wb {
namespace {

constexpr int kEnd = -1;
constexpr int kAborted = 134;  ///< as a shell reports SIGABRT
constexpr std::chrono::seconds kPatience{1};
constexpr const char* kMenu =
    "BREAK: (a)bort (A)bort with dump (c)ontinue (p)roc info (i)nfo\n"
    "       (l)oaded (v)ersion (k)ill (D)b-tables (d)istribution\n";

/// The first byte of the next line; kEnd: there is none, or ^C was typed once more.
int next_key() {
  constexpr int kLookMs = 100;
  for (;;) {
    sigset_t waiting;
    if (sigpending(&waiting) == 0 && sigismember(&waiting, SIGINT) == 1) return kEnd;
    pollfd input = {Terminal::kInput, POLLIN, 0};
    int n = poll(&input, 1, kLookMs);
    if (n == 0 || (n < 0 && errno == EINTR)) continue;
    unsigned char keys[64];
    ssize_t got = n < 0 ? n : read(Terminal::kInput, keys, sizeof keys);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    return got > 0 ? keys[0] : kEnd;
  }
}

/// As BEAM, which ends lines so even where there is no terminal.
void say(const std::string& text) {
  for (char c : text) {
    if (c == '\n') putc('\r', stdout);
    putc(c, stdout);
  }
  fflush(stdout);
}

/// All workers rest while it exists, but for one that a native function holds.
class Rest {
 public:
  explicit Rest(Vm& vm) : vm_(vm) {
    using Clock = std::chrono::steady_clock;
    vm_.host->begin_standstill();
    for (auto until = Clock::now() + kPatience;
         !vm_.host->standstill.reached(*vm_.scheduler) && Clock::now() < until;) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  ~Rest() { vm_.host->end_standstill(); }
  Rest(const Rest&) = delete;

 private:
  Vm& vm_;
};

std::string tables(Vm& vm) {
  std::string report;
  vm.ets->each(&report, [](void* text, Table& t) {
    *static_cast<std::string*>(text) += table_report(t, true);
  });
  return report;
}

enum class Then { go_on, ask, end };

/// Shows one process after the other, the newest first, until the user has enough.
Then kill_processes(Vm& vm) {
  say("\n\nProcess Information\n\n--------------------------------------------------\n");
  std::vector<Term> pids;
  vm.processes->each([&](Process& p) { pids.push_back(p.id); });
  std::ranges::sort(pids, std::greater{}, pid_slot);
  for (Term pid : pids) {
    Process* p = vm.processes->find(pid);
    if (!p) continue;
    say(stopped_process_report(*p) + "(k)ill (n)ext (r)eturn:\n");
    int key = '\n';
    while (key == '\n' || key == '\r') key = next_key();
    if (key == kEnd) return Then::end;
    if (key == 'k') {
      Signal* signal = new_signal(SignalKind::exit, am::kill);
      signal->from = Address::of_local(pid);
      route(vm, pid, signal);
    } else if (key != 'n') {
      return Then::go_on;
    }
  }
  return Then::go_on;
}

Then obey(Vm& vm, int key) {
  switch (key) {
    case kEnd:
    case 'a':
    case 'q':
    case '*':
      return Then::end;
    case 'c':
    case 'm':
      return Then::go_on;
    case 'p':
      say(process_report(vm, nullptr) + port_report(vm));
      return Then::go_on;
    case 'o':
      say(port_report(vm));
      return Then::go_on;
    case 'i':
      say(info_report(vm));
      return Then::go_on;
    case 'l':
      say(code_report(vm));
      return Then::go_on;
    case 'D':
      say(tables(vm));
      return Then::go_on;
    case 'd':
      say(node_report(vm));
      return Then::go_on;
    case 'v':
      say(fmt::format("Erlang (BEAM) emulator version {}\n", vm.options.otp.erts));
      return Then::go_on;
    case 'k':
      return kill_processes(vm);
    case '\n':
    case '\r':
      return Then::ask;
    default:
      say(fmt::format("Invalid option '{:c}'. Please enter one of the following:\n{}", key, kMenu));
      return Then::ask;
  }
}

}  // namespace

void break_menu(Vm& vm) {
  vm.ports->hold_standard_input();
  int code = 0;
  bool ends = false;
  {
    Rest rest(vm);
    ReaderGuard guard(vm.scheduler->progress());
    say(fmt::format("\n{}", kMenu));
    Then then = Then::ask;
    while (then == Then::ask) {
      const int key = next_key();
      ends = key == 'A';
      if (ends) {
        vm.dump_at_end("Crash dump requested by user", kNone);
        code = kAborted;
        break;
      }
      then = obey(vm, key);
    }
    ends = ends || then == Then::end;
  }
  if (ends) vm.halt(code);
  vm.ports->resume_standard_input();  // where it ends a thread may wait for that
}

void leave_break_key(Vm& vm) {
  termios mode;
  if (tcgetattr(Terminal::kInput, &mode) != 0) return;
  mode.c_cc[VINTR] = _POSIX_VDISABLE;
  vm.ports->terminal_mode.set(Terminal::kInput, mode);
}

void continued(Vm& vm) { vm.ports->resume_standard_input(); }

}  // namespace wb
