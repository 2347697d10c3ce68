// The process dictionary: ProcessExtra::dictionary.
#pragma once

#include "vm/process/process.h"

namespace wb {

/// What was there before, or undefined.
Term dictionary_put(Process& p, Term key, Term value);
Term dictionary_get(const Process& p, Term key);
Term dictionary_erase(Process& p, Term key);
void dictionary_clear(Process& p);
/// [{Key, Value}]
Term dictionary_list(const Process& p, Heap& h);
/// Keys with this value; kNone: every key.
Term dictionary_keys(const Process& p, Heap& h, Term value);

}  // namespace wb
