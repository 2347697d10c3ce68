// What `calls` says, as lines for people.
#pragma once

#include <string>
#include <vector>

#include "tools/observer/json_value.h"

namespace wb {

struct CallWarning {
  std::string text;
  std::string pid;  ///< whom to look at: who holds the others up, or has waited for longest
};
/// Its cycles, then its chains that are warnings.
std::vector<CallWarning> call_warnings(const JsonValue& calls);

/// "right <0.80.0> for 3.0 s, 57.0 s left, in shop:ask/1 (shop.erl:17)"; empty: it is in no call.
std::string call_text(const JsonValue& row);

}  // namespace wb
