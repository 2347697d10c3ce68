// What tracing (vm/trace/) is told of ports. A port asks its own flags first (Port::is_traced), so
// one that is not traced pays a load where something happens to it.
#pragma once

#include <cstdint>

#include "term/term.h"

namespace wb {

class Port;
enum class PortTask : uint8_t;

class PortTracer {
 public:
  virtual ~PortTracer() = default;
  /// It has been made and nobody knows it: it is traced for what ports to come are.
  virtual void made(Port& port) = 0;
  /// It is traced for this event, and its lock is held, unless nobody knows it yet.
  virtual void happened(Port& port, Term tag, Term what, Term extra) = 0;
  /// It has done `task` since then, and long_schedule is monitored; its lock is held.
  virtual void took(Port& port, PortTask task, uint64_t since_ns) = 0;
};

}  // namespace wb
