// Who has made what there is too much of: atoms, timers; who searches tables.
#pragma once

#include <string>

#include "vm/observe/json.h"
#include "vm/process/call_site.h"

namespace wb {

class Vm;

/// The registered name, or what it was started as; empty if it has ended. Inside a ReaderGuard.
std::string name_or_start(Vm& vm, Term pid);
/// Into an object: `pid`, `name` if it is registered (else what it was started as), and where:
/// `fn`, `file`, `line`. Inside a ReaderGuard where the process may have gone.
void write_maker(JsonWriter& w, Vm& vm, const CallSite& maker);

}  // namespace wb
