// The lattice of the validator: its join is one, whatever meets.
#include <catch2/catch.hpp>
#include <vector>

#include "bytecode/flow_state.h"

using namespace wb;

namespace {

constexpr uint8_t kEach = ValueType::kFragile | ValueType::kConstant | ValueType::kMaybeUnset;
constexpr uint8_t kOfTuples = ValueType::kExactSize | ValueType::kFresh;

/// Every type of these kinds, with every flag and a few sizes, arities and values: all that can
/// differ in how they meet.
std::vector<ValueType> types_of(std::vector<Kinds> alphabet, std::vector<uint32_t> sizes,
                                std::vector<uint32_t> arities, std::vector<uint32_t> values) {
  std::vector<ValueType> all = {impossible(), unset(), lost()};
  for (uint32_t label : values) {
    for (Kinds tag : {kinds::catch_tag, kinds::try_tag}) {
      all.push_back(type_of(tag));
      all.back().value = label;
    }
  }
  for (unsigned subset = 1; subset < 1u << alphabet.size(); subset++) {
    Kinds k = 0;
    for (size_t i = 0; i < alphabet.size(); i++)
      if (subset >> i & 1) k |= alphabet[i];
    bool tuple = k & kinds::tuple, fun = k & kinds::fun, integer = k & kinds::integer;
    for (unsigned flags = 0; flags <= (kEach | kOfTuples); flags++) {
      if (flags & ~(kEach | (tuple ? kOfTuples : 0))) continue;
      for (uint32_t size : tuple ? sizes : std::vector<uint32_t>{0})
        for (uint32_t arity : fun ? arities : std::vector<uint32_t>{ValueType::kUnknownArity})
          for (uint32_t value : integer ? values : std::vector<uint32_t>{ValueType::kUnknown})
            all.push_back(
                {k, static_cast<uint8_t>(flags), static_cast<uint8_t>(arity), size, value});
    }
  }
  return all;
}

std::vector<ValueType> with_tuples() {
  return types_of({kinds::atom, kinds::context, kinds::tuple}, {2, 3}, {}, {5});
}
std::vector<ValueType> with_numbers() {
  return types_of({kinds::cons, kinds::integer, kinds::fun}, {}, {1, ValueType::kUnknownArity},
                  {5, ValueType::kUnknown});
}
std::vector<ValueType> with_everything() {
  return types_of({kinds::atom, kinds::context, kinds::tuple, kinds::integer, kinds::fun},
                  {0, 2, 3}, {0, 1, ValueType::kUnknownArity}, {0, 5, ValueType::kUnknown});
}

/// Whatever an instruction may conclude from `joined` it may conclude from `part`.
bool only_loses(const ValueType& part, const ValueType& joined) {
  if (!part.possible()) return true;
  if (joined.kinds == kinds::lost) return true;
  auto implies = [](bool a, bool b) { return !a || b; };
  if (part.kinds & ~joined.kinds || !implies(part.maybe_unset(), joined.maybe_unset()))
    return false;
  if (!implies(part.fragile(), joined.fragile()) || !implies(joined.exists(), part.exists()))
    return false;
  for (uint8_t claim : {ValueType::kConstant, ValueType::kFresh})
    if (!implies(joined.flags & claim, part.flags & claim)) return false;
  if (part.kinds & kinds::tuple) {
    if (part.tuple_size < joined.tuple_size) return false;
    bool exact = joined.flags & ValueType::kExactSize;
    if (exact && (part.tuple_size != joined.tuple_size || !(part.flags & ValueType::kExactSize)))
      return false;
  }
  if (part.kinds & kinds::fun && joined.fun_arity != ValueType::kUnknownArity &&
      part.fun_arity != joined.fun_arity)
    return false;
  bool valued = part.kinds & (kinds::integer | kinds::tag);
  return !valued || joined.value == ValueType::kUnknown || part.value == joined.value;
}

Operand register_y(uint32_t n) {
  Operand o;
  o.type = Operand::y;
  o.value = n;
  return o;
}

FlowState frame_with(const ValueType& y, JoinScratch* scratch) {
  FlowState s;
  s.allocate(1, unset());
  if (y.possible()) s.assign(register_y(0), y);
  s.canonicalize(scratch);
  return s;
}

}  // namespace

