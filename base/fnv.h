// FNV-1a: a hash of texts that is the same in every run and build.
#pragma once

#include <cstdint>
#include <string_view>

namespace wb {

constexpr uint64_t kFnvStart = 0xcbf29ce484222325;

inline uint64_t fnv1a(std::string_view text, uint64_t hash = kFnvStart) {
  for (char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace wb
