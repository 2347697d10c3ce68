#include "term/binary.h"

#include <cstdlib>
#include <new>

#include "base/live_bytes.h"
#include "base/memory_limit.h"
#include "base/out_of_memory.h"
#include "term/bits.h"

namespace wb {

namespace {
constexpr size_t kMaxBytes = size_t{1} << 57;  // so that every bit position fits a small

void destroy_binary(OffHeapObject* o) {
  auto* b = static_cast<Binary*>(o);
  count_live(Live::binaries, -static_cast<int64_t>(sizeof(Binary) + b->capacity));
  count_live(Live::binary_count, -1);
  free(b);
}

Term small_binary(Heap& h, size_t n, uint8_t** bytes) {
  size_t words = words_for_bytes(n);
  Term* p = h.alloc(2 + words);
  p[0] = make_header(Kind::heap_bin, 1 + words);
  p[1] = n;
  if (words) p[1 + words] = 0;  // padding
  *bytes = reinterpret_cast<uint8_t*>(p + 2);
  return make_boxed(p);
}

}  // namespace

Term make_window(Heap& h, Term base, size_t offset, size_t bits) {
  Term* p = h.alloc(sub_bin::kWords);
  p[0] = make_header(Kind::sub_bin, sub_bin::kWords - 1);
  p[1] = bits;
  p[2] = offset;
  p[3] = 0;
  p[4] = base;
  return make_boxed(p);
}

Binary* new_binary(size_t size, size_t capacity) {
  if (capacity < size) capacity = size;
  if (capacity > kMaxBytes) return nullptr;
  if (capacity >= kLargeRequest && !memory_has_room(capacity)) return nullptr;
  void* p = malloc(sizeof(Binary) + capacity);
  if (!p) return nullptr;
  count_live(Live::binaries, static_cast<int64_t>(sizeof(Binary) + capacity));
  count_live(Live::binary_count, 1);
  Binary* b = new (p) Binary;
  b->destroy = destroy_binary;
  b->size = size;
  b->capacity = capacity;
  return b;
}

Binary* grow_binary(Binary* b, size_t capacity) {
  WB_DCHECK(b->refs.load(std::memory_order_relaxed) == 1);
  if (capacity > kMaxBytes) return nullptr;
  if (capacity >= kLargeRequest && !memory_has_room(capacity)) return nullptr;
  // The counter is a lock-free word: moving the bytes moves it.
  void* p = realloc(static_cast<void*>(b), sizeof(Binary) + capacity);
  if (!p) return nullptr;
  b = static_cast<Binary*>(p);
  count_live(Live::binaries, static_cast<int64_t>(capacity) - static_cast<int64_t>(b->capacity));
  b->capacity = capacity;
  return b;
}

Binary* shrink_binary(Binary* b) {
  size_t less = b->capacity - b->size;
  void* p = realloc(static_cast<void*>(b), sizeof(Binary) + b->size);
  if (!p) return nullptr;
  b = static_cast<Binary*>(p);
  count_live(Live::binaries, -static_cast<int64_t>(less));
  b->capacity = b->size;
  return b;
}

Bits bits_of(Term t) { return bits_in(t); }

size_t bit_size(Term t) { return extent_of(t).bits; }

bool is_binary(Term t) { return is_bitstring(t) && (bit_size(t) & 7) == 0; }

const uint8_t* base_bytes(Term base) {
  const Term* p = boxed_ptr(base);
  if (header_kind(p[0]) == Kind::heap_bin) return reinterpret_cast<const uint8_t*>(p + 2);
  return refc_bin::object(p)->data;
}

Term wrap_binary(Heap& h, Binary* b) {
  Term* p = h.alloc(refc_bin::kWords);
  p[0] = make_header(Kind::refc_bin, refc_bin::kWords - 1);
  p[1] = reinterpret_cast<Word>(b);
  p[3] = b->size;
  p[4] = 0;
  h.link_off_heap(p, b->capacity);
  return make_boxed(p);
}

Term new_bytes(Heap& h, size_t n, uint8_t** bytes) {
  if (n <= kMaxHeapBinBytes) return small_binary(h, n, bytes);
  Binary* b = new_binary(n);
  if (!b) return kSystemLimit;
  *bytes = b->data;
  return wrap_binary(h, b);
}

Term make_binary(Heap& h, const void* bytes, size_t n) {
  uint8_t* to;
  Term t = new_bytes(h, n, &to);
  if (is_value(t)) copy_few_bytes(to, static_cast<const uint8_t*>(bytes), n);
  return t;
}

Term make_bitstring(Heap& h, const uint8_t* src, size_t offset, size_t bits) {
  size_t n = (bits + 7) / 8;
  uint8_t* to;
  Term base = new_bytes(h, n, &to);
  if (is_fault(base)) return base;
  if (bits & 7) to[n - 1] = 0;
  copy_bits(to, 0, src, offset, bits);
  return (bits & 7) ? make_window(h, base, 0, bits) : base;
}

Term sub_bitstring(Heap& h, Term whole, size_t offset, size_t bits) {
  const Term* p = boxed_ptr(whole);
  Term base = whole;
  size_t start = offset;
  if (header_kind(p[0]) == Kind::sub_bin) {
    if (offset == 0 && bits == sub_bin::bits(p)) return whole;
    base = sub_bin::base(p);
    start += sub_bin::offset(p);
  }
  return window_or_copy(h, base, start, bits);
}

Term window_or_copy(Heap& h, Term base, size_t offset, size_t bits) {
  if (offset == 0 && bits == extent_of(base).bits && !is_writable_base(base)) return base;
  constexpr size_t kCopyBits = (sub_bin::kWords - 2) * 64;
  if (bits <= kCopyBits && (bits & 7) == 0) {
    const uint8_t* bytes = base_pointer(base);
    if (WB_UNLIKELY((offset & 7) != 0)) return make_bitstring(h, bytes, offset, bits);
    uint8_t* to;
    Term t = small_binary(h, bits / 8, &to);
    copy_few_bytes(to, bytes + offset / 8, bits / 8);
    return t;
  }
  return make_window(h, base, offset, bits);
}

ByteView::ByteView(Term bitstring) {
  Bits b = bits_in(bitstring);
  size_ = b.size / 8;
  if (b.aligned()) {
    data_ = b.bytes;
    return;
  }
  owned_ = static_cast<uint8_t*>(must_malloc(size_ + 1, "tmp"));
  copy_bits(owned_, 0, b.bytes, b.offset, size_ * 8);
  data_ = owned_;
}

}  // namespace wb
