// Where a seeded run may switch between processes: before each operation by which they reach each
// other.
//
// A run that is explored (vm/explore) has its own table of handlers, in which those of a few
// instructions ask here first, and its own bodies of BIFs. What a process does between two points
// nobody else can see, so to run others in between would be the same run. Other runs have neither,
// and pay nothing.
#pragma once

#include "scheduler/guide.h"
#include "scheduler/oracle.h"
#include "vm/core/vm.h"
#include "vm/process/exec.h"

namespace wb {

struct Signal;

enum class PointKind : uint8_t {
  send,  ///< the instruction; its operands are x0, x1
  poll,  ///< a receive that does not wait has found nothing
  end,   ///< the process' function has returned
};

class Points : public Guide {
 public:
  bool chooses() const override { return true; }
  /// `c.p` is about to do what the instruction at I does. True: others may run first; its slice
  /// ends, and it comes here again when it runs.
  virtual bool before(Exec& c, const Word* I, PointKind kind) = 0;
  /// `c.p` takes that message.
  virtual void takes(Exec& c, const Word* I, const Signal& message) = 0;
  /// The time of a receive is up.
  virtual void times_out(Exec& c, const Word* I) = 0;
};

/// Of a machine whose handlers have points.
inline Points& points_of(const Exec& c) { return static_cast<Points&>(*c.vm->oracle->guide()); }

}  // namespace wb
