// Walking iolists: nested, possibly improper lists of bytes and bitstrings.
#pragma once

#include <vector>

#include "term/binary.h"

namespace wb {

/// Calls on_byte(uint8_t) and on_bits(Term bitstring) in order; false when something else is met
/// (or a callback returns false). `t` is a list or a bitstring. Iterative.
template <class OnByte, class OnBits>
bool walk_iolist(Term t, OnByte on_byte, OnBits on_bits) {
  if (is_bitstring(t)) return on_bits(t);
  std::vector<Term> rests;
  for (;;) {
    while (is_cons(t)) {
      Term e = head(t);
      t = tail(t);
      if (is_small(e)) {
        if (static_cast<uint64_t>(small_value(e)) > 255) return false;
        on_byte(static_cast<uint8_t>(small_value(e)));
      } else if (is_cons(e)) {
        if (!is_nil(t)) rests.push_back(t);
        t = e;
      } else if (!is_nil(e) && !(is_bitstring(e) && on_bits(e))) {
        return false;
      }
    }
    if (!is_nil(t) && !(is_bitstring(t) && on_bits(t))) return false;
    if (rests.empty()) return true;
    t = rests.back();
    rests.pop_back();
  }
}

/// Bits in an iolist or bitstring; false if it is neither. With `whole_bytes` every bitstring in it
/// must be a binary.
bool iolist_bits(Term t, bool whole_bytes, size_t* bits);
/// Writes what iolist_bits measured.
void write_iolist(Term t, uint8_t* to);

}  // namespace wb
