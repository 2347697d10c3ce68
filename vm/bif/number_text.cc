// Numbers to text and back: integer_to_list & co., float_to_list & co. with their options, and
// string's two readers that stop where the number stops. The text itself is made and read in
// term/number_text.h.
#include "term/number_text.h"

#include <algorithm>
#include <optional>

#include "term/binary.h"
#include "term/number.h"
#include "vm/bif/bif.h"
#include "vm/process/native_yield.h"

namespace wb {
namespace {

// A number is converted beside the scheduler when it has so many limbs or characters: that takes
// GMP most of a millisecond.
constexpr size_t kLongLimbs = 1500, kLongText = 20000;
constexpr int64_t kCharacters = 50;  // a reduction

void charge_text(Process& p, size_t size) { p.charge(static_cast<int64_t>(size) / kCharacters); }

Term text_list(Process& p, std::string_view text) {
  BifBudget budget(p, kCharacters);
  auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  return bytes_to_list(p.heap, bytes, text.size(), kNil, budget);
}
Term text_binary(Process& p, std::string_view text) {
  charge_text(p, text.size());
  return make_binary(p.heap, text.data(), text.size());
}

/// What is to be read: the characters of a list, copied, or of a binary, where they lie.
class Text {
 public:
  static bool of_list(Process&, Term list, Text* out, WorkBudget& budget) {
    for (; is_cons(list); list = tail(list)) {
      Term e = head(list);
      if (!is_small(e) || static_cast<uint64_t>(small_value(e)) > 255) return false;
      out->copy_.push_back(static_cast<char>(small_value(e)));
      if (!budget.step()) return false;
    }
    return is_nil(list);
  }
  static bool of_binary(Process& p, Term t, Text* out, WorkBudget&) {
    if (!is_binary(t)) return false;
    out->bytes_.emplace(t);
    charge_text(p, out->bytes_->size());
    return true;
  }

  std::string_view view() const {
    if (!bytes_) return copy_;
    return {reinterpret_cast<const char*>(bytes_->data()), bytes_->size()};
  }

