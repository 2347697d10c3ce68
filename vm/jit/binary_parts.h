// bs_create_bin in parts (vm/interp/bit_parts.cc): what is known of a binary when its function is
// compiled. Sizes and places of integers are numbers then; neighbours that make whole bytes only
// together are put together in a register first.
#pragma once

#include "vm/jit/baseline.h"

namespace wb {

class BinaryParts {
 public:
  BinaryParts(Baseline& b, const Word* at, const Baseline::Item& whole)
      : b_(b), at_(at), whole_(whole) {}
  /// False: not for here, and some parts may have been added.
  bool make();

 private:
  bool measure();
  bool append_bits();  ///< integers that do not make whole bytes
  bool sizes();
  bool memory();
  bool segment(const Word* w);
  bool integer(const Word* w);
  bool store();
  bool store_little(Word bits);
  bool string(const Word* w);
  bool add(Instr i, std::initializer_list<Word> operands) {
    return b_.add_part(whole_, i, operands);
  }
  bool add_of(Instr i, Word dynamic, std::initializer_list<Word> more = {}) {
    return b_.add_part_of(whole_, i, dynamic, more);
  }

  Baseline& b_;
  const Word* const at_;
  const Baseline::Item& whole_;
  const Word *first_ = nullptr, *end_ = nullptr;  ///< segments, six words each
  bool appends_ = false;
  Word bits_ = 0;          ///< of the segments whose size is known
  bool variable_ = false;  ///< there are others
  Word distance_ = 0;      ///< in bytes from C->build_at
  Word group_ = 0;         ///< bits put together
};

}  // namespace wb
