#include "bytecode/bit_flags.h"

#include <string_view>

#include "term/external_tags.h"

namespace wb {
namespace {

using namespace external_tag;

/// Compilers list three. A long list would be gone through for each segment that names it.
constexpr uint32_t kMostFlags = 16;

std::optional<Word> flag_named(std::string_view name) {
  if (name == "little") return kLittleBits;
  if (name == "signed") return kSignedBits;
  if (name == "native") return kNativeBits;
  if (name == "big" || name == "unsigned") return 0;
  return {};
}

}  // namespace

std::optional<Word> bit_flags(Bytes external) {
  ByteReader in(external);
  in.u8();  // the version
  Word flags = 0;
  uint8_t tag = in.u8();
  if (tag == kList) {
    uint32_t n = in.u32();
    if (n > kMostFlags) return {};
    for (uint32_t i = 0; i < n && in.ok(); i++) {
      tag = in.u8();
      bool is_long = tag == kAtom || tag == kUtf8Atom;
      bool is_short = tag == kSmallAtom || tag == kSmallUtf8Atom;
      if (!is_long && !is_short) return {};
      Bytes text = in.bytes(is_long ? in.u16() : in.u8());
      std::optional<Word> flag =
          flag_named({reinterpret_cast<const char*>(text.data()), text.size()});
      if (!flag) return {};
      flags |= *flag;
    }
    tag = in.u8();
  }
  if (tag != kEmptyList || !in.ok() || !in.at_end()) return {};
  return flags;
}

}  // namespace wb
