// Bitstrings to lists and back, sizes and parts: the BIFs of module erlang.
#include "base/work_budget.h"
#include "term/binary.h"
#include "term/bits.h"
#include "vm/bif/bif.h"
#include "vm/bif/binary_part.h"
#include "vm/io/iolist.h"

namespace wb {

namespace {
constexpr size_t kShareBytes = 512;  // iovec elements at least this large are not copied

// Steps a reduction: bytes made elements, elements made bytes (counted twice).
constexpr int64_t kToList = 100, kFromList = 30;

/// bytes[0, n) as a list.
Term budgeted_list(Process& p, const uint8_t* bytes, size_t n, Term rest = kNil) {
  BifBudget budget(p, kToList);
  return bytes_to_list(p.heap, bytes, n, rest, budget);
}

Term build(Process& p, Term iolist, bool whole_bytes) {
  size_t bits;
  BifBudget budget(p, kFromList);
  if (!iolist_bits(iolist, whole_bytes, &bits, budget))
    return budget.stopped() ? kCancelled : kBadarg;
  size_t n = (bits + 7) / 8;
  uint8_t* to;
  Term t = new_bytes(p.heap, n, &to);
  if (is_fault(t)) return t;
  if (bits & 7) to[n - 1] = 0;
  if (!write_iolist(iolist, to, budget)) return kCancelled;
  return bits & 7 ? make_window(p.heap, t, 0, bits) : t;
}
}  // namespace

bool part_range(Term position, Term length, size_t size, size_t* at, size_t* n) {
  if (!is_small(position) || !is_small(length)) return false;
  int64_t pos = small_value(position), len = small_value(length);
  if (len < 0) {
    pos += len;
    len = -len;
  }
  if (pos < 0 || static_cast<size_t>(pos) > size ||
      static_cast<size_t>(len) > size - static_cast<size_t>(pos)) {
    return false;
  }
  *at = static_cast<size_t>(pos);
  *n = static_cast<size_t>(len);
  return true;
}

Term binary_part(Heap& h, Term bin, Term position, Term length) {
  size_t at, n;
  if (!is_bitstring(bin) || !part_range(position, length, bit_size(bin) / 8, &at, &n)) {
    return kBadarg;
  }
  return sub_bitstring(h, bin, at * 8, n * 8);
}

GUARD(erlang, binary_part, 2)
{
  if (!is_tuple_of(a[1], 2)) return kBadarg;
  return binary_part(p.heap(), a[0], tuple_elements(a[1])[0], tuple_elements(a[1])[1]);
}

GUARD(erlang, binary_part, 3)
{
  return binary_part(p.heap(), a[0], a[1], a[2]);
}

BIF(erlang, split_binary, 2)
{
  if (!is_bitstring(a[0]) || !is_small(a[1]) || small_value(a[1]) < 0) return kBadarg;
  size_t size = bit_size(a[0]), at = static_cast<size_t>(small_value(a[1]));
  if (at > size / 8) return kBadarg;
  Term first = sub_bitstring(p.heap, a[0], 0, at * 8);
  Term rest = sub_bitstring(p.heap, a[0], at * 8, size - at * 8);
  return tuple(p.heap, first, rest);
}

// --- to lists ------------------------------------------------------------------------------------
BIF(erlang, binary_to_list, 1)
{
  if (!is_binary(a[0])) return kBadarg;
  ByteView v(a[0]);
  return budgeted_list(p, v.data(), v.size());
}

BIF(erlang, binary_to_list, 3)
{
  if (!is_bitstring(a[0]) || !is_small(a[1]) || !is_small(a[2])) return kBadarg;
  int64_t start = small_value(a[1]), stop = small_value(a[2]);
  ByteView v(a[0]);
  if (start < 1 || stop < start || static_cast<size_t>(stop) > v.size()) return kBadarg;
  return budgeted_list(p, v.data() + start - 1, static_cast<size_t>(stop - start + 1));
}

BIF(erlang, bitstring_to_list, 1)
{
  if (!is_bitstring(a[0])) return kBadarg;
  size_t bits = bit_size(a[0]), rest = bits & 7;
  Term end = kNil;
  if (rest) end = cons(p.heap, sub_bitstring(p.heap, a[0], bits - rest, rest), kNil);
  ByteView v(a[0]);
  return budgeted_list(p, v.data(), v.size(), end);
}

// --- from lists ----------------------------------------------------------------------------------
BIF(erlang, list_to_binary, 1)
{
  return is_list(a[0]) ? build(p, a[0], true) : kBadarg;
}

BIF(erlang, list_to_bitstring, 1)
{
  return is_list(a[0]) ? build(p, a[0], false) : kBadarg;
}

BIF(erlang, iolist_to_binary, 1)
{
  return is_binary(a[0]) ? a[0] : build(p, a[0], true);
}

BIF(erlang, iolist_size, 1)
{
  size_t bits;
  BifBudget budget(p, kFromList);
  if (!iolist_bits(a[0], true, &bits, budget)) return budget.stopped() ? kCancelled : kBadarg;
  return make_small(static_cast<int64_t>(bits / 8));
}

/// Bytes that come a few at a time.
class GatheredBytes {
 public:
  const uint8_t* data() const { return begin_; }
  size_t size() const { return static_cast<size_t>(at_ - begin_); }
  void clear() { at_ = begin_; }
  /// Where the next `n` go.
  WB_INLINE uint8_t* add(size_t n) {
    if (WB_UNLIKELY(static_cast<size_t>(end_ - at_) < n)) grow(n);
    return std::exchange(at_, at_ + n);
  }

 private:
  void grow(size_t n) {
    const size_t have = size();
    std::vector<uint8_t> larger(2 * (have + n));
    memcpy(larger.data(), begin_, have);
    heap_ = std::move(larger);
    begin_ = heap_.data(), at_ = begin_ + have, end_ = begin_ + heap_.size();
  }

  uint8_t few_[1024];
  std::vector<uint8_t> heap_;
  uint8_t *begin_ = few_, *at_ = few_, *end_ = few_ + sizeof few_;
};

// Small pieces are gathered into one binary, large binaries become elements as they are.
BIF(erlang, iolist_to_iovec, 1)
{
  BifBudget budget(p, kFromList);
  ListBuilder vec(p.heap);
  GatheredBytes pending;
  Term failed = kNone;
  auto flush = [&] {
    if (pending.size() == 0) return;
    uint8_t* to;
    Term t = new_bytes(p.heap, pending.size(), &to);
    if (is_fault(t)) {
      failed = t;
    } else {
      in_chunks(pending.size(), budget,
                [&](size_t at, size_t n) { memcpy(to + at, pending.data() + at, n); });
      vec.add(t);
    }
    pending.clear();
  };
  bool ok = walk_iolist(
      a[0], budget, [&](uint8_t b) { *pending.add(1) = b; },
      [&](Term t) __attribute__((always_inline)) {
        const Bits b = bits_in(t);
        if (!b.whole_bytes()) return false;
        const size_t n = b.size / 8;
        if (n >= kShareBytes) {
          flush();
          vec.add(t);
        } else if (WB_LIKELY(b.aligned())) {
          copy_few_bytes(pending.add(n), b.bytes, n);
        } else {
          copy_bits(pending.add(n), 0, b.bytes, b.offset, b.size);
        }
        return true;
      });
  if (!ok) return budget.stopped() ? kCancelled : kBadarg;
  flush();
  return failed == kNone ? vec.finish() : failed;
}

}  // namespace wb
