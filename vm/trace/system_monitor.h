// What erlang:system_monitor/2 is for: a process is notified of collections and slices that take
// long, of heaps that are large, and of senders that a busy port suspends.
//
// Who is notified of what stands in Settings::monitor, under its lock, as the program wrote it.
// Where such a thing happens only MonitorLimits are looked at: a load for a collection and one for
// a slice, while nobody wants to know. The watcher is never notified of itself; one that has ended
// is forgotten with the first message that does not reach it.
#pragma once

#include <string_view>

#include "vm/core/settings.h"

namespace wb {

class Process;
class Vm;

/// Settings::monitor, whose lock is held, has changed.
void monitor_changed(Vm& vm);

/// A collection of `p` is over, which took so long.
void monitor_collection(Process& p, uint64_t ticks);
/// A slice of `p` is over, or `p` is, which began at `from`.
void monitor_slice(Process& p, const Word* from, uint64_t ticks);
/// A port has done so long what nobody asked it for.
void monitor_port_task(Vm& vm, Term port, std::string_view task, uint64_t ns);
/// `p` is suspended: `port` is busy.
void monitor_busy_port(Process& p, Term port);

/// `p` is suspended: what goes to another node, carried by `controller`, is too much.
void monitor_busy_dist_port(Process& p, Term controller);

}  // namespace wb
