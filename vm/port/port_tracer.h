// What tracing (vm/trace/) is told of ports. A port asks its own flags first (Port::is_traced), so
// one that is not traced pays a load where something happens to it.
#pragma once

#include "term/term.h"

namespace wb {

class Port;

class PortTracer {
 public:
  virtual ~PortTracer() = default;
  /// It has been made and nobody knows it: it is traced for what ports to come are.
  virtual void made(Port& port) = 0;
  /// It is traced for this event, and its lock is held, unless nobody knows it yet.
  virtual void happened(Port& port, Term tag, Term what, Term extra) = 0;
};

}  // namespace wb
