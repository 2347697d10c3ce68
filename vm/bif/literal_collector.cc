// What erts_literal_area_collector, OTP's own process, asks of the machine.
#include "vm/process/literal_collector.h"

#include "vm/bif/bif.h"
#include "vm/core/vm.h"
#include "vm/process/requests.h"

namespace wb {

/// The last batch is over. False: there is no other.
BIF(erts_literal_area_collector, release_area_switch, 0)
{
  LiteralCollector& collector = *p.vm().literals;
  if (p.id != collector.pid()) return kBadarg;
  return collector.next() ? await_progress(p, am::true_) : am::false_;
}
/// Answered by {copy_literals, {Area, How, Pid}, ok}.
BIF(erts_literal_area_collector, send_copy_request, 3)
{
  if (p.id != p.vm().literals->pid() || !is_local_pid(a[0])) return kBadarg;
  Term id = tuple(p.heap, a[1], a[2], a[0]);
  Term task = tuple(p.heap, am::copy_literals, id, kNil);
  send_request_by_message(p, p.id, a[0], Request::task, task);
  return am::ok;
}

}  // namespace wb
