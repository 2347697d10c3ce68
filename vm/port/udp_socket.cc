#include "vm/port/udp_socket.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "term/binary.h"
#include "vm/core/vm.h"
#include "vm/io/file_names.h"
#include "vm/io/iolist.h"
#include "vm/io/network.h"
#include "vm/port/beside.h"
#include "vm/port/ports.h"
#include "vm/port/socket_operations.h"

namespace wb {
namespace {

/// [{tos, N}, ...]; kNone: there was nothing.
Term beside_list(Heap& h, const msghdr& m) {
  Term list = kNone;
  each_beside(m, [&](const Beside& b, int value) {
    list = cons(h, tuple(h, b.name, make_small(value)), is_value(list) ? list : kNil);
  });
  return list;
}

/// Adds prim_inet's options to what goes with a datagram. False: not one of these.
bool add_beside(std::string_view in, msghdr* m, size_t capacity) {
  size_t used = 0;
  while (!in.empty()) {
    uint8_t number;
    int32_t value;
    if (!take_byte(&in, &number) || !take_int(&in, &value)) return false;
    const Beside* b = std::find_if(std::begin(kBeside), std::end(kBeside), [&](const Beside& x) {
      return static_cast<uint8_t>(x.option) == number;
    });
    if (b == std::end(kBeside) || used + CMSG_SPACE(sizeof value) > capacity) return false;
    auto* c = reinterpret_cast<cmsghdr*>(static_cast<char*>(m->msg_control) + used);
    c->cmsg_level = b->level;
    c->cmsg_type = b->sent;
    c->cmsg_len = CMSG_LEN(sizeof value);
    memcpy(CMSG_DATA(c), &value, sizeof value);
    used += CMSG_SPACE(sizeof value);
  }
  m->msg_controllen = used;
  return true;
}

Term ip_tuple(Heap& h, const SocketAddress& a) {
  if (a.any.sa_family == AF_INET) {
    auto* b = reinterpret_cast<const uint8_t*>(&a.in.sin_addr);
    return tuple(h, make_small(b[0]), make_small(b[1]), make_small(b[2]), make_small(b[3]));
  }
  const uint8_t* b = a.in6.sin6_addr.s6_addr;
  auto part = [&](int k) { return make_small(b[2 * k] << 8 | b[2 * k + 1]); };
  return tuple(h, part(0), part(1), part(2), part(3), part(4), part(5), part(6), part(7));
}

/// Where it came from, as an active socket's owner gets it.
Term source_term(Heap& h, const SocketAddress& a, Term* port) {
  *port = make_small(a.port());
  if (a.any.sa_family == AF_INET || a.any.sa_family == AF_INET6) return ip_tuple(h, a);
  if (a.any.sa_family != AF_UNIX) return tuple(h, am::unspec, make_binary(h, "", 0));
  std::string text;
  put_address(a, &text);  // family, length, path
  return tuple(h, am::local, make_binary(h, text.data() + 2, text.size() - 2));
}

}  // namespace

bool UdpSocket::operate(Process& from, uint64_t number, std::string_view in, std::string* out) {
  switch (static_cast<SocketOperation>(number)) {
    case SocketOperation::connect:
      return connect(from, in, out);
    case SocketOperation::receive_datagram:
      return receive(from, in, out);
    case SocketOperation::close:
      stopped();
      drop_descriptor();
      state_ = kClosed;
      return ok(out);
    default:
      return false;
  }
}

bool UdpSocket::connect(Process& from, std::string_view in, std::string* out) {
  int32_t timeout;
  SocketAddress address;
  if (state_ == kClosed) return error(out, "exbadport");
  if (!take_int(&in, &timeout) || !take_address(&in, family_, &address)) return error(out, EINVAL);
  // From where it was connected before it may not reach the other address.
  const sockaddr nowhere = {.sa_family = AF_UNSPEC, .sa_data = {}};
  if (state_ == kConnected) network().connect(fd(), &nowhere, sizeof nowhere);
  if (network().connect(fd(), &address.any, address.size) != 0) return error(out, errno);
  state_ = kConnected;
  Waiting w{from.id, next_number(), Deadlines::kNever};
  answer_caller(w, am::ok);
  return ok_number(out, w.number);
}

void UdpSocket::options_changed(const OptionChanges&) {
  if (state_ != kClosed) want(wants_input() ? EPOLLIN : 0u);
}
void UdpSocket::ready(uint32_t) {
  read();
  if (!port_.is_gone()) want(wants_input() ? EPOLLIN : 0u);
}
void UdpSocket::deadline_passed(uint64_t now) {
  if (receiver_.deadline <= now) answer_caller(std::exchange(receiver_, Waiting()), am::timeout);
  deadlines_.add(receiver_.deadline);
  want(wants_input() ? EPOLLIN : 0u);
}
void UdpSocket::stopped() {
  if (is_value(receiver_.caller)) answer_caller(std::exchange(receiver_, Waiting()), am::closed);
  want(0);
}

// --- what comes ----------------------------------------------------------------------------------
bool UdpSocket::receive(Process& from, std::string_view in, std::string* out) {
  int32_t timeout;
  if (state_ == kClosed) return error(out, "exbadport");
  if (is_active() || !take_int(&in, &timeout)) return error(out, EINVAL);
  if (is_value(receiver_.caller)) return error(out, EALREADY);
  uint16_t number = next_number();
  receiver_ = {from.id, number, Deadlines::kNever};
  read();
  if (is_value(receiver_.caller) && timeout == 0) {
    answer_caller(std::exchange(receiver_, Waiting()), am::timeout);
  } else if (is_value(receiver_.caller)) {
    receiver_.deadline = deadlines_.in_ms(static_cast<uint32_t>(timeout));
    deadlines_.add(receiver_.deadline);
  }
  want(wants_input() ? EPOLLIN : 0u);
  return ok_number(out, number);
}

void UdpSocket::read() {
  for (uint32_t k = 0; k < o_.read_packets && wants_input(); ++k)
    if (!read_once()) return;
}

/// False: there is none.
bool UdpSocket::read_once() {
  constexpr size_t kLargest = 65536;
  size_t room = std::min<size_t>(o_.buffer, kLargest);
  uint8_t buffer[kLargest], beside[256];
  SocketAddress from;
  iovec part{buffer, room};
  msghdr m = {};
  m.msg_name = &from.storage;
  m.msg_namelen = from.size;
  m.msg_iov = &part;
  m.msg_iovlen = 1;
  m.msg_control = beside;
  m.msg_controllen = sizeof beside;
  ssize_t n;
  do n = network().receive(fd(), &m, 0);
  while (n < 0 && errno == EINTR);
  if (n < 0 && errno == EAGAIN) return false;
  from.size = m.msg_namelen;
  if (n < 0)
    failed(errno);
  else
    deliver(from, m, buffer, static_cast<size_t>(n));
  return true;
}

void UdpSocket::failed(int error) {
  if (is_active()) return notify_owner(am::udp_error, posix_atom(error));
  if (is_value(receiver_.caller))
    answer_caller(std::exchange(receiver_, Waiting()), posix_atom(error));
}

void UdpSocket::deliver(const SocketAddress& from, const msghdr& m, const uint8_t* bytes,
                        size_t n) {
  count_in(n);
  FragmentHeap h(64 + data_words(n));
  Term value = data(h, bytes, n);
  if (is_fault(value)) return failed(ENOMEM);
  Term beside = beside_list(h, m);
  if (!is_active()) {
    std::string where;
    put_address(from, &where);
    value = bytes_to_list(h, reinterpret_cast<const uint8_t*>(where.data()), where.size(), value);
    if (is_value(beside)) value = tuple(h, value, beside);
    return answer_caller_value(std::exchange(receiver_, Waiting()), h, value);
  }
  if (o_.deliver_as_port) {
    std::string where;
    put_address(from, &where);
    value = bytes_to_list(h, reinterpret_cast<const uint8_t*>(where.data()), where.size(), value);
    post(owner(), h, tuple(h, port_id(), tuple(h, am::data, value)));
    return count_active();
  }
  Term port, ip = source_term(h, from, &port);
  post(owner(), h,
       is_value(beside) ? tuple(h, am::udp, port_id(), ip, port, beside, value)
                        : tuple(h, am::udp, port_id(), ip, port, value));
  count_active();
}

// --- what goes -----------------------------------------------------------------------------------
/// Address, what goes beside, and the bytes. 0 or errno.
int UdpSocket::send(std::string_view in) {
  SocketAddress to;
  int32_t size;
  std::string_view beside;
  constexpr uint8_t kAny = static_cast<uint8_t>(Family::any);
  // `any` is said where there is no address because the socket is connected.
  bool known = state_ == kConnected && !in.empty() && static_cast<uint8_t>(in[0]) == kAny;
  if (known)
    in.remove_prefix(std::min<size_t>(in.size(), 3));
  else if (!take_address(&in, family_, &to))
    return EINVAL;
  if (!take_int(&in, &size) || size < 0) return EINVAL;
  if (!take_bytes(&in, static_cast<size_t>(size), &beside)) return EINVAL;
  alignas(cmsghdr) char room[128] = {};
  iovec part{const_cast<char*>(in.data()), in.size()};
  msghdr m = {};
  if (!known && state_ != kConnected) m.msg_name = &to.storage, m.msg_namelen = to.size;
  m.msg_iov = &part;
  m.msg_iovlen = 1;
  m.msg_control = room;
  if (!add_beside(beside, &m, sizeof room)) return EINVAL;
  if (!m.msg_controllen) m.msg_control = nullptr;
  ssize_t n;
  do n = network().send(fd(), m, MSG_NOSIGNAL);
  while (n < 0 && errno == EINTR);
  if (n < 0) return errno;
  count_out(in.size());
  return 0;
}

void UdpSocket::command(Term from, Term term, size_t size) {
  term = without_tag(term, &size);
  UnlimitedBudget budget;
  std::string bytes(size, 0);
  write_iolist(term, reinterpret_cast<uint8_t*>(bytes.data()), budget);
  int failed = state_ == kClosed ? EINVAL : send(bytes);
  reply(from, failed ? posix_atom(failed) : am::ok);
}

}  // namespace wb
