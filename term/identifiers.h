// Pids, ports and references of either kind (local, external) taken apart.
#pragma once

#include "term/external.h"
#include "term/term.h"

namespace wb {

inline bool is_external(Term t) {
  if (!is_boxed(t)) return false;
  Kind k = header_kind(header_of(t));
  return k == Kind::ext_pid || k == Kind::ext_port || k == Kind::ext_ref;
}

/// The node of an external pid, port or reference; the local one of any other.
inline NodeName node_of(Term t) {
  if (!is_external(t)) return local_node();
  return owned_node(boxed_ptr(t)).name;
}

/// Number in the low half, serial in the high half.
inline uint64_t pid_data(Term pid) {
  if (!is_local_pid(pid)) return boxed_ptr(pid)[3];
  return (uint64_t{pid_serial(pid)} << 32) | pid_slot(pid);
}

inline uint64_t port_data(Term port) {
  return is_local_port(port) ? port_number(port) : boxed_ptr(port)[3];
}

/// A reference's 32-bit numbers, least significant first, two in a word.
struct RefNumbers {
  const Word* words;
  size_t count;  // of numbers

  uint32_t number(size_t i) const {
    return static_cast<uint32_t>(i % 2 ? words[i / 2] >> 32 : words[i / 2]);
  }
  size_t word_count() const { return (count + 1) / 2; }
  /// Without zeros at the end, which =:= does not see; at least one.
  size_t significant_words() const {
    size_t n = word_count();
    while (n > 1 && words[n - 1] == 0) --n;
    return n;
  }
  Word word(size_t i) const { return i < word_count() ? words[i] : 0; }
};

inline RefNumbers ref_numbers(Term ref) {
  const Term* p = boxed_ptr(ref);
  switch (header_kind(*p)) {
    case Kind::magic_ref:
      return {p + 3, 3};
    case Kind::ext_ref:
      return {p + 3, header_extra(*p)};
    default:
      return {p + 1, 3};
  }
}

}  // namespace wb
