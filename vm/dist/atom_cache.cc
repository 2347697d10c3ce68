#include "vm/dist/atom_cache.h"

#include <algorithm>

#include "term/fault.h"

namespace wb {

namespace {
// A half byte for each atom, the first in the low half of the first byte.
constexpr uint8_t kSegment = 7, kIsNew = 8;
// In the half byte after the last one: lengths of texts have two bytes.
constexpr uint8_t kLongTexts = 1;

size_t flag_bytes(size_t atoms) { return atoms ? atoms / 2 + 1 : 0; }

class Flags {
 public:
  explicit Flags(char* bytes) : bytes_(bytes) {}
  void set(size_t k, uint8_t flags) { bytes_[k / 2] |= static_cast<char>(flags << (k & 1) * 4); }

 private:
  char* bytes_;
};
uint8_t half_byte(const uint8_t* bytes, size_t k) { return bytes[k / 2] >> (k & 1) * 4 & 15; }
}  // namespace

void OutgoingAtoms::write(std::span<const Term> atoms, std::string* out) {
  *out += static_cast<char>(atoms.size());
  if (atoms.empty()) return;
  const size_t flags_at = out->size();
  out->append(flag_bytes(atoms.size()), 0);
  const bool long_texts = std::any_of(atoms.begin(), atoms.end(), [&](Term atom) {
    return slots_[AtomRefs::slot_of(atom)] != atom && atom_text(atom).size() > 255;
  });
  auto set_flags = [&](size_t k, uint8_t flags) { Flags(out->data() + flags_at).set(k, flags); };
  for (size_t k = 0; k < atoms.size(); ++k) {
    const size_t slot = AtomRefs::slot_of(atoms[k]);
    const bool is_new = slots_[slot] != atoms[k];
    set_flags(k, static_cast<uint8_t>(slot >> 8 | (is_new ? kIsNew : 0)));
    *out += static_cast<char>(slot);
    if (!is_new) continue;
    slots_[slot] = atoms[k];
    const std::string_view text = atom_text(atoms[k]);
    if (long_texts) *out += static_cast<char>(text.size() >> 8);
    *out += static_cast<char>(text.size());
    *out += text;
  }
  if (long_texts) set_flags(atoms.size(), kLongTexts);
}

size_t IncomingAtoms::read(const uint8_t* bytes, size_t size, ListedAtoms* listed) {
  if (size == 0) return 0;
  const size_t count = bytes[0];
  listed->count = count;
  if (count == 0) return 1;
  const uint8_t* const flags = bytes + 1;
  size_t at = 1 + flag_bytes(count);
  if (at > size) return 0;
  const size_t length_bytes = half_byte(flags, count) & kLongTexts ? 2 : 1;
  for (size_t k = 0; k < count; ++k) {
    const uint8_t f = half_byte(flags, k);
    if (at == size) return 0;
    Term& slot = slots_[bytes[at++] | static_cast<size_t>(f & kSegment) << 8];
    if (f & kIsNew) {
      if (size - at < length_bytes) return 0;
      size_t n = bytes[at++];
      if (length_bytes == 2) n = n << 8 | bytes[at++];
      if (size - at < n) return 0;
      const std::string_view text(reinterpret_cast<const char*>(bytes + at), n);
      if (!is_atom_text(text)) return 0;
      slot = intern_of_others(text);
      at += n;
    }
    if (is_fault(slot)) return 0;
    listed->atoms[k] = slot;
  }
  return at;
}

}  // namespace wb
