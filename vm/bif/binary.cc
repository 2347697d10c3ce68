// Module binary, except searching (binary_search.cc).
#include "term/binary.h"

#include <algorithm>

#include "base/work_budget.h"
#include "term/number.h"
#include "vm/bif/bif.h"
#include "vm/bif/binary_part.h"
#include "vm/io/iolist.h"

namespace wb {

BIF(erlang, list_to_binary, 1);  // binary_conv.cc

namespace {
constexpr int64_t kCopied = 20;   // times 16 bytes, a reduction
constexpr size_t kChunk = 64;     // bytes that are compared without a pause
constexpr int64_t kCompared = 4;  // chunks a reduction

Term copy_times(Process& p, Term bin, Term times) {
  uint64_t n_times;
  if (!is_bitstring(bin) || !to_uint64(times, &n_times)) return kBadarg;
  if (!is_binary(bin) && n_times) return kBadarg;  // nothing of a bitstring is fine
  ByteView v(bin);
  size_t total;
  if (__builtin_mul_overflow(v.size(), n_times, &total)) return kSystemLimit;
  uint8_t* to;
  Term t = new_bytes(p.heap, total, &to);
  if (is_fault(t) || total == 0) return t;
  BifBudget budget(p, kCopied);
  auto copy = [&](uint8_t* at, const uint8_t* from, size_t size) {
    return in_chunks(size, budget, [&](size_t i, size_t m) { memcpy(at + i, from + i, m); });
  };
  if (!copy(to, v.data(), v.size())) return kCancelled;
  // Doubling: each round copies all that is there already.
  for (size_t done = v.size(); done < total;) {
    size_t n = std::min(done, total - done);
    if (!copy(to + done, to, n)) return kCancelled;
    done += n;
  }
  return t;
}

bool endian(Term t, bool* little) {
  *little = t == am::little;
  return *little || t == am::big;
}

Term decode_unsigned(Process& p, Term bin, bool little) {
  if (!is_binary(bin)) return kBadarg;
  ByteView v(bin);
  return integer_from_bits(p.heap, v.data(), 0, v.size() * 8, little, false);
}

Term encode_unsigned(Process& p, Term n, bool little) {
  size_t bytes;
  uint8_t* to;
  if (is_small(n) && small_value(n) >= 0) {
    uint64_t v = static_cast<uint64_t>(small_value(n));
    bytes = v ? 8 - static_cast<size_t>(__builtin_clzll(v)) / 8 : 1;
    Term t = new_bytes(p.heap, bytes, &to);
    if (!little) v = __builtin_bswap64(v) >> (64 - 8 * bytes);
    memcpy(to, &v, sizeof v);  // there is room for a whole word
    return t;
  } else if (is_big(n) && !big_negative(n)) {
    uint64_t top = big_limbs(n)[big_size(n) - 1];
    bytes = big_size(n) * 8 - static_cast<size_t>(__builtin_clzll(top)) / 8;
  } else {
    return kBadarg;
  }
  Term t = new_bytes(p.heap, bytes, &to);
  if (is_value(t)) integer_to_bits(n, to, 0, bytes * 8, little);
  return t;
}

/// How many of the first (or last) `n` bytes are the same in both.
size_t common_bytes(const ByteView& a, const ByteView& b, size_t n, bool at_end,
                    WorkBudget& budget) {
  auto byte = [&](const ByteView& v, size_t i) { return v.data()[at_end ? v.size() - 1 - i : i]; };
  for (size_t i = 0; i < n;) {
    const size_t end = std::min(n, i + kChunk);
    while (i < end && byte(a, i) == byte(b, i)) ++i;
    if (i < end) return i;
    if (!budget.step()) return 0;
  }
  return n;
}

/// Bytes that all binaries of the list share at their start (or end).
Term common_part(Process& p, Term list, bool at_end) {
  BifBudget budget(p, kCompared);
  if (!is_cons(list) || !is_binary(head(list))) return kBadarg;
  ByteView first(head(list));
  size_t n = first.size();
  for (list = tail(list); is_cons(list); list = tail(list)) {
    if (!is_binary(head(list))) return kBadarg;
    ByteView v(head(list));
    n = std::min(n, v.size());
    n = common_bytes(first, v, n, at_end, budget);
    if (budget.stopped()) return kCancelled;
  }
  return is_nil(list) ? make_small(static_cast<int64_t>(n)) : kBadarg;
}

Term byte_at(Term bin, size_t i) {
  ByteView v(bin);
  return i < v.size() ? make_small(v.data()[i]) : kBadarg;
}
}  // namespace

BIF(binary, at, 2)
{
  if (!is_binary(a[0]) || !is_small(a[1]) || small_value(a[1]) < 0) return kBadarg;
  return byte_at(a[0], static_cast<size_t>(small_value(a[1])));
}

BIF(binary, first, 1)
{
  return is_binary(a[0]) ? byte_at(a[0], 0) : kBadarg;
}

BIF(binary, last, 1)
{
  return is_binary(a[0]) ? byte_at(a[0], bit_size(a[0]) / 8 - 1) : kBadarg;
}

BIF(binary, part, 2)
{
  if (!is_tuple_of(a[1], 2)) return kBadarg;
  return binary_part(p.heap, a[0], tuple_elements(a[1])[0], tuple_elements(a[1])[1]);
}

BIF(binary, part, 3)
{
  return binary_part(p.heap, a[0], a[1], a[2]);
}

BIF(binary, copy, 1)
{
  return copy_times(p, a[0], make_small(1));
}
BIF(binary, copy, 2)
{
  return copy_times(p, a[0], a[1]);
}

BIF(binary, list_to_bin, 1)
{
  return erlang_list_to_binary_1(p, a);
}

BIF(binary, decode_unsigned, 1)
{
  return decode_unsigned(p, a[0], false);
}

BIF(binary, decode_unsigned, 2)
{
  bool little;
  return endian(a[1], &little) ? decode_unsigned(p, a[0], little) : kBadarg;
}

BIF(binary, encode_unsigned, 1)
{
  return encode_unsigned(p, a[0], false);
}

BIF(binary, encode_unsigned, 2)
{
  bool little;
  return endian(a[1], &little) ? encode_unsigned(p, a[0], little) : kBadarg;
}

BIF(binary, longest_common_prefix, 1)
{
  return common_part(p, a[0], false);
}
BIF(binary, longest_common_suffix, 1)
{
  return common_part(p, a[0], true);
}

BIF(binary, referenced_byte_size, 1)
{
  if (!is_bitstring(a[0])) return kBadarg;
  Term base = is_kind(a[0], Kind::sub_bin) ? sub_bin::base(boxed_ptr(a[0])) : a[0];
  const Term* b = boxed_ptr(base);
  const bool on_heap = is_kind(base, Kind::heap_bin);
  if (on_heap && otp_release() >= 29) return make_small(static_cast<int64_t>(bit_size(a[0]) / 8));
  size_t n = on_heap ? b[1] : refc_bin::object(b)->capacity;
  return make_small(static_cast<int64_t>(n));
}

}  // namespace wb
