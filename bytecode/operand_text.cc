#include "bytecode/operand_text.h"

#include "bytecode/literal_text.h"
#include "term/print.h"

namespace wb {
namespace {

std::string type_text(const BeamType& t) {
  static constexpr const char* kNames[] = {"atom", "bitstring", "match_context", "cons", "float",
                                           "fun",  "integer",   "map",           "nil",  "pid",
                                           "port", "reference", "tuple"};
  std::string s;
  for (size_t i = 0; i < 13; i++)
    if (t.bits >> i & 1) s += (s.empty() ? "" : "|") + std::string(kNames[i]);
  if (t.has_range) s += " " + std::to_string(t.min) + ".." + std::to_string(t.max);
  return s;
}

std::string heap_text(const HeapNeed& need) {
  std::string s = "heap{" + std::to_string(need.words) + " words";
  if (need.floats) s += ", " + std::to_string(need.floats) + " floats";
  if (need.funs) s += ", " + std::to_string(need.funs) + " funs";
  return s + "}";
}

std::string list_text(const CodeUnit& unit, const Operand& o, const DisasmOptions& options) {
  std::string s = "[";
  for (const Operand& e : unit.list_of(o)) {
    if (s.size() > 1) s += ", ";
    s += operand_text(unit, e, 'z', options);
  }
  return s + "]";
}

std::string number_text(const CodeUnit& unit, uint64_t value, char letter) {
  const BeamFile& file = *unit.file;
  if (letter == 'I') {
    const BeamImport& i = file.imports[value];
    return atom_source(i.module) + ":" + name_and_arity(i.function, i.arity);
  }
  if (letter == 'L' || letter == 'g') {
    const BeamLambda& l = file.lambdas[value];
    return "fun " + name_and_arity(l.name, l.arity);
  }
  return std::to_string(value);
}

}  // namespace

std::string name_and_arity(Term name, uint64_t arity) {
  return atom_source(name) + "/" + std::to_string(arity);
}

std::string operand_text(const CodeUnit& unit, const Operand& o, char letter,
                         const DisasmOptions& options) {
  auto reg = [&](const char* prefix) {
    std::string s = prefix + std::to_string(o.value);
    if (options.types && o.hint) s += "{" + type_text(unit.file->types[o.hint]) + "}";
    return s;
  };
  switch (o.type) {
    case Operand::none:
      return "?";
    case Operand::u:
      return number_text(unit, o.value, letter);
    case Operand::i:
      return std::to_string(o.int_value());
    case Operand::big:
      return big_text(unit.big_of(o));
    case Operand::atom:
      return atom_source(o.value);
    case Operand::nil:
      return "[]";
    case Operand::literal:
      return literal_text(unit.file->literals[o.value], options.literal_chars);
    case Operand::x:
      return reg("x");
    case Operand::y:
      return reg("y");
    case Operand::fr:
      return reg("fr");
    case Operand::f:
      return o.value ? "L" + std::to_string(o.value) : "-";
    case Operand::h:
      return "$" + std::to_string(o.value);
    case Operand::list:
      return list_text(unit, o, options);
    case Operand::alloc:
      return heap_text(unit.heap_need(o));
  }
  return "?";
}

}  // namespace wb
