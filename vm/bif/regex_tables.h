// The character tables that patterns are compiled with.
#pragma once

#include <cstdint>

namespace wb {

/// For pcre2_set_character_tables; they live for good.
const uint8_t* latin1_tables();

}  // namespace wb
