#include "tools/machine.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>

extern char** environ;

namespace fs = std::filesystem;

namespace wb {

std::string find_elixir_ebin() {
  std::error_code ec;
  fs::path elixirc = fs::canonical(find_in_path("elixirc"), ec);
  if (ec) return {};
  fs::path ebin = elixirc.parent_path().parent_path() / "lib/elixir/ebin";
  return fs::exists(ebin / "Elixir.Kernel.beam", ec) ? ebin.string() : std::string{};
}

std::string first_line(const std::string& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

int run_tool(const std::vector<std::string>& command, const std::string& directory) {
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  posix_spawn_file_actions_addchdir_np(&actions, directory.c_str());
  pid_t pid;
  int failed = posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed) return 127;
  int status;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return 127;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int run_in_shell(const std::string& command, const std::string& directories) {
  const char* old = getenv("PATH");
  setenv("PATH", (old ? directories + ":" + old : directories).c_str(), 1);
  return run_tool({"/bin/sh", "-c", command}, ".");
}

}  // namespace wb
