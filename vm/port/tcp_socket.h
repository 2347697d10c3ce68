// TCP, and local stream sockets.
//
// Input is read when somebody wants it: a passive socket reads for the one recv there is, an active
// one as it comes. Bytes that do not make a packet yet, or that nobody has asked for, stay in
// `input_`; at most option `buffer` bytes are read at once, because programs see it: a message of
// packet type raw is what one read gave.
//
// Output goes to the system at once. What it does not take is queued, and the sender gets `ok`; who
// sends when there is a queue gets it only after the queue has fallen to the low watermark if it
// made it reach the high one. Until then the port is *busy*: other senders are suspended, and
// send_timeout runs. A port that is closed stays until its queue is empty.
//
// The peer's end: an active socket's owner hears of it and the port ends (unless exit_on_close is
// off: then nothing more is read until `active` changes, but it can still send). A passive one
// answers {error, closed}, and its port stays until somebody closes it.
//
// A listening socket has a queue of acceptors. Each connection gets a port of its own, which
// belongs to its acceptor before the acceptor hears of it.
#pragma once

#include "term/spliced_bytes.h"
#include "vm/port/channel_input.h"
#include "vm/port/socket.h"

namespace wb {

class TcpSocket final : public Socket {
 public:
  explicit TcpSocket(Port& port) : Socket(port, true) {}

  void command(Term from, Term data, size_t size) override;
  void stopped() override;
  size_t queued() const override {
    return fetched_.size() - fetched_at_.done + queue_.size() - queue_done_ +
           (sending_file_ ? 1 + sending_file_->behind.size() : 0);
  }
  void flush(uint64_t deadline_ns) override;
  size_t memory() const override;
  bool pull() override;

 protected:
  bool operate(Process& from, uint64_t operation, std::string_view in, std::string* out) override;
  void options_changed(const OptionChanges& changes) override;
  void ready(uint32_t events) override;
  void deadline_passed(uint64_t now) override;
  uint32_t status() const override;
  void notify_when_drained(Term pid) override { drain_watchers_.push_back(pid); }

 private:
  bool is_connected() const { return state_ == kConnected; }
  void await();  ///< says which events are wanted now
  void close_descriptor();

  // --- tcp_socket.cc: connections
  bool connect(Process& from, std::string_view in, std::string* out);
  void connect_done();
  bool listen(std::string_view in, std::string* out);
  bool accept(Process& from, std::string_view in, std::string* out);
  void accept_ready();
  bool accept_one(const Waiting& by, int fd);
  bool shutdown(std::string_view in, std::string* out);
  bool close(std::string* out);
  void answer_all_callers(Term error);

  // --- tcp_input.cc
  bool receive(Process& from, std::string_view in, std::string* out);
  bool give_back(std::string_view in, std::string* out);
  bool wants_input() const { return is_active() || is_value(receiver_.caller); }
  /// Is it to be read when there is something?
  bool reads() const { return wants_input() && !(input_stopped_ && is_active()); }
  bool read();
  bool read_once();
  bool read_packets();
  void nothing_read(ssize_t n);
  void receive_bytes(const uint8_t* bytes, size_t n);
  size_t deliver(const uint8_t* bytes, size_t n);
  void deliver_packet(const PacketFrame& f, const uint8_t* bytes);
  void deliver_stored();
  size_t room() const;
  void end_input();
  void notify_closed();
  void input_closed();
  void input_failed(int error);

  // --- tcp_output.cc
  void append_header(size_t size, std::string* out) const;
  void write(Term from, std::string_view header, std::string_view bytes);
  ssize_t send_some(std::string_view a, std::string_view b);
  ssize_t send_fetched(bool* room);
  void write_queue();
  void drained();
  void output_failed(int error, Term sender);
  Term unblock();
  void clear_output();
  bool send_file(Process& from, std::string_view in, std::string* out);
  void send_file_on();
  void end_file(Term result);

  Waiting connecting_, receiver_;
  std::vector<Waiting> acceptors_;  ///< first come, first served

  std::string input_;  ///< from input_done_ on
  size_t input_done_ = 0;
  ChannelInput packets_;  ///< the same of a channel
  size_t length_ = 0;     ///< the receiver's, 0: a packet
  size_t need_ = 0;       ///< of the packet there is a part of; 0: not known
  /// An active socket's input has ended or gone wrong, and nothing is read until its mode changes.
  bool input_stopped_ = false;
  bool closed_notified_ = false;

  SplicedBytes fetched_;  ///< from the channel; from fetched_at_ on, before the queue
  SplicedBytes::Cursor fetched_at_;
  std::string queue_;  ///< from queue_done_ on
  size_t queue_done_ = 0;
  bool pulls_on_ = false;  ///< the channel has more, which goes when others have had their turn
  Term blocked_sender_ = kNone;  ///< made it busy, and has no answer yet
  std::string blocked_tag_;      ///< for its answer (Socket::without_tag)
  uint64_t send_deadline_ = Deadlines::kNever;
  std::vector<Term> drain_watchers_;
  int pending_shutdown_ = -1;
  bool refuse_send_ = false, refuse_receive_ = false, refuse_reset_ = false;

  struct File {
    Term caller;
    int fd;
    uint64_t offset, left, sent;
    std::string behind;  ///< what is sent meanwhile, which goes after it
  };
  std::unique_ptr<File> sending_file_;
};

}  // namespace wb
