#include "bytecode/instructions.h"

namespace wb {

namespace {
constexpr unsigned kVariants[] = {
#define INSTR(name, shape, operands) shape_variants(Shape::shape),
#include "bytecode/instructions.def"
#undef INSTR
};
constexpr uint16_t first_of(Instr i) {
  unsigned n = 0;
  for (unsigned k = 0; k < static_cast<unsigned>(i); ++k) n += kVariants[k];
  return static_cast<uint16_t>(n);
}
struct Radix {
  unsigned of[3] = {0, 0, 0};  // how many kinds each specialised operand ranges over; 0 ends
};
constexpr Radix radix_of(Shape s) {
  constexpr unsigned R = kRegisterKinds, S = kSourceKinds;
  switch (s) {
    case Shape::Z:
      return {};
    case Shape::R:
    case Shape::D:
      return {{R, 0, 0}};
    case Shape::S:
      return {{S, 0, 0}};
    case Shape::RD:
      return {{R, R, 0}};
    case Shape::RDD:
      return {{R, R, R}};
    case Shape::SS:
      return {{S, S, 0}};
    case Shape::SD:
      return {{S, R, 0}};
    case Shape::SSD:
      return {{S, S, R}};
  }
  return {};
}
}  // namespace

const InstrInfo kInstrInfo[kInstrCount] = {
#define INSTR(name, shape, operands) {#name, Shape::shape, operands, first_of(Instr::name)},
#include "bytecode/instructions.def"
#undef INSTR
};
const unsigned kHandlerCount = first_of(Instr::count);

unsigned shape_operands(Shape s) {
  Radix r = radix_of(s);
  return (r.of[0] != 0) + (r.of[1] != 0) + (r.of[2] != 0);
}

unsigned handler_index(Instr i, const OperandKind* kinds) {
  const InstrInfo& info = info_of(i);
  Radix radix = radix_of(info.shape);
  unsigned index = 0;
  for (int k = 0; k < 3 && radix.of[k]; ++k) {
    index = index * radix.of[k] + static_cast<unsigned>(kinds[k]);
  }
  return info.first_handler + index;
}

Instr instr_of_handler(unsigned handler, OperandKind kinds[3]) {
  unsigned i = 0;
  while (i + 1 < kInstrCount && kInstrInfo[i + 1].first_handler <= handler) ++i;
  Radix radix = radix_of(kInstrInfo[i].shape);
  unsigned rest = handler - kInstrInfo[i].first_handler;
  for (int k = 2; k >= 0; --k) {
    if (!radix.of[k]) continue;
    kinds[k] = static_cast<OperandKind>(rest % radix.of[k]);
    rest /= radix.of[k];
  }
  return static_cast<Instr>(i);
}

}  // namespace wb
