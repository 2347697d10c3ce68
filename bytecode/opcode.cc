#include "bytecode/opcode.h"

namespace wb {
namespace {

constexpr std::string_view plain(std::string_view name) {
  return name.ends_with('_') ? name.substr(0, name.size() - 1) : name;
}

// The table is indexed by opcode: the .def must be dense and in order.
constexpr uint8_t kNumbers[] = {
#define OP(number, name, arity, operands, since, until, flags) number,
#include "bytecode/opcodes.def"
#undef OP
};
constexpr bool dense() {
  for (unsigned i = 0; i < sizeof kNumbers; i++)
    if (kNumbers[i] != i + 1) return false;
  return sizeof kNumbers == kMaxOp;
}
static_assert(dense());

#define OP(number, name, arity, operands, since, until, flags) \
  static_assert(                                               \
      arity <= kMaxOpArity && (((flags) & kObsolete) || sizeof(operands) - 1 == (arity)), #name);
#include "bytecode/opcodes.def"
#undef OP

}  // namespace

constexpr OpInfo op_table[kMaxOp + 1] = {
    {},
#define OP(number, name, arity, operands, since, until, flags) \
  {plain(#name), operands, arity, since, until, flags},
#include "bytecode/opcodes.def"
#undef OP
};

}  // namespace wb
