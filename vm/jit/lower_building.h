// bs_create_bin, lowered (vm/interp/lowered_building.cc): what is known of a binary when its
// function is compiled. Sizes and places of integers are numbers then; neighbours that make whole
// bytes only together are put together in a register first.
#pragma once

#include "bytecode/segment.h"
#include "term/term.h"
#include "vm/jit/baseline.h"

namespace wb {

/// Of an integer or a float; 0: not known, or too many.
inline Word constant_bits(Word size, Word unit) {
  if (!is_small(size) || size > make_small(64) || unit > 64) return 0;
  Word bits = (size >> 4) * unit;
  return bits <= 64 ? bits : 0;
}

class BinaryLowering {
 public:
  BinaryLowering(Baseline& b, const instr::bs_create_bin& in, const Baseline::Item& whole)
      : b_(b), in_{in}, whole_(whole) {}
  /// False: not for here, and some operations may have been added.
  bool make();

 private:
  bool measure();
  bool append_bits();  ///< integers that do not make whole bytes
  bool sizes();
  bool memory();
  bool segment(Segment s);
  bool integer(Segment s);
  bool store();
  bool store_little(Word bits);
  bool string(Segment s);
  bool add(Instr i, std::initializer_list<Word> operands) { return b_.add_op(whole_, i, operands); }
  bool add_of(Instr i, Word dynamic, std::initializer_list<Word> more = {}) {
    return b_.add_op_of(whole_, i, dynamic, more);
  }

  Baseline& b_;
  const CreateBin in_;
  const Baseline::Item& whole_;
  Word bits_ = 0;          ///< of the segments whose size is known
  bool variable_ = false;  ///< there are others
  Word distance_ = 0;      ///< in bytes from C->build_at
  Word group_ = 0;         ///< bits put together
};

}  // namespace wb
