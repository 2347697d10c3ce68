// persistent_term: see vm/ets/persistent_terms.h.
#include "loader/code_table.h"
#include "term/socket_atoms.h"
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

/// A machine that did not boot OTP makes prim_socket's tables when they are first wanted.
static bool is_socket_table(Process& p, Term key) {
  return p.vm().services && is_tuple_of(key, 2) && boxed_ptr(key)[1] == am::prim_socket &&
         is_atom(boxed_ptr(key)[2]);
}

BIF(persistent_term, get, 1)
{
  Term value = p.vm().persistent_terms->get(a[0]);
  if (WB_LIKELY(value != kNone)) return value;
  if (!is_socket_table(p, a[0])) return kBadarg;
  Export* make = p.vm().code->export_entry(am::whitebeam_service, am::socket_table, 1);
  return p.trap(make, {a[0]});
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
