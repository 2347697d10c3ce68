// The loaded instructions as an enumeration and a numbering of their specialised handlers.
#pragma once

#include <cstdint>

namespace wb {

/// Where an operand of a specialised instruction lives.
enum class OperandKind : uint8_t { x0, x1, x2, x, y, c };
constexpr unsigned kRegisterKinds = 5;  // all but c
constexpr unsigned kSourceKinds = 6;

enum class Shape : uint8_t { Z, R, S, D, RD, RDD, SS, SD, SSD };
constexpr unsigned shape_variants(Shape s) {
  constexpr unsigned R = kRegisterKinds, S = kSourceKinds;
  switch (s) {
    case Shape::Z:
      return 1;
    case Shape::R:
    case Shape::D:
      return R;
    case Shape::S:
      return S;
    case Shape::RD:
      return R * R;
    case Shape::RDD:
      return R * R * R;
    case Shape::SS:
      return S * S;
    case Shape::SD:
      return S * R;
    case Shape::SSD:
      return S * S * R;
  }
  return 0;
}

enum class Instr : uint8_t {
#define INSTR(name, shape, operands) name,
#include "bytecode/instructions.def"
#undef INSTR
  count
};
constexpr unsigned kInstrCount = static_cast<unsigned>(Instr::count);

struct InstrInfo {
  const char* name;
  Shape shape;
  const char* operands;
  uint16_t first_handler;  ///< index of the first specialised handler
};
extern const InstrInfo kInstrInfo[kInstrCount];
extern const unsigned kHandlerCount;
inline const InstrInfo& info_of(Instr i) { return kInstrInfo[static_cast<unsigned>(i)]; }

/// Number of operands a shape specialises.
unsigned shape_operands(Shape s);
/// Index of the handler of `i` for these operand kinds (as many as its shape specialises).
unsigned handler_index(Instr i, const OperandKind* kinds);
/// The reverse: which instruction a handler index belongs to, and for which kinds.
Instr instr_of_handler(unsigned handler, OperandKind kinds[3]);

}  // namespace wb
