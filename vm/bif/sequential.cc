// The token of sequential tracing as programs see it.
#include "vm/process/sequential.h"
#include "vm/bif/bif.h"

namespace wb {

BIF(erlang, seq_trace, 2)
{
  return set_seq_component(p, p.heap, a[0], a[1]);
}
BIF(erlang, seq_trace_info, 1)
{
  return seq_component(p, p.heap, a[0]);
}
BIF(erlang, seq_trace_print, 1)
{
  return make_bool(seq_print(p, a[0]));
}
BIF(erlang, seq_trace_print, 2)
{
  return make_bool(seq_print(p, a[1], a[0]));
}

}  // namespace wb
