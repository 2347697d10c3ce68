// Calls native functions as a process would, without a machine that runs.
#pragma once

#include <memory>

#include "term/atom.h"
#include "term/test_funs.h"
#include "vm/interp/bif_call.h"
#include "vm/machine/native_table.h"
#include "vm/process/exec.h"

namespace wb {

class NativeCaller {
 public:
  NativeCaller() {
    process.exec = exec_.get();
    exec_->p = &process;
    process.heap.init(4096);
  }
  /// The value or fault that module:function(args...) gives.
  template <size_t n>
  Term call(const char* module, const char* function, const Term (&args)[n]) {
    const BifInfo* bif = find_native(intern(module), intern(function), n);
    WB_CHECK(bif);
    return call_bif(*exec_, nullptr, bif->fn, args);
  }

  Process process;

 private:
  TestFuns funs_;
  std::unique_ptr<Exec> exec_ = std::make_unique<Exec>();
};

}  // namespace wb
