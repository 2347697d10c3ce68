#include "vm/boot/break_menu.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>

#include "vm/core/vm.h"
#include "vm/port/ports.h"
#include "vm/port/terminal.h"

namespace wb {
namespace {

constexpr int kEnd = -1;
constexpr int kAborted = 134;  ///< as a shell reports SIGABRT

/// The next byte; kEnd: there is none, or ^C was typed once more.
int next_key() {
  constexpr int kLookMs = 100;
  for (;;) {
    sigset_t waiting;
    if (sigpending(&waiting) == 0 && sigismember(&waiting, SIGINT) == 1) return kEnd;
    pollfd input = {Terminal::kInput, POLLIN, 0};
    int n = poll(&input, 1, kLookMs);
    if (n == 0 || (n < 0 && errno == EINTR)) continue;
    unsigned char key;
    ssize_t got = n < 0 ? n : read(Terminal::kInput, &key, 1);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    return got == 1 ? key : kEnd;
  }
}

void say(const char* text) {
  fputs(text, stdout);
  fflush(stdout);
}

void end(Vm& vm, int code) {
  vm.halt(code);
  vm.ports->resume_standard_input();  // a thread may wait for that
}

/// True: the menu is over.
bool obey(Vm& vm, int key) {
  switch (key) {
    case kEnd:
    case 'a':
      end(vm, 0);
      return true;
    case 'A':
      vm.dump_at_end("Crash dump requested by user", kNone);
      end(vm, kAborted);
      return true;
    case 'c':
      vm.ports->resume_standard_input();
      return true;
    case 'v':
      fprintf(stdout, "Erlang (BEAM) emulator version %s\n", vm.options.otp.erts.c_str());
      fflush(stdout);
      return false;
    case 'p':
    case 'i':
    case 'l':
    case 'k':
    case 'D':
    case 'd':
      fprintf(stdout, "whitebeam observe %d shows it, without a stop.\n", getpid());
      return false;
    default:
      say("Eh?\n\n");
      return false;
  }
}

}  // namespace

void break_menu(Vm& vm) {
  vm.ports->hold_standard_input();
  int key = 0;
  do {
    say("\n"
        "BREAK: (a)bort (A)bort with dump (c)ontinue (p)roc info (i)nfo\n"
        "       (l)oaded (v)ersion (k)ill (D)b-tables (d)istribution\n");
    do key = next_key();
    while (key == '\n' || key == '\r');
  } while (!obey(vm, key));
}

void continued(Vm& vm) { vm.ports->resume_standard_input(); }

}  // namespace wb
