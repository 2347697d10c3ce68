// What was known of a machine in its last minute, in a file that is there when the machine is not.
//
// Who writes is another process (tools/observer/history.h), a look a second: a machine that is
// killed, runs out of memory or hangs takes nothing with it, and pays for no more than answering.
// The file is a ring: a header of kHeaderBytes (who the machine is), then `slots` places of
// `slot_bytes`, look N in place N modulo slots. So it never grows beyond 64 KiB + slots *
// slot_bytes, most of it holes, and nothing has to be moved or cut.
//
// A look is written as one piece: number, time, length and a sum over text and numbers. What was
// under way when the writer was killed, or was overwritten or cut since, fails its sum and is not
// read; all others are. Numbers are little-endian, texts are JSON as the protocol has it.
//
// The reader believes nothing: each length is compared with what there is before it is used.
//
// Rejected: a mapped file (a full disk is a signal in the middle of a store, and the machine's own
// thread would write it: whoever has stopped the machine has stopped it, too); a growing file
// (somebody has to remove it); a binary form of the counters (would be another protocol).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace wb {

struct HistoryLook {
  uint64_t number = 0;  ///< from 1
  uint64_t wall_ms = 0;
  std::string json;  ///< an object: requests and the data of their answers
};

struct History {
  uint32_t version = 0;
  std::string hello;               ///< the data of that answer
  std::vector<HistoryLook> looks;  ///< the oldest first
  size_t damaged = 0;              ///< places whose look cannot be read
  bool cut = false;                ///< the file is shorter than it was
};

/// The looks of a file's bytes. Empty, or why it has none.
std::string parse_history(std::string_view bytes, History* history);

class HistoryFile {
 public:
  /// Files of each version so far are read. The ring is the same in all of them; the looks of 1
  /// have suspect processes for `warnings`.
  static constexpr uint32_t kVersion = 2, kWithWarnings = 2;
  static constexpr uint32_t kSlots = 64, kSlotBytes = 256 << 10;
  static constexpr size_t kHeaderBytes = 64 << 10, kLookBytes = 32;

  HistoryFile() = default;
  ~HistoryFile();
  HistoryFile(const HistoryFile&) = delete;

  /// Makes the file, or empties it. Empty, or why not.
  std::string create(const std::string& path);
  std::string write_hello(std::string_view json);
  /// The next look; one that is too long is refused.
  std::string write_look(uint64_t wall_ms, std::string_view json);
  static bool fits(std::string_view json) { return json.size() <= kSlotBytes - kLookBytes; }

 private:
  std::string put(const std::string& bytes, uint64_t at);
  int fd_ = -1;
  std::string path_;
  uint64_t next_ = 1;
};

}  // namespace wb
