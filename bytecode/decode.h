// The Code chunk as instructions.
//
// decode() turns the byte stream into flat arrays: one Instruction each, its operands side by side
// in one pool, the elements of operand lists in another. Nothing is allocated per instruction, and
// a CodeUnit for all of stdlib is built in a fraction of a second.
//
// What decode() guarantees: every opcode is known and not obsolete; every operand is of a kind its
// letter in opcodes.def allows; atoms, literals, imports, lambdas, lines and string offsets are in
// range; registers are below their limits (x 1024, y 1024, float 1024); every label is placed at
// most once and every label used is placed inside a function; labels of calls, exports, lambdas and
// locals are entry labels of functions of that arity; the code is a sequence of functions, each
// with one func_info, and each ends with an instruction that does not fall through. What the code
// would *do* is validate.h's concern.
//
// A typed register (OTP 25) keeps its type index. It is the compiler's claim, fit as a hint for
// which specialisation to choose, never as a reason to leave out a check memory safety rests on.
#pragma once

#include "bytecode/beam_file.h"
#include "bytecode/opcode.h"

namespace wb {

constexpr uint32_t kNoInstruction = UINT32_MAX;
constexpr uint32_t kMaxRegisters = 1024;

struct Operand {
  enum Type : uint8_t {
    none,
    u,     // number
    i,     // integer that fits int64_t
    big,   // integer that does not: CodeUnit::big_of
    atom,  // value is the Term
    nil,
    literal,  // index into BeamFile::literals
    x,
    y,
    fr,
    f,      // label number; 0 = no label
    h,      // character
    list,   // CodeUnit::list_of
    alloc,  // CodeUnit::heap_need
  };
  Type type = none;
  uint16_t hint = 0;   // x, y: index into BeamFile::types; 0 = any
  uint32_t count = 0;  // list: number of elements; big: number of bytes
  uint64_t value = 0;  // list: index of the first element; big: offset in the code

  bool is_register() const { return type == x || type == y; }
  bool is_int() const { return type == i; }
  int64_t int_value() const { return static_cast<int64_t>(value); }
};
static_assert(sizeof(Operand) == 16);

/// Room on the heap an instruction asks for.
struct HeapNeed {
  uint32_t words = 0, floats = 0, funs = 0;
};

struct Instruction {
  enum Flag : uint8_t {
    kChecked = 1,  // the validator could not prove the type: the loader must emit a checked variant
    kDead = 2,     // no path leads here; it has not been validated and must not be run
    kNoReturn = 4,  // control must not go on from here: the loader puts a trap after it (or, if it
                    // is a jump, in its place)
  };
  Op op;
  uint8_t flags = 0;
  uint32_t operands = 0;  // index of the first in CodeUnit::operands
  uint32_t offset = 0;    // in BeamFile::code

  bool checked() const { return flags & kChecked; }
  bool dead() const { return flags & kDead; }
  bool no_return() const { return flags & kNoReturn; }
};

struct CodeFunction {
  Term name;
  uint32_t arity;
  uint32_t entry_label;  // the label right after func_info: where calls go
  uint32_t info_label;   // the label before func_info; 0 = none
  uint32_t begin, end;   // instructions [begin, end), leading labels and line included
  uint32_t func_info;    // instruction
};

struct CodeUnit {
  CodeUnit() = default;
  CodeUnit(CodeUnit&&) = default;
  CodeUnit& operator=(CodeUnit&&) = default;

  const BeamFile* file = nullptr;
  std::vector<Instruction> instructions;
  std::vector<Operand> operands;
  std::vector<Operand> list_elements;
  std::vector<HeapNeed> heap_needs;
  std::vector<uint32_t> labels;  // number -> instruction (the `label`); kNoInstruction = not placed
  std::vector<CodeFunction> functions;  // in code order

  std::span<const Operand> operands_of(const Instruction& in) const {
    return {operands.data() + in.operands, op_info(in.op).arity};
  }
  std::span<const Operand> list_of(const Operand& o) const {
    return {list_elements.data() + o.value, o.count};
  }
  Bytes big_of(const Operand& o) const {  // big-endian two's complement
    return file->code.subspan(o.value, o.count);
  }
  HeapNeed heap_need(const Operand& o) const {  // of an `h` operand: u or alloc
    if (o.type == Operand::alloc) return heap_needs[o.value];
    return {static_cast<uint32_t>(o.value), 0, 0};
  }
  /// The function an instruction belongs to.
  const CodeFunction& function_at(uint32_t instruction) const;
  /// The function whose entry label this is; nullptr if none.
  const CodeFunction* function_of_label(uint32_t label) const;
};

/// `file` must outlive the result.
Result<CodeUnit> decode(const BeamFile& file);

/// True for a call (call_ext, call_ext_last, call_ext_only) of erlang:error/1, exit/1 ... The
/// compiler puts nothing runnable after it, and the frame may be of any size or missing, whatever
/// call_ext_last says: the loader must emit "raise here", not a call that could come back.
bool never_returns(const CodeUnit& unit, const Instruction& in);

/// An error at an instruction; names the function, too.
LoadError code_error(const CodeUnit& unit, Rule rule, uint32_t instruction, std::string text = {});

}  // namespace wb