TEST_CASE("types: join commutes, changes nothing twice, and only loses knowledge") {
  size_t wrong = 0;
  const std::vector<ValueType> all = with_everything();
  for (const ValueType& a : all) {
    if (join(a, a) != a || join(a, impossible()) != a) wrong++;
    for (const ValueType& b : all) {
      ValueType j = join(a, b);
      if (j != join(b, a) || join(j, a) != j || !only_loses(a, j) || !only_loses(b, j)) wrong++;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("types: join does not depend on the order in which paths meet") {
  size_t wrong = 0;
  for (const std::vector<ValueType>& all : {with_tuples(), with_numbers()})
    for (const ValueType& a : all)
      for (const ValueType& b : all) {
        ValueType ab = join(a, b);
        for (const ValueType& c : all) wrong += join(ab, c) != join(a, join(b, c));
      }
  CHECK(wrong == 0);
}

TEST_CASE("types: y registers of two paths meet as their types do") {
  JoinScratch scratch;
  size_t wrong = 0;
  const std::vector<ValueType> all = with_tuples();
  for (const ValueType& a : all) {
    for (const ValueType& b : all) {
      if (!a.possible() || !b.possible()) continue;
      FlowState stored = frame_with(a, &scratch), other = frame_with(b, &scratch);
      bool changed = stored.join_with(other, &scratch);
      ValueType y = stored.type(register_y(0));
      wrong += y != join(a, b) || changed != (y != a);
      wrong += stored.join_with(other, &scratch);  // once more says nothing new
      FlowState written = frame_with(a, &scratch);
      written.maybe_assign(register_y(0), b);
      wrong += written.type(register_y(0)) != join(a, b);
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("types: clearing a frame does not forget what may be in it") {
  JoinScratch scratch;
  for (const ValueType& a : with_everything()) {
    if (!a.possible()) continue;
    FlowState s = frame_with(a, &scratch);
    s.frame_was_cleared();
    ValueType y = s.type(register_y(0));
    CHECK((a.maybe_unset() ? y.exists() && (y.kinds & kinds::nil) : y == a));
    CHECK((a.kinds & ~y.kinds) == 0);
  }
}

TEST_CASE("value types: of literals, by their first bytes") {
  auto is = [](std::initializer_list<uint8_t> external, Kinds k) {
    std::vector<uint8_t> bytes(external);
    return type_of_literal(bytes).kinds == k;
  };
  for (uint8_t tag : {70, 99}) CHECK(is({131, tag, 0, 0}, kinds::flo));
  CHECK(is({131, 97, 7}, kinds::integer));
  CHECK(is({131, 98, 0, 0, 0, 7}, kinds::integer));
  for (uint8_t tag : {110, 111}) CHECK(is({131, tag, 0, 0}, kinds::integer));
  for (uint8_t tag : {100, 115, 118, 119}) CHECK(is({131, tag, 0, 0}, kinds::atom));
  CHECK(is({131, 104, 2}, kinds::tuple));
  CHECK(is({131, 105, 0, 0, 0, 2}, kinds::tuple));
  CHECK(is({131, 106}, kinds::nil));
  CHECK(is({131, 107, 0, 2, 1, 1}, kinds::cons));
  CHECK(is({131, 108, 0, 0, 0, 1}, kinds::cons));
  for (uint8_t tag : {77, 109}) CHECK(is({131, tag, 0, 0}, kinds::bitstring));
  CHECK(is({131, 116, 0, 0}, kinds::map));
  CHECK(is({131, 67, 0, 0}, kinds::record));
  for (uint8_t tag : {112, 113}) CHECK(is({131, tag, 0, 0}, kinds::fun));
  // Empty ones are what follows, or their tail; what is not known may be anything.
  CHECK(is({131, 107, 0, 0}, kinds::term));
  CHECK(is({131, 108, 0, 0, 0, 0}, kinds::term));
  CHECK(is({131, 80, 0, 0}, kinds::term));
  CHECK(is({130, 106}, kinds::term));
}
