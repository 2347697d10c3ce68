// Connections: making them, taking them, ending them.
#include "vm/port/tcp_socket.h"

#include <algorithm>
#include <cerrno>

#include "vm/core/vm.h"
#include "vm/io/file_names.h"
#include "vm/io/network.h"
#include "vm/port/ports.h"
#include "vm/port/socket_operations.h"

namespace wb {

bool TcpSocket::operate(Process& from, uint64_t number, std::string_view in, std::string* out) {
  switch (static_cast<SocketOperation>(number)) {
    case SocketOperation::connect:
      return connect(from, in, out);
    case SocketOperation::listen:
      return listen(in, out);
    case SocketOperation::accept:
      return accept(from, in, out);
    case SocketOperation::receive:
      return receive(from, in, out);
    case SocketOperation::give_back:
      return give_back(in, out);
    case SocketOperation::shutdown:
      return shutdown(in, out);
    case SocketOperation::send_file:
      return send_file(from, in, out);
    case SocketOperation::close:
      return close(out);
    default:
      return false;
  }
}

void TcpSocket::await() {
  uint32_t events = 0;
  if (state_ == kConnecting) events = EPOLLOUT;
  if (state_ == kAccepting) events = EPOLLIN;
  if (is_connected()) {
    bool reading = !port_.is_closing() && reads();
    events = (reading ? EPOLLIN : 0u) | (queued() || pulls_on_ ? EPOLLOUT : 0u);
  }
  want(events);
}

void TcpSocket::ready(uint32_t events) {
  if (state_ == kConnecting) {
    connect_done();
  } else if (state_ == kAccepting) {
    accept_ready();
  } else if (is_connected()) {
    if (events & wanted() & EPOLLOUT)
      sending_file_&& queue_.empty() ? send_file_on() : write_queue();
    if (is_connected() && !port_.is_closing() && (events & EPOLLIN) && reads()) read();
  }
  if (!port_.is_gone()) await();
}

void TcpSocket::close_descriptor() {
  drop_descriptor();
  state_ = kClosed;
}

void TcpSocket::options_changed(const OptionChanges& changes) {
  if (state_ == kClosed && family_ && is_active()) {
    if (std::exchange(refuse_reset_, false)) notify_owner(am::tcp_error, am::econnreset);
    notify_closed();
    if (o_.exit_on_close) port_.end(am::normal);
    return;
  }
  if (!is_connected()) return;
  if (changes.mode) input_stopped_ = false;
  if (changes.packet) need_ = 0;
  if (is_active() && (changes.was_passive || changes.packet)) {
    deliver_stored();
    const bool at_once = o_.active == Active::once && !changes.packet;
    if (at_once && is_connected() && !port_.is_closing()) read();
  }
  if (!port_.is_gone()) await();
}

// --- connect -------------------------------------------------------------------------------------
bool TcpSocket::connect(Process& from, std::string_view in, std::string* out) {
  if (state_ == kClosed) return error(out, "exbadport");
  if (is_connected()) return error(out, EISCONN);
  int32_t timeout;
  SocketAddress address;
  if (state_ == kConnecting || !take_int(&in, &timeout)) return error(out, EINVAL);
  if (!take_address(&in, family_, &address)) return error(out, EINVAL);
  int failed = network().connect(fd(), &address.any, address.size) == 0 ? 0 : errno;
  if (failed && failed != EINPROGRESS) return error(out, failed);
  Waiting w{from.id, next_number(), deadlines_.in_ms(static_cast<uint32_t>(timeout))};
  if (failed) {
    state_ = kConnecting;
    connecting_ = w;
    deadlines_.add(w.deadline);
  } else {
    state_ = kConnected;
    answer_caller(w, am::ok);
  }
  await();
  return ok_number(out, w.number);
}

void TcpSocket::connect_done() {
  const int failed = network().error(fd());
  Waiting w = std::exchange(connecting_, Waiting());
  state_ = failed ? kOpen : kConnected;
  answer_caller(w, failed ? posix_atom(failed) : am::ok);
}

// --- accept --------------------------------------------------------------------------------------
bool TcpSocket::listen(std::string_view in, std::string* out) {
  std::string_view b;
  if (state_ == kClosed) return error(out, "exbadport");
  if (!take_bytes(&in, 2, &b)) return error(out, EINVAL);
  int backlog = static_cast<uint8_t>(b[0]) << 8 | static_cast<uint8_t>(b[1]);
  if (network().listen(fd(), backlog) != 0) return error(out, errno);
  if (state_ == kOpen) state_ = kListening;
  return ok(out);
}

static int accept_connection(Network& network, int listener) {
  int fd;
  do fd = network.accept(listener);
  while (fd < 0 && (errno == EINTR || errno == ECONNABORTED));
  return fd;
}

/// False: whoever waited is gone, and the connection still ours.
bool TcpSocket::accept_one(const Waiting& by, int descriptor) {
  if (port_.ports().count() >= port_.ports().limit()) {
    network().close(descriptor);
    answer_caller(by, am::system_limit);
    return true;
  }
  std::shared_ptr<Port> port = port_.ports().make_like(port_, by.caller, port_.name());
  auto& s = static_cast<TcpSocket&>(*port->driver());
  s.o_ = o_;
  s.o_.active = Active::passive;
  s.o_.active_count = 0;
  s.o_.in_headers = o_.type == PacketType::http_header;
  s.adopt(descriptor, family_);
  s.state_ = kConnected;
  if (!port_.ports().publish(port)) {
    s.surrender();
    return false;
  }
  FragmentHeap h(16);
  answer_caller_value(by, h, port->id);
  return true;
}

bool TcpSocket::accept(Process& from, std::string_view in, std::string* out) {
  int32_t timeout;
  if ((state_ & kListening) != kListening || !take_int(&in, &timeout)) return error(out, EINVAL);
  Waiting w{from.id, next_number(), deadlines_.in_ms(static_cast<uint32_t>(timeout))};
  if (acceptors_.empty()) {
    int descriptor = accept_connection(network(), fd());
    if (descriptor < 0 && errno != EAGAIN) return error(out, errno);
    if (descriptor >= 0) {
      if (!accept_one(w, descriptor)) network().close(descriptor);
      return ok_number(out, w.number);
    }
  }
  if (timeout == 0) {
    answer_caller(w, am::timeout);
  } else {
    acceptors_.push_back(w);
    deadlines_.add(w.deadline);
    state_ = kAccepting;
    await();
  }
  return ok_number(out, w.number);
}

/// Acceptors that have ended are dropped when the next connection comes, and not shown.
uint32_t TcpSocket::status() const {
  auto alive = [&](const Waiting& w) { return vm().is_alive(w.caller); };
  const bool accepts = state_ != kAccepting || std::ranges::any_of(acceptors_, alive);
  return (accepts ? state_ : kListening) | (is_value(blocked_sender_) ? kBusy : 0u);
}

void TcpSocket::accept_ready() {
  int descriptor = -1;
  for (;;) {
    auto alive = [&](const Waiting& w) { return vm().is_alive(w.caller); };
    acceptors_.erase(acceptors_.begin(), std::find_if(acceptors_.begin(), acceptors_.end(), alive));
    if (acceptors_.empty()) break;
    if (descriptor < 0) descriptor = accept_connection(network(), fd());
    if (descriptor < 0 && errno == EAGAIN) break;
    Waiting w = acceptors_.front();
    acceptors_.erase(acceptors_.begin());
    if (descriptor < 0)
      answer_caller(w, posix_atom(errno));
    else if (accept_one(w, descriptor))
      descriptor = -1;
  }
  if (descriptor >= 0) network().close(descriptor);
  if (acceptors_.empty()) state_ = kListening;
}

// --- time ----------------------------------------------------------------------------------------
void TcpSocket::deadline_passed(uint64_t now) {
  if (connecting_.deadline <= now) {
    close_descriptor();
    answer_caller(std::exchange(connecting_, Waiting()), am::timeout);
  }
  if (receiver_.deadline <= now) answer_caller(std::exchange(receiver_, Waiting()), am::timeout);
  std::erase_if(acceptors_, [&](const Waiting& w) {
    if (w.deadline > now) return false;
    answer_caller(w, am::timeout);
    return true;
  });
  if (state_ == kAccepting && acceptors_.empty()) state_ = kListening;
  if (send_deadline_ <= now) {
    reply(unblock(), am::timeout);
    if (o_.send_timeout_close) {
      clear_output();
      answer_all_callers(am::closed);
      close_descriptor();
    }
  }
  uint64_t next = std::min({connecting_.deadline, receiver_.deadline, send_deadline_});
  for (const Waiting& w : acceptors_) next = std::min(next, w.deadline);
  deadlines_.add(next);
  await();
}

// --- the end -------------------------------------------------------------------------------------
void TcpSocket::answer_all_callers(Term what) {
  for (Waiting* w : {&connecting_, &receiver_})
    if (is_value(w->caller)) answer_caller(std::exchange(*w, Waiting()), what);
  for (const Waiting& w : std::exchange(acceptors_, {})) answer_caller(w, what);
}

bool TcpSocket::close(std::string* out) {
  answer_all_callers(am::closed);
  clear_output();
  close_descriptor();
  return ok(out);
}

void TcpSocket::stopped() {
  answer_all_callers(am::closed);
  linger l = {};
  socklen_t size = sizeof l;
  bool at_once = fd() >= 0 && ask_option(fd(), SOL_SOCKET, SO_LINGER, &l, &size) == 0 &&
                 l.l_onoff && l.l_linger == 0;
  if (at_once || !is_connected()) clear_output();
  await();
}

bool TcpSocket::shutdown(std::string_view in, std::string* out) {
  uint8_t how;
  if (!is_connected()) return error(out, ENOTCONN);
  if (!take_byte(&in, &how) || how > SHUT_RDWR) return error(out, EINVAL);
  if (how != SHUT_RD && queued() && !sending_file_) write_queue();
  if (!is_connected()) return error(out, ENOTCONN);
  if (how != SHUT_RD && queued()) {
    pending_shutdown_ = how;
    return ok(out);
  }
  if (network().shutdown(fd(), how) != 0) return error(out, errno);
  return ok(out);
}

size_t TcpSocket::memory() const {
  return sizeof *this + input_.capacity() + queue_.capacity() + packets_.capacity() +
         fetched_.memory();
}

}  // namespace wb
