// The machine that mutants are loaded into: loads one, calls what it exports, and cleans up.
//
// Everything a mutant started is dead before the next one is loaded. A process that does not end
// when it is killed is a finding, as a crash is: the program ends by abort().
#pragma once

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/hostile/mutator/arguments.h"
#include "tests/hostile/mutator/mutation.h"
#include "vm/machine/machine.h"

namespace wb::mutator {

enum class Outcome : uint8_t { refused, loaded };

class Victim {
 public:
  /// `calls`: what is loaded is called.
  Victim(const VmOptions& options, bool calls);
  ~Victim();
  /// `calls`: how many functions were called is added.
  Outcome run(const Mutant& mutant, uint64_t seed, std::string* why, uint64_t* calls);

 private:
  void call(Term module, const Mutant& mutant, std::mt19937_64& random, uint64_t* calls);
  void end_all();
  std::vector<Term> strangers(bool* busy) const;

  std::unique_ptr<Machine> vm_;
  InstanceScope scope_;
  Arguments arguments_;
  const bool calls_;
  std::vector<Term> own_;  ///< processes of the machine itself
};

}  // namespace wb::mutator
