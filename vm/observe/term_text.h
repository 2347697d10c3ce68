// Terms from text, as Erlang writes them: for what people type into the observer. It comes from
// outside: bounded in depth, never a new atom (but `$1` and the like), one line that says what is
// wrong.
#pragma once

#include <string>
#include <string_view>

#include "term/heap.h"

namespace wb {

/// Numbers, atoms, strings, binaries of strings and bytes, lists, tuples, maps, local pids; `_` and
/// `$1` without quotes, too. kNone, and why in *error: no term, or an atom that the machine does
/// not have.
Term read_term(Heap& h, std::string_view text, std::string* error);

}  // namespace wb
