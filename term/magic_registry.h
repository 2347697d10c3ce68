// Magic references found again by their numbers.
//
// A magic reference that leaves the heaps as text or in the external format leaves only its
// numbers; whoever reads them gets the object back while it lives. So whoever writes one notes it
// here, and whoever makes a local reference from numbers asks here.
//
// The registry holds no share of an object. A noted object carries kNoted in its count, which makes
// the count negative: releasing any other object costs no more than before, and the last release of
// a noted one forgets it here first. Between that release and the forgetting the count is kNoted
// plus 0, and find() takes a share only of what is above it: nothing is revived.
//
// Rejected: an own share with a sweep now and then (the memory behind an array of atomics would
// wait for it), and the number in every object (all magic objects and binaries would grow).
#pragma once

#include <shared_mutex>
#include <unordered_map>

#include "base/ranked_lock.h"
#include "term/fault.h"
#include "term/heap.h"

namespace wb {

/// In the number of every magic reference, and of no other: most that are read need no look here.
constexpr uint64_t kMagicNumber = uint64_t{1} << 62;
constexpr bool is_magic_number(uint64_t n) { return n & kMagicNumber; }

class MagicRegistry {
 public:
  MagicRegistry() = default;
  MagicRegistry(const MagicRegistry&) = delete;

  /// The numbers of this magic reference (its boxed words) are written down somewhere.
  void note(const Term* ref);
  /// The reference with this number, if one was noted and its object lives; else kNone.
  Term find(Heap& h, uint64_t number);
  void forget(OffHeapObject* object);

 private:
  struct Noted {
    OffHeapObject* object;
    Word header;  // says how much the object keeps alive
  };
  RankedLock<LockRank::magic_references, std::shared_mutex> lock_;
  std::unordered_map<uint64_t, Noted> by_number_;
  std::unordered_multimap<OffHeapObject*, uint64_t> numbers_;  // of one object, mostly one
};

// Of this thread's instance (term/instance.h).
void note_magic(const Term* ref);
Term find_noted_magic(Heap& h, uint64_t number);
inline Term find_magic(Heap& h, uint64_t number) {
  return is_magic_number(number) ? find_noted_magic(h, number) : kNone;
}

}  // namespace wb
