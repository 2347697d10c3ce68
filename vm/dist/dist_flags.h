// What the nodes of a connection can do: dist_flags.def.
#pragma once

#include <cstdint>

namespace wb::dist_flag {

enum : uint64_t {
#define DIST_FLAG(name, bit, how) name = bit,
#include "vm/dist/dist_flags.def"
};

enum class How : uint8_t { mandatory, offered, internal };
/// All flags of which `wanted(how)` holds.
template <class F>
constexpr uint64_t all_that(F wanted) {
  uint64_t flags = 0;
#define DIST_FLAG(name, bit, how) \
  if (wanted(How::how)) flags |= bit;
#include "vm/dist/dist_flags.def"
  return flags;
}
constexpr uint64_t kOffered = all_that([](How h) { return h != How::internal; });
constexpr uint64_t kMandatory = all_that([](How h) { return h == How::mandatory; });
/// A carrier may refuse these, and add those.
constexpr uint64_t kRejectable = atom_cache | fragments | 0x42;
constexpr uint64_t kAddable = kOffered;
/// Packets must come in the order in which they were sent.
constexpr uint64_t kStrictOrder = atom_cache;

}  // namespace wb::dist_flag
