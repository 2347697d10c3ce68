// The interchange formats of a double. Half precision is done by hand: rounding must be one step
// from the double (through a float it would round twice), and not every machine has it.
#include <bit>
#include <cmath>

#include "term/bit_syntax.h"

namespace wb {

namespace {
// `m` shifted right, rounded to nearest, ties to even. shift is 1..63.
uint64_t round_shift(uint64_t m, unsigned shift) {
  uint64_t rest = m & ((uint64_t{1} << shift) - 1), half = uint64_t{1} << (shift - 1);
  uint64_t v = m >> shift;
  return v + (rest > half || (rest == half && (v & 1)));
}

uint16_t to_half(double d) {
  uint64_t w = std::bit_cast<uint64_t>(d);
  uint16_t sign = static_cast<uint16_t>(w >> 48 & 0x8000);
  int exponent = static_cast<int>(w >> 52 & 0x7ff) - 1023;
  uint64_t fraction = w & ((uint64_t{1} << 52) - 1);
  if (exponent > 15) return sign | 0x7c00;
  if (exponent < -25) return sign;
  if (exponent < -14) {  // subnormal: counted in units of 2^-24
    uint64_t m = fraction | uint64_t{1} << 52;
    return sign | static_cast<uint16_t>(round_shift(m, static_cast<unsigned>(28 - exponent)));
  }
  // A carry out of the fraction raises the exponent, at the end to infinity: as it should be.
  uint64_t m = static_cast<uint64_t>(exponent + 15) << 52 | fraction;
  return sign | static_cast<uint16_t>(round_shift(m, 42));
}

double from_half(uint16_t h) {
  int exponent = h >> 10 & 31;
  double fraction = h & 0x3ff;
  double d = exponent == 0    ? std::ldexp(fraction, -24)
             : exponent == 31 ? (fraction == 0 ? INFINITY : NAN)
                              : std::ldexp(fraction + 1024, exponent - 25);
  return h & 0x8000 ? -d : d;
}
}  // namespace

uint64_t float_to_bits(double d, unsigned bits) {
  if (bits == 64) return std::bit_cast<uint64_t>(d);
  if (bits == 32) return std::bit_cast<uint32_t>(static_cast<float>(d));
  return to_half(d);
}

double float_from_bits(uint64_t word, unsigned bits) {
  if (bits == 64) return std::bit_cast<double>(word);
  if (bits == 32) return std::bit_cast<float>(static_cast<uint32_t>(word));
  return from_half(static_cast<uint16_t>(word));
}

}  // namespace wb
