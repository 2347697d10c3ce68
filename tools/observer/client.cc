#include "tools/observer/client.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include <fmt/format.h>

#include "base/own_files.h"
#include "tools/observer/dump_answers.h"
#include "tools/observer/story_answers.h"
#include "vm/observe/socket_path.h"

namespace wb {
namespace {

constexpr uint32_t kMostAnswer = 32u << 20;

/// The descriptor, or -1 and errno; EAGAIN: so many wait to be accepted that the machine must have
/// stopped.
int connect_to(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  memcpy(address.sun_path, path.c_str(), path.size());
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  if (::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) {
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    return fd;
  }
  int why = errno;
  ::close(fd);
  errno = why;
  return -1;
}

bool parse_pid(std::string_view s, pid_t* pid) {
  auto [end, ec] = std::from_chars(s.data(), s.data() + s.size(), *pid);
  return ec == std::errc() && end == s.data() + s.size();
}

}  // namespace

std::string ObserverClient::connect(const std::string& path) {
  close();
  struct stat s;
  if (stat(path.c_str(), &s) == 0 && !S_ISSOCK(s.st_mode)) {
    std::string error;
    if (StoryAnswers::is_story(path)) {
      source_ = StoryAnswers::open(path, &error);
      return error;
    }
    if (!DumpReader::is_dump(path))
      return path + ": neither a machine's socket nor a history nor a crash dump";
    source_ = DumpAnswers::open(path, &error);
    return error;
  }
  fd_ = connect_to(path);
  return fd_ >= 0 ? "" : fmt::format("{}: {}", path, strerror(errno));
}
void ObserverClient::close() {
  source_.reset();
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

bool ObserverClient::send_all(const char* bytes, size_t n) {
  while (n) {
    ssize_t sent = send(fd_, bytes, n, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes += sent, n -= static_cast<size_t>(sent);
  }
  return true;
}
/// Until there is something to receive.
bool ObserverClient::wait() {
  for (;;) {
    pollfd p{fd_, POLLIN, 0};
    int ready = poll(&p, 1, 1000);
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
    if (ready < 0) continue;
    ++seconds_;
    if (late && !late(seconds_)) {
      error_ = fmt::format("the machine has not answered for {} s", seconds_);
      return false;
    }
    if (!late && seconds_ % 10 == 0) {
      fmt::print(stderr, "whitebeam: the machine has not answered for {} s: waiting\n", seconds_);
    }
  }
}
bool ObserverClient::receive_all(char* bytes, size_t n) {
  while (n) {
    if (!wait()) return false;
    ssize_t got = recv(fd_, bytes, n, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    bytes += got, n -= static_cast<size_t>(got);
  }
  return true;
}

bool ObserverClient::ask(const std::string& request, std::string* raw) {
  error_ = "the machine has ended";
  seconds_ = 0;
  if (source_) {
    *raw = source_->answer(request);
    return true;
  }
  if (fd_ < 0) return false;
  uint32_t length = htonl(static_cast<uint32_t>(request.size()));
  std::string frame(reinterpret_cast<const char*>(&length), 4);
  frame += request;
  send_all(frame.data(), frame.size());  // who has no room for us says so and hangs up
  bool answered = receive_all(reinterpret_cast<char*>(&length), 4);
  length = answered ? ntohl(length) : 0;
  if (answered && length <= kMostAnswer) {
    raw->resize(length);
    answered = receive_all(raw->data(), length);
  } else {
    answered = false;
  }
  if (!answered) close();  // where the next frame would begin is unknown
  return answered;
}

JsonValue ObserverClient::ask(const std::string& request) {
  std::string raw;
  if (!ask(request, &raw)) return {};
  JsonValue answer = JsonValue::parse(raw);
  error_ = answer["error"].text();
  if (!answer["ok"].truth()) {
    if (error_.empty()) error_ = "the answer is no JSON";
    return {};
  }
  error_.clear();
  return answer["data"];
}

std::vector<RunningMachine> listed_machines() {
  std::vector<RunningMachine> machines;
  std::string directory = observer_directory();
  if (!is_own_directory(directory)) return machines;
  DIR* d = opendir(directory.c_str());
  if (!d) return machines;
  while (dirent* entry = readdir(d)) {
    std::string_view name = entry->d_name;
    pid_t pid;
    if (!name.ends_with(".sock") || !parse_pid(name.substr(0, name.size() - 5), &pid)) continue;
    machines.push_back({pid, directory + "/" + std::string(name)});
  }
  closedir(d);
  std::sort(machines.begin(), machines.end(),
            [](const RunningMachine& a, const RunningMachine& b) { return a.pid < b.pid; });
  return machines;
}

bool takes_connections(const RunningMachine& machine) {
  const int fd = connect_to(machine.socket);
  if (fd >= 0) ::close(fd);
  if (fd < 0 && errno == ECONNREFUSED) unlink(machine.socket.c_str());
  return fd >= 0 || errno == EAGAIN;
}

std::vector<RunningMachine> running_machines() {
  std::vector<RunningMachine> machines = listed_machines();
  std::erase_if(machines, [](const RunningMachine& m) { return !takes_connections(m); });
  return machines;
}

std::string find_machine(const std::string& wanted, std::string* error) {
  pid_t pid;
  if (!wanted.empty()) {
    if (!parse_pid(wanted, &pid)) return wanted;
    std::string path = observer_socket(observer_directory(), pid);
    if (access(path.c_str(), F_OK) == 0) return path;
    *error = fmt::format("process {} is no machine of yours that can be observed", pid);
    return {};
  }
  std::vector<RunningMachine> machines = running_machines();
  if (machines.size() == 1) return machines[0].socket;
  if (machines.empty()) {
    *error = "no machine runs (start one: whitebeam run PROGRAM)";
    return {};
  }
  *error = "several machines run: say which (whitebeam observe PID), or see all of them (--web)\n";
  for (const RunningMachine& m : machines) {
    ObserverClient client;
    client.late = [](int) { return false; };
    const bool connected = client.connect(m.socket).empty();
    const JsonValue hello = connected ? client.ask(R"({"do":"hello"})") : JsonValue();
    const std::string& program = hello["program"].text();
    *error += fmt::format("  {:>8}  {}\n", m.pid, hello.is_null() ? "(does not answer)" : program);
  }
  error->pop_back();
  return {};
}

}  // namespace wb
