// A segment of a bs_create_bin: so many words of its list, by name.
#pragma once

#include <cstdint>

#include "bytecode/bit_flags.h"
#include "bytecode/instructions.h"
#include "term/atom.h"

namespace wb {

struct Segment {
  enum At : unsigned { kType, kNumber, kUnit, kFlags, kValue, kSize, kWords };
  const uint64_t* w;
  Term type() const { return w[kType]; }
  /// As error_info counts them.
  Word number() const { return w[kNumber]; }
  Word unit() const { return w[kUnit]; }
  bool little() const { return w[kFlags] & (kLittleBits | kNativeBits); }
  /// A string's are its bytes: their address, and how many.
  Word value() const { return w[kValue]; }
  Word size() const { return w[kSize]; }
  /// The atom as the operand itself. In a register it is no size.
  bool whole() const { return size() == am::all; }
  bool is_appended_to() const { return type() == am::append || is_private(); }
  bool is_private() const { return type() == am::private_append; }
};

/// Segments side by side.
struct Segments {
  struct Iterator {
    const uint64_t* w;
    Segment operator*() const { return {w}; }
    Iterator& operator++() { return w += Segment::kWords, *this; }
    bool operator!=(const Iterator& o) const { return w != o.w; }
  };
  const uint64_t *first, *last;
  Iterator begin() const { return {first}; }
  Iterator end() const { return {last}; }
};

/// A bs_create_bin, or the end of one, with what its list says.
struct CreateBin : instr::bs_create_bin {
  bool empty() const { return count() == 0; }
  /// The first segment: what may be appended to.
  Segment appended_to() const { return {segments()}; }
  bool appends() const { return !empty() && appended_to().is_appended_to(); }
  /// The segments that are written.
  Segments written() const { return {segments() + (appends() ? Segment::kWords : 0), after()}; }
};

}  // namespace wb
