// Raffaello Giulietti, "The Schubfach way to render doubles" (2020): the interval of what reads as
// the double, scaled by a power of ten so that its ends have 16 or 17 digits before the point,
// holds one or two multiples of ten or else a few integers. Scaling is one multiplication by a
// power of ten of 128 bits; what is cut off there is kept as one bit, which decides as the exact
// product would.
#include "term/shortest_decimal.h"

#include <stddef.h>

#include <array>
#include <bit>

namespace wb {
namespace {

struct Wide {
  uint64_t high, low;
};

// --- powers of ten ------------------------------------------------------------------------------
constexpr int kLeastPower = -292, kMostPower = 324;

/// A large natural number, for making the table.
class Natural {
 public:
  constexpr explicit Natural(unsigned bit) { limbs_[bit / 32] = uint32_t{1} << bit % 32; }
  constexpr void multiply_by_ten() {
    uint64_t carry = 0;
    for (uint32_t& limb : limbs_) {
      carry += uint64_t{limb} * 10;
      limb = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
  }
  /// What is left over is forgotten: dividing on gives the same as dividing by a power of ten.
  constexpr void divide_by_ten() {
    uint64_t rest = 0;
    for (unsigned k = kLimbs; k-- > 0;) {
      rest = rest << 32 | limbs_[k];
      limbs_[k] = static_cast<uint32_t>(rest / 10);
      rest %= 10;
    }
  }
  /// The highest 128 bits; *exact: there are no others but zeros.
  constexpr Wide top(bool* exact) const {
    unsigned high = kLimbs - 1;
    while (limbs_[high] == 0) --high;
    const unsigned shift = static_cast<unsigned>(std::countl_zero(limbs_[high]));
    uint32_t words[4] = {};
    for (unsigned k = 0; k < 4; ++k) {
      const uint64_t pair = uint64_t{at(high, k)} << 32 | at(high, k + 1);
      words[k] = static_cast<uint32_t>(pair << shift >> 32);
    }
    *exact = (at(high, 4) << shift) == 0;
    for (unsigned k = 5; k <= high; ++k) *exact = *exact && at(high, k) == 0;
    return {uint64_t{words[0]} << 32 | words[1], uint64_t{words[2]} << 32 | words[3]};
  }

 private:
  static constexpr unsigned kLimbs = 40;
  constexpr uint32_t at(unsigned high, unsigned below) const {
    return below <= high ? limbs_[high - below] : 0;
  }
  uint32_t limbs_[kLimbs] = {};
};

constexpr Wide rounded_up(const Natural& n, bool exact_so_far) {
  bool exact = false;
  Wide w = n.top(&exact);
  if (!(exact && exact_so_far) && ++w.low == 0) ++w.high;
  return w;
}

constexpr auto kPowers = [] {
  std::array<Wide, kMostPower - kLeastPower + 1> powers{};
  Natural up(0), down(32 * 40 - 1);
  for (int k = 0; k <= kMostPower; ++k, up.multiply_by_ten())
    powers[static_cast<size_t>(k - kLeastPower)] = rounded_up(up, true);
  for (int k = -1; k >= kLeastPower; --k) {
    down.divide_by_ten();
    powers[static_cast<size_t>(k - kLeastPower)] = rounded_up(down, false);
  }
  return powers;
}();

constexpr int floor_log2_of_power(int ten) { return ten * 1741647 >> 19; }

// --- one double ---------------------------------------------------------------------------------
/// The integer part of a product of `power`, as 2^-128 of it; odd if anything was cut off.
uint64_t scaled(Wide power, uint64_t n) {
  const auto low = static_cast<unsigned __int128>(power.low) * n;
  const auto product =
      static_cast<unsigned __int128>(power.high) * n + static_cast<uint64_t>(low >> 64);
  return static_cast<uint64_t>(product >> 64) | (static_cast<uint64_t>(product) > 1);
}

Decimal without_zeros(uint64_t digits, int exponent) {
  if (digits % 100'000'000 == 0) digits /= 100'000'000, exponent += 8;
  if (digits % 10'000 == 0) digits /= 10'000, exponent += 4;
  while (digits % 10 == 0) digits /= 10, ++exponent;
  return {digits, exponent};
}

/// fraction * 2^exponent; `lower_is_near`: the next smaller double is half as far away as the next
/// larger one.
Decimal shortest(uint64_t fraction, int exponent, bool lower_is_near) {
  const int k = (exponent * 1262611 - (lower_is_near ? 524031 : 0)) >> 22;  // log 10
  const int shift = exponent + floor_log2_of_power(-k) + 1;
  const Wide power = kPowers[static_cast<size_t>(-k - kLeastPower)];
  const uint64_t value = scaled(power, 4 * fraction << shift);
  const uint64_t is_odd = fraction & 1;  // then the ends do not read as this double
  const uint64_t least = scaled(power, (4 * fraction - 2 + lower_is_near) << shift) + is_odd;
  const uint64_t most = scaled(power, (4 * fraction + 2) << shift) - is_odd;

  const uint64_t below = value / 4, tens = below / 10;
  if (below >= 10) {
    const bool lower = least <= 40 * tens, upper = 40 * tens + 40 <= most;
    if (lower != upper) return without_zeros(tens + upper, k + 1);
  }
  const bool lower = least <= 4 * below, upper = 4 * below + 4 <= most;
  if (lower != upper) return without_zeros(below + upper, k);
  const uint64_t middle = 4 * below + 2;
  return without_zeros(below + (value > middle || (value == middle && (below & 1))), k);
}

}  // namespace

Decimal shortest_decimal(double d) {
  constexpr int kBits = 52, kBias = 1075;
  const auto bits = std::bit_cast<uint64_t>(d);
  const int exponent = static_cast<int>(bits >> kBits & 0x7ff);
  const uint64_t fraction = bits & ((uint64_t{1} << kBits) - 1);
  if (exponent == 0) return shortest(fraction, 1 - kBias, false);
  const uint64_t whole = fraction | uint64_t{1} << kBits;
  const int cut = kBias - exponent;  // bits behind the point
  if (cut >= 0 && cut <= kBits && (whole & ((uint64_t{1} << cut) - 1)) == 0) {
    return without_zeros(whole >> cut, 0);
  }
  return shortest(whole, exponent - kBias, fraction == 0 && exponent > 1);
}

}  // namespace wb
