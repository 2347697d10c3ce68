#include "vm/jit/binary_parts.h"

#include <cstring>

#include "term/binary.h"
#include "vm/interp/bit_parts.h"

namespace wb {

namespace {
constexpr Word kMaxSegments = 32, kMaxString = 1 << 16;
constexpr Word kMostBits = 56;  ///< with up to seven of the byte before, a word
bool is_little(const Word* w) { return w[3] & (2 | 16); }
/// Of an integer or a float; 0: not known, or too many.
Word constant_bits(const Word* w) {
  Word size = w[5], unit = w[2];
  if (!is_small(size) || size > make_small(64) || unit > 64) return 0;
  Word bits = (size >> 4) * unit;
  return bits <= 64 ? bits : 0;
}
template <class F>
Word address_of(F* f) {
  return reinterpret_cast<Word>(f);
}
}  // namespace

bool BinaryParts::make() {
  first_ = at_ + 6, end_ = first_ + at_[5];
  if (at_[5] == 0 || at_[5] > 6 * kMaxSegments) return false;
  appends_ = first_[0] == am::append || first_[0] == am::private_append;
  if (appends_) first_ += 6;
  if (!measure()) return false;
  if (bits_ % 8 != 0) return append_bits();
  if (!add(Instr::bin_room, {at_[2] + kBinaryWords}) || !sizes() || !memory()) return false;
  for (const Word* w = first_; w < end_; w += 6) {
    if (!segment(w)) return false;
  }
  return group_ == 0 && add_of(Instr::bin_end, at_[4]);
}

bool BinaryParts::measure() {
  for (const Word* w = first_; w < end_; w += 6) {
    Term type = w[0];
    if (type == am::integer || type == am::float_) {
      Word n = constant_bits(w);
      if (!n) return false;
      bits_ += n;
    } else if (type == am::string) {
      if (w[5] > kMaxString) return false;
      bits_ += w[5] * 8;
    } else if (type == am::utf8 || (type == am::binary && w[5] == am::all && w[2] == 8)) {
      variable_ = true;
    } else {
      return false;
    }
  }
  return true;
}

bool BinaryParts::append_bits() {
  const Word* old = at_ + 6;
  if (!appends_ || variable_ || bits_ > kMostBits || (old[2] != 8 && old[2] != 1)) return false;
  if (!add(Instr::bin_room, {at_[2] + kBinaryWords})) return false;
  for (const Word* w = first_; w < end_; w += 6) {
    if (w[0] != am::integer || (is_little(w) && constant_bits(w) > 8)) return false;
    if (!add_of(Instr::bin_bits, w[4], {constant_bits(w)})) return false;
  }
  bool in_place = old[0] == am::private_append;
  return add_of(in_place ? Instr::bin_append_bits_in_place : Instr::bin_append_bits, old[4],
                {bits_, old[2] - 1, address_of(&open_binary), reinterpret_cast<Word>(at_)}) &&
         add_of(Instr::bin_end, at_[4]);
}

bool BinaryParts::sizes() {
  if (!variable_ && !appends_ && bits_ <= 8 * kMaxHeapBinBytes) return true;
  if (!add(Instr::bin_size, {bits_})) return false;
  for (const Word* w = first_; w < end_; w += 6) {
    if (w[0] == am::binary && !add_of(Instr::bin_size_all, w[4])) return false;
    if (w[0] == am::utf8 && !add_of(Instr::bin_size_utf8, w[4])) return false;
  }
  return true;
}

bool BinaryParts::memory() {
  Word bytes = bits_ / 8;
  const Word* old = at_ + 6;
  if (appends_ && (old[2] == 8 || old[2] == 1)) {
    bool in_place = old[0] == am::private_append;
    return add_of(in_place ? Instr::bin_append_in_place : Instr::bin_append, old[4],
                  {address_of(&open_binary), reinterpret_cast<Word>(at_)});
  }
  if (variable_ || appends_ || bytes > kMaxHeapBinBytes) {
    return add(Instr::bin_open, {address_of(&open_binary), reinterpret_cast<Word>(at_)});
  }
  Word words = words_for_bytes(bytes);
  return add(Instr::bin_heap, {make_header(Kind::heap_bin, 1 + words), bytes, 2 + words});
}

bool BinaryParts::segment(const Word* w) {
  Term type = w[0];
  if (type == am::integer) return integer(w);
  if (group_) return false;
  if (type == am::string) return string(w);
  Word distance = distance_;
  if (type == am::float_) {
    distance_ += 8;
    return constant_bits(w) == 64 && !is_little(w) && add_of(Instr::bin_float, w[4], {distance});
  }
  distance_ = 0;
  if (type == am::utf8) {
    return add_of(Instr::bin_utf8, w[4], {distance, address_of(&put_code_point)});
  }
  return add_of(Instr::bin_all, w[4], {distance, address_of(&put_whole_bytes)});
}

bool BinaryParts::integer(const Word* w) {
  Word bits = constant_bits(w);
  bool alone = group_ == 0 && bits % 8 == 0;
  if (alone && bits == 8) return add_of(Instr::bin_byte, w[4], {distance_++});
  if (is_little(w) && !alone) return false;
  if (group_ + bits > 64) return false;
  bool added = group_ ? add_of(Instr::bin_join, w[4], {bits}) : add_of(Instr::bin_group, w[4]);
  if (!added) return false;
  if (is_little(w)) return store_little(bits);
  group_ += bits;
  return group_ % 8 || store();
}

/// The group's bytes, the highest first.
bool BinaryParts::store() {
  while (group_) {
    Word n = group_ >= 64 ? 8 : group_ >= 32 ? 4 : group_ >= 16 ? 2 : 1;
    group_ -= 8 * n;
    bool added = n == 8   ? add(Instr::bin_store8, {distance_})
                 : n == 4 ? add(Instr::bin_store4, {distance_, group_})
                 : n == 2 ? add(Instr::bin_store2, {distance_, group_})
                          : add(Instr::bin_store1, {distance_, group_});
    if (!added) return false;
    distance_ += n;
  }
  return true;
}
bool BinaryParts::store_little(Word bits) {
  for (Word done = 0; done < bits;) {
    Word left = bits - done, n = left >= 64 ? 8 : left >= 32 ? 4 : left >= 16 ? 2 : 1;
    bool added = n == 8   ? add(Instr::bin_little8, {distance_})
                 : n == 4 ? add(Instr::bin_little4, {distance_, done})
                 : n == 2 ? add(Instr::bin_little2, {distance_, done})
                          : add(Instr::bin_store1, {distance_, done});
    if (!added) return false;
    distance_ += n;
    done += 8 * n;
  }
  return true;
}

bool BinaryParts::string(const Word* w) {
  constexpr Word kShort = 7;  // fits a small integer
  auto* bytes = reinterpret_cast<const uint8_t*>(w[4]);
  Word n = w[5];
  if (n > kShort) {
    distance_ += n;
    void* (*copy)(void*, const void*, size_t) = memcpy;
    return add(Instr::bin_string, {distance_ - n, n, w[4], address_of(copy)});
  }
  Word value = 0;
  for (Word k = 0; k < n; ++k) value = value << 8 | bytes[k];
  if (!add_of(Instr::bin_group, make_small(static_cast<int64_t>(value)))) return false;
  group_ = 8 * n;
  return store();
}

/// Instructions of older compilers: what is usual.
bool Baseline::old_binary_in_parts(Instr i, const Word* at, const Item& whole) {
  switch (i) {
    case Instr::bs_init:  // fail size unit heap live dst
      return at[3] <= 256 && add_part(whole, Instr::bin_room, {at[4] + kBinaryWords}) &&
             add_move(whole, at[2], OperandKind::x, kScratch * sizeof(Term)) &&
             add_part_of(whole, Instr::bin_init, at[6], {address_of(&init_binary), at[3]});
    case Instr::bs_put_integer:  // fail size unit flags src
      return is_small(at[2]) && at[2] <= make_small(8) && at[3] <= 8 && (at[2] >> 4) * at[3] == 8 &&
             add_part_of(whole, Instr::bin_put_byte, at[5]);
    case Instr::bs_put_string: {  // bytes address
      void* (*copy)(void*, const void*, size_t) = memcpy;
      return at[1] <= kMaxString &&
             add_part(whole, Instr::bin_put_string, {at[1], at[2], address_of(copy)});
    }
    case Instr::bs_put_binary:  // fail size unit flags src
      return at[2] == am::all && at[3] == 8 &&
             add_part_of(whole, Instr::bin_put_binary, at[5], {address_of(&put_binary)});
    default:
      return false;
  }
}

}  // namespace wb
