// The last ten minutes of a machine: what `home` answered, once a second, whether or not anybody
// looked. So who attaches when something is wrong sees how it came. While nothing runs there are no
// looks, which would all be the same: the ten minutes are those in which something did.
//
// What is kept are the texts of answers, compressed one by one: a new counter is in them without
// anybody's doing, and who shows `home` shows these. About 1.5 KB each; beyond kMostBytes the
// oldest go.
//
// Of the observer's thread only. Rejected: numbers by column (a table of names that changes with
// the schedulers); differences (each look would need the ones before it).
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace wb {

class JsonWriter;

class Past {
 public:
  static constexpr size_t kMostLooks = 600, kMostBytes = 6u << 20, kMostAnswered = 8u << 20;
  static constexpr uint64_t kApart = 1'000'000'000;  ///< nanoseconds

  /// The first one is due a while after this: the machine is being made.
  void begin(uint64_t now_ns) { next_ns_ = now_ns + kApart; }
  /// Milliseconds until the next look is due.
  int due_in_ms(uint64_t now_ns) const;
  /// `home`: an object.
  void keep(uint64_t now_ns, uint64_t time_ms, const std::string& home);
  /// Looks later than `since_ms`, the oldest first: each `every`th, and fewer if they were too long
  /// for an answer.
  void write(JsonWriter& w, uint64_t since_ms, uint64_t every) const;
  size_t memory() const { return bytes_ + looks_.size() * sizeof(Look); }

 private:
  struct Look {
    uint64_t time_ms;
    uint32_t length;  ///< of the text
    std::vector<uint8_t> packed;
  };
  std::deque<Look> looks_;
  size_t bytes_ = 0;
  uint64_t next_ns_ = 0;
};

}  // namespace wb
