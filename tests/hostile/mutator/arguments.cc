#include "tests/hostile/mutator/arguments.h"

#include <string>

#include "base/base.h"
#include "term/atom.h"
#include "term/binary.h"
#include "term/external.h"
#include "term/number.h"

namespace wb::mutator {

namespace {
/// The bytes of a literal, zeros among them.
template <size_t n>
std::string bytes(const char (&text)[n]) {
  return {text, n - 1};
}
}  // namespace

Arguments::Arguments() {
  FragmentHeap& h = heap_;
  auto external = [&](std::string bytes) {
    Term t = decode_term(h, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(), {});
    WB_CHECK(is_value(t));
    return t;
  };
  std::string large(300, 'x');
  Term text = make_binary(h, "text"), long_text = make_binary(h, large.data(), large.size());
  Term numbers = kNil, pairs = kNil;
  for (int n = 20; n > 0; --n) {
    numbers = cons(h, make_small(n), numbers);
    pairs = cons(h, tuple(h, make_small(n), am::ok), pairs);
  }
  std::string pi = bytes("\x83\x46\x40\x09\x21\xfb\x54\x44\x2d\x18"),
              map = bytes("\x83\x74\0\0\0\2\x61\1\x61\2\x77\1a\x6a");
  std::string large_map = bytes("\x83\x74\0\0\0\x28");
  for (char n = 0; n < 40; ++n) large_map += std::string{'\x61', n, '\x61', n};
  std::string odd_bits = bytes("\x83\x4d\0\0\0\2\3\xff\xe0"),
              far_pid = bytes("\x83\x58\x77\1n\0\0\0\1\0\0\0\0\0\0\0\1");
  std::string big = bytes("\x83\x6e\x0c\0\1\2\3\4\5\6\7\x8\x9\xa\xb\xc"),
              no_bytes = bytes("\x83\x6d\0\0\0\0");
  std::string export_fun = bytes("\x83\x71\x77\5lists\x77\7reverse\x61\1");
  Term number = external(pi);
  values_ = {make_small(0),
             make_small(1),
             make_small(-1),
             make_small(7),
             make_small(255),
             make_small(kSmallMax),
             make_small(kSmallMin),
             external(big),
             number,
             am::ok,
             am::true_,
             am::error,
             kNil,
             numbers,
             pairs,
             cons(h, am::ok, am::error),
             cons(h, text, cons(h, make_small(300), kNil)),
             external(bytes("\x83\x68\0")),
             tuple(h, am::ok, am::error),
             tuple(h, am::ok, make_small(1), text),
             tuple(h, am::ok, kNil, kNil, kNil, kNil),
             tuple(h, make_small(2), kNil, pairs),
             external(map),
             external(large_map),
             external(bytes("\x83\x74\0\0\0\0")),
             text,
             long_text,
             external(no_bytes),
             external(odd_bits),
             external(far_pid),
             external(export_fun),
             make_pid(1, 0)};
}

Term Arguments::list(Heap& h, uint32_t arity, std::mt19937_64& random) const {
  Term list = kNil;
  for (; arity > 0; --arity) list = cons(h, values_[random() % values_.size()], list);
  return list;
}

}  // namespace wb::mutator
