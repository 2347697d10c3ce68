// Which application a process belongs to: as application:get_application/1 says, whose group leader
// the process has, an application's master by the table ac_tab of OTP's application controller.
//
// Programs that run without one have no masters. Then, and for what was there before the first
// master, it is the application in whose directory the code lies that the process was spawned with
// (.../lib/stdlib-4.2/ebin); for those that proc_lib or apply has started, that of their parent.
#pragma once

#include <string>
#include <unordered_map>

#include "term/term.h"

namespace wb {

class Process;
class Vm;

class Applications {
 public:
  explicit Applications(Vm& vm);
  /// Its name, or that of the module it was spawned with. Inside a ReaderGuard.
  std::string of(const Process& p) const;

 private:
  std::string by_code(const Process& p) const;
  Vm& vm_;
  std::unordered_map<Term, Term> masters_;  ///< pid -> name
};

}  // namespace wb
