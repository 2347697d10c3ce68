// Walking iolists: nested, possibly improper lists of bytes and bitstrings.
#pragma once

#include <string>
#include <vector>

#include "base/work_budget.h"
#include "term/binary.h"

namespace wb {

/// Calls on_byte(uint8_t) and on_bits(Term bitstring) in order; false when something else is met
/// (or a callback returns false, or `budget` stops it). `t` is a list or a bitstring. Iterative. A
/// step an element, without what the callbacks do.
template <class OnByte, class OnBits>
bool walk_iolist(Term t, WorkBudget& budget, OnByte on_byte, OnBits on_bits) {
  if (is_bitstring(t)) return on_bits(t);
  std::vector<Term> rests;
  LocalBudget steps(budget);
  auto bits = [&](Term b) __attribute__((always_inline)) {
    steps.pause();
    bool on = is_bitstring(b) && on_bits(b);
    steps.resume();
    return on;
  };
  for (;;) {
    while (is_cons(t)) {
      Term e = head(t);
      t = tail(t);
      if (!steps.step()) return false;
      if (is_small(e)) {
        if (static_cast<uint64_t>(small_value(e)) > 255) return false;
        on_byte(static_cast<uint8_t>(small_value(e)));
      } else if (is_cons(e)) {
        if (!is_nil(t)) rests.push_back(t);
        t = e;
      } else if (!is_nil(e) && !bits(e)) {
        return false;
      }
    }
    if (!is_nil(t) && !bits(t)) return false;
    if (rests.empty()) return true;
    t = rests.back();
    rests.pop_back();
  }
}

/// Bits in an iolist or bitstring; false if it is neither. With `whole_bytes` every bitstring in it
/// must be a binary.
bool iolist_bits(Term t, bool whole_bytes, size_t* bits, WorkBudget& budget);
/// Writes what iolist_bits measured. False: stopped.
bool write_iolist(Term t, uint8_t* to, WorkBudget& budget);

/// Text of an iolist / chardata-free list of bytes: false if not one.
bool list_to_bytes(Term list, std::string* out);  // proper list of 0..255
/// A list of characters as UTF-8; nobody looks at what stands behind the first `most`.
bool list_to_utf8(Term list, std::string* out, size_t most = SIZE_MAX);
bool iolist_to_bytes(Term iolist, std::string* out);  // iolist or binary (whole bytes)
/// A list of integers from bytes.
Term bytes_to_list(Heap& h, const uint8_t* bytes, size_t n, Term rest = kNil);
/// The same, a step an element.
Term bytes_to_list(Heap& h, const uint8_t* bytes, size_t n, Term rest, WorkBudget& budget);

}  // namespace wb
