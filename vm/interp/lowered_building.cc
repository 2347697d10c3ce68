// bs_create_bin as the baseline compiler has it (vm/jit/lower_building.cc).
//
//   bin_room            a safe point
//   bin_size...         adds the sizes up, if not all are known before
//   bin_bits, bin_append_bits
//                       all of it, where few integers that make no whole bytes are appended
//   bin_heap, bin_open, bin_append
//                       takes memory; C->writer is at its beginning, C->build_at points there
//   bin_...             writes a segment, or several that make whole bytes together, so far from
//                       C->build_at; one of unknown size moves C->build_at behind it
//   bin_end             the result into its register
//
// Until there is memory, what an operation does not do begins the whole instruction again.
// Afterwards it is finished by end_create_bin, which writes all segments once more from where
// C->writer is.
//
// Older compilers' instructions are such operations already: bs_init takes memory, each bs_put_*
// writes a segment at C->writer. The common ones have a stencil of their own (at the end).
#include "vm/interp/lowered_building.h"
#include "term/binary.h"
#include "term/bit_syntax.h"
#include "term/bits.h"
#include "vm/interp/handler.h"

namespace wb {

static const Word* op_repeat(Exec&, const Word* I) { return I; }
#define BEGIN_AGAIN WB_SLOW(op_repeat)
#define FINISH WB_FINISH(slow_handler<op_repeat>)

FAST_Z(bin_room) {  // bytes
  if (WB_UNLIKELY(C->p->heap.wants_collection() || C->gc_stress ||
                  !WB_HAS_ROOM(WB_BYTES(words) + kCallSlack * sizeof(Word)))) {
    BEGIN_AGAIN;
  }
  WB_NEXT();
}

// --- sizes in bits
FAST_Z(bin_size) {
  C->build_bits = WB_NUMBER(bits);
  WB_NEXT();
}
/// A binary of whole bytes.
FAST_1(bin_size_all) {
  Term t = WB_LOAD(A, value);
  if (WB_UNLIKELY(!is_boxed(t))) BEGIN_AGAIN;
  const Term* p = boxed_ptr(t);
  Kind kind = header_kind(p[0]);
  uint64_t bits = p[1];  // of a sub_bin
  if (kind != Kind::sub_bin) {
    if (WB_UNLIKELY(kind != Kind::heap_bin)) BEGIN_AGAIN;
    bits *= 8;
  }
  if (WB_UNLIKELY((bits & 7) != 0)) BEGIN_AGAIN;
  C->build_bits += bits;
  WB_NEXT();
}
FAST_1(bin_size_utf8) {
  Term t = WB_LOAD(A, value);
  constexpr Term k1 = make_small(0x80), k2 = make_small(0x800), k3 = make_small(0xd800),
                 k4 = make_small(0xe000), k5 = make_small(0x10000), k6 = make_small(0x110000);
  if (WB_UNLIKELY(!is_small(t) || t >= k6 || (t >= k3 && t < k4))) BEGIN_AGAIN;
  C->build_bits += t < k1 ? 8 : t < k2 ? 16 : t < k5 ? 24 : 32;
  WB_NEXT();
}

// --- memory
FAST_Z(bin_heap) {  // header, bytes of it, bytes of the heap
  HP[0] = WB_NUMBER(header);
  HP[1] = WB_NUMBER(bytes);
  auto* end = reinterpret_cast<Term*>(reinterpret_cast<char*>(HP) + WB_BYTES(words));
  end[-1] = 0;
  auto* bytes = reinterpret_cast<uint8_t*>(HP + 2);
  C->writer.bytes = C->build_at = bytes;
  C->writer.position = 0;
  C->writer.end = WB_BYTES(bytes);  // bits
  C->build_result = make_boxed(HP);
  HP = end;
  WB_NEXT();
}
#define OPEN(function, instruction)                                     \
  do {                                                                  \
    using Open = BinaryOpened (*)(Exec&, const Word*);                  \
    WB_SPILL();                                                         \
    BinaryOpened opened = reinterpret_cast<Open>(WB_ADDRESS(function))( \
        *C, reinterpret_cast<const Word*>(WB_ADDRESS(instruction)));    \
    WB_RELOAD();                                                        \
    if (WB_UNLIKELY(opened == BinaryOpened::no)) BEGIN_AGAIN;           \
    if (WB_UNLIKELY(opened == BinaryOpened::within_a_byte)) FINISH;     \
  } while (0)
FAST_Z(bin_open) {  // function, the instruction
  OPEN(function, whole);
  WB_NEXT();
}

/// What owns the bytes behind binary `t`, if they are t's to use; else nullptr.
static WB_INLINE Term* owner_of_room(Term t) {
  if (!is_kind(t, Kind::sub_bin)) return nullptr;
  Term* window = boxed_ptr(t);
  if (!sub_bin::writable(window) || !is_writable_base(sub_bin::base(window))) return nullptr;
  Term* refc = boxed_ptr(sub_bin::base(window));
  return refc_bin::object(refc)->refs.load(std::memory_order_acquire) == 1 ? refc : nullptr;
}
/// At `hp`, a window that is longer than `t` by some bits; the room behind it is its own from now
/// on.
static WB_INLINE Term longer_window(Term* hp, Term t, size_t bits) {
  Term* old = boxed_ptr(t);
  sub_bin::writable(old) = 0;
  hp[0] = make_header(Kind::sub_bin, sub_bin::kWords - 1);
  hp[1] = old[1] + bits;
  hp[2] = old[2];
  hp[3] = 1;
  hp[4] = old[4];
  return make_boxed(hp);
}
/// The spare room behind binary `t` is taken for C->build_bits more, if it is t's to use and whole
/// bytes (as append_start in term/bit_append.cc does it). False: nothing was changed.
static WB_INLINE bool extend(Exec* C, Term t) {
  Term* refc = owner_of_room(t);
  if (!refc) return false;
  const Term* window = boxed_ptr(t);
  Binary* b = refc_bin::object(refc);
  size_t bits = window[1], used = window[2] + bits, end = used + C->build_bits;
  if (((bits | used) & 7) != 0 || end == used || end / 8 > b->capacity) return false;
  b->size = refc[3] = end / 8;
  refc_bin::flags(refc) |= refc_bin::appended;
  C->writer.bytes = b->data;
  C->writer.position = used;
  C->writer.end = end;
  C->build_at = b->data + used / 8;
  return true;
}
// binary, function, the instruction
FAST_1(bin_append_in_place) {
  Term t = WB_LOAD(A, source);
  if (WB_LIKELY(extend(C, t))) {
    boxed_ptr(t)[1] += C->build_bits;
    FC -= static_cast<int64_t>(C->build_bits / 8192);
    C->build_result = t;
    WB_NEXT();
  }
  OPEN(function, whole);
  WB_NEXT();
}
FAST_1(bin_append) {
  Term t = WB_LOAD(A, source);
  if (WB_LIKELY(extend(C, t))) {
    C->build_result = longer_window(HP, t, C->build_bits);
    HP += sub_bin::kWords;
    FC -= static_cast<int64_t>(C->build_bits / 8192);
    WB_NEXT();
  }
  OPEN(function, whole);
  WB_NEXT();
}

// --- integers that do not make whole bytes, behind a binary that may end within one
/// Of the integers in C->build_group the low `bits`, at most 56, are written behind binary `t`, if
/// there are eight bytes that are t's to use. False: nothing was changed.
static WB_INLINE bool extend_by_bits(Exec* C, Term t, size_t bits, size_t unit_mask) {
  Term* refc = owner_of_room(t);
  if (!refc) return false;
  const Term* window = boxed_ptr(t);
  Binary* b = refc_bin::object(refc);
  size_t used = window[2] + window[1], first = used / 8, within = used & 7;
  if ((window[1] & unit_mask) != 0 || first + 8 > b->capacity) return false;
  uint8_t* at = b->data + first;
  uint64_t before = static_cast<uint64_t>(*at & (0xff00u >> within)) << 56;
  uint64_t v = __builtin_bswap64(before | C->build_group << (64 - bits) >> within);
  memcpy(at, &v, sizeof v);
  b->size = refc[3] = (used + bits + 7) / 8;
  refc_bin::flags(refc) |= refc_bin::appended;
  return true;
}
/// One of the integers. (What stood in C->build_group before is shifted out in the end.) There is
/// no memory yet: what does not fit begins the instruction again.
FAST_1(bin_bits) {  // s, bits
  Term t = WB_LOAD(A, value);
  if (WB_UNLIKELY(!(WB_CONSTANTS_ARE_SMALL && A == K::c) && !is_small(t))) BEGIN_AGAIN;
  unsigned bits = WB_NUMBER(bits) & 63;
  C->build_group = C->build_group << bits | ((t >> 4) & ~(~uint64_t{0} << bits));
  WB_NEXT();
}
// binary, bits, mask of the unit, function, the instruction
FAST_1(bin_append_bits_in_place) {
  Term t = WB_LOAD(A, source);
  size_t bits = WB_NUMBER(bits);
  if (WB_LIKELY(extend_by_bits(C, t, bits, WB_NUMBER(unit_mask)))) {
    boxed_ptr(t)[1] += bits;
    C->build_result = t;
    WB_NEXT();
  }
  C->build_bits = bits;
  OPEN(function, whole);
  FINISH;
}
FAST_1(bin_append_bits) {
  Term t = WB_LOAD(A, source);
  size_t bits = WB_NUMBER(bits);
  if (WB_LIKELY(extend_by_bits(C, t, bits, WB_NUMBER(unit_mask)))) {
    C->build_result = longer_window(HP, t, bits);
    HP += sub_bin::kWords;
    WB_NEXT();
  }
  C->build_bits = bits;
  OPEN(function, whole);
  FINISH;
}

// --- segments: s, distance
#define AT(name) (C->build_at + WB_NUMBER(name))
FAST_1(bin_byte) {
  Term t = WB_LOAD(A, value);
  if (WB_UNLIKELY(!(WB_CONSTANTS_ARE_SMALL && A == K::c) && !is_small(t))) FINISH;
  *AT(at) = static_cast<uint8_t>(t >> 4);
  WB_NEXT();
}
/// The first integer of a group.
FAST_1(bin_group) {
  Term t = WB_LOAD(A, value);
  if (WB_UNLIKELY(!(WB_CONSTANTS_ARE_SMALL && A == K::c) && !is_small(t))) FINISH;
  C->build_group = static_cast<uint64_t>(static_cast<int64_t>(t) >> 4);
  WB_NEXT();
}
FAST_1(bin_join) {  // s, bits
  Term t = WB_LOAD(A, value);
  if (WB_UNLIKELY(!(WB_CONSTANTS_ARE_SMALL && A == K::c) && !is_small(t))) FINISH;
  unsigned bits = WB_NUMBER(bits) & 63;
  uint64_t low = (t >> 4) & ~(~uint64_t{0} << bits);
  C->build_group = C->build_group << bits | low;
  WB_NEXT();
}
// distance, what of the group comes behind it in bits
#define STORE(name, type, order)                                           \
  FAST_Z(name) {                                                           \
    auto v = static_cast<type>(C->build_group >> (WB_NUMBER(shift) & 63)); \
    v = order(v);                                                          \
    memcpy(AT(at), &v, sizeof v);                                          \
    WB_NEXT();                                                             \
  }
STORE(bin_store1, uint8_t, )
STORE(bin_store2, uint16_t, __builtin_bswap16)
STORE(bin_store4, uint32_t, __builtin_bswap32)
STORE(bin_little2, uint16_t, )
STORE(bin_little4, uint32_t, )
#define STORE8(name, order)             \
  FAST_Z(name) {                        \
    uint64_t v = order(C->build_group); \
    memcpy(AT(at), &v, sizeof v);       \
    WB_NEXT();                          \
  }
STORE8(bin_store8, __builtin_bswap64)
STORE8(bin_little8, )

FAST_1(bin_float) {
  Term t = WB_LOAD(A, value);
  if (WB_UNLIKELY(!is_float(t))) FINISH;
  uint64_t v = __builtin_bswap64(boxed_ptr(t)[1]);
  memcpy(AT(at), &v, sizeof v);
  WB_NEXT();
}
using PutTerm = uint8_t* (*)(uint8_t*, Term);
FAST_1(bin_all) {  // s, distance, function
  Term t = WB_LOAD(A, value);
  // Appended to in place, it has grown since it was measured. (No compiler writes such code.)
  if (WB_UNLIKELY(t == C->build_result)) FINISH;
  C->build_at = reinterpret_cast<PutTerm>(WB_ADDRESS(function))(AT(at), t);
  WB_NEXT();
}
FAST_1(bin_utf8) {  // s, distance, function
  Term t = WB_LOAD(A, value);
  uint8_t* at = AT(at);
  if (WB_LIKELY(t < make_small(0x80))) {
    *at = static_cast<uint8_t>(t >> 4);
    C->build_at = at + 1;
  } else {
    C->build_at = reinterpret_cast<PutTerm>(WB_ADDRESS(function))(at, t);
  }
  WB_NEXT();
}
FAST_Z(bin_string) {  // distance, bytes, address, function (memcpy)
  using Copy = void* (*)(void*, const void*, size_t);
  reinterpret_cast<Copy>(WB_ADDRESS(copy))(
      AT(at), reinterpret_cast<const void*>(WB_ADDRESS(string)), WB_NUMBER(bytes));
  WB_NEXT();
}
FAST_1(bin_end) {
  WB_STORE(A, dst, C->build_result);
  WB_NEXT();
}

// --- bs_init, bs_put_*: C->writer is where the next one goes
FAST_1(bin_init) {  // dst function unit
  using Init = Term (*)(Exec&, uint64_t);
  WB_SPILL();
  Term t = reinterpret_cast<Init>(WB_ADDRESS(function))(*C, WB_NUMBER(unit));
  WB_RELOAD();
  if (WB_UNLIKELY(!is_value(t))) BEGIN_AGAIN;
  WB_STORE(A, dst, t);
  WB_NEXT();
}
/// May `bits` more be written, beginning with a byte?
static WB_INLINE bool has_place(const Exec* C, size_t bits) {
  return (C->writer.position & 7) == 0 && C->writer.end - C->writer.position >= bits;
}
FAST_1(bin_put_byte) {
  Term t = WB_LOAD(A, value);
  if (WB_UNLIKELY(!(WB_CONSTANTS_ARE_SMALL && A == K::c) && !is_small(t))) BEGIN_AGAIN;
  if (WB_UNLIKELY(!has_place(C, 8))) BEGIN_AGAIN;
  C->writer.bytes[C->writer.position / 8] = static_cast<uint8_t>(t >> 4);
  C->writer.position += 8;
  WB_NEXT();
}
FAST_Z(bin_put_string) {  // bytes, address, function (memcpy)
  using Copy = void* (*)(void*, const void*, size_t);
  size_t n = WB_NUMBER(bytes);
  if (WB_UNLIKELY(!has_place(C, 8 * n))) BEGIN_AGAIN;
  uint8_t* to = C->writer.bytes + C->writer.position / 8;
  C->writer.position += 8 * n;
  reinterpret_cast<Copy>(WB_ADDRESS(copy))(to, reinterpret_cast<const void*>(WB_ADDRESS(string)),
                                           n);
  WB_NEXT();
}
FAST_1(bin_put_binary) {  // binary, function
  using Put = bool (*)(Exec&, Term);
  if (WB_UNLIKELY(!reinterpret_cast<Put>(WB_ADDRESS(function))(*C, WB_LOAD(A, value)))) BEGIN_AGAIN;
  WB_NEXT();
}

void install_lowered_building(Word* t, bool) {
#define INSTALL(name) fill::zero<Instr::name, h_##name>(t);
  INSTALL(bin_room)
  INSTALL(bin_size)
  INSTALL(bin_heap)
  INSTALL(bin_open)
  INSTALL(bin_store1)
  INSTALL(bin_store2)
  INSTALL(bin_store4)
  INSTALL(bin_store8)
  INSTALL(bin_little2)
  INSTALL(bin_little4)
  INSTALL(bin_little8)
  INSTALL(bin_string)
  INSTALL(bin_put_string)
#define INSTALL_1(name) fill::one<Instr::name, h_##name, 6>(t);
  INSTALL_1(bin_size_all)
  INSTALL_1(bin_size_utf8)
  INSTALL_1(bin_append)
  INSTALL_1(bin_append_in_place)
  INSTALL_1(bin_bits)
  INSTALL_1(bin_append_bits)
  INSTALL_1(bin_append_bits_in_place)
  INSTALL_1(bin_put_byte)
  INSTALL_1(bin_put_binary)
  INSTALL_1(bin_byte)
  INSTALL_1(bin_group)
  INSTALL_1(bin_join)
  INSTALL_1(bin_float)
  INSTALL_1(bin_all)
  INSTALL_1(bin_utf8)
  fill::one<Instr::bin_end, h_bin_end, 5>(t);
  fill::one<Instr::bin_init, h_bin_init, 5>(t);
}

}  // namespace wb
