// Tracing of ports: who is traced, for what, by whom, as for processes (tracing.h).
//
// A port's flags and tracer are words in the port, written under a lock of ours and read by whoever
// has the port's lock, where all events of a port happen. Trace messages are pushed there, before
// anybody else can know of the event. A tracer that is a port itself gets none of ports: nobody has
// the locks of two.
#pragma once

#include <mutex>
#include <optional>

#include "base/ranked_lock.h"
#include "vm/port/port.h"
#include "vm/port/port_tracer.h"
#include "vm/trace/tracing.h"

namespace wb {

class TracedPorts final : public PortTracer {
 public:
  explicit TracedPorts(Vm& vm) : vm_(vm) {}

  void made(Port& port) override;
  void happened(Port& port, Term tag, Term what, Term extra) override;
  void took(Port& port, PortTask task, uint64_t since_ns) override;

  /// As of processes: false, it has another tracer.
  bool change(Port& port, bool on, uint32_t flags, Address tracer);
  void change_new(bool on, uint32_t flags, Address tracer);
  Tracing::State state(Port& port);
  Tracing::State new_state();
  bool has_other(Port& port, Address tracer) {
    const Address now = state(port).tracer;
    return now && now != tracer;
  }
  /// Names the tracers of all (ModuleTracers::sweep).
  void name_tracers(std::vector<Address>* named);

 private:
  void drop_ended_tracer(Port& port);
  Tracing::State new_state_now();

  Vm& vm_;
  RankedLock<LockRank::traced_ports> lock_;  ///< inside of a port's that is made
  Tracing::State new_;
};

}  // namespace wb
