// Bytes that go: what is sent, the queue, files.
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/recording.h"
#include "term/binary.h"
#include "vm/core/vm.h"
#include "vm/io/file_names.h"
#include "vm/io/iolist.h"
#include "vm/io/network.h"
#include "vm/port/ports.h"
#include "vm/port/tcp_socket.h"

namespace wb {

/// At most so much goes at once: the reader may be as fast as we are.
constexpr size_t kSendInARow = 1024 * 1024;

void TcpSocket::append_header(size_t size, std::string* out) const {
  int bytes = 0;
  if (o_.type == PacketType::one) bytes = 1;
  if (o_.type == PacketType::two) bytes = 2;
  if (o_.type == PacketType::four) bytes = 4;
  while (bytes-- > 0) *out += static_cast<char>(size >> 8 * bytes);
}

void TcpSocket::command(Term from, Term term, size_t size) {
  term = without_tag(term, &size);
  if (is_cons(term) && is_nil(tail(term)) && is_binary(head(term))) term = head(term);
  if (!is_connected()) {
    Term reason = posix_atom(ENOTCONN);
    if (std::exchange(refuse_send_, false)) reason = refuse_reset_ ? am::econnreset : am::closed;
    return reply(from, reason);
  }
  if (pending_shutdown_ >= 0) return reply(from, posix_atom(EPIPE));
  std::string head;
  append_header(size, &head);
  count_out(head.size() + size);
  if (is_binary(term)) {
    ByteView v(term);
    return write(from, head, {reinterpret_cast<const char*>(v.data()), v.size()});
  }
  UnlimitedBudget budget;
  size_t header = head.size();
  head.resize(header + size);
  write_iolist(term, reinterpret_cast<uint8_t*>(head.data()) + header, budget);
  write(from, head, {});
}

/// -1: what errno says; it would block: 0.
ssize_t TcpSocket::send_some(std::string_view a, std::string_view b) {
  iovec parts[2] = {{const_cast<char*>(a.data()), a.size()},
                    {const_cast<char*>(b.data()), b.size()}};
  msghdr message = {};
  message.msg_iov = parts;
  message.msg_iovlen = 2;
  ssize_t n;
  do n = network().send(fd(), message, MSG_NOSIGNAL);
  while (n < 0 && errno == EINTR);
  return n < 0 && (errno == EAGAIN || errno == ENOBUFS) ? 0 : n;
}

void TcpSocket::write(Term from, std::string_view head, std::string_view bytes) {
  size_t all = head.size() + bytes.size();
  bool waits = queued() != 0;
  size_t done = 0;
  if (!waits && !o_.delay_send) {
    ssize_t n = send_some(head, bytes);
    if (n < 0) return output_failed(errno, from);
    done = static_cast<size_t>(n);
  }
  if (!waits && done == all) return reply(from, am::ok);
  std::string& queue = sending_file_ ? sending_file_->behind : queue_;
  if (done < head.size()) queue += head.substr(done);
  queue += bytes.substr(done > head.size() ? done - head.size() : 0);
  if (waits && queued() >= o_.high) {
    blocked_sender_ = from;
    blocked_tag_ = reply_tag_;
    port_.set_busy(true);
    send_deadline_ = deadlines_.in_ms(o_.send_timeout);
    deadlines_.add(send_deadline_);
  } else {
    reply(from, am::ok);
  }
  await();
}

/// Who made it busy and waits for an answer; it is not busy any more.
Term TcpSocket::unblock() {
  send_deadline_ = Deadlines::kNever;
  port_.set_busy(false);
  reply_tag_ = std::exchange(blocked_tag_, {});
  return std::exchange(blocked_sender_, kNone);
}

/// What has been fetched: as send_some(). *room: all that was tried went.
ssize_t TcpSocket::send_fetched(bool* room) {
  constexpr size_t kPieces = 64;
  iovec pieces[kPieces];
  size_t count = 0;
  SplicedBytes::Cursor ahead = fetched_at_;
  fetched_.each_piece(&ahead, kSendInARow, [&](Binary*, const uint8_t* bytes, size_t n) {
    if (count == kPieces) return false;
    pieces[count++] = {const_cast<uint8_t*>(bytes), n};
    return true;
  });
  msghdr message = {};
  message.msg_iov = pieces;
  message.msg_iovlen = count;
  ssize_t n;
  do n = network().send(fd(), message, MSG_NOSIGNAL);
  while (n < 0 && errno == EINTR);
  *room = n == static_cast<ssize_t>(ahead.done - fetched_at_.done);
  if (n < 0) return errno == EAGAIN || errno == ENOBUFS ? 0 : n;
  fetched_.each_piece(&fetched_at_, static_cast<size_t>(n),
                      [](Binary*, const uint8_t*, size_t) { return true; });
  if (fetched_at_.done == fetched_.size()) {
    fetched_.clear();
    fetched_at_ = {};
  }
  return n;
}

bool TcpSocket::pull() {
  if (!is_connected() || sending_file_) return false;
  pulls_on_ = false;
  bool room = true;
  for (size_t in_all = 0; room && is_connected();) {
    if (queued() == 0) {
      if ((pulls_on_ = in_all >= kSendInARow)) break;
      const size_t packets = port_.channel()->fetch(&fetched_);
      if (packets == 0) break;
      count_out(fetched_.size(), packets);
    } else if (fetched_.empty()) {
      break;
    }
    const ssize_t n = send_fetched(&room);
    if (n < 0) {
      output_failed(errno, kNone);
      return true;
    }
    in_all += static_cast<size_t>(n);
  }
  if (!port_.is_gone()) await();
  return true;
}

void TcpSocket::write_queue() {
  size_t in_all = 0;
  for (bool room = true; room && !fetched_.empty() && in_all < kSendInARow;) {
    const ssize_t n = send_fetched(&room);
    if (n < 0) return output_failed(errno, is_value(blocked_sender_) ? unblock() : kNone);
    in_all += static_cast<size_t>(n);
  }
  while (fetched_.empty() && queue_.size() > queue_done_ && in_all < kSendInARow) {
    ssize_t n = send_some(std::string_view(queue_).substr(queue_done_), {});
    if (n < 0) return output_failed(errno, is_value(blocked_sender_) ? unblock() : kNone);
    if (n == 0) break;
    queue_done_ += static_cast<size_t>(n);
    in_all += static_cast<size_t>(n);
  }
  if (queue_done_ == queue_.size()) {
    queue_ = std::string();
    queue_done_ = 0;
  } else if (queue_done_ > queue_.size() / 2) {
    queue_.erase(0, std::exchange(queue_done_, 0));
  }
  if (is_value(blocked_sender_) && queue_.size() - queue_done_ <= o_.low) reply(unblock(), am::ok);
  if (queue_.empty() && sending_file_) return send_file_on();
  if (queued() == 0 && port_.channel() && !port_.is_closing()) pull();
  if (queued() == 0) drained();
}

void TcpSocket::drained() {
  for (Term pid : std::exchange(drain_watchers_, {})) {
    FragmentHeap h(8);
    post(pid, h, tuple(h, am::empty_out_q, port_id()));
  }
  if (pending_shutdown_ >= 0) network().shutdown(fd(), std::exchange(pending_shutdown_, -1));
  port_.drained();
}

void TcpSocket::clear_output() {
  if (sending_file_) end_file(am::closed);
  queue_ = std::string();
  queue_done_ = 0;
  fetched_.clear();
  fetched_at_ = {};
}

/// Whatever went wrong, the peer is gone; `sender`, if any, is notified.
void TcpSocket::output_failed(int failed, Term sender) {
  const bool reset = failed == ECONNRESET && o_.show_econnreset;
  clear_output();
  if (port_.is_closing()) return port_.drained();
  if (is_value(blocked_sender_)) {
    std::string tag = std::exchange(reply_tag_, {});
    unblock();
    reply_tag_ = std::move(tag);
  }
  if (is_active()) {
    if (reset) notify_owner(am::tcp_error, am::econnreset);
    notify_closed();
    if (is_value(sender)) reply(sender, reset ? am::econnreset : am::closed);
    if (o_.exit_on_close) return port_.end(am::normal);
    return close_descriptor();
  }
  close_descriptor();
  answer_all_callers(am::closed);
  if (is_value(sender))
    reply(sender, reset ? am::econnreset : am::closed);
  else
    refuse_send_ = true;
  refuse_receive_ = true;
  refuse_reset_ = reset;
}

void TcpSocket::flush(uint64_t deadline) {
  const auto waits = [this] { return !fetched_.empty() || queue_.size() > queue_done_; };
  while (is_connected() && waits()) {
    uint64_t now = vm().scheduler->now_ns();
    if (now >= deadline) return;
    const auto left = static_cast<int>((deadline - now) / 1'000'000);
    if (!network().wait_for_room(fd(), left)) return;
    bool room;
    const bool fetched = !fetched_.empty();
    ssize_t n =
        fetched ? send_fetched(&room) : send_some(std::string_view(queue_).substr(queue_done_), {});
    if (n < 0) return;
    if (!fetched) queue_done_ += static_cast<size_t>(n);
  }
}

// --- files ---------------------------------------------------------------------------------------
/// A raw file's descriptor (prim_file's handle is its number), where to begin, how many bytes.
bool TcpSocket::send_file(Process& from, std::string_view in, std::string* out) {
  std::string_view number;
  int32_t words[4];
  if (!is_connected()) return error(out, ENOTCONN);
  if (sending_file_) return error(out, EALREADY);
  if (!take_bytes(&in, sizeof(int), &number)) return error(out, EINVAL);
  for (int32_t& w : words)
    if (!take_int(&in, &w)) return error(out, EINVAL);
  auto wide = [&](int k) {
    return uint64_t{static_cast<uint32_t>(words[k])} << 32 | static_cast<uint32_t>(words[k + 1]);
  };
  int file;
  memcpy(&file, number.data(), sizeof file);
  const int own = duplicate(file, 3);
  if (own < 0) return error(out, errno);
  sending_file_ = std::make_unique<File>(File{from.id, own, wide(0), wide(2), 0, {}});
  await();
  return ok(out);
}

void TcpSocket::send_file_on() {
  File& f = *sending_file_;
  auto at = static_cast<off_t>(f.offset);
  ssize_t n = network().send_file(fd(), f.fd, &at, std::min<uint64_t>(f.left, kSendInARow));
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (n < 0) {
    int failed = errno;
    bool gone = failed == EPIPE || failed == ECONNRESET;
    end_file(gone ? am::closed : posix_atom(failed));
    if (gone) output_failed(failed, kNone);
    return;
  }
  f.offset += static_cast<uint64_t>(n);
  f.left -= static_cast<uint64_t>(n);
  f.sent += static_cast<uint64_t>(n);
  if (n != 0 && f.left != 0) return;
  end_file(am::ok);
  if (queue_.empty()) drained();
}

void TcpSocket::end_file(Term result) {
  auto f = std::move(sending_file_);
  wb::close_descriptor(f->fd);
  queue_ += f->behind;
  FragmentHeap h(32);
  Term low = make_small(static_cast<int64_t>(f->sent & 0xffffffff));
  Term high = make_small(static_cast<int64_t>(f->sent >> 32));
  Term said = result == am::ok ? tuple(h, am::ok, low, high) : tuple(h, am::error, result);
  post(f->caller, h, tuple(h, am::sendfile, port_id(), said));
}

}  // namespace wb
