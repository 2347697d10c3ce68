// The external format inside messages of the distribution: without the leading 131, and with atoms
// that are named by their number in the message (AtomRefs), whose header says which they are.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "term/atom.h"
#include "term/external.h"
#include "term/spliced_bytes.h"

namespace wb {

/// The atoms of one message that its header names. Each has a slot, the place of its text in the
/// cache that both ends of a connection keep; of two with the same slot the second is written out.
class AtomRefs {
 public:
  static constexpr size_t kSlots = 2048, kMost = 255;
  static constexpr size_t slot_of(Term atom) { return atom_index(atom) % kSlots; }

  /// Its number; -1: it is to be written out.
  int number_of(Term atom) {
    uint8_t& number = in_slot_[slot_of(atom)];
    if (number != 0) return atoms_[number - 1u] == atom ? number - 1 : -1;
    if (count_ == kMost) return -1;
    atoms_[count_] = atom;
    number = static_cast<uint8_t>(++count_);
    return number - 1;
  }
  std::span<const Term> all() const { return {atoms_.data(), count_}; }

 private:
  std::array<uint8_t, kSlots> in_slot_{};  ///< 0: free, else its number and 1
  size_t count_ = 0;
  std::array<Term, kMost> atoms_;
};

/// Is it UTF-8, of no more characters than an atom has?
bool is_atom_text(std::string_view text);

/// An atom that another node names: as intern(), but others never take the last part of the table,
/// with which this node goes on when they have flooded it: kSystemLimit.
Term intern_of_others(std::string_view text);

/// Appends `t`; bytes of large binaries are spliced in. Without `refs` atoms are written out. False
/// when `budget` stopped it, or *too_large.
bool encode_dist_term(Term t, AtomRefs* refs, SplicedBytes* out, WorkBudget& budget,
                      bool* too_large);

/// As decode_term(); `atoms` are those that the header has named. `whole`, if given, holds the
/// bytes: a binary that is most of it becomes a part of it.
Term decode_dist_term(Heap& h, const uint8_t* bytes, size_t size, std::span<const Term> atoms,
                      size_t* used, WorkBudget& budget, Binary* whole = nullptr);

}  // namespace wb
