// What the processes of a run do, in the order in which they do it, for people.
//
// A line is an operation: who, in which line of the program, what. Where OTP's modules do it for
// the program, the line is the program's that called them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "term/term.h"
#include "vm/io/outside.h"

namespace wb {

class Explorer;
class Process;
struct Export;

class Story {
 public:
  explicit Story(const Explorer& explorer) : explorer_(explorer) {}
  Story(const Story&) = delete;

  void sends(Process& p, const Word* I, Term to, Term message);
  void takes(Process& p, const Word* I, Term message);
  void times_out(Process& p, const Word* I);
  void ends(Process& p, const Word* I);
  void clock_moves(uint64_t ns);
  void goes_wrong(const OutsidePlace& place, Fault fault);
  /// What is known before: the arguments may be gone when it returns.
  struct Call {
    std::string place, text;
    bool spawns = false;
  };
  Call begins_call(Process& p, const Word* I, const Export& e, const Term* arguments);
  void ends_call(Process& p, Call call, Term result);

  /// Of a long one the beginning and the end.
  std::string text() const;

 private:
  void line(Process& p, const std::string& place, const std::string& what);
  std::string name_of(Process& p) const;
  std::string shown(Term t) const;

  const Explorer& explorer_;
  std::vector<std::string> lines_;
  std::string last_;
};

/// Where in the program's own code a process is that executes the instruction at I: FILE:LINE, or
/// the function.
std::string program_place(Process& p, const Word* I);

}  // namespace wb
