// What programs ask of tools that BEAM has in special builds only, and this machine in none:
// counters of locks (lcnt), tags of DTrace. The answers are those of a BEAM that was built without
// them.
#include "vm/bif/bif.h"

namespace wb {

// --- locks that count
BIF(erts_debug, lcnt_control, 1)
{
  return kBadarg;
}
BIF(erts_debug, lcnt_control, 2)
{
  return kBadarg;
}
BIF(erts_debug, lcnt_collect, 0)
{
  return am::error;
}
BIF(erts_debug, lcnt_clear, 0)
{
  return am::error;
}

/// Bytes of the loop that executes instructions: there is none.
BIF(erts_debug, interpreter_size, 0)
{
  return make_small(0);
}

// --- DTrace
BIF(erlang, dt_put_tag, 1)
{
  return am::undefined;
}
BIF(erlang, dt_get_tag, 0)
{
  return am::undefined;
}
BIF(erlang, dt_get_tag_data, 0)
{
  return am::undefined;
}
BIF(erlang, dt_prepend_vm_tag_data, 1)
{
  return a[0];
}
BIF(erlang, dt_append_vm_tag_data, 1)
{
  return a[0];
}
BIF(erlang, dt_spread_tag, 1)
{
  return am::true_;
}
BIF(erlang, dt_restore_tag, 1)
{
  return am::true_;
}

}  // namespace wb
