// md5, crc32 and adler32 of iodata. Checksums are fed chunk by chunk; nothing is flattened.
#include <zlib.h>

#include "base/md5.h"
#include "base/work_budget.h"
#include "term/binary.h"
#include "term/number.h"
#include "vm/bif/bif.h"
#include "vm/io/iolist.h"

namespace wb {

namespace {
constexpr int64_t kFed = 8;  // steps a reduction; an element is one

/// How many bytes are fed at once, and how many steps sixteen of them are.
struct Pace {
  size_t chunk;
  int64_t steps;
};
constexpr Pace kSum{48 << 10, 1};
/// 25 times as slow: a slice is 40 us, so who waits behind some such processes waits no
/// millisecond.
constexpr Pace kMd5{6 << 10, 48};

/// Calls update(bytes, n) for the chunks of iodata, empty binaries among them. kNone: done; else
/// why not.
template <class Update>
Term feed(Process& p, Term iodata, Pace pace, Update update) {
  constexpr size_t kFew = 1024;
  if (is_binary(iodata) && bit_size(iodata) <= kFew * 8) {
    const ByteView v(iodata);
    update(v.data(), v.size());
    p.charge(pace.steps * static_cast<int64_t>(v.size() / 16) / kFed);
    return kNone;
  }
  uint8_t pending[256];
  size_t n = 0;
  BifBudget budget(p, kFed);
  auto flush = [&] {
    if (n) update(pending, n);
    n = 0;
  };
  bool ok = walk_iolist(
      iodata, budget,
      [&](uint8_t b) {
        if (n == sizeof pending) flush();
        pending[n++] = b;
      },
      [&](Term t) {
        if (!is_binary(t)) return false;
        flush();
        ByteView v(t);
        size_t at = 0;
        do {  // once for an empty one, too
          const size_t m = std::min(pace.chunk, v.size() - at);
          update(v.data() + at, m);
          if (!budget.steps(pace.steps * static_cast<int64_t>(m / 16))) return false;
        } while ((at += pace.chunk) < v.size());
        return true;
      });
  if (!ok) return budget.stopped() ? kCancelled : kBadarg;
  flush();
  return kNone;
}

using Checksum = uLong (*)(uLong, const Bytef*, uInt);

Term checksum(Process& p, Checksum function, uLong sum, Term iodata) {
  Term why = feed(p, iodata, kSum, [&](const uint8_t* bytes, size_t n) {
    // Also for no bytes at all: zlib normalises the sum.
    sum = function(sum, bytes, static_cast<uInt>(n));
  });
  return why == kNone ? make_unsigned(p.heap, sum) : why;
}

bool sum_arg(Term t, uLong* sum) {
  uint64_t v;
  if (!to_uint64(t, &v) || v > UINT32_MAX) return false;
  *sum = v;
  return true;
}

using Combine = uLong (*)(uLong, uLong, z_off_t);

Term combine(Process& p, Combine function, const Term* a) {
  uLong first, second;
  uint64_t size;
  if (!sum_arg(a[0], &first) || !sum_arg(a[1], &second) || !to_uint64(a[2], &size) ||
      size > UINT32_MAX) {
    return kBadarg;
  }
  return make_unsigned(p.heap, function(first, second, static_cast<z_off_t>(size)));
}

Term md5_feed(Process& p, Term iodata, Md5* context) {
  return feed(p, iodata, kMd5, [&](const uint8_t* b, size_t n) { context->update({b, n}); });
}

Term digest(Process& p, const Md5& context) {
  Md5Digest d = context.digest();
  return make_binary(p.heap, d.data(), d.size());
}

bool md5_context(Term t, Md5* context) {
  if (!is_binary(t) || bit_size(t) != sizeof(Md5) * 8) return false;
  ByteView v(t);
  memcpy(static_cast<void*>(context), v.data(), sizeof(Md5));
  return true;
}

Term context_binary(Process& p, const Md5& context) {
  return make_binary(p.heap, &context, sizeof context);
}
}  // namespace

BIF(erlang, crc32, 1)
{
  return checksum(p, crc32, 0, a[0]);
}
BIF(erlang, crc32, 2)
{
  uLong sum;
  return sum_arg(a[0], &sum) ? checksum(p, crc32, sum, a[1]) : kBadarg;
}
BIF(erlang, crc32_combine, 3)
{
  return combine(p, crc32_combine, a);
}

BIF(erlang, adler32, 1)
{
  return checksum(p, adler32, 1, a[0]);
}
BIF(erlang, adler32, 2)
{
  uLong sum;
  return sum_arg(a[0], &sum) ? checksum(p, adler32, sum, a[1]) : kBadarg;
}
BIF(erlang, adler32_combine, 3)
{
  // zlib's own answer for an empty second part is another.
  auto with_empty = [](uLong first, uLong second, z_off_t size) {
    return size == 0 ? first : adler32_combine(first, second, size);
  };
  return combine(p, with_empty, a);
}

BIF(erlang, md5, 1)
{
  Md5 context;
  Term why = md5_feed(p, a[0], &context);
  return why == kNone ? digest(p, context) : why;
}

BIF(erlang, md5_init, 0)
{
  return context_binary(p, Md5());
}

BIF(erlang, md5_update, 2)
{
  Md5 context;
  if (!md5_context(a[0], &context)) return kBadarg;
  Term why = md5_feed(p, a[1], &context);
  return why == kNone ? context_binary(p, context) : why;
}

BIF(erlang, md5_final, 1)
{
  Md5 context;
  return md5_context(a[0], &context) ? digest(p, context) : kBadarg;
}

}  // namespace wb
