// Sending and receiving.
//
// One shape for all: is it the caller's turn (native_socket.h), one system call under the lock, and
// what that says: done, `select`, or an error, which those who queue hear of, too.
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <string>
#include <vector>

#include "term/binary.h"
#include "vm/process/exec.h"
#include "vm/socket/address_terms.h"
#include "vm/socket/control_data.h"
#include "vm/socket/socket_bif.h"

namespace wb {
namespace {

constexpr size_t kMostBytes = size_t{1} << 30;  ///< of one call

bool is_handle(Term t) { return is_ref(t); }

// --- receiving -----------------------------------------------------------------------------------
/// Of a call that must not wait, with the handle `zero`: there is nothing, or nothing more.
Term nothing_now() { return otp_release() < 27 ? am::ok : am::timeout; }

/// kNone: the caller's turn; else what it is answered.
Term reading_turn(Process& p, NativeSocket& s, Term handle) {
  if (s.read_state & NativeSocket::kListening && s.acceptors.any())
    return error_tuple(p, invalid(p, am::state));
  switch (s.turn(s.readers, p.id)) {
    case NativeSocket::Turn::now:
      return kNone;
    case NativeSocket::Turn::queued:
      return raise_invalid(p, am::state);
    case NativeSocket::Turn::queue:
      break;
  }
  ++s.counters.read_tries;
  if (handle == am::zero) return nothing_now();
  s.wait(s.readers, p.id, handle);
  return am::select;
}

/// The call failed with this errno.
Term not_read(Process& p, NativeSocket& s, int failed, Term handle) {
  if (failed == EAGAIN) {
    if (handle == am::zero) return nothing_now();
    s.wait(s.readers, p.id, handle);
    return am::select;
  }
  ++s.counters.read_fails;
  Term reason = posix_atom(failed);
  s.abort(s.readers, reason, p.id);
  return error_tuple(p, reason);
}
/// The other side sends no more.
Term read_end(Process& p, NativeSocket& s) {
  ++s.counters.read_fails;
  s.abort(s.readers, am::closed, p.id);
  return closed_error(p);
}
void count_read(Process& p, NativeSocket& s, size_t n) {
  ++s.counters.read_pkg;
  s.counters.read_byte += n;
  s.counters.read_pkg_max = std::max<uint64_t>(s.counters.read_pkg_max, n);
  p.exec->worker->counters.bytes_in.add(n);
  p.charge(static_cast<int64_t>(20 + n / 200));
}

/// Room for what comes, and a binary of what came.
class ReadBuffer {
 public:
  explicit ReadBuffer(size_t size) : size_(std::min(size, kMostBytes)) {
    if (size_ > sizeof small_) large_ = new_binary(size_);
  }
  ~ReadBuffer() {
    if (large_) large_->release();
  }
  ReadBuffer(const ReadBuffer&) = delete;
  bool is_there() const { return size_ <= sizeof small_ || large_; }
  void* data() { return large_ ? large_->data : small_; }
  size_t size() const { return size_; }
  /// Of a datagram that did not fit `n` may be what it was (MSG_TRUNC).
  Term take(Heap& h, size_t n) {
    n = std::min(n, size_);
    if (!large_ || n <= size_ / 4) return make_binary(h, data(), n);
    large_->size = n;
    Binary* b = std::exchange(large_, nullptr);
    if (Binary* fitting = shrink_binary(b)) b = fitting;
    return wrap_binary(h, b);
  }

  /// The same with zeros for what did not fit, as recv and recvfrom answer up to OTP 26.
  Term take_padded(Heap& h, size_t n) {
    if (n <= size_ || otp_release() >= 27) return take(h, n);
    uint8_t* to;
    Term t = new_bytes(h, n, &to);
    memset(to, 0, n);
    memcpy(to, data(), size_);
    return t;
  }

