// persistent_term: see vm/ets/persistent_terms.h.
#include "term/map.h"
#include "term/number.h"
#include "vm/bif/bif.h"
#include "vm/core/vm.h"
#include "vm/ets/persistent_terms.h"

namespace wb {

BIF(persistent_term, get, 0)
{
  return p.vm().persistent_terms->all(p.heap);
}

BIF(persistent_term, get, 1)
{
  Term value = p.vm().persistent_terms->get(a[0]);
  return value == kNone ? kBadarg : value;
}

BIF(persistent_term, get, 2)
{
  Term value = p.vm().persistent_terms->get(a[0]);
  return value == kNone ? a[1] : value;
}

BIF(persistent_term, put, 2)
{
  p.vm().persistent_terms->put(a[0], a[1]);
  return am::ok;
}

BIF(persistent_term, erase, 1)
{
  return make_bool(p.vm().persistent_terms->erase(a[0]));
}

BIF(persistent_term, info, 0)
{
  const PersistentTerms& terms = *p.vm().persistent_terms;
  Term pairs[] = {am::count, make_unsigned(p.heap, terms.count()), am::memory,
                  make_unsigned(p.heap, terms.words() * sizeof(Term))};
  return map_from_pairs(p.heap, pairs, 2);
}

BIF(erts_internal, erase_persistent_terms, 0)
{
  p.vm().persistent_terms->erase_all();
  return am::ok;
}

}  // namespace wb
