// self, references, and sending as a function.
#include "term/identifiers.h"
#include "vm/bif/bif.h"
#include "vm/core/vm.h"
#include "vm/process/options.h"
#include "vm/process/send.h"

namespace wb {

GUARD(erlang, self, 0)
{
  return p.process().id;
}
BIF(erlang, make_ref, 0)
{
  return p.vm().new_ref(p.heap);
}

// --- nodes ---------------------------------------------------------------------------------------
GUARD(erlang, node, 0)
{
  return local_node().name;
}
GUARD(erlang, node, 1)
{
  if (!is_pid(a[0]) && !is_port(a[0]) && !is_ref(a[0])) return kBadarg;
  return node_of(a[0]).name;
}

// --- send ----------------------------------------------------------------------------------------
static Term sent(Term result, Term message) { return result == am::ok ? message : result; }
BIF(erlang, bang, 2)
{
  p.charge(2);
  return sent(send_term(p, a[0], a[1]), a[1]);
}
BIF(erlang, send, 2)
{
  p.charge(2);
  return sent(send_term(p, a[0], a[1]), a[1]);
}
BIF(erlang, send, 3)
{
  SendOptions options;
  Term list = a[2];
  for (; is_cons(list); list = tail(list)) {
    if (head(list) == am::noconnect)
      options.noconnect = true;
    else if (head(list) == am::nosuspend)
      options.nosuspend = true;
    else if (is_priority_option(head(list)))
      options.priority = true;
    else
      return p.badarg(am::badopt);
  }
  if (!is_nil(list)) return p.badarg(am::badopt);
  p.charge(2);
  return send_term(p, a[0], a[1], options);
}

}  // namespace wb
