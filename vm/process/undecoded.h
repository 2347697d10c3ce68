// A message from another node whose term makes no sense. On BEAM it is found out when the message
// is received, or somebody looks at the queue: until then it waits and counts as any other, and
// only then it is dropped and the connection it came over is broken off. So it is here, where
// messages are decoded as they come: in its place a mark stands in the queue, of which no program
// sees the term, for the process drops it before it goes on with its code.
//
// The mark comes by a visit (visit.h), so in its place among the signals of its sender. Its term is
// a magic reference, which owns what is to be broken off. Who has such marks has kUndecoded in
// Runnable::special.
#pragma once

#include <cstdint>
#include <memory>

#include "term/address.h"
#include "vm/process/process.h"

namespace wb {

constexpr uint8_t kUndecoded = 4;  ///< beside Process::kNativeYield and kMeasured

/// What becomes of where it came from when it is received; shared by the marks.
struct UndecodedSource {
  virtual void break_off() = 0;
  virtual ~UndecodedSource() = default;
};

/// `alias`: the number of the one it was sent to, or 0. False: there is nobody.
bool deliver_undecoded(Vm& vm, Address to, uint64_t alias, std::shared_ptr<UndecodedSource> source);
void drop_undecoded(Process& p);

}  // namespace wb
