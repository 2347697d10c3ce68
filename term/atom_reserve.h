// Atoms of code that is loaded: a few more fit than programs may make, so that a program that has
// used up the table can still be told so by modules that are loaded for it.
#pragma once

namespace wb {

/// While one exists, `intern` on this thread may use the reserve.
class AtomReserve {
 public:
  AtomReserve() { ++depth; }
  ~AtomReserve() { --depth; }
  AtomReserve(const AtomReserve&) = delete;
  static bool in_use() { return depth != 0; }

 private:
  static inline constinit thread_local int depth = 0;
};

}  // namespace wb
