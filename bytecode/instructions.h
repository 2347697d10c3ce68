// The loaded instructions as an enumeration and a numbering of their specialised handlers.
#pragma once

#include <cstdint>
#include <string_view>

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
#define INSTR(name, shape, operands, attributes) name,
#include "bytecode/instructions.def"
  count
};
constexpr unsigned kInstrCount = static_cast<unsigned>(Instr::count);

enum InstrFlag : uint16_t {
  kRaises = 1,         ///< never returns
  kEnds = 2,           ///< control never goes on to the next instruction
  kRarelyLeaves = 4,   ///< what its fast handler leaves to others is always rare
  kReadsContext = 8,   ///< of a match context, whose words nobody else looks at
  kCallsLabel = 16,    ///< calls a function of the same module: its first operand is the entry
  kCallsExport = 32,   ///< ... of any: its first operand is the Export
  kCallsFun = 64,      ///< ... a fun of known arity, which is its first operand
  kAnyConstant = 128,  ///< its stencil takes constants that are no small integers
  kLowered = 256,      ///< both compilers take it apart where they can (vm/jit/lower.cc)
};

struct InstrInfo {
  const char* name;
  Shape shape;
  const char* operands;    ///< their kinds, one letter each
  uint16_t first_handler;  ///< index of the first specialised handler
  uint8_t words;           ///< of it, without a list
  uint8_t count;           ///< which word counts those of its list; 0: it has none
  uint8_t continuation;    ///< which word is its continuation; 0: it has none
  uint16_t attributes;     ///< of InstrFlag
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
inline bool instr_has(Instr i, InstrFlag flag) { return info_of(i).attributes & flag; }
inline bool calls_label(Instr i) { return instr_has(i, kCallsLabel); }
inline bool calls_export(Instr i) { return instr_has(i, kCallsExport); }
inline bool calls_fun(Instr i) { return instr_has(i, kCallsFun); }

/// Loaded instructions with their operands by name: instr::bs_append{I}.size() is the word of its
/// operand `size`, a list is the address of its first word. `I` points to the handler's.
namespace instr {

namespace kinds {
#define O(kind, name) #kind
#define INSTR(name, shape, operands, attributes) \
  inline constexpr std::string_view name = "" operands;
#include "bytecode/instructions.def"
#undef O
}  // namespace kinds
/// Of as many words as the operand before it says.
constexpr bool has_list(std::string_view kinds) { return kinds.ends_with('*'); }

/// Where each operand stands. A list is the last: next_ is only where it begins.
namespace place {
#define O(kind, name) name,
#define INSTR(name, shape, operands, attributes)                                       \
  struct name {                                                                        \
    enum : unsigned { handler_, operands end_, next_ = end_ - has_list(kinds::name) }; \
  };
#include "bytecode/instructions.def"
#undef O
}  // namespace place

struct View {
  const uint64_t* I;
};
/// The next instruction.
template <const std::string_view& kinds>
const uint64_t* next_after(const uint64_t* I) {
  constexpr size_t n = kinds.size(), continuation = kinds.find('c');
  if constexpr (continuation != kinds.npos)
    return reinterpret_cast<const uint64_t*>(I[1 + continuation]);
  else if constexpr (has_list(kinds))
    return I + n + I[n - 1];
  else
    return I + n + 1;
}
template <char kind>
auto read(const uint64_t* at) {
  if constexpr (kind == '*')
    return at;
  else
    return *at;
}
#define O(kind, name) \
  auto name() const { return read<(#kind)[0]>(I + static_cast<unsigned>(At::name)); }
#define INSTR(name, shape, operands, flags)                              \
  struct name : View {                                                   \
    using At = place::name;                                              \
    static constexpr Instr kInstr = Instr::name;                         \
    static constexpr unsigned kAttributes = flags;                       \
    const uint64_t* after() const { return next_after<kinds::name>(I); } \
    operands                                                             \
  };
#include "bytecode/instructions.def"
#undef O

}  // namespace instr

/// What an instruction that is kCallsLabel or kCallsExport calls, the entry or the Export; to how
/// many arguments one that is kCallsFun applies.
inline uint64_t callee_of(const uint64_t* I) { return instr::call{I}.entry(); }
inline uint64_t arity_of_fun_call(const uint64_t* I) { return instr::call_fun_of_0{I}.arity(); }

/// f(instr::NAME{I}) of the instruction at I, which is `i`.
template <class R, class F>
R visit_instr(Instr i, const uint64_t* I, F&& f) {
  switch (i) {
#define INSTR(name, shape, operands, attributes) \
  case Instr::name:                              \
    return f(instr::name{I});
#include "bytecode/instructions.def"
    case Instr::count:
      break;
  }
  return R();
}

}  // namespace wb
