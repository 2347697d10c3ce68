// Who has called a BIF, and where in the code: kept beside what the BIF makes, for the observer.
#pragma once

#include "term/fault.h"
#include "term/term.h"

namespace wb {

class Process;

struct CallSite {
  Term pid = kNone;
  const Word* at = nullptr;  ///< in a module's code, which may have gone since; null: not known
};

/// Of the BIF that `p` is in. Not for guard functions: their instructions do not say where they
/// are.
CallSite call_site(const Process& p);

}  // namespace wb
