// Compares, before each instruction, what is there with what the validator believes.
//
// The validator tells the state before each instruction (ValidateOptions::observe); the last one is
// what the proof rests on. It is kept for good, beside the instruction it belongs to, and check()
// looks at it:
//   - a register that holds something holds a term of those kinds (or a match context, or a catch
//     tag), of that size, arity or value; a constant is an immediate or a literal; what is not part
//     of a queued message lies in the process' own heap or among the literals; and the same of what
//     a tuple, list or fun holds, one level deep;
//   - a frame of known size ends where a return address stands;
//   - what was reserved is free; floats that are set are finite; a message is being looked at;
//   - what holds nothing is filled with poison, which is no term, so that whoever reads it leaves
//     it in a register that should hold one, or crashes.
// Where reality differs the program ends by abort(), after a report that names module, function,
// instruction and register.
//
// A check is an instruction of its own, for which compiled code leaves (loader/beliefs.h).
//
// Rejected: walking the whole heap each time (a thousand times slower; --gc-stress does it as often
// as the collector can).
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "loader/beliefs.h"

namespace wb {

struct Exec;

/// A register that holds something.
struct Holder {
  uint16_t number;
  ValueType type;
};

/// What is believed before one instruction.
struct Belief {
  Term module, function;
  uint32_t arity;
  uint32_t instruction;  ///< counted from the function's first
  Op op;
  bool whole;        ///< the x and y registers that hold nothing can be poisoned
  uint16_t x_limit;  ///< no instruction of the function reads or writes those from here on
  uint16_t float_limit;
  FlowState state;
  std::vector<Holder> x, y;       ///< of `state`, x only where it is whole
  std::vector<uint16_t> empty_x;  ///< those that hold nothing
};

/// Beliefs of all modules, for good: code refers to them.
class CheckingMachine {
 public:
  /// That of the program; its machines share it.
  static CheckingMachine& get();
  void keep(std::vector<std::unique_ptr<Belief>> beliefs);
  static void check(Exec& c, const Belief& belief);

 private:
  std::mutex lock_;
  std::vector<std::unique_ptr<Belief>> kept_;
};

}  // namespace wb
