#include "bytecode/instructions.h"

#include <array>
#include <string_view>

namespace wb {

namespace {
constexpr unsigned kVariants[] = {
#define INSTR(name, shape, operands, attributes) shape_variants(Shape::shape),
#include "bytecode/instructions.def"
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
constexpr InstrInfo make_info(const char* name, Shape shape, const char* operands, Instr i,
                              uint16_t attributes) {
  std::string_view letters = operands;
  auto word_of = [&](char letter) {
    size_t at = letters.find(letter);
    return static_cast<uint8_t>(at == letters.npos ? 0 : at + 1);
  };
  size_t words = 1 + letters.size() - letters.ends_with('*');
  return {name,         shape,        operands,  first_of(i), static_cast<uint8_t>(words),
          word_of('n'), word_of('c'), attributes};
}
constexpr HandlerKinds decode(Instr i, Shape shape, unsigned rest) {
  Radix radix = radix_of(shape);
  HandlerKinds h{i, {}};
  for (int k = 2; k >= 0; --k) {
    if (!radix.of[k]) continue;
    h.kinds[k] = static_cast<OperandKind>(rest % radix.of[k]);
    rest /= radix.of[k];
  }
  return h;
}
constexpr Shape kShapes[] = {
#define INSTR(name, shape, operands, attributes) Shape::shape,
#include "bytecode/instructions.def"
};
constexpr auto decode_all() {
  std::array<HandlerKinds, first_of(Instr::count)> all{};
  unsigned h = 0;
  for (unsigned i = 0; i < kInstrCount; ++i) {
    for (unsigned k = 0; k < kVariants[i]; ++k)
      all[h++] = decode(static_cast<Instr>(i), kShapes[i], k);
  }
  return all;
}
constexpr std::array kDecoded = decode_all();
}  // namespace

const HandlerKinds* const kHandlerKinds = kDecoded.data();

const InstrInfo kInstrInfo[kInstrCount] = {
#define O(kind, name) #kind
#define INSTR(name, shape, operands, attributes) \
  make_info(#name, Shape::shape, "" operands, Instr::name, attributes),
#include "bytecode/instructions.def"
#undef O
};
const unsigned kHandlerCount = first_of(Instr::count);

unsigned handler_index(Instr i, const OperandKind* kinds) {
  const InstrInfo& info = info_of(i);
  Radix radix = radix_of(info.shape);
  unsigned index = 0;
  for (int k = 0; k < 3 && radix.of[k]; ++k) {
    index = index * radix.of[k] + static_cast<unsigned>(kinds[k]);
  }
  return info.first_handler + index;
}

}  // namespace wb
