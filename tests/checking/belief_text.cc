#include "tests/checking/belief_text.h"

#include <fmt/format.h>

#include "term/atom.h"

namespace wb {

std::string belief_text(const ValueType& t) {
  static constexpr struct {
    Kinds kind;
    const char* name;
  } kNames[] = {{kinds::atom, "atom"},
                {kinds::bitstring, "bit string"},
                {kinds::context, "match context"},
                {kinds::cons, "cons"},
                {kinds::flo, "float"},
                {kinds::fun, "fun"},
                {kinds::integer, "integer"},
                {kinds::map, "map"},
                {kinds::nil, "[]"},
                {kinds::pid, "pid"},
                {kinds::port, "port"},
                {kinds::reference, "reference"},
                {kinds::tuple, "tuple"},
                {kinds::record, "record"},
                {kinds::catch_tag, "catch tag"},
                {kinds::try_tag, "try tag"},
                {kinds::lost, "lost"}};
  if (t.kinds == kinds::term) return "any term";
  std::string text;
  for (auto [kind, name] : kNames) {
    if (!(t.kinds & kind)) continue;
    if (!text.empty()) text += " or ";
    text += name;
    if (kind == kinds::tuple)
      text +=
          fmt::format(" of {}{}", t.flags & ValueType::kExactSize ? "" : "at least ", t.tuple_size);
    if (kind == kinds::fun && t.fun_arity != ValueType::kUnknownArity)
      text += fmt::format(" of arity {}", t.fun_arity);
    if (kind == kinds::integer && t.value != ValueType::kUnknown)
      text += fmt::format(" {}", t.value);
  }
  if (text.empty()) text = "nothing";
  if (t.flags & ValueType::kConstant) text += ", a constant";
  if (t.flags & ValueType::kFragile) text += ", part of a queued message";
  if (t.flags & ValueType::kFresh) text += ", new";
  return text;
}

std::string word_text(Term t, bool points_somewhere) {
  if (is_small(t)) return fmt::format("the integer {}", small_value(t));
  if (is_atom(t) && atom_index(t) < atom_count()) return fmt::format("the atom {}", atom_text(t));
  if (is_nil(t)) return "[]";
  if (is_local_pid(t)) return "a pid";
  if (is_local_port(t)) return "a port";
  if (is_catch(t)) return "a catch tag";
  if (is_pointer(t) && points_somewhere) {
    if (is_cons(t)) return "a cons";
    Word header = header_of(t);
    if (is_header(header) && header_kind(header) < Kind::count)
      return fmt::format("a boxed {} of {} words", kind_name(header_kind(header)),
                         header_size(header));
    return fmt::format("a boxed pointer to the word {:#x}", header);
  }
  return fmt::format("the word {:#x}", t);
}

}  // namespace wb
