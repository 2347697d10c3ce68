// How much of the binaries that a process holds it uses: a slice of 60 bytes keeps the megabyte it
// was cut from.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "term/term.h"

namespace wb {

class Process;

class BinaryUse {
 public:
  /// Looks through the heap of `p`, by itself. What is garbage by now counts, too.
  explicit BinaryUse(Process& p);
  /// Bytes of `owner` (a refc_bin) that slices show, at most; nothing if the heap is too large to
  /// be looked through.
  std::optional<uint64_t> used(const Term* owner) const;

 private:
  static constexpr size_t kMostWords = 1'000'000;
  struct Use {
    uint64_t bits = 0;
    bool whole = false;
  };
  void look_at(const Term* begin, const Term* end);
  void look_at_word(Term t);

  std::unordered_map<const Term*, Use> uses_;
  bool complete_ = true;
};

}  // namespace wb
