// Who has called a BIF, and where in the code: kept beside what the BIF makes, for the observer.
#pragma once

#include "term/fault.h"
#include "term/term.h"

namespace wb {

class CodeTable;
class Process;

struct CallSite {
  Term pid = kNone;
  const Word* at = nullptr;  ///< in a module's code, which may have gone since; null: not known
};

/// The same before it is looked up, for what is made often: looking up takes a lock.
struct RawCallSite {
  Term pid = kNone;
  const Word* pc =
      nullptr;  ///< the instruction's; in no module: entered as a function (apply, a fun)
  const Word* caller =
      nullptr;  ///< then, the call whose return address is on the stack; null: none
};

/// Of the BIF that `p` is in. Not for guard functions: their instructions do not say where they
/// are.
RawCallSite raw_call_site(const Process& p);
CallSite call_site(const CodeTable& code, const RawCallSite& site);
CallSite call_site(const Process& p);

}  // namespace wb
