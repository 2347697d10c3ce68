// Starting a program of the operating system with pipes to it.
//
// The machine has many threads, so the child may do nothing but system calls between its birth and
// exec: everything it needs (arguments, environment, numbers of descriptors) is prepared before. It
// is born by vfork: no page tables are copied however large the machine is, and the thread that
// starts it goes on when it has become another program (or has ended, because it could not).
//
// It gets the pipes as 0 and 1 (or 3 and 4), no other descriptor above 2, a session of its own, no
// blocked signals, and the default for every signal that is not ignored. SIGPIPE is ignored, as in
// every child of BEAM. A child that cannot enter its directory says so on standard error; then, and
// when there is nothing to exec, its exit status is the number of the error.
//
// Rejected: posix_spawn (it reports a wrong directory to the parent: BEAM's port opens and ends
// with the status); a helper process that forks for us (one more program to install, to keep alive
// and to pass descriptors to).
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace wb {

struct ChildSpec {
  std::string file;
  std::vector<std::string> arguments;    ///< from argv[0] on
  std::vector<std::string> environment;  ///< NAME=value
  std::string directory;                 ///< empty: ours
  bool reads = true, writes = true;      ///< has a pipe for it
  bool use_stdio = true;
  bool stderr_to_stdout = false;
};

struct Child {
  pid_t pid = -1;
  int input = -1;   ///< what it writes comes out here
  int output = -1;  ///< what it reads goes in here
};

/// 0, or errno: no descriptors, no processes. Both of our ends are non-blocking and close on exec.
int start_child(const ChildSpec& spec, Child* child);

}  // namespace wb
