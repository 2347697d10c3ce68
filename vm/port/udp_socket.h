// UDP, and local datagram sockets.
//
// A datagram goes at once or not at all: nothing is queued, and what the system says is the answer.
// One that comes is read when somebody wants it: a recv, or an active socket's owner, of which a
// few (option read_packets) are read before others run.
#pragma once

#include "vm/port/socket.h"

namespace wb {

class UdpSocket final : public Socket {
 public:
  explicit UdpSocket(Port& port) : Socket(port, false) {}

  void command(Term from, Term data, size_t size) override;
  void stopped() override;
  size_t queued() const override { return 0; }
  void flush(uint64_t) override {}

 protected:
  bool operate(Process& from, uint64_t operation, std::string_view in, std::string* out) override;
  void options_changed(const OptionChanges& changes) override;
  void ready(uint32_t events) override;
  void deadline_passed(uint64_t now) override;

 private:
  bool connect(Process& from, std::string_view in, std::string* out);
  bool receive(Process& from, std::string_view in, std::string* out);
  int send(std::string_view in);
  bool wants_input() const { return is_active() || is_value(receiver_.caller); }
  void read();
  bool read_once();
  void deliver(const SocketAddress& from, const struct msghdr& message, const uint8_t* bytes,
               size_t n);
  void failed(int error);

  Waiting receiver_;
};

}  // namespace wb
