// The stencils: native code of every fast handler, with holes, made at build time by
// tools/stencils.
#pragma once

#include <cstdint>

#include "bytecode/instructions.h"

namespace wb {

/// What has to be written where (holes.h). The first five are operands, the others addresses of
/// code, relative to the hole.
enum class HoleKind : uint8_t {
  number,
  bytes,
  minus_bytes,
  word,
  list,
  next,
  branch,
  preempt,
  preempt_here,
  otherwise,
  finish,
};

struct Hole {
  uint16_t at;  ///< offset in the stencil
  HoleKind kind;
  uint8_t operand;  ///< which word of the instruction
  int32_t addend;
};

struct Stencil {
  uint32_t code;        ///< index into kStencilCode
  uint32_t first_hole;  ///< index into kStencilHoles
  uint16_t size;        ///< 0: there is no stencil
  uint8_t holes;
  uint8_t exits;  ///< that its holes may need, at most
  // Bit K stands for word K of the instruction, which must
  uint8_t numbers;  ///< be below kNumberLimit
  uint8_t counts;   ///< be below kCountLimit: it is multiplied
  uint8_t labels;   ///< be a label
};
constexpr uint64_t kNumberLimit = uint64_t{1} << 31, kCountLimit = kNumberLimit / 8;
/// Readable bytes behind every stencil's code, so that it may be copied in steps of as many.
constexpr unsigned kCopyStep = 16;

extern const uint8_t kStencilCode[];
extern const Hole kStencilHoles[];
extern const Stencil kStencils[];  ///< of all handlers: the narrow ones, then the wide ones

extern const bool kHasStencils;  ///< does this build?

/// The stencil of a handler (bytecode/instructions.h), or nullptr: the interpreter runs it.
/// Narrow: a constant operand is below 2^31 and an immediate term, and a small integer if the
/// instruction does not take kAnyConstant. Instructions of two constants have none: the compiler
/// that makes stencils knows that two symbols differ.
inline const Stencil* stencil_of(unsigned handler, bool narrow) {
  if (!kHasStencils) return nullptr;
  const Stencil* s = &kStencils[(narrow ? 0 : kHandlerCount) + handler];
  return s->size ? s : nullptr;
}

/// The instruction that does the rest of `whole` (holes.h, wb_finish).
inline Instr finisher_of(Instr whole) {
  return whole == Instr::call_bif ? Instr::end_call_bif : Instr::end_create_bin;
}

}  // namespace wb
