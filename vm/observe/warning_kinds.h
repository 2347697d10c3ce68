// The table of warnings (warnings.def), and how one is written: by a machine that runs, and of a
// crash dump.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "vm/observe/json.h"

namespace wb {

enum class WarningKind : uint8_t {
#define WARNING(name, looks, leads_to, key, why) name,
#include "vm/observe/warnings.def"
#undef WARNING
};

struct WarningFacts {
  std::string_view name;
  uint32_t looks;
  std::string_view leads_to, key, why;
};
inline constexpr WarningFacts kWarnings[] = {
#define WARNING(name, looks, leads_to, key, why) {#name, looks, #leads_to, #key, why},
#include "vm/observe/warnings.def"
#undef WARNING
};
inline const WarningFacts& facts_of(WarningKind kind) {
  return kWarnings[static_cast<size_t>(kind)];
}

/// By so many looks each warning has shown itself: the first one has nothing to compare with, and
/// one may be missed.
inline constexpr uint32_t kSettledLooks =
    std::ranges::max_element(kWarnings, {}, &WarningFacts::looks)->looks + 2;

/// The beginning of a row: what is the same for all of its kind. `text`: in numbers.
inline JsonWriter& open_warning(JsonWriter& w, WarningKind kind, std::string_view text) {
  const WarningFacts& facts = facts_of(kind);
  w.open('{').text("what", facts.name).text("text", text).text("why", facts.why);
  return w.text("leads_to", facts.leads_to).text("key", facts.key);
}

}  // namespace wb
