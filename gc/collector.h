// One copying pass over a process' heap (Cheney's algorithm). How big the new block is, and which
// pass it is to be, is decided in collect.cc; this is the mechanism.
//
// A pass copies what the roots reach into new space, leaving at each old place where it went: a
// boxed value's header becomes the new (boxed) pointer, a cons' head kMoved and its tail the new
// pointer. The new space is then scanned from the front, and what it points to is copied to its
// end, until the scan has caught up: no stack, no recursion, whatever the shape of the terms.
//
// A pointer is followed unless it leads into the literal range or, in a minor pass, into the old
// block. Everything else must be ours: the young block or a fragment. Two pointers in a row, one
// compare each; there is no test for "is it in my heap", so a stray pointer is a crash here, close
// to the mistake, and not a strange value later.
//
// A minor pass has two destinations: the old block for what lies below the high-water mark, the new
// young block for the rest. Values below the mark only point to values below it or to old ones.
//
// Afterwards the lists of off-heap owners are swept: a moved owner is linked again on the side
// where it went, a dead one's object is released.
//
// Cells whose elements have no parts are copied as a run, a few dozen at once, each tail pointing
// to the word behind it, by which the scan knows them. So lists of numbers that are met at the same
// time do not come to lie between each other, a cell to a cache line, which costs whoever walks one
// of them later; and a list that is met alone need not be scanned.
//
// Rejected: doing so with all lists. It is slower on lists of tuples, which lie beside their cells.
#pragma once

#include "gc/process_heap.h"

namespace wb {

class Collector {
 public:
  /// Each makes `block` (`words` long, big enough for whatever may live) the young block, frees the
  /// one before and the fragments, and returns how many words were copied.
  /// Minor: the old block must have room for what lies below the high-water mark.
  static size_t minor(ProcessHeap& heap, Term* block, size_t words, const Roots& roots);
  /// A minor pass that promotes what lies below the mark without moving it: the block itself, with
  /// the room above the mark, becomes the old block. There must be none yet.
  static size_t promote_block(ProcessHeap& heap, Term* block, size_t words, const Roots& roots);
  static size_t major(ProcessHeap& heap, Term* block, size_t words, const Roots& roots);
  /// A major pass that copies the terms of `releasing` too, shared as they were.
  static size_t evict(ProcessHeap& heap, Term* block, size_t words, const Roots& roots,
                      const ReleasingLiterals& releasing);

 private:
  /// Before a pass in which all are swept: those of the old block stand with the young ones.
  static void join_owners(ProcessHeap& heap);
  template <class Copier>
  static size_t run(ProcessHeap& heap, Term* block, size_t words, const Roots& roots,
                    Copier& copier);
};

}  // namespace wb
