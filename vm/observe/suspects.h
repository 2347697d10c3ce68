// Which processes of a million are worth asking: those whose fields look wrong, and those that
// stand in code that waits for an answer.
//
// A pass reads who has had a slice since the last pass (slice_marks.h); the others are what they
// were, and what that is takes two bits a process. So a machine at rest costs nothing, and one that
// works what those cost that work. Where slices cannot be marked a pass reads all.
//
// Of the observer's thread only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "term/term.h"

namespace wb {

class AwaitingCode;
class Process;
class Vm;

class Suspects {
 public:
  enum Kind : uint8_t { suspect, awaiting };  ///< warning_count; AwaitingCode
  static constexpr size_t kKinds = 2;

  explicit Suspects(Vm& vm) : vm_(vm) {}
  ~Suspects();
  Suspects(const Suspects&) = delete;

  void pass();
  size_t count(Kind kind) const;
  /// At most so many of them, from another place on at each `turn`.
  std::vector<Term> some(Kind kind, size_t most, uint32_t turn) const;
  size_t memory() const;

 private:
  static constexpr uint32_t kChunk = 8192;

  void begin_pass(uint32_t slots);
  void read_chunk(uint32_t from, uint32_t to, AwaitingCode& code);
  bool is_known(uint32_t mark) const;
  void read_eight(uint32_t mark, uint32_t to, AwaitingCode& code);
  void add_eight(uint32_t mark, uint8_t bits, size_t most, std::vector<Term>* pids) const;

  Vm& vm_;
  std::array<std::vector<uint8_t>, kKinds> bits_;  ///< by mark, a bit for each of its slots
  uint32_t known_ = 0;                             ///< marks below have been read once
  bool marked_ = false;
};

}  // namespace wb
