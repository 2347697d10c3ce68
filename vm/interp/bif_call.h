// The only way to call a BIF that may yield, for instructions of all tiers.
//
// While it has yielded others look at the process: where it is, whether its code may be purged. So
// what calls a BIF gives the address of its instruction, which is published before. BifFn, the type
// of a BIF, cannot be called otherwise. What instructions call without this are guard functions,
// which cannot yield (vm/process/guard.h).
#pragma once

#include "vm/process/exec.h"
#include "vm/process/guard.h"
#include "vm/process/native.h"

namespace wb {

/// By an instruction that is a call, whose first operand is the BIF's Export.
WB_INLINE Term call_bif(Exec& c, const Word* I, BifFn bif, const Term* args) {
  c.pc = I;
  return bif.body_(*c.p, args);
}

/// As long as it lives the process may yield within an instruction that is no call: as on BEAM, its
/// current function then is the one that has the instruction.
class YieldingInstruction {
 public:
  YieldingInstruction(Exec& c, const Word* I) : exec_(c) {
    c.pc = I;
    c.in_instruction = true;
  }
  ~YieldingInstruction() { exec_.in_instruction = false; }
  YieldingInstruction(const YieldingInstruction&) = delete;

 private:
  Exec& exec_;
};

/// By an instruction whose guard function would yield.
Term call_yielding_bif(Exec& c, const Word* I, const Export& e, const Term* args);

}  // namespace wb