 private:
  std::string copy_;
  std::optional<ByteView> bytes_;
};

/// 2..36, or 0.
int base_of(Term t) {
  return is_small(t) && small_value(t) >= 2 && small_value(t) <= 36
             ? static_cast<int>(small_value(t))
             : 0;
}

using ToTerm = Term (*)(Process&, std::string_view);
using ToText = bool (*)(Process&, Term, Text*, WorkBudget&);

Term write_integer(Process& p, Term integer, Term base, ToTerm make) {
  if (!is_integer(integer) || !base_of(base)) return kBadarg;
  if (WB_LIKELY(is_small(integer))) {
    return make(p, SmallText(small_value(integer), base_of(base)).view());
  }
  if (WB_LIKELY(!is_big(integer) || big_size(integer) < kLongLimbs)) {
    return make(p, integer_text(integer, base_of(base)));
  }
  std::string text;
  bool on = off_scheduler(p, [&] { text = integer_text(integer, base_of(base)); });
  if (!on) return kCancelled;
  charge_text(p, text.size());
  return make(p, text);
}

Term read_integer(Process& p, Term t, Term base, ToText read) {
  Text text;
  BifBudget budget(p, kCharacters);
  if (!base_of(base) || !read(p, t, &text, budget)) return budget.stopped() ? kCancelled : kBadarg;
  std::string_view few = text.view();
  if (WB_LIKELY(few.size() < kLongText)) return parse_integer(p.heap, few, base_of(base));
  charge_text(p, few.size());
  std::string copy(few);  // the process may be collected meanwhile
  return compute_off_scheduler(p, [&](Heap& h) { return parse_integer(h, copy, base_of(base)); });
}

// A zero byte ends the text, as it does in OTP 25.
Term read_float(Process& p, Term t, ToText read) {
  Text characters;
  double d;
  BifBudget budget(p, kCharacters);
  if (!read(p, t, &characters, budget)) return budget.stopped() ? kCancelled : kBadarg;
  std::string_view text = characters.view();
  if (!parse_float(text.substr(0, text.find('\0')), &d)) return kBadarg;
  return make_float(p.heap, d);
}

// --- float_to_list/2 -----------------------------------------------------------------------------
constexpr int kDefaultDigits = 20;
constexpr int kMaxScientificDigits = 249;
constexpr int kMaxDecimals = 253;
constexpr int kDigitsOutOfRange = 1000;

/// The last of decimals, scientific and short wins, and only the winner's digits have to be
/// possible; compact matters to decimals only.
struct FloatFormat {
  enum { scientific, decimals, shortest } form = scientific;
  int64_t digits = kDefaultDigits;
  bool compact = false;
};

bool read_digits(Term option, FloatFormat* f) {
  Term count = tuple_elements(option)[1];
  if (!is_small(count)) return false;
  if (tuple_elements(option)[0] == am::decimals) {
    f->form = FloatFormat::decimals;
  } else if (tuple_elements(option)[0] == am::scientific) {
    f->form = FloatFormat::scientific;
  } else {
    return false;
  }
  f->digits = static_cast<int32_t>(small_value(count));  // OTP, too, drops what is above
  return true;
}

bool read_options(Term options, FloatFormat* f) {
  for (; is_cons(options); options = tail(options)) {
    Term option = head(options);
    if (option == am::compact) {
      f->compact = true;
    } else if (option == am::short_) {
      f->form = FloatFormat::shortest;
    } else if (!is_tuple_of(option, 2) || !read_digits(option, f)) {
      return false;
    }
  }
  return is_nil(options);
}

/// Texts that need no memory of their own; 0: it is none of these.
size_t few_characters(double d, const FloatFormat& f, char (&to)[48]) {
  if (f.form == FloatFormat::shortest) return float_text_short(d, to);
  if (f.form != FloatFormat::decimals || f.digits < 0 || f.digits >= kDigitsOutOfRange) return 0;
  return float_text_few_decimals(d, static_cast<int>(f.digits), f.compact, to);
}

bool float_text(double d, const FloatFormat& f, std::string* out) {
  int digits = static_cast<int>(std::clamp<int64_t>(f.digits, -1, kDigitsOutOfRange));
  switch (f.form) {
    case FloatFormat::shortest:
      break;  // few characters
    case FloatFormat::decimals:
      return digits >= 0 && digits <= kMaxDecimals &&
             float_text_decimals(d, digits, f.compact, out);
    case FloatFormat::scientific:
      if (digits > kMaxScientificDigits) return false;
      *out = float_text_scientific(d, digits < 0 ? 6 : digits);  // as C's printf
      return out->size() <= kMaxFloatText;
  }
  return false;
}

Term write_float(Process& p, Term t, Term options, ToTerm make) {
  FloatFormat format;
  if (!is_float(t) || !read_options(options, &format)) return kBadarg;
  char few[48];
  if (size_t n = few_characters(float_value(t), format, few)) return make(p, {few, n});
  std::string text;
  return float_text(float_value(t), format, &text) ? make(p, text) : kBadarg;
}

// --- string:list_to_integer/1, string:list_to_float/1 --------------------------------------------
/// Takes characters off the front of a list, which may be improper, and keeps them as text.
struct Prefix {
  Term rest;
  std::string text;

