// Writable binaries: the rules are at the top of term/binary.h and of bit_syntax.h.
#include <algorithm>

#include "term/bit_syntax.h"

namespace wb {

namespace {
constexpr size_t kMinRoom = 256, kMaxHint = size_t{1} << 24;

/// Room for the bytes up to bit `end`: at least doubled, so that a byte is moved O(1) times.
size_t room_for(size_t end) {
  size_t n = (end + 7) / 8;
  return std::max(n < SIZE_MAX / 2 ? 2 * n : n, kMinRoom);
}

/// The used part of `b` now ends at bit `end`; a byte newly used in part starts as zero.
void set_used(Binary* b, Term* refc, size_t end) {
  size_t n = (end + 7) / 8;
  if ((end & 7) && n > b->size) b->data[n - 1] = 0;
  b->size = n;
  refc[3] = n;
}

Term new_writable(Heap& h, size_t end, size_t capacity, Term** refc) {
  Binary* b = new_binary(0, std::max(capacity, (end + 7) / 8));
  if (!b) return kSystemLimit;
  Term base = wrap_binary(h, b);
  *refc = boxed_ptr(base);
  refc_bin::flags(*refc) = refc_bin::writable | refc_bin::appended;
  set_used(b, *refc, end);
  Term t = make_window(h, base, 0, end);
  sub_bin::writable(boxed_ptr(t)) = 1;
  return t;
}

/// The refc_bin behind `source` if its spare room is source's to use, else nullptr.
Term* own_room(Term source) {
  Term* p = boxed_ptr(source);
  if (header_kind(p[0]) != Kind::sub_bin || !sub_bin::writable(p)) return nullptr;
  if (!is_writable_base(sub_bin::base(p))) return nullptr;
  Term* refc = boxed_ptr(sub_bin::base(p));
  bool shared = refc_bin::object(refc)->refs.load(std::memory_order_acquire) != 1;
  return shared ? nullptr : refc;
}

Term append_copy(Heap& h, Term source, size_t total, BitWriter* w) {
  Bits old = bits_of(source);
  Term* refc;
  Term t = new_writable(h, total, room_for(total), &refc);
  if (is_fault(t)) return t;
  *w = {refc_bin::object(refc)->data, 0, total};
  copy_bits(w->bytes, 0, old.bytes, old.offset, old.size);
  w->position = old.size;
  return t;
}
}  // namespace

Term append_start(Heap& h, Term source, size_t extra, unsigned unit, bool reuse, BitWriter* w) {
  if (!is_bitstring(source)) return kBadarg;
  const Term* p = boxed_ptr(source);
  size_t total, end,
      bits = header_kind(p[0]) == Kind::sub_bin ? sub_bin::bits(p) : bit_size(source);
  if (unit == 8 ? (bits & 7) != 0 : bits % unit != 0) return kBadarg;
  if (extra == 0) {
    *w = {};
    return source;
  }
  if (__builtin_add_overflow(bits, extra, &total)) return kSystemLimit;
  Term* refc = own_room(source);
  if (!refc) return append_copy(h, source, total, w);

  Term* window = boxed_ptr(source);
  size_t start = sub_bin::offset(window);
  if (__builtin_add_overflow(start, total, &end)) return kSystemLimit;
  Binary* b = refc_bin::object(refc);
  if ((end + 7) / 8 > b->capacity) {
    b = grow_binary(b, room_for(end));
    if (!b) return kSystemLimit;
    refc[1] = reinterpret_cast<Word>(b);
  }
  set_used(b, refc, end);
  refc_bin::flags(refc) |= refc_bin::appended;
  *w = {b->data, start + bits, end};
  if (reuse) {
    window[1] = total;
    return source;
  }
  sub_bin::writable(window) = 0;
  Term t = make_window(h, sub_bin::base(window), start, total);
  sub_bin::writable(boxed_ptr(t)) = 1;
  return t;
}

Term init_writable(Heap& h, size_t bytes) {
  Term* refc;
  return new_writable(h, 0, std::min(bytes, kMaxHint), &refc);
}

}  // namespace wb
