#include "vm/dist/assemblies.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/memory_limit.h"

namespace wb {

/// What an entry takes without its bytes, about.
constexpr size_t kEntry = 512;

Assemblies::Whole::Whole(Whole&& other) noexcept
    : atoms(std::move(other.atoms)), bytes(std::exchange(other.bytes, nullptr)) {}

size_t Assemblies::most_bytes() { return memory_limit() / 2; }

bool Assemblies::begin(uint64_t number, uint64_t left, std::span<const Term> atoms,
                       const uint8_t* bytes, size_t n) {
  if (left > kMostFragments || bytes_ + incomplete_.size() * kEntry > most_bytes()) return false;
  auto [at, is_new] = incomplete_.try_emplace(number);
  if (!is_new) return false;
  Incomplete& m = at->second;
  m.left = left;
  m.whole.atoms.assign(atoms.begin(), atoms.end());
  return append(m, bytes, n);
}

Assemblies::Added Assemblies::add(uint64_t number, uint64_t left, const uint8_t* bytes, size_t n,
                                  Whole* whole) {
  auto at = incomplete_.find(number);
  if (at == incomplete_.end() || at->second.left != left || !append(at->second, bytes, n)) {
    return Added::refused;
  }
  if (--at->second.left) return Added::more;
  whole->atoms = std::move(at->second.whole.atoms);
  whole->bytes = std::exchange(at->second.whole.bytes, nullptr);
  incomplete_.erase(at);
  bytes_ -= whole->bytes->size;
  room_ -= whole->bytes->capacity;
  return Added::whole;
}

bool Assemblies::append(Incomplete& m, const uint8_t* bytes, size_t n) {
  if (bytes_ + n > most_bytes() || !make_room(m, n)) return false;
  Binary& b = *m.whole.bytes;
  if (n) memcpy(b.data + b.size, bytes, n);
  b.size += n;
  bytes_ += n;
  return true;
}

/// For n bytes, and for those of the fragments that are to come if they are no larger.
bool Assemblies::make_room(Incomplete& m, size_t n) {
  Binary*& b = m.whole.bytes;
  const size_t size = b ? b->size : 0, had = b ? b->capacity : 0, need = size + n;
  if (b && need <= had) return true;
  const size_t claimed = n * std::min<uint64_t>(m.left, kMostRoom / std::max<size_t>(n, 1));
  const size_t empty = empty_room();
  const size_t believed = std::min(claimed, empty < kMostRoom ? kMostRoom - empty : 0);
  size_t capacity = std::max(need + believed, std::min(2 * had, need + claimed));
  Binary* more = b ? grow_binary(b, capacity) : new_binary(0, capacity);
  if (!more && capacity > need) {
    capacity = need;
    more = b ? grow_binary(b, capacity) : new_binary(0, capacity);
  }
  if (!more) return false;
  b = more;
  room_ += capacity - had;
  return true;
}

}  // namespace wb
