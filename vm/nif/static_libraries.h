// Libraries that are written against erl_nif.h and linked into this program, as OTP links its own
// into BEAM. Of their functions a module takes those that it declares: which there are differs from
// release to release.
#pragma once

#include <erl_nif.h>

#include <string_view>

namespace wb {

const ErlNifEntry* prim_tty_library();
const ErlNifEntry* zstd_library();

/// The one with this name, or null.
inline const ErlNifEntry* static_library(std::string_view name) {
  return name == "prim_tty" ? prim_tty_library() : name == "zstd" ? zstd_library() : nullptr;
}

}  // namespace wb
