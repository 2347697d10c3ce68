// Somebody looks at a process: a function that the process runs on itself when it handles its
// signals, which is the one moment at which everything of it may be looked at. The observer's
// queries and counts over all heaps are visits.
//
// A visit belongs to whoever made it and to the signals that are on their way with it; each of the
// three functions lets go of one signal's share.
#pragma once

#include "vm/process/signal.h"

namespace wb {

class Visit {
 public:
  static Visit& of(const Signal& s) { return *reinterpret_cast<Visit*>(s.ref); }
  Signal* new_signal_for() {
    Signal* s = new_signal(SignalKind::visit);
    s->ref = reinterpret_cast<uint64_t>(this);
    return s;
  }

  virtual void visit(Process& p) = 0;  ///< on its thread
  virtual void too_late() = 0;         ///< it has ended
  virtual void drop() = 0;             ///< the machine ends: nobody waits any more

 protected:
  ~Visit() = default;
};

}  // namespace wb
