// Terms as text, as erlang:display/1 and the VM's own reports print them (near io_lib's ~w / ~p on
// one line). Programs format with OTP's io_lib; this is for the VM itself.
#pragma once

#include <string>

#include "term/term.h"

namespace wb {

struct PrintOptions {
  bool strings = false;   ///< print lists of printable characters as "text"
  size_t limit = 100000;  ///< characters, then "..."
};
std::string to_text(Term t, const PrintOptions& options = {});
/// An atom, quoted if Erlang syntax needs it.
std::string atom_source(Term atom);

}  // namespace wb
