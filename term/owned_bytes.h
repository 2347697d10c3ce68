// What an owner of something off-heap keeps alive, as the virtual binary heap counts it.
#pragma once

#include <algorithm>

#include "term/binary.h"

namespace wb {

/// A magic reference says it in its header: in KiB, at most 64 MiB. A node is nobody's.
inline uint16_t owned_kib(size_t bytes) {
  return static_cast<uint16_t>(std::min<size_t>((bytes + 512) / 1024, UINT16_MAX));
}

inline size_t owned_bytes(const Term* owner) {
  const Kind kind = header_kind(*owner);
  if (kind == Kind::refc_bin) return refc_bin::size(owner);
  return kind == Kind::magic_ref ? size_t{header_extra(*owner)} * 1024 : 0;
}

/// How many owners share it, whether the registry of magic references knows it or not.
inline int64_t holders(const OffHeapObject& object) {
  return object.refs.load(std::memory_order_relaxed) & INT64_MAX;
}

}  // namespace wb
