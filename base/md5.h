// MD5 (RFC 1321): module identity and erlang:md5. Not for secrets.
//
// Md5 is trivially copyable, so erlang:md5_init/update/final can keep it in a binary as its
// context.
#pragma once

#include <array>
#include <span>

#include "base/base.h"

namespace wb {

using Md5Digest = std::array<uint8_t, 16>;

class Md5 {
 public:
  void update(std::span<const uint8_t> data);
  /// The digest of everything so far. The context itself can go on.
  Md5Digest digest() const;

 private:
  void block(const uint8_t* p);

  uint32_t state_[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  uint64_t bytes_ = 0;
  uint8_t pending_[64] = {};
};

Md5Digest md5(std::span<const uint8_t> data);

}  // namespace wb
