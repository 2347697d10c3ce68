// The names, shapes and attributes of generic instructions: opcodes.def as types.
#pragma once

#include <string_view>

#include "base/base.h"

namespace wb {

enum class Op : uint8_t {
  none = 0,
#define OP(number, name, operands, since, until, attributes) name = number,
#define OBSOLETE(number, name, arity, since) name = number,
#include "bytecode/opcodes.def"
  count
};
constexpr unsigned kMaxOp = static_cast<unsigned>(Op::count) - 1;
constexpr unsigned kMaxOpArity = 8;

enum OpFlag : uint16_t {
  kTerminator = 1,    // control never goes on to the next instruction
  kTailCall = 2,      // leaves the function with a call
  kCall = 4,          // only x0 (the result) and y registers survive
  kMayGc = 8,         // may collect: only what the live count and the frame name survives
  kObsolete = 16,     // refused
  kNoOperation = 32,  // means nothing to this machine
};

/// What is looked at before an instruction runs of which the validator could not prove that it is
/// harmless (Instruction::kChecked).
enum class Check : uint8_t {
  none,         // its harmlessness is always proven: it is never marked
  itself,       // the instruction looks
  cons,         // `list` is a cons
  tuple,        // `tuple` has an element `index`
  record,       // `source` is a tuple of `size` elements
  new_element,  // `tuple` has an element `index`, and `value` is not the tuple itself
  floating,     // `source` is a float
  matchable,    // `source` is a bit string or a match context
  context,      // `context` is a match context
  message,      // the process owns the message it looks at, from now on
  turn,         // the message is still the one that is looked at; if not, goes to `next`
};
constexpr unsigned kCheckShift = 8;
constexpr uint16_t checks(Check c) {
  return static_cast<uint16_t>(static_cast<unsigned>(c) << kCheckShift);
}
constexpr Check check_of(unsigned attributes) {
  return static_cast<Check>(attributes >> kCheckShift);
}

struct OpInfo {
  std::string_view name;
  std::string_view operands;  // one letter each, see opcodes.def; empty if obsolete
  uint8_t arity;
  uint8_t since;
  uint8_t until;
  uint16_t attributes;
};

/// By number; entry 0 is empty.
extern const OpInfo op_table[kMaxOp + 1];

inline const OpInfo& op_info(Op op) { return op_table[static_cast<uint8_t>(op)]; }
inline std::string_view op_name(Op op) { return op_info(op).name; }
inline bool op_has(Op op, OpFlag flag) { return op_info(op).attributes & flag; }

}  // namespace wb
