// How a run ended, and which endings are the same.
//
// A run is compared with the usual one, in which nobody is kept from running: a server that is
// still there when main has returned, a worker that crashes as it shall, have leaked or crashed in
// that one, too, and are no news. Endings are one class if what they say is the same but for
// numbers, pids and references.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vm/explore/explorer.h"

namespace wb {

/// The worst first: of several findings a run's class is that of the first.
enum class EndingKind : uint8_t {
#define ENDING(name, text) name,
#include "vm/explore/endings.def"
};
constexpr size_t kEndingKinds = 0
#define ENDING(name, text) +1
#include "vm/explore/endings.def"
    ;
const char* ending_name(EndingKind kind);
/// What it means, in a few words.
const char* ending_text(EndingKind kind);

struct Finding {
  EndingKind kind = EndingKind::result;
  uint64_t signature = 0;
  std::string text;  ///< a line, then perhaps others, indented
};

/// All that a run that is over has shown; `output`: what it has printed.
std::vector<Finding> findings_of(Machine& vm, const Explorer& run, const std::string& output);
/// The first that `usual` has not.
Finding class_of(const std::vector<Finding>& findings, const std::vector<Finding>& usual);

}  // namespace wb
