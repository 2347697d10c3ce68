// What a library says of itself, before any of it is believed.
//
// Its entry, the names in it and its table of functions are read only where memory can be read: a
// library that was not built for this machine, or built wrong, is refused instead of ending it.
// What its functions do is not looked at; nor can be, whether a pointer leads to the right one.
#pragma once

#include <erl_driver.h>
#include <erl_nif.h>

#include <string>

#include "vm/nif/library.h"

namespace wb {

/// Memory of which nobody knows whether it is there. The kernel is asked.
class UnknownMemory {
 public:
  UnknownMemory();
  ~UnknownMemory();
  UnknownMemory(const UnknownMemory&) = delete;
  bool has(const void* at, size_t n) const;
  template <class T>
  bool has(const T* at) const {
    return has(at, sizeof(T));
  }
  /// A text with an end, within what an atom can be.
  bool has_text(const char* at) const;

 private:
  int pipe_[2];
};

/// What cannot be so, for people, or "". A library with more functions than `most` is believed no
/// more of them than one above: so many distinct ones its module does not have.
std::string wrong_in_entry(const NifEntry& entry, size_t most);
std::string wrong_in_entry(const ErlDrvEntry* entry);

}  // namespace wb
