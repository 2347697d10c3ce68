// Whoever looks into a run between its steps (vm/machine/debugger.h): one a machine, or none.
#pragma once

namespace wb {

struct Breakpoint;
struct Exec;

class CallStops {
 public:
  /// `c.p` is about to run a slice.
  virtual void at_slice(Exec& c) = 0;
  /// It has called a function that is watched (CallPatterns::watch), whose arguments are in x.
  virtual void at_call(Exec& c, const Breakpoint& b) = 0;

 protected:
  ~CallStops() = default;
};

}  // namespace wb
