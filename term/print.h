// Terms as text, as erlang:display/1 and the VM's own reports print them. Programs format with
// OTP's io_lib; this is for the VM itself. (OTP's display shows the inside of maps with more than
// 32 keys; we show their pairs.)
#pragma once

#include <string>

#include "term/term.h"

namespace wb {

struct PrintOptions {
  bool strings = false;      ///< lists and binaries of printable characters as "text"
  bool short_floats = true;  ///< 1.0e10 rather than 1.000000e+10
  size_t limit = 100000;     ///< bytes, then "..."
};
/// What erlang:display/1 uses.
constexpr PrintOptions kDisplay = {true, false, SIZE_MAX};

std::string to_text(Term t, const PrintOptions& options = {});
/// An atom, quoted if Erlang syntax needs it.
std::string atom_source(Term atom);

}  // namespace wb
