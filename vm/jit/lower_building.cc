#include "vm/jit/lower_building.h"

#include <cstring>

#include "term/binary.h"
#include "vm/interp/lowered_building.h"

namespace wb {

namespace {
constexpr Word kMaxSegments = 32, kMaxString = 1 << 16;
constexpr Word kMostBits = 56;  ///< with up to seven of the byte before, a word
Word bits_of(Segment s) { return constant_bits(s.size(), s.unit()); }
/// Can it be appended to here?
bool has_usual_unit(Segment old) { return old.unit() == 8 || old.unit() == 1; }
template <class F>
Word address_of(F* f) {
  return reinterpret_cast<Word>(f);
}
void* (*const kCopy)(void*, const void*, size_t) = memcpy;
}  // namespace

bool Baseline::lower(const instr::bs_create_bin& in, const Item& whole) {
  return BinaryLowering(*this, in, whole).make();
}
bool BinaryLowering::make() {
  if (in_.empty() || in_.count() > Segment::kWords * kMaxSegments || !measure()) return false;
  if (bits_ % 8 != 0) return append_bits();
  if (!add(Instr::bin_room, {in_.heap() + kBinaryWords}) || !sizes() || !memory()) return false;
  for (Segment s : in_.written()) {
    if (!segment(s)) return false;
  }
  return group_ == 0 && add_of(Instr::bin_end, in_.dst());
}

bool BinaryLowering::measure() {
  for (Segment s : in_.written()) {
    Term type = s.type();
    if (type == am::integer || type == am::float_) {
      Word n = bits_of(s);
      if (!n) return false;
      bits_ += n;
    } else if (type == am::string) {
      if (s.size() > kMaxString) return false;
      bits_ += s.size() * 8;
    } else if (type == am::utf8 || (type == am::binary && s.whole() && s.unit() == 8)) {
      variable_ = true;
    } else {
      return false;
    }
  }
  return true;
}

bool BinaryLowering::append_bits() {
  if (!in_.appends() || variable_ || bits_ > kMostBits) return false;
  const Segment old = in_.appended_to();
  if (!has_usual_unit(old) || !add(Instr::bin_room, {in_.heap() + kBinaryWords})) return false;
  for (Segment s : in_.written()) {
    if (s.type() != am::integer || (s.little() && bits_of(s) > 8)) return false;
    if (!add_of(Instr::bin_bits, s.value(), {bits_of(s)})) return false;
  }
  Instr append = old.is_private() ? Instr::bin_append_bits_in_place : Instr::bin_append_bits;
  return add_of(append, old.value(),
                {bits_, old.unit() - 1, address_of(&open_binary), address_of(in_.I)}) &&
         add_of(Instr::bin_end, in_.dst());
}

bool BinaryLowering::sizes() {
  if (!variable_ && !in_.appends() && bits_ <= 8 * kMaxHeapBinBytes) return true;
  if (!add(Instr::bin_size, {bits_})) return false;
  for (Segment s : in_.written()) {
    if (s.type() == am::binary && !add_of(Instr::bin_size_all, s.value())) return false;
    if (s.type() == am::utf8 && !add_of(Instr::bin_size_utf8, s.value())) return false;
  }
  return true;
}

bool BinaryLowering::memory() {
  const Word bytes = bits_ / 8;
  const Segment old = in_.appended_to();
  if (in_.appends() && has_usual_unit(old)) {
    return add_of(old.is_private() ? Instr::bin_append_in_place : Instr::bin_append, old.value(),
                  {address_of(&open_binary), address_of(in_.I)});
  }
  if (variable_ || in_.appends() || bytes > kMaxHeapBinBytes) {
    return add(Instr::bin_open, {address_of(&open_binary), address_of(in_.I)});
  }
  Word words = words_for_bytes(bytes);
  return add(Instr::bin_heap, {make_header(Kind::heap_bin, 1 + words), bytes, 2 + words});
}

bool BinaryLowering::segment(Segment s) {
  Term type = s.type();
  if (type == am::integer) return integer(s);
  if (group_) return false;
  if (type == am::string) return string(s);
  Word distance = distance_;
  if (type == am::float_) {
    distance_ += 8;
    return bits_of(s) == 64 && !s.little() && add_of(Instr::bin_float, s.value(), {distance});
  }
  distance_ = 0;
  if (type == am::utf8) {
    return add_of(Instr::bin_utf8, s.value(), {distance, address_of(&put_code_point)});
  }
  return add_of(Instr::bin_all, s.value(), {distance, address_of(&put_whole_bytes)});
}

bool BinaryLowering::integer(Segment s) {
  const Word bits = bits_of(s);
  bool alone = group_ == 0 && bits % 8 == 0;
  if (alone && bits == 8) return add_of(Instr::bin_byte, s.value(), {distance_++});
  if (s.little() && !alone) return false;
  if (group_ + bits > 64) return false;
  bool added =
      group_ ? add_of(Instr::bin_join, s.value(), {bits}) : add_of(Instr::bin_group, s.value());
  if (!added) return false;
  if (s.little()) return store_little(bits);
  group_ += bits;
  return group_ % 8 || store();
}

/// The group's bytes, the highest first.
bool BinaryLowering::store() {
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
bool BinaryLowering::store_little(Word bits) {
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

bool BinaryLowering::string(Segment s) {
  constexpr Word kShort = 7;  // fits a small integer
  auto* bytes = reinterpret_cast<const uint8_t*>(s.value());
  const Word n = s.size();
  if (n > kShort) {
    distance_ += n;
    return add(Instr::bin_string, {distance_ - n, n, s.value(), address_of(kCopy)});
  }
  Word value = 0;
  for (Word k = 0; k < n; ++k) value = value << 8 | bytes[k];
  if (!add_of(Instr::bin_group, make_small(static_cast<int64_t>(value)))) return false;
  group_ = 8 * n;
  return store();
}

// --- instructions of older compilers: what is usual ----------------------------------------------
bool Baseline::lower(const instr::bs_init& in, const Item& whole) {
  constexpr Word kMaxUnit = 256;
  return in.unit() <= kMaxUnit && add_op(whole, Instr::bin_room, {in.heap() + kBinaryWords}) &&
         add_to_scratch(whole, in.size()) &&
         add_op_of(whole, Instr::bin_init, in.dst(), {address_of(&init_binary), in.unit()});
}
/// A byte.
bool Baseline::lower(const instr::bs_put_integer& in, const Item& whole) {
  return constant_bits(in.size(), in.unit()) == 8 &&
         add_op_of(whole, Instr::bin_put_byte, in.value());
}
bool Baseline::lower(const instr::bs_put_string& in, const Item& whole) {
  return in.bytes() <= kMaxString &&
         add_op(whole, Instr::bin_put_string, {in.bytes(), in.string(), address_of(kCopy)});
}
bool Baseline::lower(const instr::bs_put_binary& in, const Item& whole) {
  return in.size() == am::all && in.unit() == 8 &&
         add_op_of(whole, Instr::bin_put_binary, in.value(), {address_of(&put_binary)});
}

}  // namespace wb
