// The cache of atoms' texts that both ends of a connection keep, one for each direction, and the
// part of a message's header that speaks of it.
//
// The header lists the message's atoms; in its terms stand their numbers in that list. An atom has
// a slot (AtomRefs::slot_of, the sender's choice). If the slot still holds it the list says only
// the slot, else also the text, which the receiver then keeps there. So both ends agree as long as
// messages are read in the order in which their headers were written: a header is written when its
// message gets its place among those that go out, under the connection's lock.
#pragma once

#include <array>
#include <span>
#include <string>

#include "term/external_dist.h"

namespace wb {

class OutgoingAtoms {
 public:
  OutgoingAtoms() { slots_.fill(kNone); }
  /// Appends how many there are, their flags, and the list.
  void write(std::span<const Term> atoms, std::string* out);

 private:
  std::array<Term, AtomRefs::kSlots> slots_;
};

/// What one header has listed.
struct ListedAtoms {
  std::array<Term, AtomRefs::kMost> atoms;
  size_t count = 0;
  std::span<const Term> all() const { return {atoms.data(), count}; }
};

class IncomingAtoms {
 public:
  IncomingAtoms() { slots_.fill(kNone); }
  /// How many bytes the list took; 0: it is malformed, or names a slot in which there is nothing.
  size_t read(const uint8_t* bytes, size_t size, ListedAtoms* listed);

 private:
  std::array<Term, AtomRefs::kSlots> slots_;
};

}  // namespace wb
