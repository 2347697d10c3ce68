// erlang:phash/2, phash2/1,2.
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

constexpr int64_t kTerms = 20;  // a reduction

using Hash = uint32_t (*)(Term, WorkBudget&);
Term hash_of(Process& p, Hash hash, Term t, uint64_t range, int64_t first) {
  BifBudget budget(p, kTerms);
  uint32_t h = hash(t, budget);
  if (budget.stopped()) return kCancelled;
  return make_small(first + static_cast<int64_t>(h % range));
}

}  // namespace

BIF(erlang, phash, 2)
{
  uint64_t range = range_of(a[1]);
  if (range == 0) return kBadarg;
  return hash_of(p, phash, a[0], range, 1);
}

BIF(erlang, phash2, 1)
{
  return hash_of(p, phash2, a[0], uint64_t{1} << 27, 0);
}

BIF(erlang, phash2, 2)
{
  uint64_t range = range_of(a[1]);
  if (range == 0) return kBadarg;
  return hash_of(p, phash2, a[0], range, 0);
}

}  // namespace wb
