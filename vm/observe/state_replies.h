// Where the observer waits for states that it has asked processes for (state.cc), by ticket: an
// answer that comes when nobody waits any more is nobody's.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>

namespace wb {

class StateReplies {
 public:
  struct Reply {
    std::string how;   ///< state, refused, gone, late
    std::string text;  ///< the state, or why there is none
  };
  static constexpr size_t kMostText = 20'000;

  uint64_t expect();
  /// False: nothing has come in time. Either way the ticket is spent.
  bool wait(uint64_t ticket, std::chrono::milliseconds patience, Reply* reply);
  void give_up();  ///< for good: the machine ends

  /// From the process that has asked. False: nobody waits.
  bool deliver(uint64_t ticket, Reply reply);

 private:
  std::mutex lock_;
  std::condition_variable changed_;
  uint64_t last_ = 0;
  std::unordered_map<uint64_t, Reply> expected_;  ///< `how` is empty: nothing has come yet
  bool over_ = false;
};

}  // namespace wb
