// OTP's own tracer module, the NIFs of erl_tracer: what tells processes of traces. The machine
// does that itself (vm/trace/message.cc); these are for programs that call it.
#include <algorithm>

#include "term/map.h"
#include "vm/bif/bif.h"
#include "vm/core/vm.h"
#include "vm/process/process.h"
#include "vm/process/route.h"
#include "vm/process/time_stamp.h"
#include "vm/trace/message.h"

namespace wb {

static bool is_tracer_alive(Process& p, Term who) {
  return is_local_pid(who) && p.vm().is_alive(who);
}

BIF(erl_tracer, enabled, 3)
{
  if (!is_tracer_alive(p, a[1])) return a[0] == am::trace_status ? am::remove : am::discard;
  return a[1] == a[2] ? am::discard : am::trace;
}

/// The flag that makes a time stamp as asked for; 0: there is no such.
static uint32_t timestamp_flag(Term how) {
  switch (how) {
    case am::monotonic:
      return traced::monotonic_timestamp;
    case am::strict_monotonic:
      return traced::strict_monotonic_timestamp;
    case am::timestamp:
      return traced::timestamp;
    default:
      return 0;
  }
}

/// trace(Tag, Tracer, Tracee, Term, Options): {trace, Tracee, Tag, Term, ...}, where sequential
/// traces have a shorter form if there is nothing extra.
BIF(erl_tracer, trace, 5)
{
  if (!is_tracer_alive(p, a[1])) return am::ok;
  auto option = [&](Term key) { return is_map(a[4]) ? map_get(a[4], key) : kNone; };
  Term extra = option(am::extra), stamp = option(am::timestamp);
  bool sequential = a[0] == am::seq_trace && !is_value(extra);
  Term e[8];
  size_t n = 0;
  e[n++] = sequential ? am::seq_trace : is_value(stamp) ? am::trace_ts : am::trace;
  e[n++] = a[2];
  if (!sequential) e[n++] = a[0];
  e[n++] = a[3];
  for (Term more : {extra, option(am::match_spec_result), option(am::scheduler_id)}) {
    if (is_value(more)) e[n++] = more;
  }
  FragmentHeap h(32);
  if (is_value(stamp)) {
    uint32_t flag = timestamp_flag(stamp);
    if (!flag) return am::ok;
    e[n++] = trace_timestamp(p.vm(), h, flag);
  }
  Term* to;
  Term message = new_tuple(h, n, &to);
  std::copy(e, e + n, to);
  route(p.vm(), a[1], new_signal(SignalKind::message, message));
  return am::ok;
}

}  // namespace wb
