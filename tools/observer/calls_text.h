// What `calls` says, as lines for people.
#pragma once

#include <string>

#include "tools/observer/json_value.h"

namespace wb {

/// "shop:ask/1 shop.erl:17"; without a line the function.
std::string place_text(const JsonValue& function, const JsonValue& file, const JsonValue& line);

/// One of its `cycles`: "left > right > left, for 3.0 s, in shop:ask/1 shop.erl:17".
std::string cycle_text(const JsonValue& cycle);

/// "right <0.80.0> for 3.0 s, 57.0 s left, in shop:ask/1 (shop.erl:17)"; empty: it is in no call.
std::string call_text(const JsonValue& row);

}  // namespace wb
