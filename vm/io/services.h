// What a program finds running although OTP is not booted (README.md).
#pragma once

#include <array>
#include <atomic>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "term/term.h"
#include "vm/io/descriptor.h"

namespace wb {

class Process;
class Vm;

class Services {
 public:
  /// Starts `user` and `standard_error`; from now on names are looked up here too. `nostick` is
  /// erl's flag of that name.
  Services(Vm& vm, std::vector<std::string> arguments, bool nostick);

  /// The process of that name, started if it is one of ours and not there; kNone: not ours.
  Term start(Term name);
  /// A service may run before it has its name: it waits here.
  void await_registration();
  /// Process `pid` has done all that those who look for it wait for.
  void ready(Term pid);
  /// Must `p`, which looks for the named table, try again later because its owner is only starting?
  bool awaits_table(Process& p, Term table);
  /// Is any owner of such a table starting?
  bool starting() const { return starting_.load(std::memory_order_acquire) != 0; }
  /// Text is UTF-8 and lines are read as binaries, as Elixir's own start sets it.
  void set_elixir_io();
  /// Ends the machine once everything printed so far is out.
  void halt(int code);
  /// Prints the end of a process that did not catch its exception.
  void report_crash(const std::string& header, Term pid, Term exit_value);

  Descriptor& descriptor(size_t fd) { return descriptors_[fd]; }
  const std::vector<std::string>& arguments() const { return arguments_; }
  bool nostick() const { return nostick_; }

 private:
  struct Service {
    Term pid;
    bool ready;
  };
  Term spawn(Term module, Term name);
  bool takes_part(const Process& p, Term service) const;

  Vm& vm_;
  std::array<Descriptor, 3> descriptors_;
  const std::vector<std::string> arguments_;
  const bool nostick_;
  std::mutex lock_;
  std::atomic<uint32_t> starting_{0};
  std::unordered_map<Term, Service> started_;
};

}  // namespace wb
