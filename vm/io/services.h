// What a program finds running although OTP is not booted (README.md).
#pragma once

#include <array>
#include <string>
#include <vector>

#include "term/term.h"
#include "vm/io/descriptor.h"

namespace wb {

class Process;
class Vm;

class Services {
 public:
  /// Starts `user` and `standard_error`; from now on names are looked up here too.
  Services(Vm& vm, std::vector<std::string> arguments);

  /// The process of that name, started if it is one of ours and not there; kNone: not ours.
  Term start(Term name);
  /// Ends the machine once everything printed so far is out.
  void halt(int code);
  /// Prints the end of a process that did not catch its exception.
  void report_crash(const std::string& header, Term pid, Term exit_value);

  Descriptor& descriptor(size_t fd) { return descriptors_[fd]; }
  const std::vector<std::string>& arguments() const { return arguments_; }

 private:
  Term spawn(Term module, Term name);

  Vm& vm_;
  std::array<Descriptor, 3> descriptors_;
  const std::vector<std::string> arguments_;
};

}  // namespace wb
