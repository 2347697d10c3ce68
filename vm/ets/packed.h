// Objects of `compressed` tables: packed into bytes, all but the key.
//
//   +-------------+----------+--------------+-----+-------------+-----------------------+-------+
//   | TableObject | header   | ...          | key | its words   | bytes                 | start |
//   +-------------+----------+--------------+-----+-------------+-----------------------+-------+
//                  data[0]                   data[keypos]         data[start]
//
// The key stays a term, so that finding, hashing and walking know nothing of this; whoever is shown
// an object gets a plain one that lives as long as the look.
//
// The bytes are the words of the plain object one after the other, each as short as it can be: a
// number by its size, an atom by its index, a pointer by how far its target is from the last one's
// (a copy places what it finds in the order in which it finds it, so mostly a byte), what is no
// term as it is. So a term comes back as exactly what it was: no kind needs a form of its own here.
//
// Invariants
//  - An owner's share of what is off-heap is held by the bytes: packing hands it over, a look
//    borrows it, and freeing the object unpacks it once more to release it.
//  - An object that would not be smaller is kept plain.
//
// Rejected: OTP's external format (a second encoder, since magic references, funs and shared
// binaries have none, and it takes longer to read); deflate (objects are small, and each look would
// pay for it; BEAM does without, too).
#pragma once

#include "vm/ets/object.h"

namespace wb {

/// A copy of `tuple` for a table of compressed objects, plain if that is not larger.
TableObject* new_packed_object(Term tuple, uint32_t keypos);

/// Releases what the bytes of an object own, which then are nothing any more.
void release_packed(const TableObject& o);

/// A packed object as a plain one, as long as this lives. Nobody may free the object meanwhile.
class Unpacked {
 public:
  Unpacked(const TableObject& packed, uint32_t keypos);
  ~Unpacked();
  Unpacked(const Unpacked&) = delete;
  Unpacked& operator=(const Unpacked&) = delete;
  TableObject& object() const { return *object_; }

 private:
  static constexpr size_t kInline = 96;  // words
  TableObject* object_;
  alignas(TableObject) char inline_[sizeof(TableObject) + kInline * sizeof(Term)];
};

}  // namespace wb
