// The shortest decimal that reads as a double, and the closest to it of those.
#pragma once

#include <cstdint>

namespace wb {

/// digits * 10^exponent; digits does not end with a zero.
struct Decimal {
  uint64_t digits;
  int exponent;
};
/// Of a finite number above 0.
Decimal shortest_decimal(double d);

}  // namespace wb
