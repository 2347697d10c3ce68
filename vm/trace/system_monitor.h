// Monitors of the system, that of erlang:system_monitor/2 and one for each session of tracing
// (trace:system/3): a process is notified of collections and slices that take long, of heaps and
// message queues that are large, and of senders that a busy port suspends.
//
// Who is notified of what stands in Settings::monitors, under its lock, as the programs wrote it.
// Where such a thing happens only MonitorLimits, the least that any of them wants, are looked at: a
// load for a collection, one for a slice, and one where messages arrive, while nobody wants to
// know. A process whose queue is long is marked (traced::long_queue), so that taking a message
// costs nothing elsewhere. A watcher is never notified of itself; the first monitor is forgotten
// with the first message that does not reach its watcher, a session's goes with the session.
#pragma once

#include <string_view>

#include "vm/core/settings.h"

namespace wb {

class Process;
class Vm;

/// Settings::monitors, whose lock is held, has changed.
void monitor_changed(Vm& vm);

/// A collection of `p` is over, which took so long.
void monitor_collection(Process& p, uint64_t ticks);
/// The queue of `p` is long for somebody, or was. Called by `p`.
void monitor_queue(Process& p);
/// A slice of `p` is over, or `p` is, which began at `from`.
void monitor_slice(Process& p, const Word* from, uint64_t ticks);
/// A port has done so long what nobody asked it for.
void monitor_port_task(Vm& vm, Term port, std::string_view task, uint64_t ns);
/// `p` is suspended: `port` is busy.
void monitor_busy_port(Process& p, Term port);

/// `p` is suspended: what goes to another node, carried by `controller`, is too much.
void monitor_busy_dist_port(Process& p, Term controller);

}  // namespace wb
