// Binaries and bitstrings: layouts, making them, and one view over every kind.
//
// heap_bin holds up to 64 bytes in the heap; refc_bin points to a shared off-heap Binary;
// sub_bin is a window (in bits) over one of those two, never over another sub_bin. Nobody keeps
// a raw pointer to a Binary's bytes across a safe point: a writable binary may move when it grows,
// so bytes are always reached through the refc_bin.
//
// Writable binaries (amortised appends): a refc_bin with Flags::writable whose Binary has spare
// capacity (given back when a collection finds that none has happened since the one before), seen
// through a sub_bin with `writable` set whose end is the used end. Appending takes
// the flag over to the new sub_bin. Copying a refc_bin to another process clears the flag.
#pragma once

#include <cstdlib>

#include "term/fault.h"
#include "term/heap.h"

namespace wb {

constexpr size_t kMaxHeapBinBytes = 64;

/// Off-heap bytes, counted. `data` is 16-byte aligned.
struct Binary : OffHeapObject {
  size_t size;      // used bytes
  size_t capacity;  // allocated bytes
  alignas(16) uint8_t data[];
};

/// A new Binary with one reference and uninitialised bytes; nullptr if memory is out.
Binary* new_binary(size_t size, size_t capacity = 0);
/// The same Binary with more room (refs must be 1; may move).
Binary* grow_binary(Binary* b, size_t capacity);

/// The same Binary without the room it does not use (refs must be 1; may move); nullptr: as it was.
Binary* shrink_binary(Binary* b);

namespace refc_bin {
constexpr size_t kWords = 5;
enum Flags : Word { writable = 1, appended = 2 };  // appended: since the last collection
inline Binary* object(const Term* p) { return reinterpret_cast<Binary*>(p[1]); }
inline size_t size(const Term* p) { return p[3]; }
inline Word& flags(Term* p) { return p[4]; }
}  // namespace refc_bin
namespace sub_bin {
constexpr size_t kWords = 5;
inline size_t bits(const Term* p) { return p[1]; }
inline size_t offset(const Term* p) { return p[2]; }
inline Word& writable(Term* p) { return p[3]; }
inline Term base(const Term* p) { return p[4]; }
}  // namespace sub_bin
/// A Kind::match_ctx: a cursor over bits of `base`, a heap_bin or refc_bin.
struct MatchContext {
  static constexpr size_t kWords = 5;
  Word header;
  size_t end, position, start;  // in bits of base
  Term base;
};
inline MatchContext* match_context(Term t) { return reinterpret_cast<MatchContext*>(boxed_ptr(t)); }

/// Where a bitstring's bits are. `bytes` + bit offset (0..7); valid until the next safe point or
/// append.
struct Bits {
  const uint8_t* bytes;
  size_t offset;  // in bits from bytes[0], 0..7
  size_t size;    // in bits
  bool whole_bytes() const { return (size & 7) == 0; }
  bool aligned() const { return offset == 0; }
};

/// `t` must be a bitstring (is_bitstring).
Bits bits_of(Term t);
size_t bit_size(Term t);
/// Start of the bytes of a heap_bin or refc_bin.
const uint8_t* base_bytes(Term base);

/// A binary of n bytes (heap_bin or refc_bin); *bytes is where to write them. kSystemLimit when
/// memory is out.
Term new_bytes(Heap& h, size_t n, uint8_t** bytes);
Term make_binary(Heap& h, const void* bytes, size_t n);
inline Term make_binary(Heap& h, const char* s) { return make_binary(h, s, strlen(s)); }
/// Wraps a Binary whose reference the term takes over.
Term wrap_binary(Heap& h, Binary* b);
/// A bitstring of `bits` bits copied from `src` starting at bit `offset`; unused low bits zero.
Term make_bitstring(Heap& h, const uint8_t* src, size_t offset, size_t bits);
/// A window over bitstring `whole` (any kind), `offset` bits from its start. Copies instead when
/// the result is small and a copy costs less heap than the window.
Term sub_bitstring(Heap& h, Term whole, size_t offset, size_t bits);

/// Copies `bits` bits between arbitrary bit positions (buffers must not overlap).
void copy_bits(uint8_t* dst, size_t dst_offset, const uint8_t* src, size_t src_offset, size_t bits);
/// memcmp over bits: bytes compared as unsigned, then the shorter first (term order).
int compare_bits(const Bits& a, const Bits& b);
bool equal_bits(const uint8_t* a, size_t a_offset, const uint8_t* b, size_t b_offset, size_t bits);

/// Bytes of a binary as contiguous memory: a pointer into it when byte aligned, else a copy that
/// this object owns. For BIFs that want `const uint8_t*, size`.
class ByteView {
 public:
  explicit ByteView(Term bitstring);  // trailing bits beyond whole bytes are not shown
  ~ByteView() {
    if (WB_UNLIKELY(owned_)) free(owned_);
  }
  ByteView(const ByteView&) = delete;
  ByteView& operator=(const ByteView&) = delete;
  const uint8_t* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  const uint8_t* data_;
  size_t size_;
  uint8_t* owned_ = nullptr;
};

}  // namespace wb
