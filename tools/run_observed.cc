// Two processes, made before there are threads. With the full-screen observer it is the parent,
// since the terminal is the observer's: the program is a child without a keyboard, whose output is
// kept and shown when the observer is left. With the page the program is the parent and keeps
// everything it would have had; the page's server is a child that ends with it.
#include "tools/run_observed.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "tools/observer/app.h"
#include "tools/observer/history.h"
#include "tools/observer/web_server.h"
#include "vm/observe/socket_path.h"

namespace wb {
namespace {

constexpr useconds_t kLook = 20'000;

/// Its socket, as soon as it listens; empty if it ends before.
std::string wait_for_machine(pid_t pid, bool is_child) {
  std::string path = observer_socket(observer_directory(), pid);
  ObserverClient client;
  for (;;) {
    if (client.connect(path).empty()) return path;
    siginfo_t ended = {};
    if (is_child &&
        waitid(P_PID, static_cast<id_t>(pid), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        ended.si_pid == pid) {
      return {};
    }
    usleep(kLook);
  }
}

// --- the page ------------------------------------------------------------------------------------
[[noreturn]] void be_page(pid_t program, bool actions) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != program) _exit(0);  // it was quicker
  int nothing = open("/dev/null", O_RDWR);
  dup2(nothing, 0), dup2(nothing, 1);
  signal(SIGINT, SIG_IGN);  // Ctrl-C is the program's
  wait_for_machine(program, false);
  WebOptions options;
  options.machine = std::to_string(program);
  options.actions = actions;
  std::string error = serve_web(
      options, [](const std::string& address) { fmt::print(stderr, "whitebeam: {}\n", address); });
  if (!error.empty()) fmt::print(stderr, "whitebeam: {}\n", error);
  _exit(0);
}

// --- the history ---------------------------------------------------------------------------------
[[noreturn]] void be_recorder(pid_t program, HistoryFile& file) {
  const int nothing = open("/dev/null", O_RDWR);
  // Who reads the program's output is to see its end.
  for (int fd : {0, 1, 2}) dup2(nothing, fd);
  signal(SIGINT, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  setsid();  // what ends the program's group does not end it
  const std::string path = observer_socket(observer_directory(), program);
  ObserverClient client;
  while (!client.connect(path).empty()) {
    if (kill(program, 0) != 0) _exit(0);
    usleep(kLook);
  }
  _exit(record_history(client, file, 1).empty() ? 0 : 1);
}

// --- the full screen -----------------------------------------------------------------------------
/// A file without a name.
int kept_output() {
  char path[] = "/tmp/whitebeam-output-XXXXXX";
  int fd = mkstemp(path);
  if (fd >= 0) unlink(path);
  return fd;
}

/// Hands on what has been written since; true if there was something.
bool show_output(int fd, off_t* shown) {
  char buffer[65536];
  ssize_t n = pread(fd, buffer, sizeof buffer, *shown);
  if (n <= 0) return false;
  *shown += n;
  return fwrite(buffer, 1, static_cast<size_t>(n), stdout) == static_cast<size_t>(n);
}

int exit_code(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int watch(pid_t program, int output, bool actions) {
  signal(SIGINT, SIG_IGN);
  std::string socket = wait_for_machine(program, true), error;
  ObserverClient client;
  if (!socket.empty() && client.connect(socket).empty()) {
    AppOptions options;
    options.actions = actions;
    run_observer(client, options, &error);
    client.close();
  }
  off_t shown = 0;
  int status = 0;
  for (;;) {
    bool ended = waitpid(program, &status, WNOHANG) != 0;
    while (show_output(output, &shown)) {
    }
    fflush(stdout);
    if (ended) return exit_code(status);
    usleep(kLook);
  }
}

int run_under_screen(const RunCommand& command) {
  int output = kept_output();
  pid_t program = output < 0 ? -1 : fork();
  if (program < 0) {
    perror("whitebeam");
    return kExitUsage;
  }
  if (program > 0) return watch(program, output, command.allow_actions);
  prctl(PR_SET_PDEATHSIG, SIGHUP);  // as if the terminal had gone
  dup2(open("/dev/null", O_RDONLY), 0);
  dup2(output, 1), dup2(output, 2);
  exit(run_program(command.options));
}

}  // namespace

/// It is no child of the program's: a program that waits for its children does not meet it.
void keep_history(HistoryFile& file) {
  const pid_t program = getpid(), between = fork();
  if (between < 0) perror("whitebeam: no history");
  if (between > 0) {
    int status;
    waitpid(between, &status, 0);
  }
  if (between != 0) return;
  if (fork() == 0) be_recorder(program, file);
  _exit(0);
}

int run_observed(const RunCommand& command) {
  bool screen = command.observe_screen && !command.observe_page && isatty(0) && isatty(1);
  if (screen) return run_under_screen(command);
  pid_t program = getpid(), page = fork();
  if (page == 0) be_page(program, command.allow_actions);
  if (page < 0) perror("whitebeam: no page");
  return run_program(command.options);
}

}  // namespace wb
