// Memory for native code. One file in memory is mapped twice: where it is written it cannot be
// executed, where it is executed it cannot be written. It lies within 2 GB of the VM's own code, so
// that a jump reaches every handler. Not synchronised: its owner has a lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

#include "base/base.h"

namespace wb {

class CodeMemory {
 public:
  struct Block {
    uint8_t* write = nullptr;      ///< nullptr: none
    const uint8_t* run = nullptr;  ///< the same bytes
    size_t size = 0;
  };
  /// At most `limit` bytes, taken from the system as they are used; nullptr if the system refuses.
  /// `anonymous`: without a file, as perf wants it, which believes names of no code in files.
  static std::unique_ptr<CodeMemory> make(const void* near, size_t limit, bool anonymous = false);
  ~CodeMemory();
  CodeMemory(const CodeMemory&) = delete;

  Block take(size_t size);  ///< 16-aligned; no block when the limit is reached
  void give_back(const Block& b);
  /// Gives back what is behind the first `size` bytes.
  void trim(Block& b, size_t size);
  size_t used() const { return used_; }
  bool holds(Word address) const { return address - reinterpret_cast<Word>(run_) < limit_; }

 private:
  explicit CodeMemory(size_t limit) : limit_(limit) {}
  void map_file(const void* near);
  void map_anonymous(const void* near);
  uint8_t* write_ = nullptr;
  uint8_t* run_ = nullptr;
  const size_t limit_;
  size_t used_ = 0;
  std::map<size_t, size_t> free_;  ///< offset -> size
};

}  // namespace wb
