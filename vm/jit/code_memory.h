// Memory for native code. One file in memory is mapped twice: where it is written it cannot be
// executed, where it is executed it cannot be written. It lies within 2 GB of the VM's own code, so
// that a jump reaches every handler. Not synchronised: its owner has a lock.
//
// Where it lies matters, too. Processors (Intel's of 2021 and later, measured) take branches for
// one another whose addresses have the same low 24 bits: when code of both native tiers began at a
// multiple of 16 MB, every branch of a hot function was foretold to go where some other went, and a
// program ran half as fast as without LLVM. So each tier has its own region of the 16 MB, and the
// VM's code, 4 MB, the rest.
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
  /// Which region of 16 MB it begins in, counted from the VM's code.
  enum class Region : uint32_t { baseline = 4 << 20, hot = 8 << 20, kept = 12 << 20 };
  /// At most `limit` bytes, taken from the system as they are used; nullptr if the system refuses.
  /// `anonymous`: without a file, as perf wants it, which believes names of no code in files.
  static std::unique_ptr<CodeMemory> make(const void* near, Region region, size_t limit,
                                          bool anonymous = false);
  ~CodeMemory();
  CodeMemory(const CodeMemory&) = delete;

  Block allocate(size_t size);  ///< 16-aligned; no block when the limit is reached
  void give_back(const Block& b);
  /// Gives back what is behind the first `size` bytes.
  void trim(Block& b, size_t size);
  size_t used() const { return used_; }
  bool holds(Word address) const { return address - reinterpret_cast<Word>(run_) < limit_; }

 private:
  explicit CodeMemory(size_t limit) : limit_(limit) {}
  void map_file(uintptr_t home);
  void map_anonymous(uintptr_t home);
  uint8_t* write_ = nullptr;
  uint8_t* run_ = nullptr;
  const size_t limit_;
  size_t used_ = 0;
  std::map<size_t, size_t> free_;  ///< offset -> size
};

}  // namespace wb
