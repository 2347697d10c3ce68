// All native functions: those of vm/bif, vm/trace and vm/observe.
#pragma once

#include <span>

#include "vm/process/guard.h"
#include "vm/process/native.h"

namespace wb {

/// In the order of the tables.
std::span<const BifInfo> native_table();
/// Every guard function.
std::span<const GuardInfo> guard_table();
/// nullptr if there is none.
const BifInfo* find_native(Term module, Term name, uint32_t arity);

}  // namespace wb
