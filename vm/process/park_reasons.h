// What park_reasons.def says of each reason.
#pragma once

#include "term/atom.h"
#include "vm/process/process.h"

namespace wb {

struct ParkFacts {
  Term status;
  const char* report;
  const char* shown;
};
constexpr ParkFacts kParkFacts[] = {
#define PARK_REASON(name, status, report, shown) {am::status, report, shown},
#include "vm/process/park_reasons.def"
};
constexpr const ParkFacts& facts_of(WaitFor reason) {
  return kParkFacts[static_cast<size_t>(reason)];
}

namespace park_variant {
#define PARK_VARIANT(name, status, shown) constexpr const char* name = shown;
#include "vm/process/park_reasons.def"
}  // namespace park_variant

constexpr const char* state_text(ProcessState state) {
  constexpr const char* kTexts[] = {
#define PROCESS_STATE(name) #name,
#include "vm/process/park_reasons.def"
  };
  return kTexts[static_cast<size_t>(state)];
}
constexpr Term state_atom(ProcessState state) {
  constexpr Term kAtoms[] = {
#define PROCESS_STATE(name) am::name,
#include "vm/process/park_reasons.def"
  };
  return kAtoms[static_cast<size_t>(state)];
}

}  // namespace wb
