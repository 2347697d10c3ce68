#include "vm/port/socket.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <optional>

#include "term/atom.h"
#include "term/binary.h"
#include "term/bits.h"
#include "term/external.h"
#include "vm/core/vm.h"
#include "vm/io/file_names.h"
#include "vm/io/iolist.h"
#include "vm/io/net_namespace.h"
#include "vm/io/network.h"
#include "vm/port/interfaces.h"
#include "vm/port/ports.h"
#include "vm/port/socket_operations.h"

namespace wb {

Socket::Socket(Port& port, bool stream)
    : port_(port), stream_(stream), deadlines_(port, on_deadline, this) {}

Socket::~Socket() {
  if (watch_) network().close(watch_->fd);
  for (auto& w : dropped_) {
    if (!w->stays_open) network().close(w->fd);
  }
}

Vm& Socket::vm() const { return port_.vm(); }
Network& Socket::network() const { return *vm().network; }
Term Socket::port_id() const { return port_.id; }
Term Socket::owner() const { return port_.owner(); }
size_t Socket::memory() const { return sizeof *this; }

// --- the descriptor ------------------------------------------------------------------------------
void Socket::adopt(int fd, int family) {
  watch_ = std::make_unique<Watch>();
  watch_->fd = fd;
  watch_->ready = on_ready;
  watch_->socket = this;
  family_ = family;
  wanted_ = armed_ = 0;
}
void Socket::drop_descriptor() {
  if (watch_) dropped_.push_back(std::move(watch_));
  wanted_ = armed_ = 0;
}
void Socket::release_after_lock(bool all) {
  std::vector<std::unique_ptr<Watch>> dropped;
  {
    Port::Guard guard(port_, Port::Guard::Looking{});
    if (all) drop_descriptor();
    dropped.swap(dropped_);
  }
  for (auto& w : dropped) {
    network().unwatch(*w);
    if (!w->stays_open) network().close(w->fd);
  }
  if (all) deadlines_.cancel();
}

void Socket::want(uint32_t events) {
  wanted_ = events;
  if (ignored_ || !watch_ || !(events & ~armed_)) return;
  if (network().watch(*watch_, events) == 0) armed_ = events;
}
void Socket::on_ready(Worker&, FdWatch& watch, uint32_t events) {
  Socket& s = *static_cast<Watch&>(watch).socket;
  Port::Guard guard(s.port_);
  if (s.watch_.get() != &watch || s.port_.is_gone()) return;
  s.armed_ = 0;
  constexpr uint32_t kAnyway = EPOLLERR | EPOLLHUP;
  if (events & kAnyway) events |= s.wanted_;
  if (events & s.wanted_) s.ready(events & (s.wanted_ | kAnyway));
  if (s.watch_ && s.wanted_) s.want(s.wanted_);
}
void Socket::on_deadline(void* self, uint64_t now) {
  static_cast<Socket*>(self)->deadline_passed(now);
}

// --- answers to port_control ---------------------------------------------------------------------
bool Socket::error(std::string* out, std::string_view name) {
  out->assign(1, 0);
  out->append(name);
  return true;
}
bool Socket::error(std::string* out, int error) {
  return Socket::error(out, atom_text(posix_atom(error)));
}
bool Socket::ok_number(std::string* out, uint16_t number) {
  ok(out);
  put_short(out, number);
  return true;
}

// --- messages ------------------------------------------------------------------------------------
void Socket::post(Term to, FragmentHeap& h, Term message) { port_.post_to(to, h, message); }

static Term ok_or_error(Heap& h, Term what) {
  return what == am::ok ? what : tuple(h, am::error, what);
}
void Socket::answer_caller(const Waiting& to, Term what) {
  FragmentHeap h(16);
  post(to.caller, h,
       tuple(h, am::inet_async, port_id(), make_small(to.number), ok_or_error(h, what)));
}
void Socket::answer_caller_value(const Waiting& to, FragmentHeap& h, Term value) {
  Term result = tuple(h, am::ok, value);
  post(to.caller, h, tuple(h, am::inet_async, port_id(), make_small(to.number), result));
}
void Socket::reply(Term to, Term what) {
  FragmentHeap h(64);
  const auto* tag = reinterpret_cast<const uint8_t*>(reply_tag_.data());
  Term ref = reply_tag_.empty() ? kBadarg : decode_term(h, tag, reply_tag_.size());
  Term result = ok_or_error(h, what);
  post(to, h,
       is_value(ref) ? tuple(h, am::inet_reply, port_id(), result, ref)
                     : tuple(h, am::inet_reply, port_id(), result));
}
/// [<<Size:16, Ref/binary>> | Data]. What the option `local` of term_to_binary/2 has put before the
/// reference (vm/bif/external.cc) is left out: it comes from this machine.
Term Socket::without_tag(Term data, size_t* size) {
  reply_tag_.clear();
  if (otp_release() < 26 || !is_cons(data) || !is_binary(head(data))) return data;
  constexpr size_t kLength = 2, kLocalHead = 6;
  constexpr char kVersion = '\x83', kLocal = 121;
  ByteView v(head(data));
  std::string_view tag(reinterpret_cast<const char*>(v.data()), v.size());
  if (tag.size() < kLength + kLocalHead || tag[kLength] != kVersion || tag[kLength + 1] != kLocal ||
      read_bits(v.data(), 0, 16) != tag.size() - kLength)
    return data;
  *size -= tag.size();
  reply_tag_ = kVersion;
  reply_tag_ += tag.substr(kLength + kLocalHead);
  return tail(data);
}
void Socket::notify_owner(Term tag) {
  FragmentHeap h(8);
  post(owner(), h, tuple(h, tag, port_id()));
}
void Socket::notify_owner(Term tag, Term reason) {
  FragmentHeap h(8);
  post(owner(), h, tuple(h, tag, port_id(), reason));
}
void Socket::count_active() {
  if (o_.active == Active::once) o_.active = Active::passive;
  if (o_.active != Active::multi || --o_.active_count > 0) return;
  o_.active = Active::passive;
  notify_owner(stream_ ? am::tcp_passive : am::udp_passive);
}

size_t Socket::data_words(size_t n) const {
  bool list = !o_.binary || o_.header > n;
  return list ? 2 * n : 2 * o_.header + kMaxHeapBinBytes / 8 + 8;
}
Term Socket::data(FragmentHeap& h, const uint8_t* bytes, size_t n) const {
  if (!o_.binary || o_.header > n) return bytes_to_list(h, bytes, n);
  Term rest = make_binary(h, bytes + o_.header, n - o_.header);
  return o_.header ? bytes_to_list(h, bytes, o_.header, rest) : rest;
}

// --- statistics ----------------------------------------------------------------------------------
void Socket::Traffic::add(size_t n, size_t packets_in_it) {
  bytes += n;
  packets += static_cast<uint32_t>(packets_in_it);
  largest = std::max(largest, static_cast<uint32_t>(n / packets_in_it));
  const double k = static_cast<double>(packets_in_it), size = static_cast<double>(n) / k;
  average += (size - average) * k / packets;
  deviation += (std::fabs(size - average) - deviation) * k / packets;
}
void Socket::count_in(size_t n) {
  in_.add(n);
  if (Worker* w = Scheduler::current()) w->counters.bytes_in.add(n);
}
void Socket::count_out(size_t n, size_t packets) {
  out_.add(n, packets);
  if (Worker* w = Scheduler::current()) w->counters.bytes_out.add(n);
}

bool Socket::statistics(std::string_view in, std::string* out) {
  ok(out);
  for (char which : in) {
    *out += which;
    auto whole = [](double d) { return static_cast<uint32_t>(d); };
    auto wide = [&](uint64_t n) {
      put_int(out, static_cast<uint32_t>(n >> 32)), put_int(out, static_cast<uint32_t>(n));
    };
    switch (which) {  // INET_STAT_* of inet_int.hrl
      case 1:
        put_int(out, in_.packets);
        break;
      case 2:
        put_int(out, in_.largest);
        break;
      case 3:
        put_int(out, whole(in_.average));
        break;
      case 4:
        put_int(out, whole(in_.deviation));
        break;
      case 5:
        put_int(out, out_.packets);
        break;
      case 6:
        put_int(out, out_.largest);
        break;
      case 7:
        put_int(out, whole(out_.average));
        break;
      case 8:
        put_int(out, static_cast<uint32_t>(queued()));
        break;
      case 9:
        wide(in_.bytes);
        break;
      case 10:
        wide(out_.bytes);
        break;
      default:
        return error(out, EINVAL);
    }
  }
  return true;
}

/// The one event there is: nothing waits to be sent.
bool Socket::subscribe(Process& from, std::string_view in, std::string* out) {
  constexpr char kEmpty = 1;
  ok(out);
  for (char event : in) {
    if (event != kEmpty) return error(out, EINVAL);
    *out += event;
    put_int(out, static_cast<uint32_t>(queued()));
    if (queued()) notify_when_drained(from.id);
  }
  return true;
}

// --- operations ----------------------------------------------------------------------------------
bool Socket::open(std::string_view in, std::string* out, bool given) {
  constexpr uint8_t kStream = 1, kDatagram = 2;
  uint8_t family, type;
  if (!take_byte(&in, &family) || !take_byte(&in, &type)) return error(out, EINVAL);
  int system = system_family(family);
  if (system < 0 || type != (stream_ ? kStream : kDatagram) || watch_) return error(out, EINVAL);
  int descriptor;
  if (given) {
    int32_t number, bound;
    if (!take_int(&in, &number) || !take_int(&in, &bound)) return error(out, EINVAL);
    descriptor = number;
    network().adopt(descriptor);
    SocketAddress its;
    if (network().name(descriptor, &its.any, &its.size) != 0) return error(out, errno);
    if (its.any.sa_family != system) return error(out, EINVAL);
    if (change_flags(descriptor, O_NONBLOCK) < 0) return error(out, errno);
  } else {
    int kind = stream_ ? SOCK_STREAM : SOCK_DGRAM;
    std::optional<NetNamespaceScope> there;
    if (!o_.netns.empty()) there.emplace(o_.netns);
    if (there && there->error()) return error(out, there->error());
    descriptor = network().open(system, kind, 0);
    if (descriptor < 0) return error(out, errno);
  }
  adopt(descriptor, system);
  state_ = kOpen;
  if (given) {
    SocketAddress peer;
    if (network().peer(descriptor, &peer.any, &peer.size) == 0) state_ = kConnected;
  }
  options_changed({.activity = true});
  return ok(out);
}

bool Socket::bind(std::string_view in, std::string* out) {
  SocketAddress address, bound;
  if (state_ == kClosed) return error(out, "exbadport");
  if (!take_address(&in, family_, &address)) return error(out, EINVAL);
  if (network().bind(fd(), &address.any, address.size) != 0) return error(out, errno);
  int port = address.port();
  if (port == 0 && network().name(fd(), &bound.any, &bound.size) == 0) port = bound.port();
  return ok_number(out, static_cast<uint16_t>(port));
}

bool Socket::name(std::string* out, bool peer) {
  SocketAddress a;
  if (peer && (state_ & kConnected) != kConnected) return error(out, ENOTCONN);
  const int failed =
      peer ? network().peer(fd(), &a.any, &a.size) : network().name(fd(), &a.any, &a.size);
  if (failed) return error(out, errno);
  ok(out);
  put_address(a, out);
  return true;
}

bool Socket::said_name(std::string* out, bool peer) {
  const auto& pretended = peer ? pretended_peer_ : pretended_name_;
  if (!pretended || (peer && (state_ & kConnected) != kConnected)) return name(out, peer);
  ok(out);
  put_address(*pretended, out);
  return true;
}
/// inet:setsockname/2, setpeername/2: an address of whatever family, or nothing.
bool Socket::pretend(std::string_view in, std::string* out, std::optional<SocketAddress>* as) {
  if (state_ == kClosed) return error(out, EINVAL);
  as->reset();
  if (in.empty()) return ok(out);
  const int named = system_family(static_cast<uint8_t>(in[0]));
  SocketAddress address;
  if (!take_address(&in, named < 0 ? family_ : named, &address)) return error(out, EINVAL);
  *as = address;
  return ok(out);
}

/// Another port, or somebody else, has the descriptor now: its events are not ours.
bool Socket::ignore(std::string_view in, std::string* out) {
  uint8_t on;
  if (!take_byte(&in, &on)) return error(out, EINVAL);
  ignored_ = on;
  const uint32_t wanted = wanted_;
  if (ignored_ && watch_) {
    const int descriptor = fd();
    watch_->stays_open = true;
    drop_descriptor();
    adopt(descriptor, family_);
  }
  want(wanted);
  return ok(out);
}

/// "listens at 127.0.0.1:80", "127.0.0.1:4711 to [::1]:80, active" ...
std::string Socket::about() const {
  if (fd() < 0) return "closed";
  SocketAddress here, there;
  std::string text;
  if ((state_ & kListening) == kListening) text = "listens at ";
  if ((state_ & kConnecting) == kConnecting) text = "connects from ";
  bool named = network().name(fd(), &here.any, &here.size) == 0;
  text += named ? here.text() : "open";
  bool connected = (state_ & kConnected) == kConnected;
  if (connected && network().peer(fd(), &there.any, &there.size) == 0) {
    text += " to " + there.text();
  }
  return is_active() ? text + ", active" : text;
}

bool Socket::set_options(std::string_view in, std::string* out) {
  const Active before = o_.active;
  OptionChanges changes = set_socket_options(handle(), &o_, in);
  changes.mode = o_.active != before;
  changes.was_passive = before == Active::passive;
  if (changes.now_passive) notify_owner(stream_ ? am::tcp_passive : am::udp_passive);
  if (!changes.ok) return error(out, EINVAL);
  ok(out);
  if (changes.activity || changes.packet) options_changed(changes);
  return true;
}
bool Socket::get_options(std::string_view in, std::string* out) {
  ok(out);
  return get_socket_options(handle(), o_, in, out) || error(out, EINVAL);
}

bool Socket::control(Process& from, uint64_t number, const std::string& bytes, std::string* out) {
  if (number < kSocketOperations) return false;
  number -= kSocketOperations;
  std::string_view in = bytes;
  auto said = [&](int failed) { return failed ? error(out, failed) : true; };
  switch (static_cast<SocketOperation>(number)) {
    case SocketOperation::open:
      return open(in, out, false);
    case SocketOperation::open_descriptor:
      return open(in, out, true);
    case SocketOperation::bind:
      return bind(in, out);
    case SocketOperation::peer:
      return said_name(out, true);
    case SocketOperation::name:
      return said_name(out, false);
    case SocketOperation::local_addresses:
      return name(out, false);
    case SocketOperation::peer_addresses:
      return name(out, true);
    case SocketOperation::ignore_descriptor:
      return ignore(in, out);
    case SocketOperation::set_options:
      return set_options(in, out);
    case SocketOperation::get_options:
      return get_options(in, out);
    case SocketOperation::statistics:
      return statistics(in, out);
    case SocketOperation::subscribe:
      return subscribe(from, in, out);
    case SocketOperation::descriptor:
      if (state_ == kClosed) return error(out, "exbadport");
      ok(out);
      put_int(out, static_cast<uint32_t>(fd()));
      return true;
    case SocketOperation::type:
      ok(out);
      put_int(out, family_code(family_));
      put_int(out, stream_ ? 1 : 2);
      return true;
    case SocketOperation::status:
      ok(out);
      put_int(out, status());
      return true;
    case SocketOperation::host_name:
      return said((ok(out), host_name(out)));
    case SocketOperation::service_by_name:
      return said((ok(out), service_by_name(in, out)));
    case SocketOperation::service_by_port:
      return said((ok(out), service_by_port(in, out)));
    case SocketOperation::interfaces:
      return said((ok(out), interface_names(out)));
    case SocketOperation::interface_addresses:
      return said((ok(out), interface_addresses(out)));
    case SocketOperation::get_interface:
      return said((ok(out), interface_options(fd(), in, out)));
    case SocketOperation::set_interface:
      return said((ok(out), set_interface_options(fd(), in)));
    case SocketOperation::set_name:
      return pretend(in, out, &pretended_name_);
    case SocketOperation::set_peer:
      return pretend(in, out, &pretended_peer_);
    default:
      return operate(from, number, in, out) || error(out, EINVAL);
  }
}

}  // namespace wb