  bool at(char low, char high) const {
    return is_cons(rest) && is_small(head(rest)) && small_value(head(rest)) >= low &&
           small_value(head(rest)) <= high;
  }
  bool take_char(char low, char high) {
    if (!at(low, high)) return false;
    text.push_back(static_cast<char>(small_value(head(rest))));
    rest = tail(rest);
    return true;
  }
  bool take_char(char c) { return take_char(c, c); }
  void take_sign() { take_char('+') || take_char('-'); }
  bool take_digits(int base = 10) {
    if (!take_digit(base)) return false;
    while (take_digit(base)) {
    }
    return true;
  }
  bool take_digit(int base) {
    const int above = base - 10;  // how many letters are digits
    if (take_char('0', static_cast<char>('0' + std::min(base, 10) - 1))) return true;
    return above > 0 && (take_char('a', static_cast<char>('a' + above - 1)) ||
                         take_char('A', static_cast<char>('A' + above - 1)));
  }
};

Term no_number(Process& p, Term list, Term reason) {
  return tuple(p.heap, am::error, is_list(list) ? reason : am::not_a_list);
}

}  // namespace

BIF(erlang, integer_to_list, 1)
{
  return write_integer(p, a[0], make_small(10), text_list);
}
BIF(erlang, integer_to_list, 2)
{
  return write_integer(p, a[0], a[1], text_list);
}
BIF(erlang, integer_to_binary, 1)
{
  return write_integer(p, a[0], make_small(10), text_binary);
}
BIF(erlang, integer_to_binary, 2)
{
  return write_integer(p, a[0], a[1], text_binary);
}
BIF(erlang, list_to_integer, 1)
{
  return read_integer(p, a[0], make_small(10), Text::of_list);
}
BIF(erlang, list_to_integer, 2)
{
  return read_integer(p, a[0], a[1], Text::of_list);
}
BIF(erlang, binary_to_integer, 1)
{
  return read_integer(p, a[0], make_small(10), Text::of_binary);
}
BIF(erlang, binary_to_integer, 2)
{
  return read_integer(p, a[0], a[1], Text::of_binary);
}

BIF(erlang, float_to_list, 1)
{
  return write_float(p, a[0], kNil, text_list);
}
BIF(erlang, float_to_list, 2)
{
  return write_float(p, a[0], a[1], text_list);
}
BIF(erlang, float_to_binary, 1)
{
  return write_float(p, a[0], kNil, text_binary);
}
BIF(erlang, float_to_binary, 2)
{
  return write_float(p, a[0], a[1], text_binary);
}
BIF(erlang, list_to_float, 1)
{
  return read_float(p, a[0], Text::of_list);
}
BIF(erlang, binary_to_float, 1)
{
  return read_float(p, a[0], Text::of_binary);
}

// What OTP 26's erlang:list_to_integer/2 and binary_to_integer/2 are made of: errors are values.
BIF(erts_internal, binary_to_integer, 2)
{
  Term integer = read_integer(p, a[0], a[1], Text::of_binary);
  return integer == kBadarg ? am::badarg : integer == kSystemLimit ? am::system_limit : integer;
}
BIF(erts_internal, list_to_integer, 2)
{
  const int base = base_of(a[1]);
  if (!base) return am::badarg;
  if (!is_list(a[0])) return am::not_a_list;
  Prefix prefix{a[0], {}};
  prefix.take_sign();
  if (!prefix.take_digits(base)) return am::no_integer;
  charge_text(p, prefix.text.size());
  Term integer = parse_integer(p.heap, prefix.text, base);
  if (is_fault(integer)) return integer == kSystemLimit ? am::system_limit : am::badarg;
  return tuple(p.heap, integer, prefix.rest);
}

BIF(string, list_to_integer, 1)
{
  Prefix prefix{a[0], {}};
  prefix.take_sign();
  if (!prefix.take_digits()) return no_number(p, a[0], am::no_integer);
  charge_text(p, prefix.text.size());
  Term integer = parse_integer(p.heap, prefix.text);
  return is_fault(integer) ? integer : tuple(p.heap, integer, prefix.rest);
}

BIF(string, list_to_float, 1)
{
  Prefix prefix{a[0], {}};
  prefix.take_sign();
  bool whole = prefix.take_digits() && (prefix.take_char('.') || prefix.take_char(','));
  if (!whole || !prefix.take_digits()) return no_number(p, a[0], am::no_float);
  Prefix longer = prefix;
  if (longer.take_char('e') || longer.take_char('E')) {
    longer.take_sign();
    if (longer.take_digits()) prefix = longer;
  }
  charge_text(p, prefix.text.size());
  double d;
  if (!parse_float(prefix.text, &d)) return no_number(p, a[0], am::no_float);
  return tuple(p.heap, make_float(p.heap, d), prefix.rest);
}

}  // namespace wb
