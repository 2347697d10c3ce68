// The end of a connection, told to all whom it concerns: links and monitors fire with
// `noconnection`, what was asked for is answered, and who watches the node hears `nodedown` last.
//
// A few are told at once. Many would hold up the worker, which cannot run anything else meanwhile,
// and then the one process that has them all, whose next slice would begin with a million signals:
// so a dirty thread tells them, and waits whenever a process has got a thousand until that process
// has taken them. One that does not come to it (it computes in native code, or others go before it)
// is waited for once, for a moment: from then on it gets its signals as they come, so that nobody
// waits long for the sake of another.
//
// Rejected: a bound on what a slice takes from the inbox (it would have to leave signals behind,
// and every look at the inbox would have to look there, too).
#pragma once

#include <unordered_map>

#include "vm/dist/connection.h"

namespace wb {

struct LastWords {
  Term node = kNone;
  RelationsOver relations;
  std::unordered_map<uint64_t, PendingSpawn> spawns;
  std::unordered_map<Term, uint32_t> watchers;  ///< of the node, and how often

  size_t size() const { return relations.size() + spawns.size() + watchers.size(); }
};

/// Nobody can find the connection any more. Its lock is not held; that of its port may be.
void tell_all(Vm& vm, LastWords words);

}  // namespace wb
