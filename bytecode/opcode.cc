#include "bytecode/opcode.h"

namespace wb {
namespace {

constexpr std::string_view plain(std::string_view name) {
  return name.ends_with('_') ? name.substr(0, name.size() - 1) : name;
}

constexpr OpInfo usual(std::string_view name, std::string_view operands, uint8_t since,
                       uint8_t until, uint16_t attributes) {
  return {plain(name), operands, static_cast<uint8_t>(operands.size()), since, until, attributes};
}
constexpr OpInfo obsolete(std::string_view name, uint8_t arity, uint8_t since) {
  return {plain(name), {}, arity, since, 1, kObsolete};
}

// The table is indexed by opcode: the .def must be dense and in order.
constexpr uint8_t kNumbers[] = {
#define OP(number, name, operands, since, until, attributes) number,
#define OBSOLETE(number, name, arity, since) number,
#include "bytecode/opcodes.def"
};
constexpr bool dense() {
  for (unsigned i = 0; i < sizeof kNumbers; i++)
    if (kNumbers[i] != i + 1) return false;
  return sizeof kNumbers == kMaxOp;
}
static_assert(dense());

}  // namespace

constexpr OpInfo op_table[kMaxOp + 1] = {
    {},
#define O(kind, name) #kind
#define OP(number, name, operands, since, until, attributes) \
  usual(#name, "" operands, since, until, attributes),
#define OBSOLETE(number, name, arity, since) obsolete(#name, arity, since),
#include "bytecode/opcodes.def"
#undef O
};

constexpr bool few_operands() {
  for (const OpInfo& info : op_table)
    if (info.arity > kMaxOpArity) return false;
  return true;
}
static_assert(few_operands());

}  // namespace wb
