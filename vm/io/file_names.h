// File names between Erlang (lists of characters, raw binaries) and the system (bytes that end with
// a zero). The system's names are UTF-8; a name that is not is kept as a binary of raw bytes.
#pragma once

#include <string>

#include "term/heap.h"

namespace wb {

/// UTF-8 of a list (of lists) of characters without zeros; false if `t` is none.
bool name_bytes(Term t, std::string* out);
/// A binary that ends with a zero byte, as prim_file passes names to its natives.
bool native_path(Term t, std::string* out);
/// {error, enoent} and so on.
Term posix_error(Heap& h, int error);
Term posix_atom(int error);

}  // namespace wb
