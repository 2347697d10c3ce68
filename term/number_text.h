// Numbers as text, bit-exact with OTP 25 (docs/terms.md, Outside the machine).
#pragma once

#include <string>
#include <string_view>

#include "term/fault.h"
#include "term/heap.h"

namespace wb {

/// Longer texts of floats OTP does not make: badarg.
constexpr size_t kMaxFloatText = 255;

/// The text of a small integer in base 2..36, upper case, with sign, where integer_text() has it.
class SmallText {
 public:
  SmallText(int64_t v, int base);
  std::string_view view() const { return {first_, static_cast<size_t>(end_ - first_)}; }

 private:
  char buffer_[72];
  const char *first_, *end_;
};
/// Digits of an integer in base 2..36, upper case, with sign.
std::string integer_text(Term t, int base = 10);
/// An optional sign and digits in `base`, nothing else; kBadarg if not that, kSystemLimit if huge.
Term parse_integer(Heap& h, std::string_view text, int base = 10);
/// Shortest text that reads back, as ~w prints (1.0, 1.0e3, 1.2345e-4).
std::string float_text_short(double d);
size_t float_text_short(double d, char (&to)[48]);
/// %.20e, or `digits` digits, exponent form as float_to_list/1,2 give.
std::string float_text_scientific(double d, int digits);
/// [{decimals,N}] of most floats: how many characters, 0: it takes float_text_decimals().
size_t float_text_few_decimals(double d, int decimals, bool compact, char (&to)[48]);
/// [{decimals,N}] with optional `compact`; false if the text does not fit (badarg).
bool float_text_decimals(double d, int decimals, bool compact, std::string* out);
/// Erlang float syntax, digits on both sides of the dot; false if not that or out of range.
bool parse_float(std::string_view text, double* out);

}  // namespace wb
