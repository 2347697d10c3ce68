// The native functions of this folder (bifs.def); vm/process/native.h says how one is written.
#pragma once

#include "term/lists.h"
#include "vm/io/iolist.h"
#include "vm/process/guard.h"
#include "vm/process/native.h"

namespace wb {

/// Declares every BIF of bifs.def.
#define BIF_ENTRY(module, name, arity, text) BIF(module, name, arity);
#include "vm/bif/bifs.def"
#undef BIF_ENTRY

}  // namespace wb
