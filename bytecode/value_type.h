// What the validator knows of a value: a point in a finite lattice.
//
// A ValueType is a set of kinds, and for three of them one number more: the least size of a tuple,
// the arity of a fun, the value of a small constant. That a register may never have been written is
// part of it, too (kMaybeUnset), beside what it holds if it was. join() gives what is known where
// two paths meet, meet() what is known when a value is of both types (after =:= succeeded). The
// lattice is finite and join() only ever loses knowledge, so every fixpoint over it ends. It is the
// only join: what an instruction "may have written" is joined with what was there.
//
// From bottom to top: impossible() (no value at all: control never gets here), values, values or
// unset, lost. Catch tags have no place between values: where one meets anything but itself, the
// register is lost.
//
// Rejected: element types of tuples and lists, integer ranges, unions of tuple sizes. They would
// spare a few run-time checks and cost an allocation per value; `checked` instructions are cheaper.
#pragma once

#include "bytecode/decode.h"

namespace wb {

using Kinds = uint32_t;
namespace kinds {
enum : Kinds {
  // The bits of BeamType, same meaning.
  atom = 1,
  bitstring = 2,
  context = 4,
  cons = 8,
  flo = 16,
  fun = 32,
  integer = 64,
  map = 128,
  nil = 256,
  pid = 512,
  port = 1024,
  reference = 2048,
  tuple = 4096,
  // Never values of Erlang terms: what catch and try leave in a y register.
  catch_tag = 8192,
  try_tag = 16384,
  // Anything at all, such as a pointer into a message that went back to the queue: must be
  // overwritten before a collection.
  lost = 32768,
  // A native record (term/record.h), for which the type tables have no bit that is read here.
  record = 65536,

  none = 0,
  term = (0x1fff & ~context) | record,  // any Erlang term
  list = cons | nil,
  number = integer | flo,
  matchable = bitstring | context,
  tag = catch_tag | try_tag,
};
}

struct ValueType {
  enum Flag : uint8_t {
    kExactSize = 1,    // tuple_size is the size, not the least size
    kFresh = 2,        // a tuple made a moment ago: nothing has been collected since
    kFragile = 4,      // part of a message that is still in the queue
    kConstant = 8,     // one the module names: an immediate or a literal, which nothing ever moves
    kMaybeUnset = 16,  // of a register: nothing may have been written yet
  };
  static constexpr uint8_t kUnknownArity = 0xff;
  static constexpr uint32_t kUnknown = UINT32_MAX;

  Kinds kinds = kinds::none;
  uint8_t flags = 0;
  uint8_t fun_arity = kUnknownArity;
  uint32_t tuple_size = 0;
  uint32_t value = kUnknown;  // of an integer, if it is one small constant; label of a tag

  bool operator==(const ValueType&) const = default;
  bool maybe_unset() const { return flags & kMaybeUnset; }
  /// Whatever it is: a value, which may be read or kept by a collection.
  bool exists() const { return kinds != kinds::none && !maybe_unset() && kinds != kinds::lost; }
  bool possible() const { return kinds != kinds::none || maybe_unset(); }
  bool only(Kinds k) const { return exists() && !(kinds & ~k); }
  bool fragile() const { return flags & kFragile; }
  bool is_term() const { return only(kinds::term); }  // readable by any instruction
  bool is_tuple_of_at_least(uint64_t n) const { return only(kinds::tuple) && tuple_size >= n; }
  bool is_tuple_of(uint64_t n) const {
    return only(kinds::tuple) && tuple_size == n && (flags & kExactSize);
  }
  bool is_constant() const { return only(kinds::integer) && value != kUnknown; }
};
static_assert(sizeof(ValueType) == 16);

constexpr ValueType type_of(Kinds k) { return {.kinds = k}; }
constexpr ValueType impossible() { return {}; }
/// Of a register that nothing has been written to.
constexpr ValueType unset() { return {.flags = ValueType::kMaybeUnset}; }
constexpr ValueType lost() { return type_of(kinds::lost); }
constexpr ValueType any_term() { return type_of(kinds::term); }
constexpr ValueType tuple_type(uint32_t size, bool exact) {
  return {.kinds = kinds::tuple,
          .flags = static_cast<uint8_t>(exact ? ValueType::kExactSize : 0),
          .tuple_size = size};
}
constexpr ValueType constant_type(int64_t v) {
  bool small = v >= 0 && v < ValueType::kUnknown;
  return {.kinds = kinds::integer, .value = small ? static_cast<uint32_t>(v) : ValueType::kUnknown};
}
constexpr ValueType fun_type(uint32_t arity) {
  return {.kinds = kinds::fun,
          .fun_arity = static_cast<uint8_t>(
              arity < ValueType::kUnknownArity ? arity : ValueType::kUnknownArity)};
}

ValueType join(const ValueType& a, const ValueType& b);
/// What is known of `a` once it turned out to be of type `b`, too. (Not symmetric: whether it is
/// fresh or fragile is known by where it came from.)
ValueType meet(const ValueType& a, const ValueType& b);
/// What a register holds if anything was written to it.
ValueType when_set(ValueType a);
/// `a` without some kinds (a type test failed).
ValueType without(ValueType a, Kinds k);
/// `a` as far as it is of these kinds (a type test succeeded).
ValueType restricted(ValueType a, Kinds k);

/// Of an external term, by its first bytes.
ValueType type_of_literal(Bytes external);

}  // namespace wb
