// Native functions that are the program's: called as module:name/arity, whether or not the module
// has code.
//
// Each has a stub of its own, as a native function that has been scheduled has one
// (vm/nif/call.cc): its export's entry leads there, and says that it is one of the machine's, so
// that no version of the module takes it away. Functions stay as long as the machine.
#pragma once

#include "loader/code.h"
#include "vm/embed/environment.h"
#include "vm/process/exec.h"
#include "vm/process/native_yield.h"

namespace wb {

struct HostFunction final : NativeFunction {
  EmbeddedVm* vm;
  wb_native function;
  void* data;
  uint32_t arity;
  DirtyKind dirty = DirtyKind::cpu;  ///< if it is called by such a thread
  mutable WorkHistory history;
  alignas(16) Word stub[6];  ///< as Export::stub

  static Term call_here(Exec& c, const NativeFunction& f);
  static Term call_elsewhere(Exec& c, const NativeFunction& f);
};

}  // namespace wb