 private:
  const size_t size_;
  Binary* large_ = nullptr;
  uint8_t small_[16384];
};

struct ReadArguments {
  uint64_t length;
  int flags;
  Term handle;
};
/// kNone: they are good.
Term read_arguments(Process& p, Term length, Term flags, Term handle, ReadArguments* out) {
  if (handle != am::zero && !is_handle(handle)) return kBadarg;
  if (!is_integer(length) || !read_int(flags, &out->flags)) return kBadarg;
  if (!to_uint64(length, &out->length)) return invalid(p, tuple(p.heap, am::integer_range, length));
  out->handle = handle;
  return kNone;
}

/// `n` bytes came in a stream or as a datagram for recv/4.
Term received(Process& p, NativeSocket& s, uint64_t length, Term handle, size_t n, size_t room,
              Term bytes) {
  const bool full = n >= room;
  if (length == 0 && full && s.is_stream()) {
    ++s.reads_in_row;
    if (s.reads_in_row < s.settings.reads) return tuple(p.heap, am::more, bytes);
  }
  s.reads_in_row = 0;
  const bool part = length != 0 && !full && s.is_stream();
  if (part && handle != am::zero) {
    s.wait(s.readers, p.id, handle);
    return tuple(p.heap, am::select, bytes);
  }
  s.done(s.readers, p.id);
  if (part && otp_release() >= 27) return tuple(p.heap, am::timeout, bytes);
  return ok_tuple(p, bytes);
}

}  // namespace

BIF(prim_socket, nif_recv, 4)
{
  ReadArguments in;
  Term bad = read_arguments(p, a[1], a[2], a[3], &in);
  if (bad != kNone) return bad;
  WB_OPEN_SOCKET(s, a[0]);
  Term other = reading_turn(p, *s, in.handle);
  if (other != kNone) return other;
  ReadBuffer buffer(in.length ? in.length : s->settings.read_size);
  if (!buffer.is_there()) return kSystemLimit;
  ++s->counters.read_tries;
  ssize_t n;
  do n = s->network().receive(s->fd(), buffer.data(), buffer.size(), in.flags);
  while (n < 0 && errno == EINTR);
  if (n < 0) return not_read(p, *s, errno, in.handle);
  if (n == 0 && s->is_stream()) return read_end(p, *s);
  const size_t size = static_cast<size_t>(n);
  count_read(p, *s, size);
  Term bytes = buffer.take_padded(p.heap, size);
  return received(p, *s, in.length, in.handle, size, buffer.size(), bytes);
}

BIF(prim_socket, nif_recvfrom, 4)
{
  ReadArguments in;
  Term bad = read_arguments(p, a[1], a[2], a[3], &in);
  if (bad != kNone) return bad;
  WB_OPEN_SOCKET(s, a[0]);
  Term other = reading_turn(p, *s, in.handle);
  if (other != kNone) return other;
  ReadBuffer buffer(in.length ? in.length : s->settings.read_size);
  if (!buffer.is_there()) return kSystemLimit;
  ++s->counters.read_tries;
  RawAddress from;
  iovec piece = {buffer.data(), buffer.size()};
  msghdr m = {};
  ssize_t n;
  do {
    m.msg_name = &from.any, m.msg_namelen = from.size;
    m.msg_iov = &piece, m.msg_iovlen = 1;
    n = s->network().receive(s->fd(), &m, in.flags);
  } while (n < 0 && errno == EINTR);
  from.size = m.msg_namelen;
  if (n < 0) return not_read(p, *s, errno, in.handle);
  if (n == 0 && s->is_stream()) return read_end(p, *s);
  const size_t size = static_cast<size_t>(n);
  count_read(p, *s, size);
  s->done(s->readers, p.id);
  Term bytes = buffer.take_padded(p.heap, size);
  // A stream names nobody: an address of no family.
  from.size = std::max(from.size, static_cast<socklen_t>(offsetof(sockaddr, sa_data)));
  Term address = address_term(p.heap, &from.any, from.size);
  return ok_tuple(p, tuple(p.heap, address, bytes));
}

static Term flag_terms(Heap& h, int flags) {
  ListBuilder list(h);
  constexpr struct {
    int bit;
    Term name;
  } kFlags[] = {{MSG_EOR, am::eor},
                {MSG_TRUNC, am::trunc},
                {MSG_CTRUNC, am::ctrunc},
                {MSG_OOB, am::oob},
                {MSG_ERRQUEUE, am::errqueue}};
  for (auto [bit, name] : kFlags) {
    if (flags & bit) list.add(name), flags &= ~bit;
  }
  return list.finish(kNil);
}

BIF(prim_socket, nif_recvmsg, 5)
{
  ReadArguments in;
  uint64_t control_length;
  Term bad = read_arguments(p, a[1], a[3], a[4], &in);
  if (bad != kNone) return bad;
  if (!is_integer(a[2])) return kBadarg;
  if (!to_uint64(a[2], &control_length)) return invalid(p, tuple(p.heap, am::integer_range, a[2]));
  WB_OPEN_SOCKET(s, a[0]);
  Term other = reading_turn(p, *s, in.handle);
  if (other != kNone) return other;
  ReadBuffer buffer(in.length ? in.length : s->settings.read_size);
  ReadBuffer control(control_length ? control_length : s->settings.read_control_size);
  if (!buffer.is_there() || !control.is_there()) return kSystemLimit;
  ++s->counters.read_tries;
  RawAddress from;
  iovec piece = {buffer.data(), buffer.size()};
  msghdr m = {};
  ssize_t n;
  do {
    m.msg_name = &from.any, m.msg_namelen = from.size;
    m.msg_iov = &piece, m.msg_iovlen = 1;
    m.msg_control = control.data(), m.msg_controllen = control.size();
    n = s->network().receive(s->fd(), &m, in.flags);
  } while (n < 0 && errno == EINTR);
  if (n < 0) return not_read(p, *s, errno, in.handle);
  if (n == 0 && s->is_stream()) return read_end(p, *s);
  const size_t size = static_cast<size_t>(n);
  count_read(p, *s, size);
  s->done(s->readers, p.id);
  Heap& h = p.heap;
  Term bytes = buffer.take(h, size);
  Term address = m.msg_namelen ? address_term(h, &from.any, m.msg_namelen) : kNone;
  Term pairs[] = {
      am::flags, flag_terms(h, m.msg_flags & ~MSG_CMSG_CLOEXEC),    am::iov,  cons(h, bytes, kNil),
      am::ctrl,  control_terms(h, m.msg_control, m.msg_controllen), am::addr, address};
  return ok_tuple(p, map_from_pairs(h, pairs, is_value(address) ? 4 : 3));
}

// --- sending -------------------------------------------------------------------------------------
namespace {

Term writing_turn(Process& p, NativeSocket& s, Term handle) {
  if (s.write_state & NativeSocket::kConnecting) return error_tuple(p, invalid(p, am::state));
  switch (s.turn(s.writers, p.id)) {
    case NativeSocket::Turn::now:
      return kNone;
    case NativeSocket::Turn::queued:
      return raise_invalid(p, am::state);
    case NativeSocket::Turn::queue:
      break;
  }
  ++s.counters.write_tries;
  s.wait(s.writers, p.id, handle);
  return am::select;
}

/// The call took `n` of `size` bytes, or failed (n < 0, errno).
Term sent(Process& p, NativeSocket& s, ssize_t n, size_t size, Term handle) {
  if (n < 0 && errno != EAGAIN) {
    ++s.counters.write_fails;
    Term reason = posix_atom(errno);
    s.abort(s.writers, reason, p.id);
    return error_tuple(p, reason);
  }
  if (n >= 0) {
    p.exec->worker->counters.bytes_out.add(static_cast<uint64_t>(n));
    p.charge(20 + n / 200);
  }
  if (n >= 0 && (static_cast<size_t>(n) == size || !s.is_stream())) {
    ++s.counters.write_pkg;
    s.counters.write_byte += static_cast<uint64_t>(n);
    s.counters.write_pkg_max = std::max(s.counters.write_pkg_max, static_cast<uint64_t>(n));
    s.done(s.writers, p.id);
    if (static_cast<size_t>(n) == size) return am::ok;
    return ok_tuple(p, make_integer(p.heap, n));
  }
  ++s.counters.write_waits;
  s.wait(s.writers, p.id, handle);
  return n > 0 ? tuple(p.heap, am::select, make_integer(p.heap, n)) : am::select;
}

Term send_bytes(Process& p, Term socket, Term data, Term to, Term flags, Term handle) {
  int flag_bits;
  if (!is_handle(handle) || !read_int(flags, &flag_bits)) return kBadarg;
  if (!is_bitstring(data)) {
    std::string flat;
    if (!iolist_to_bytes(data, &flat)) return kBadarg;
    data = make_binary(p.heap, flat.data(), flat.size());
  }
  if (!bits_of(data).whole_bytes()) return kBadarg;
  ByteView bytes(data);
  WB_OPEN_SOCKET(s, socket);
  RawAddress address;
  if (to != kNone && !read_address(to, &address)) return invalid(p, am::sockaddr);
  Term other = writing_turn(p, *s, handle);
  if (other != kNone) return other;
  ++s->counters.write_tries;
  iovec piece = {const_cast<uint8_t*>(bytes.data()), bytes.size()};
  msghdr m = {};
  m.msg_name = &address.any, m.msg_namelen = address.size;
  m.msg_iov = &piece, m.msg_iovlen = 1;
  flag_bits |= MSG_NOSIGNAL;
  Network& network = s->network();
  ssize_t n;
  do {
    n = to == kNone ? network.send(s->fd(), bytes.data(), bytes.size(), flag_bits)
                    : network.send(s->fd(), m, flag_bits);
  } while (n < 0 && errno == EINTR);
  return sent(p, *s, n, bytes.size(), handle);
}

}  // namespace

BIF(prim_socket, nif_send, 4)
{
  return send_bytes(p, a[0], a[1], kNone, a[2], a[3]);
}
BIF(prim_socket, nif_sendto, 5)
{
  return send_bytes(p, a[0], a[1], a[2], a[3], a[4]);
}

/// The pieces of a list of binaries, as many as one call takes; false: it is none.
namespace {
class Pieces {
 public:
  bool read(Term list) {
    for (; is_cons(list); list = tail(list)) {
      Term t = head(list);
      if (!is_bitstring(t) || !bits_of(t).whole_bytes()) return false;
      if (pieces_.size() == IOV_MAX) {
        more_ = true;
        continue;
      }
      auto& bytes = views_.emplace_back(std::make_unique<ByteView>(t));
      pieces_.push_back({const_cast<uint8_t*>(bytes->data()), bytes->size()});
      size_ += bytes->size();
    }
    return is_nil(list);
  }
  iovec* data() { return pieces_.data(); }
  size_t count() const { return pieces_.size(); }
  size_t size() const { return size_; }
  bool more() const { return more_; }

