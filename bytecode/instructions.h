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

enum class Instr : uint16_t {
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
  uint8_t words;           ///< of it, without a list
  uint8_t count;           ///< which word counts those of its list; 0: it has none
  uint8_t continuation;    ///< which word is its continuation; 0: it has none
};
extern const InstrInfo kInstrInfo[kInstrCount];
extern const unsigned kHandlerCount;
inline const InstrInfo& info_of(Instr i) { return kInstrInfo[static_cast<unsigned>(i)]; }

/// Number of operands a shape specialises.
constexpr unsigned shape_operands(Shape s) {
  switch (s) {
    case Shape::Z:
      return 0;
    case Shape::R:
    case Shape::S:
    case Shape::D:
      return 1;
    case Shape::RD:
    case Shape::SS:
    case Shape::SD:
      return 2;
    case Shape::RDD:
    case Shape::SSD:
      return 3;
  }
  return 0;
}
/// Index of the handler of `i` for these operand kinds (as many as its shape specialises).
unsigned handler_index(Instr i, const OperandKind* kinds);
/// The reverse: which instruction a handler belongs to, and for which kinds.
struct HandlerKinds {
  Instr instr;
  OperandKind kinds[3];  ///< as many as its shape specialises
};
extern const HandlerKinds* const kHandlerKinds;  ///< by handler index
inline Instr instr_of_handler(unsigned handler, OperandKind kinds[3]) {
  const HandlerKinds& h = kHandlerKinds[handler];
  for (int k = 0; k < 3; ++k) kinds[k] = h.kinds[k];
  return h.instr;
}
inline Instr instr_of(unsigned handler) { return kHandlerKinds[handler].instr; }
/// Is it a call of a function of the same module, whose first operand is its entry?
inline bool calls_label(Instr i) {
  return i == Instr::call || i == Instr::call_only || i == Instr::call_last;
}
/// The same, of an exported one: its first operand is the Export.
inline bool calls_export(Instr i) {
  return i == Instr::call_ext || i == Instr::call_ext_only || i == Instr::call_ext_last;
}

}  // namespace wb
