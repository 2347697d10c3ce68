// erlang:phash/2, phash2/1,2.
#include "term/copy.h"
#include "term/hash.h"
#include "term/number.h"
#include "vm/bif/bif.h"

namespace wb {
namespace {

// A range is 1..2^32; 0 if it is not one.
uint64_t range_of(Term t) {
  uint64_t range;
  return to_uint64(t, &range) && range <= uint64_t{1} << 32 ? range : 0;
}

void charge_size(Process& p, Term t) {
  if (!is_immediate(t)) p.charge(static_cast<int64_t>(flat_size(t) / 20));
}

}  // namespace

BIF(erlang, phash, 2)
{
  uint64_t range = range_of(a[1]);
  if (range == 0) return kBadarg;
  charge_size(p, a[0]);
  return make_small(static_cast<int64_t>(1 + phash(a[0]) % range));
}

BIF(erlang, phash2, 1)
{
  charge_size(p, a[0]);
  return make_small(phash2(a[0]) & ((1u << 27) - 1));
}

BIF(erlang, phash2, 2)
{
  uint64_t range = range_of(a[1]);
  if (range == 0) return kBadarg;
  charge_size(p, a[0]);
  return make_small(static_cast<int64_t>(phash2(a[0]) % range));
}

}  // namespace wb
