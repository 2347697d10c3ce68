// File names between Erlang (lists of characters, raw binaries) and the system (bytes that end with
// a zero). The system's names are UTF-8, or Latin-1 where the locale is not UTF-8 or `+fnl` says
// so (Settings::file_names); a name that is no UTF-8 is kept as a binary of raw bytes.
#pragma once

#include <string>

#include "term/heap.h"

namespace wb {

/// UTF-8 (or Latin-1) of a list (of lists) of characters without zeros; false if `t` is none.
bool name_bytes(Term t, std::string* out, bool latin1 = false);
/// Is the locale's encoding UTF-8? Else names are Latin-1, as with BEAM.
bool locale_is_utf8();
/// A binary that ends with a zero byte, as prim_file passes names to its natives.
bool native_path(Term t, std::string* out);
/// {error, enoent} and so on.
Term posix_error(Heap& h, int error);
Term posix_atom(int error);

}  // namespace wb
