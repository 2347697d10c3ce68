#include "tests/models/machine.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>

namespace whitebeam::models {

namespace {
constexpr char kEnd[] = "== end\n";
}

Machine::Machine(std::vector<std::string> command, std::string log, int seconds)
    : command_(std::move(command)), log_(std::move(log)), seconds_(seconds) {
  signal(SIGPIPE, SIG_IGN);
}

Machine::~Machine() { stop(); }

void Machine::start() {
  int in[2], out[2];
  if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) std::abort();
  std::vector<char*> argv;
  for (auto& word : command_) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_ = fork();
  if (pid_ == 0) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int log = open(log_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    dup2(in[0], 0);
    dup2(out[1], 1);
    dup2(log, 2);
    execvp(argv[0], argv.data());
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  to_ = in[1];
  from_ = out[0];
  unread_.clear();
}

void Machine::stop() {
  if (pid_ == 0) return;
  close(to_);
  close(from_);
  kill(-pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  pid_ = 0;
}

bool Machine::write_all(const std::string& text) {
  for (size_t done = 0; done < text.size();) {
    ssize_t n = write(to_, text.data() + done, text.size() - done);
    if (n <= 0) return false;
    done += static_cast<size_t>(n);
  }
  return true;
}

std::string Machine::read_answer() {
  auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(seconds_);
  for (;;) {
    size_t end = unread_.find(kEnd);
    if (end != std::string::npos) {
      std::string answer = unread_.substr(0, end);
      unread_.erase(0, end + sizeof(kEnd) - 1);
      return answer;
    }
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    pollfd fd{from_, POLLIN, 0};
    if (left.count() <= 0 || poll(&fd, 1, static_cast<int>(left.count())) == 0) {
      stop();
      return unread_ + "no answer after " + std::to_string(seconds_) + " seconds\n";
    }
    char buffer[65536];
    ssize_t n = read(from_, buffer, sizeof(buffer));
    if (n <= 0) {
      stop();
      return unread_ + "the machine ended, see " + log_ + "\n";
    }
    unread_.append(buffer, static_cast<size_t>(n));
  }
}

std::string Machine::run(const std::string& sequence) {
  if (pid_ == 0) start();
  if (!write_all(sequence + "\n")) {
    stop();
    return "the machine ended, see " + log_ + "\n";
  }
  return read_answer();
}

}  // namespace whitebeam::models
