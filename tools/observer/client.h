// The other end of docs/observer-protocol.md: finds machines of this user and asks them.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tools/observer/answer_source.h"
#include "tools/observer/json_value.h"

namespace wb {

class ObserverClient {
 public:
  ObserverClient() = default;
  ~ObserverClient() { close(); }
  ObserverClient(const ObserverClient&) = delete;

  /// While an answer is late, called each second with how many they are. False: nobody waits any
  /// more. A machine that is busy or stopped has not gone: only its socket's end says that. Without
  /// it, standard error says so each ten seconds.
  std::function<bool(int seconds)> late;

  /// To a machine's socket, or to a crash dump or a story. Empty, or why not.
  std::string connect(const std::string& path);
  void close();
  bool is_dump() const { return source_ != nullptr; }
  bool connected() const { return fd_ >= 0 || source_; }

  /// Sends one request (a JSON object) and waits for its answer, however long. `*raw`: the answer's
  /// text. False: the machine is gone, or `late` said so.
  bool ask(const std::string& request, std::string* raw);
  /// The same; `data` of the answer, or null and why in error().
  JsonValue ask(const std::string& request);
  const std::string& error() const { return error_; }

 private:
  bool send_all(const char* bytes, size_t n);
  bool receive_all(char* bytes, size_t n);
  bool wait();
  int fd_ = -1;
  std::unique_ptr<AnswerSource> source_;  ///< instead of a machine
  int seconds_ = 0;                       ///< the answer is late
  std::string error_;
};

struct RunningMachine {
  pid_t pid;
  std::string socket;
};
/// By their sockets' names, by pid; some may have left theirs when they were killed.
std::vector<RunningMachine> listed_machines();
/// False: it has ended, and what was left of its socket is removed; or we can open no more files.
bool takes_connections(const RunningMachine& machine);
/// Those that take connections.
std::vector<RunningMachine> running_machines();

/// The machine that is meant by a pid, a socket's path, or nothing (the only one). Empty, and why
/// in *error.
std::string find_machine(const std::string& wanted, std::string* error);

}  // namespace wb