 private:
  std::vector<iovec> pieces_;
  std::vector<std::unique_ptr<ByteView>> views_;
  size_t size_ = 0;
  bool more_ = false;
};
}  // namespace

BIF(prim_socket, nif_sendmsg, 5)
{
  int flags;
  if (!is_map(a[1]) || !read_int(a[2], &flags) || !is_handle(a[3])) return kBadarg;
  WB_OPEN_SOCKET(s, a[0]);
  RawAddress address;
  Term to = map_get(a[1], am::addr), ctrl = map_get(a[1], am::ctrl);
  std::string control;
  Pieces pieces;
  if (is_value(to) && !read_address(to, &address)) return invalid(p, am::addr);
  if (!pieces.read(a[4])) return invalid(p, am::iov);
  if (is_value(ctrl) && !read_control(ctrl, &control)) return invalid(p, am::ctrl);
  // A datagram is one call or none.
  if (pieces.more() && !s->is_stream()) return invalid(p, am::iov);
  Term other = writing_turn(p, *s, a[3]);
  if (other != kNone) return other;
  ++s->counters.write_tries;
  msghdr m = {};
  if (is_value(to)) m.msg_name = &address.any, m.msg_namelen = address.size;
  m.msg_iov = pieces.data(), m.msg_iovlen = pieces.count();
  if (!control.empty()) m.msg_control = control.data(), m.msg_controllen = control.size();
  ssize_t n;
  do n = s->network().send(s->fd(), m, flags | MSG_NOSIGNAL);
  while (n < 0 && errno == EINTR);
  Term answer = sent(p, *s, n, pieces.size(), a[3]);
  if (answer == am::ok && pieces.more()) return tuple(p.heap, am::iov, make_integer(p.heap, n));
  return answer;
}

BIF(prim_socket, nif_sendv, 3)
{
  if (!is_handle(a[2])) return kBadarg;
  WB_OPEN_SOCKET(s, a[0]);
  Pieces pieces;
  if (!pieces.read(a[1])) return invalid(p, am::iov);
  Term other = writing_turn(p, *s, a[2]);
  if (other != kNone) return other;
  ++s->counters.write_tries;
  msghdr m = {};
  m.msg_iov = pieces.data(), m.msg_iovlen = pieces.count();
  ssize_t n;
  do n = s->network().send(s->fd(), m, MSG_NOSIGNAL);
  while (n < 0 && errno == EINTR);
  Term answer = sent(p, *s, n, pieces.size(), a[2]);
  if (answer == am::ok && pieces.more()) return tuple(p.heap, am::iov, make_integer(p.heap, n));
  return answer;
}

}  // namespace wb
