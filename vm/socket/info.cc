// What sockets say of themselves.
#include <sys/socket.h>
#include <climits>

#include "vm/socket/address_terms.h"
#include "vm/socket/socket_bif.h"

namespace wb {
namespace {

Term states(Heap& h, uint32_t state) {
  ListBuilder list(h);
  struct {
    uint32_t bit;
    Term name;
  } constexpr kNames[] = {
      {NativeSocket::kBound, am::bound},         {NativeSocket::kListening, am::listening},
      {NativeSocket::kAccepting, am::accepting}, {NativeSocket::kConnecting, am::connecting},
      {NativeSocket::kConnected, am::connected}, {NativeSocket::kSelected, am::selected},
      {NativeSocket::kClosing, am::closing},     {NativeSocket::kClosed, am::closed}};
  for (auto [bit, name] : kNames) {
    if (state & bit) list.add(name);
  }
  return list.finish();
}

Term counters(Heap& h, const NativeSocket& s) {
  std::vector<Term> pairs;
#define C(name) pairs.push_back(am::name), pairs.push_back(make_unsigned(h, s.counters.name));
  NATIVE_SOCKET_COUNTERS(C)
  if (s.sent_files) {
    NATIVE_SENDFILE_COUNTERS(C)
  }
#undef C
  return map_from_pairs(h, pairs.data(), pairs.size() / 2);
}

Term made_by(Heap& h, const NativeSocket& s) {
  if (!s.made_from) return am::normal;
  return *s.made_from < 0 ? am::fromfd : tuple(h, am::fromfd, make_small(*s.made_from));
}

/// How sockets are served: the name BEAM has for its way on POSIX systems, and from OTP 29 on which
/// functions of SCTP there are.
Term backend(Heap& h) {
  Term functions[14];
  size_t n = 0;
  for (const char* name :
       {"bindx", "connectx", "peeloff", "getladdrs", "freeladdrs", "getpaddrs", "freepaddrs"}) {
    functions[n++] = intern(name), functions[n++] = am::false_;
  }
  Term pairs[] = {am::name, intern("unix_essio"), am::sctp, map_from_pairs(h, functions, n / 2)};
  return map_from_pairs(h, pairs, otp_release() < 29 ? 1 : 2);
}

}  // namespace

BIF(prim_socket, nif_info, 1)
{
  WB_SOCKET(s, a[0]);
  Heap& h = p.heap;
  NativeSocket::Guard guard(s->lock);
  auto count = [](const Waiters& w) { return make_small(static_cast<int64_t>(w.all.size())); };
  Term pairs[] = {am::domain,        domain_term(s->kind.domain),
                  am::type,          type_term(s->kind.type),
                  am::protocol,      make_small(s->kind.protocol),
                  am::owner,         s->owner == kNone ? am::undefined : s->owner,
                  am::ctype,         made_by(h, *s),
                  am::counters,      counters(h, *s),
                  am::num_readers,   count(s->readers),
                  am::num_writers,   count(s->writers),
                  am::num_acceptors, count(s->acceptors),
                  am::rstates,       states(h, s->read_state),
                  am::wstates,       states(h, s->write_state)};
  return map_from_pairs(h, pairs, 11);
}

BIF(prim_socket, nif_info, 0)
{
  Heap& h = p.heap;
  NativeSockets& t = *p.vm().ports->sockets;
  NativeSockets::Census c = t.census();
  auto n = [&](uint64_t v) { return make_unsigned(h, v); };
  Term numbers[] = {am::num_cnt_bits, make_small(64), am::num_sockets,  n(c.all),
                    am::num_dinet,    n(c.inet),      am::num_dinet6,   n(c.inet6),
                    am::num_dlocal,   n(c.local),     am::num_tstreams, n(c.streams),
                    am::num_tdgrams,  n(c.datagrams), am::num_tseqpkgs, n(c.seqpackets),
                    am::num_ptcp,     n(c.tcp),       am::num_pudp,     n(c.udp),
                    am::num_psctp,    n(c.sctp),      am::num_pip,      n(c.ip)};
  Term pairs[] = {am::counters,
                  map_from_pairs(h, numbers, 12),
                  am::debug,
                  make_bool(t.debug),
                  am::socket_debug,
                  make_bool(t.socket_debug),
                  am::iow,
                  make_bool(t.inform_of_wraps),
                  am::iov_max,
                  make_small(IOV_MAX),
                  am::use_registry,
                  make_bool(t.use_registry),
                  am::eei,
                  am::true_,
                  am::io_backend,
                  backend(h),
                  am::load_nif_result,
                  am::ok};
  const int release = otp_release();
  return map_from_pairs(h, pairs, release < 27 ? 6 : release < 29 ? 8 : 9);
}

/// #{command => debug | socket_debug | use_registry, data => boolean()}
BIF(prim_socket, nif_command, 1)
{
  if (!is_map(a[0])) return kBadarg;
  Term command = map_get(a[0], am::command), data = map_get(a[0], am::data);
  NativeSockets& t = *p.vm().ports->sockets;
  std::atomic<bool>* flag = command == am::debug          ? &t.debug
                            : command == am::socket_debug ? &t.socket_debug
                            : command == am::use_registry ? &t.use_registry
                                                          : nullptr;
  if (!flag)
    return is_value(command) && is_value(data)
               ? raise_invalid(p, tuple(p.heap, am::command, command))
               : kBadarg;
  if (data != am::true_ && data != am::false_)
    return raise_invalid(p, tuple(p.heap, am::data, is_value(data) ? data : am::undefined));
  *flag = data == am::true_;
  return am::ok;
}

}  // namespace wb
