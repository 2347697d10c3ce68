// Guard BIFs that are instructions, too: what a handler does not decide goes to these, which also
// know how to fail. vm/bif/bifs.def lists them like all others.
#include "term/bit_syntax.h"
#include "term/bits.h"
#include "term/map.h"
#include "vm/process/guard.h"

namespace wb {

GUARD(erlang, hd, 1)
{
  return is_cons(a[0]) ? head(a[0]) : kBadarg;
}

GUARD(erlang, tl, 1)
{
  return is_cons(a[0]) ? tail(a[0]) : kBadarg;
}

/// Of a bitstring; an instruction may also give a match context and means what is left there.
static Term bits_as_term(Term t, uint64_t unit) {
  size_t bits;
  if (is_bitstring(t))
    bits = bit_size(t);
  else if (is_kind(t, Kind::match_ctx))
    bits = match_left(match_context(t));
  else
    return kBadarg;
  return make_small(static_cast<int64_t>((bits + unit - 1) / unit));
}
GUARD(erlang, byte_size, 1)
{
  return bits_as_term(a[0], 8);
}

GUARD(erlang, bit_size, 1)
{
  return bits_as_term(a[0], 1);
}

GUARD(erlang, map_size, 1)
{
  if (!is_map(a[0])) return p.error(tuple(p.heap(), am::badmap, a[0]));
  return make_small(static_cast<int64_t>(map_size(a[0])));
}

GUARD(erlang, element, 2)
{
  if (!is_tuple(a[1])) return kBadarg;
  if (!is_small(a[0])) return kBadarg;
  int64_t i = small_value(a[0]);
  bool there = i >= 1 && static_cast<uint64_t>(i) <= tuple_arity(a[1]);
  return there ? tuple_elements(a[1])[i - 1] : kBadarg;
}

}  // namespace wb
