// All machines of this user, for the page that shows them side by side (web/src/machines.jsx), and
// the terminal (picker.h).
//
// A thread a machine asks it once a second, so one that does not answer holds up no other. It ends
// when nobody has asked for the list for ten seconds: then no machine has any cost of it. All pages
// share it, so it takes one of a machine's connections however many pages are open.
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "scheduler/thread.h"
#include "tools/observer/client.h"

namespace wb {

class JsonWriter;

class MachineList {
 public:
  MachineList() = default;
  ~MachineList();
  MachineList(const MachineList&) = delete;

  /// {"machines":[...]}: those that run, and the newest that ended since the first request. Waits
  /// a little for machines that nothing is known of yet.
  std::string data();

 private:
  static constexpr size_t kMost = 64;  ///< threads; of more only pids are known
  static constexpr size_t kMostEnded = 20;

  enum class State : uint8_t { unknown, runs, refuses, ended };
  struct Machine {
    Machine(MachineList& list, RunningMachine where) : list(list), where(std::move(where)) {}
    MachineList& list;
    const RunningMachine where;
    // Under the list's lock.
    State state = State::unknown;
    bool followed = false;  ///< its thread runs
    bool awaited = false;   ///< a request has waited for its first look
    int late_s = 0;
    std::string why;  ///< it refuses
    int64_t ended_ms = 0;
    JsonValue hello, home, warnings;
    double use = -1;
    Thread thread;  ///< the last: joined before the rest goes
  };

  static void thread_main(void* machine);
  void follow(Machine& m);
  bool greet(Machine& m, ObserverClient& client);
  void look(Machine& m, ObserverClient& client);
  /// Until the next look is due; false: nobody wants one.
  bool rest();
  bool is_wanted() const;  ///< under the lock
  void find_machines();
  void forget_ended();
  static void write(JsonWriter& w, const Machine& m);

  std::mutex lock_;
  std::condition_variable changed_;
  std::map<pid_t, std::unique_ptr<Machine>> machines_;
  std::chrono::steady_clock::time_point wanted_until_;
  bool over_ = false;
};

}  // namespace wb
