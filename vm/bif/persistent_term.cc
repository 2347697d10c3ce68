// persistent_term: see vm/ets/persistent_terms.h.
#include "loader/code_table.h"
#include "term/map.h"
#include "term/number.h"
#include "term/socket_atoms.h"
#include "vm/bif/bif.h"
#include "vm/core/vm.h"
#include "vm/ets/persistent_terms.h"

namespace wb {

BIF(persistent_term, get, 0)
{
  return p.vm().persistent_terms->all(p.heap);
}

/// What a booted system keeps from its start is made when it is first wanted where OTP has not been
/// booted: tables of prim_socket's, the shell of os:cmd/1.
static bool is_from_start(Process& p, Term key) {
  if (!p.vm().services) return false;
  return key == am::kernel_os_cmd_shell || key == am::erl_prim_loader || key == am::code_server ||
         (is_tuple_of(key, 2) && boxed_ptr(key)[1] == am::prim_socket &&
          is_atom(boxed_ptr(key)[2]));
}

BIF(persistent_term, get, 1)
{
  Term value = p.vm().persistent_terms->get(a[0]);
  if (WB_LIKELY(value != kNone)) return value;
  if (!is_from_start(p, a[0])) return kBadarg;
  Export* make = p.vm().code->export_entry(am::whitebeam_service, am::persistent_term, 1);
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

BIF(persistent_term, put_new, 2)
{
  return p.vm().persistent_terms->put_new(a[0], a[1]) ? am::ok : kBadarg;
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
