// The names and shapes of generic instructions: opcodes.def as types.
#pragma once

#include <string_view>

#include "base/base.h"

namespace wb {

enum class Op : uint8_t {
  none = 0,
#define OP(number, name, arity, operands, since, until, flags) name = number,
#include "bytecode/opcodes.def"
#undef OP
};
constexpr unsigned kMaxOp = 184;
constexpr unsigned kMaxOpArity = 8;

enum OpFlag : uint8_t {
  kTerminator = 1,  // control never goes on to the next instruction
  kTailCall = 2,    // leaves the function with a call
  kCall = 4,        // only x0 (the result) and y registers survive
  kMayGc = 8,       // may collect: only what the live count and the frame name survives
  kObsolete = 16,   // refused
};

struct OpInfo {
  std::string_view name;
  std::string_view operands;  // one letter each, see opcodes.def; empty if obsolete
  uint8_t arity;
  uint8_t since;
  uint8_t until;
  uint8_t flags;
};

/// By number; entry 0 is empty.
extern const OpInfo op_table[kMaxOp + 1];

inline const OpInfo& op_info(Op op) { return op_table[static_cast<uint8_t>(op)]; }
inline std::string_view op_name(Op op) { return op_info(op).name; }
inline bool op_has(Op op, OpFlag flag) { return op_info(op).flags & flag; }

}  // namespace wb
