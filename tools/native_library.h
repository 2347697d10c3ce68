// A library of native functions or a driver, looked at without loading it: what it wants of the
// machine that this one has not.
#pragma once

#include <string>
#include <vector>

namespace wb {

struct NativeLibrary {
  bool is_nif = false, is_driver = false;
  bool is_foreign = false;           ///< for another kind of processor
  std::vector<std::string> missing;  ///< functions of erl_nif.h and erl_driver.h
};

/// False: no ELF library, or a damaged one.
bool read_native_library(const std::string& path, NativeLibrary* library);

}  // namespace wb
