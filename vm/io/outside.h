// What can go wrong outside of a seeded run: on request (`--faults`) the system does now and then
// what it does on a bad day.
//
// Whether it does is a choice as that of who runs next, and belongs to whoever guides the run
// (scheduler/guide.h). Each operation that can go wrong asks here first. It is named by what it
// does, to which thing, and how often that was done before; so a seed repeats its faults, and a run
// that is explored names them and leaves out those that do not matter.
//
// A run without faults has no Outside, and pays for a look at a pointer.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/result.h"
#include "scheduler/guide.h"
#include "scheduler/oracle.h"
#include "vm/core/vm.h"

namespace wb {

enum class Fault : uint8_t {
#define FAULT(name, flag, text) name,
#include "vm/io/faults.def"
};
const char* fault_name(Fault f);  ///< of the command line
const char* fault_text(Fault f);  ///< what happens
std::optional<Fault> fault_named(std::string_view name);

/// Some of them.
class FaultSet {
 public:
  static FaultSet all() { return FaultSet(~0u); }
  FaultSet() = default;
  bool has(Fault f) const { return bits_ >> static_cast<uint32_t>(f) & 1; }
  void add(Fault f) { bits_ |= 1u << static_cast<uint32_t>(f); }
  bool empty() const { return bits_ == 0; }

 private:
  explicit FaultSet(uint32_t bits) : bits_(bits) {}
  uint32_t bits_ = 0;
};
/// "full-disk,reset"; the error: what is wrong with it.
Result<FaultSet, std::string> parse_faults(const std::string& list);

/// An operation: "write:/tmp/x", the second.
struct OutsidePlace {
  std::string what;
  uint32_t nth = 0;
};
/// "write 2 of /tmp/x".
std::string place_text(const OutsidePlace& place);

/// Whether an operation goes wrong, by a seed. Each seed has a chance of its own, from none to one
/// in two, so some runs have many faults and most have few. Who runs when does not depend on it.
class FaultDice {
 public:
  explicit FaultDice(uint64_t seed);
  std::optional<Fault> roll(std::span<const Fault> possible);

 private:
  const std::unique_ptr<Oracle> random_;
  uint32_t one_in_ = 0;  ///< 0: never
};

class Outside {
 public:
  explicit Outside(FaultSet wanted) : wanted_(wanted) {}
  virtual ~Outside() = default;
  Outside(const Outside&) = delete;

  /// Does `operation` on `thing` go wrong, and in which of these ways? On the worker that
  /// simulates.
  std::optional<Fault> strikes(std::string_view operation, std::string_view thing,
                               std::initializer_list<Fault> possible);
  void want(FaultSet wanted) { wanted_ = wanted; }

 private:
  virtual std::optional<Fault> choose(const OutsidePlace& place,
                                      std::span<const Fault> possible) = 0;
  FaultSet wanted_;
  std::unordered_map<std::string, uint32_t> done_;  ///< how often, by OutsidePlace::what
};

/// Of `run --seed N --faults`.
class SeededOutside final : public Outside {
 public:
  SeededOutside(Vm& vm, uint64_t seed, FaultSet wanted) : Outside(wanted), vm_(vm), dice_(seed) {}

 private:
  std::optional<Fault> choose(const OutsidePlace& place, std::span<const Fault> possible) override;

  Vm& vm_;
  FaultDice dice_;
};

/// Null: nothing goes wrong that the system does not say.
inline Outside* outside_of(const Vm& vm) {
  const Guide* guide = vm.oracle->guide();
  return WB_UNLIKELY(guide != nullptr) ? guide->outside : nullptr;
}

/// Runs that are explored share the files.
inline void note_change_of_files(const Vm& vm) {
  if (Guide* guide = vm.oracle->guide()) guide->changes_files = true;
}

}  // namespace wb
