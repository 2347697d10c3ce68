#include "vm/port/child.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

namespace wb {
namespace {

/// What the child works with.
struct Birth {
  const char* file;
  char* const* arguments;
  char* const* environment;
  const char* directory;  ///< or nullptr
  int reads = -1, writes = -1;
  bool use_stdio, stderr_to_stdout;
};

// --- in the child: system calls only -------------------------------------------------------------
void say(const char* text) { (void)!write(2, text, strlen(text)); }

void set_signals() {
  for (int s = 1; s < NSIG; ++s) {
    struct sigaction now;
    if (sigaction(s, nullptr, &now) != 0 || now.sa_handler == SIG_IGN) continue;
    if (now.sa_handler != SIG_DFL) signal(s, SIG_DFL);
  }
  signal(SIGPIPE, SIG_IGN);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

void close_from(unsigned first) {
  if (syscall(SYS_close_range, first, ~0u, 0) == 0) return;
  long limit = sysconf(_SC_OPEN_MAX);
  if (limit < 0 || limit > 65536) limit = 65536;
  for (int fd = static_cast<int>(first); fd < limit; ++fd) close(fd);
}

void set_descriptors(const Birth& b) {
  // First out of the way of the numbers they are to have.
  constexpr int kAbove = 10;
  int reads = b.reads < 0 ? -1 : fcntl(b.reads, F_DUPFD, kAbove);
  int writes = b.writes < 0 ? -1 : fcntl(b.writes, F_DUPFD, kAbove);
  int first = b.use_stdio ? 0 : 3;
  if (reads >= 0)
    dup2(reads, first);
  else if (first)
    close(first);
  if (writes >= 0)
    dup2(writes, first + 1);
  else if (first)
    close(first + 1);
  if (b.stderr_to_stdout && b.use_stdio) dup2(1, 2);
  close_from(b.use_stdio ? 3 : 5);
}

[[noreturn]] void become(const Birth& b) {
  set_signals();
  setsid();
  set_descriptors(b);
  if (b.directory && chdir(b.directory) != 0) {
    int error = errno;
    say("spawn: Could not cd to "), say(b.directory), say("\r\n");
    _exit(error);
  }
  execve(b.file, b.arguments, b.environment);
  _exit(errno);
}

/// A function of its own: nothing of the parent's frame changes while the child uses its stack.
__attribute__((noinline)) pid_t give_birth(const Birth& b) {
  pid_t pid = vfork();
  if (pid == 0) become(b);
  return pid;
}

// --- in the parent -------------------------------------------------------------------------------
std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> all;
  for (const std::string& s : strings) all.push_back(const_cast<char*>(s.c_str()));
  all.push_back(nullptr);
  return all;
}

struct Pipe {
  int ends[2] = {-1, -1};  ///< reading, writing
  bool open() { return pipe2(ends, O_CLOEXEC) == 0; }
  ~Pipe() {
    for (int fd : ends) {
      if (fd >= 0) close(fd);
    }
  }
  int release_end(int end) {
    int fd = ends[end];
    ends[end] = -1;
    if (fd >= 0) fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    return fd;
  }
};

}  // namespace

int start_child(const ChildSpec& spec, Child* child) {
  Pipe to, from;
  if (spec.reads && !to.open()) return errno;
  if (spec.writes && !from.open()) return errno;
  std::vector<char*> arguments = pointers(spec.arguments);
  std::vector<char*> environment = pointers(spec.environment);
  Birth b;
  b.file = spec.file.c_str();
  b.arguments = arguments.data();
  b.environment = environment.data();
  b.directory = spec.directory.empty() ? nullptr : spec.directory.c_str();
  b.reads = to.ends[0], b.writes = from.ends[1];
  b.use_stdio = spec.use_stdio, b.stderr_to_stdout = spec.stderr_to_stdout;
  // A handler of ours must not run in the child, on memory that is ours.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t pid = give_birth(b);
  int error = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (pid < 0) return error;
  child->pid = pid;
  child->output = to.release_end(1);
  child->input = from.release_end(0);
  return 0;
}

}  // namespace wb
