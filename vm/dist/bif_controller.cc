// What kernel's Erlang code asks when it makes connections and carries them: net_kernel, dist_util,
// and controllers that are processes (ssl's inet_tls_dist, OTP's example gen_tcp_dist).
#include "term/binary.h"
#include "term/dist_atoms.h"
#include "term/lists.h"
#include "term/number.h"
#include "vm/core/vm.h"
#include "vm/dist/distribution.h"
#include "vm/io/iolist.h"
#include "vm/port/ports.h"
#include "vm/process/native.h"
#include "vm/process/report.h"
#include "vm/process/table.h"

namespace wb {

static Distribution& distribution(Process& p) { return *p.vm().ports->distribution; }

/// {erts_dflags, Offered, Mandatory, Addable, Rejectable, StrictOrder}
BIF(erts_internal, get_dflags, 0)
{
  Heap& h = p.heap;
  auto number = [&](uint64_t n) { return make_unsigned(h, n); };
  return tuple(h, am::erts_dflags, number(dist_flag::kOffered), number(dist_flag::kMandatory),
               number(dist_flag::kAddable), number(dist_flag::kRejectable),
               number(dist_flag::kStrictOrder));
}

// --- making them ---------------------------------------------------------------------------------
BIF(erts_internal, new_connection, 1)
{
  if (!is_atom(a[0]) || a[0] == local_node().name) return kBadarg;
  Distribution& d = distribution(p);
  return d.handle(p.heap, d.begin_connection(a[0]));
}
/// Only of this very one.
BIF(erts_internal, abort_pending_connection, 2)
{
  if (!is_atom(a[0])) return kBadarg;
  auto c = Distribution::of_handle(a[1]);
  if (!c) return kBadarg;
  return make_bool(c->node == a[0] && c->abort());
}
/// A process or port of that connection's handshake has done it.
BIF(erts_internal, create_dist_channel, 3)
{
  if (!is_atom(a[0]) || !is_tuple_of(a[2], 2) || !Distribution::is_alive()) return am::badarg;
  uint64_t flags, creation;
  const Term* e = tuple_elements(a[2]);
  if (!to_uint64(e[0], &flags) || !to_uint64(e[1], &creation)) return am::badarg;
  if (a[0] == local_node().name) return am::badarg;
  if (~flags & dist_flag::kMandatory) {
    report_incapable_node(p, a[0]);
    return am::badarg;
  }
  std::shared_ptr<Port> port;
  if (is_local_port(a[1])) {
    if (!(port = p.vm().ports->find(a[1]))) return am::badarg;
  } else if (!is_local_pid(a[1]) || !p.vm().is_alive(a[1])) {
    return am::badarg;
  }
  Distribution& d = distribution(p);
  auto c = d.begin_connection(a[0]);
  d.mark(a[1]);
  if (!c->begin(a[1], port, flags, static_cast<uint32_t>(creation))) return am::badarg;
  if (port && !port->take_over(p, c)) {
    c->end(am::connection_closed);
    return am::badarg;
  }
  const Term kernel = p.vm().processes->registered(am::net_kernel);
  if (is_local_pid(kernel)) {  // which links to it
    p.vm().send(kernel, tuple(p.heap, am::dist_ctrlr, a[1], a[0], p.id));
  }
  return tuple(p.heap, am::ok, d.handle(p.heap, c));
}

// --- controllers that are processes --------------------------------------------------------------
/// Of a handle whose connection `p` carries; null: badarg.
static std::shared_ptr<Connection> carried(Process& p, Term handle) {
  auto c = Distribution::of_handle(handle);
  return c && c->is_up() && c->controller() == p.id ? c : nullptr;
}

BIF(erlang, dist_ctrl_input_handler, 2)
{
  auto c = carried(p, a[0]);
  if (!c || !is_local_pid(a[1]) || !p.vm().is_alive(a[1])) return kBadarg;
  c->set_input_handler(a[1]);
  return am::ok;
}
BIF(erlang, dist_ctrl_put_data, 2)
{
  auto c = Distribution::of_handle(a[0]);
  if (!c || (c->is_up() && !c->handles_input(p.id))) return kBadarg;
  if (!is_list(a[1]) && !is_bitstring(a[1])) return kBadarg;
  size_t bits;
  UnlimitedBudget budget;
  if (!iolist_bits(a[1], false, &bits, budget)) return kBadarg;
  bool good;
  if (is_binary(a[1])) {
    const ByteView v(a[1]);
    good = c->put_data(v.data(), v.size());
  } else {
    std::string bytes(bits / 8, 0);
    write_iolist(a[1], reinterpret_cast<uint8_t*>(bytes.data()), budget);
    good = c->put_data(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  }
  p.charge(static_cast<int64_t>(bits / 8000));
  if (!good) c->break_off();
  return am::ok;
}
BIF(erlang, dist_ctrl_get_data, 1)
{
  auto c = carried(p, a[0]);
  if (!c) return kBadarg;
  std::string packet;
  if (!c->take_packet(&packet)) return am::none;
  p.charge(static_cast<int64_t>(packet.size() / 1000));
  const Term data =
      make_binary(p.heap, reinterpret_cast<const uint8_t*>(packet.data()), packet.size());
  const Term list = cons(p.heap, data, kNil);
  if (!c->gives_size) return list;
  return tuple(p.heap, make_small(static_cast<int64_t>(packet.size())), list);
}
BIF(erlang, dist_ctrl_get_data_notification, 1)
{
  auto c = carried(p, a[0]);
  if (!c) return kBadarg;
  c->notify_of_data();
  return am::ok;
}
BIF(erlang, dist_ctrl_get_opt, 2)
{
  auto c = carried(p, a[0]);
  return c && a[1] == am::get_size ? make_bool(c->gives_size) : kBadarg;
}
BIF(erlang, dist_ctrl_set_opt, 3)
{
  auto c = carried(p, a[0]);
  if (!c || a[1] != am::get_size || (a[2] != am::true_ && a[2] != am::false_)) return kBadarg;
  return make_bool(c->gives_size.exchange(a[2] == am::true_));
}
BIF(erlang, dist_get_stat, 1)
{
  auto c = Distribution::of_handle(a[0]);
  if (!c || !c->is_up()) return kBadarg;
  const Connection::Statistics s = c->statistics();
  Heap& h = p.heap;
  return tuple(h, am::ok, make_unsigned(h, s.packets_in), make_unsigned(h, s.packets_out),
               make_unsigned(h, s.waiting_packets + s.sequences));
}

}  // namespace wb
