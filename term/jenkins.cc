#include "term/jenkins.h"

#include "term/binary.h"
#include "term/bits.h"

namespace wb::jenkins {

uint32_t hash_bitstring(uint32_t hash, Term t, WorkBudget& budget) {
  Bits bits = bits_in(t);
  hash += salt(kBytesSalt);
  if (bits.size == 0) return hash;
  if (WB_LIKELY(bits.aligned())) {
    hash = hash_bytes(bits.bytes, bits.size / 8, hash, budget);
  } else {
    ByteView whole(t);
    hash = hash_bytes(whole.data(), whole.size(), hash, budget);
  }
  uint32_t rest = bits.size & 7;
  if (rest == 0) return hash;
  uint8_t last = 0;
  copy_bits(&last, 8 - rest, bits.bytes, bits.offset + bits.size - rest, rest);
  return mixed(hash, rest, last, salt(kBitsSalt));
}

}  // namespace wb::jenkins
