// Bytes that come: packets, recv, active sockets, the peer's end.
#include <algorithm>
#include <cerrno>

#include "term/binary.h"
#include "vm/core/vm.h"
#include "vm/io/file_names.h"
#include "vm/io/iolist.h"
#include "vm/io/network.h"
#include "vm/io/packet_http.h"
#include "vm/port/ports.h"
#include "vm/port/tcp_socket.h"

namespace wb {

constexpr size_t kLongestReceive = 0x4000000;
constexpr size_t kReadAtOnce = 64 * 1024;
/// So often an active socket reads before others run.
constexpr int kReadsInARow = 16;

bool TcpSocket::receive(Process& from, std::string_view in, std::string* out) {
  if (!is_connected()) {
    if (!std::exchange(refuse_receive_, false)) return error(out, ENOTCONN);
    refuse_send_ = false;
    return error(out, std::exchange(refuse_reset_, false) ? "econnreset" : "closed");
  }
  int32_t timeout, length;
  if (is_active() || !take_int(&in, &timeout) || !take_int(&in, &length)) return error(out, EINVAL);
  if (o_.type != PacketType::raw && length != 0) return error(out, EINVAL);
  if (static_cast<uint32_t>(length) > kLongestReceive) return error(out, ENOMEM);
  if (is_value(receiver_.caller)) return error(out, EALREADY);
  uint16_t number = next_number();
  receiver_ = {from.id, number, Deadlines::kNever};
  length_ = static_cast<size_t>(length);
  deliver_stored();
  if (is_value(receiver_.caller)) read();
  if (is_value(receiver_.caller) && timeout == 0) {
    answer_caller(std::exchange(receiver_, Waiting()), am::timeout);
  } else if (is_value(receiver_.caller)) {
    receiver_.deadline = deadlines_.in_ms(static_cast<uint32_t>(timeout));
    deadlines_.add(receiver_.deadline);
  }
  if (!port_.is_gone()) await();
  return ok_number(out, number);
}

bool TcpSocket::give_back(std::string_view in, std::string* out) {
  if (!is_connected()) return error(out, ENOTCONN);
  input_.replace(0, std::exchange(input_done_, 0), in);
  need_ = 0;
  if (is_active()) deliver_stored();
  return ok(out);
}

/// How many bytes the next read may take.
size_t TcpSocket::room() const {
  size_t have = input_.size() - input_done_;
  if (o_.type == PacketType::raw && length_ && is_value(receiver_.caller)) return length_ - have;
  size_t at_least = need_ > have ? need_ - have : 0;
  size_t buffer = o_.buffer > have ? o_.buffer - have : o_.buffer;
  return std::max(at_least, buffer);
}

/// False: nothing more now.
bool TcpSocket::read() {
  const int most = port_.channel() ? kReadsInARow / 4 : kReadsInARow;  // those are longer
  for (int k = 0; k < most; ++k) {
    if (!read_once()) return false;
    if (!is_connected() || port_.is_closing() || !wants_input()) return false;
  }
  return true;
}

bool TcpSocket::read_once() {
  if (port_.channel()) return read_packets();
  uint8_t buffer[kReadAtOnce];
  size_t wanted = std::min(room(), sizeof buffer);
  ssize_t n;
  do n = network().receive(fd(), buffer, wanted, 0);
  while (n < 0 && errno == EINTR);
  if (n > 0) {
    receive_bytes(buffer, static_cast<size_t>(n));
    return static_cast<size_t>(n) == wanted;
  }
  nothing_read(n);
  return false;
}
void TcpSocket::nothing_read(ssize_t n) {
  if (n == 0 || (errno == ECONNRESET && !o_.show_econnreset))
    input_closed();
  else if (errno != EAGAIN)
    input_failed(errno);
}

/// The same for a channel: nobody sees where a read ended.
bool TcpSocket::read_packets() {
  if (!input_.empty()) {  // from before it took over
    packets_.append(std::string_view(input_).substr(std::exchange(input_done_, 0)));
    input_ = std::string();
  }
  uint8_t* to = packets_.room(need_);
  const size_t space = packets_.space();
  ssize_t n;
  do n = network().receive(fd(), to, space, 0);
  while (n < 0 && errno == EINTR);
  if (n <= 0) {
    nothing_read(n);
    return false;
  }
  packets_.came(static_cast<size_t>(n));
  packets_.consume(deliver(packets_.data(), packets_.size()));
  return static_cast<size_t>(n) == space;
}

void TcpSocket::receive_bytes(const uint8_t* bytes, size_t n) {
  if (input_.empty()) {
    size_t done = deliver(bytes, n);
    input_.append(reinterpret_cast<const char*>(bytes + done), n - done);
  } else {
    input_.append(reinterpret_cast<const char*>(bytes), n);
    deliver_stored();
  }
}

void TcpSocket::deliver_stored() {
  if (input_.empty()) return;
  auto* bytes = reinterpret_cast<const uint8_t*>(input_.data());
  input_done_ += deliver(bytes + input_done_, input_.size() - input_done_);
  if (input_done_ >= input_.size()) {
    input_ = std::string();
    input_done_ = 0;
  } else if (input_done_ > input_.size() / 2) {
    input_.erase(0, std::exchange(input_done_, 0));
  }
}

/// As many packets as somebody wants. Returns how many bytes they were.
size_t TcpSocket::deliver(const uint8_t* bytes, size_t n) {
  size_t done = 0;
  need_ = 0;
  while (done < n && is_connected() && !port_.is_closing() && wants_input()) {
    PacketFrame f;
    if (o_.type == PacketType::raw) {
      bool exactly = length_ && !is_active();
      f = {PacketFrame::complete, exactly ? length_ : n - done, 0, 0};
      if (f.total > n - done) break;
    } else {
      PacketOptions limits{o_.packet_size, o_.buffer, o_.delimiter};
      f = find_packet(o_.type_now(), bytes + done, n - done, limits);
    }
    if (f.status == PacketFrame::invalid) {
      if (done && is_active()) break;  // BEAM says so only when more comes
      input_failed(EMSGSIZE);
      return n;
    }
    if (f.status == PacketFrame::more) {
      need_ = f.total;
      break;
    }
    deliver_packet(f, bytes + done);
    done += f.total;
  }
  return is_connected() ? done : n;
}

/// {ssl_tls, Port, Type, {Major, Minor}, Data}.
static Term tls_message(Heap& h, Term port, const uint8_t* p, size_t n) {
  Term version = tuple(h, make_small(p[1]), make_small(p[2]));
  return tuple(h, am::ssl_tls, port, make_small(p[0]), version, make_binary(h, p + 5, n - 5));
}

void TcpSocket::deliver_packet(const PacketFrame& f, const uint8_t* bytes) {
  size_t n = f.total - f.head - f.padding;
  count_in(f.total);
  if (port_.channel()) {
    if (!port_.channel()->receive(bytes + f.head, n)) port_.break_off(am::killed);
    return;
  }
  FragmentHeap h(32 + (o_.is_http() ? 4 * n + 64 : data_words(n)));
  Term value, tag = am::tcp;
  if (o_.is_http()) {
    std::string_view line(reinterpret_cast<const char*>(bytes), f.total);
    tag = am::http;
    value = o_.in_headers ? http_header_line(h, line, o_.http_binaries)
                          : http_first_line(h, line, o_.http_binaries);
    bool bad = is_tuple_of(value, 2) && tuple_elements(value)[0] == am::http_error;
    if (!bad) o_.in_headers = value != am::http_eoh;
  } else if (o_.type == PacketType::ssl_tls) {
    tag = kNone;
    value = tls_message(h, port_id(), bytes, f.total);
  } else {
    // A port that came of a listening one never tells `deliver_as_port` in binaries.
    bool list = is_active() && o_.deliver_as_port && !port_.options().binary;
    value = list ? bytes_to_list(h, bytes + f.head, n) : data(h, bytes + f.head, n);
  }
  if (is_fault(value)) return input_failed(ENOMEM);
  if (!is_active()) return answer_caller_value(std::exchange(receiver_, Waiting()), h, value);
  if (o_.deliver_as_port)
    value = tuple(h, port_id(), tuple(h, am::data, value));
  else if (tag != kNone)
    value = tuple(h, tag, port_id(), value);
  post(owner(), h, value);
  count_active();
}

// --- the end of it -------------------------------------------------------------------------------
/// Nothing comes any more, and a blocked sender is notified.
void TcpSocket::end_input() {
  if (is_value(blocked_sender_)) {
    Term sender = unblock();
    clear_output();
    reply(sender, am::closed);
  }
  input_ = std::string();
  input_done_ = 0;
  packets_.clear();
  input_stopped_ = true;
}
/// Only once in the life of a socket.
void TcpSocket::notify_closed() {
  if (!std::exchange(closed_notified_, true)) notify_owner(am::tcp_closed);
}

void TcpSocket::input_closed() {
  end_input();
  if (is_active()) {
    notify_closed();
    if (o_.exit_on_close) port_.end(am::normal);
    return;
  }
  if (o_.exit_on_close) {
    clear_output();
    close_descriptor();
  }
  refuse_send_ = true;
  answer_all_callers(am::closed);
}

void TcpSocket::input_failed(int failed) {
  Term reason = posix_atom(failed);
  end_input();
  if (is_active()) {
    notify_owner(am::tcp_error, reason);
    notify_closed();
    if (o_.exit_on_close) port_.end(reason);
    return;
  }
  if (o_.exit_on_close) {
    clear_output();
    close_descriptor();
  }
  answer_all_callers(reason);
}

}  // namespace wb
