// What the observer's trace sees: calls, messages and collections of processes, beside whatever a
// program traces and unseen by it.
//
// It has bits of its own in the flags of processes (traced::watched), a word of its own in what is
// set on functions (CallPatterns::watch), and no tracer: an event becomes a line of text, written
// by the process that it happens to, in a list that the observer reads.
//
// Everything is limited, always: lines a second (the rest is counted), bytes that are kept (the
// oldest go), and what it may cost. A process pays for an event, shown or not; so when more than
// kMostSeen happen in a second nobody is watched any more. The observer's thread takes out what it
// has put in when the connection that asked ends.
//
// Rejected: a tracer process (it would be the one tracer a process can have, so programs that trace
// would be refused; its mailbox has no bound).
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "vm/trace/breakpoint.h"

namespace wb {

class Process;

class TraceWatch {
 public:
  static constexpr uint32_t kMostRate = 5000;     ///< lines a second
  static constexpr uint64_t kMostSeen = 100'000;  ///< events in a second, then it ends
  static constexpr size_t kMostBytes = 1u << 20, kMostPatterns = 8;

  /// What is to be seen beside what the flags of processes say.
  struct Wishes {
    bool returns = false;  ///< of watched calls, and exceptions they end with
    bool exits = false;
  };
  struct Line {
    uint64_t number;
    int64_t time_us;
    Term pid;
    const char* what;
    std::string peer, text;
  };

  explicit TraceWatch(Vm& vm) : vm_(vm) {}
  TraceWatch(const TraceWatch&) = delete;

  // --- for what is watched ---
  /// May one more line be written? Counts it either way.
  bool admits();
  void add(const Process& p, const char* what, std::string peer, std::string text);

  bool wants_returns() const { return returns_.load(std::memory_order_relaxed); }
  bool wants_exits() const { return exits_.load(std::memory_order_relaxed); }

  // --- for the observer's thread ---
  /// Sets all that is to be seen of functions; how many there are. Processes: Tracing::set_watched.
  int64_t begin(const std::vector<FunctionPattern>& calls, uint32_t rate, Wishes wishes);
  /// Functions as they were.
  void end();
  bool on() const { return on_.load(std::memory_order_relaxed); }
  bool overrun() const { return overrun_.load(std::memory_order_relaxed); }
  uint64_t seen() const { return seen_.load(std::memory_order_relaxed); }
  uint64_t left_out() const { return left_out_.load(std::memory_order_relaxed); }
  /// Lines `from` and later that are still kept, the newest `most` of them.
  std::vector<Line> lines(uint64_t from, size_t most);
  uint64_t next();
  size_t memory();

 private:
  static constexpr uint64_t kSecond = 1'000'000'000;
  static size_t bytes_of(const Line& l) { return sizeof l + l.peer.size() + l.text.size(); }
  int64_t change(bool on);

  Vm& vm_;
  std::vector<FunctionPattern> calls_;
  std::atomic<bool> on_{false}, overrun_{false}, returns_{false}, exits_{false};
  std::atomic<uint32_t> rate_{0};
  std::atomic<uint64_t> second_{0};     ///< the one that is counted began then
  std::atomic<uint64_t> in_second_{0};  ///< events in it
  std::atomic<uint64_t> seen_{0}, left_out_{0};
  std::mutex lock_;
  std::deque<Line> lines_;
  uint64_t next_ = 0;
  size_t bytes_ = 0;
};

}  // namespace wb
