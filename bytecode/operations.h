// Generic instructions with their operands by name: what validator and loader read. Made from
// opcodes.def, so that both mean the same operand by the same name:
//
//   op::bs_append in{instruction, unit.operands_of(instruction)};
//   in.size(), in.heap(), in.live() ...
//
// visit_op() calls a function with the view of an instruction. One that is missing for an
// instruction does not compile, or does not link.
#pragma once

#include <utility>

#include "bytecode/decode.h"

namespace wb::op {

using Operands = std::span<const Operand>;

/// Where each operand stands.
namespace place {
#define O(kind, name) name,
#define OP(number, name, operands, since, until, attributes) \
  struct name {                                              \
    enum : unsigned { operands arity_ };                     \
  };
#include "bytecode/opcodes.def"
#undef O
}  // namespace place

struct View {
  const Instruction& instruction;
  Operands all;
};

#define O(kind, name) \
  const Operand& name() const { return all[At::name]; }
#define OP(number, name, operands, since, until, attributes)            \
  struct name : View {                                                  \
    using At = place::name;                                             \
    static constexpr Op kOp = Op::name;                                 \
    static constexpr std::string_view kName = #name;                    \
    static constexpr bool kIsNoOperation = (attributes) & kNoOperation; \
    static constexpr Check kCheck = check_of(attributes);               \
    operands                                                            \
  };
#include "bytecode/opcodes.def"
#undef O

}  // namespace wb::op

namespace wb {

/// f(op::NAME{...}) of what `in` is. What decode() refuses is nothing: R().
template <class R, class F>
R visit_op(const Instruction& in, op::Operands operands, F&& f) {
  switch (in.op) {
#define OP(number, name, names, since, until, attributes) \
  case Op::name:                                          \
    return f(op::name{in, operands});
#define OBSOLETE(number, name, arity, since) case Op::name:
#include "bytecode/opcodes.def"
    case Op::none:
    case Op::count:
      break;
  }
  return R();
}

}  // namespace wb
