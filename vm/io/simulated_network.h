// The network of a seeded run: sockets of one machine that reach each other, and nobody else.
//
// An end is what a descriptor stands for. What one sends is on the wire of the other for a while
// (kLatencyNs of virtual time, rounded up to the wheel's tick), in the order in which it was sent,
// and arrives by a timer; so does the answer to a connect, an end of input, and a reset. Reports of
// readiness come by timers as well, never out of the call that made somebody ready. So who reads
// first is a matter of who runs when, and where the run is guided, of when the clock moves.
//
// An end that was closed is gone at once; what it had sent still arrives. Bytes for one that is
// gone are answered with a reset. As many bytes are under way or unread as the system's buffers of
// both ends would take. Addresses are those of this machine, ports that nobody names go up from
// kFirstPort; local sockets have their file. Nothing comes from outside: who connects to another
// machine finds that the network cannot be reached, and multicast is lost.
//
// What goes wrong on request (vm/io/faults.def): a connection is reset, or refused, a part of what
// was sent is read, what was sent comes a second late, a datagram is lost. A connection is named by
// the addresses of both ends.
//
// Descriptors are sockets of the system that are never connected: options are theirs. Each call and
// timer is on the worker that simulates, so nothing is locked.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "scheduler/timer_wheel.h"
#include "vm/io/network.h"
#include "vm/io/socket_address.h"

namespace wb {

class SimulatedNetwork final : public Network {
 public:
  explicit SimulatedNetwork(Vm& vm) : vm_(vm) {}
  ~SimulatedNetwork() override;

  void adopt(int fd) override;
  int close(int fd) override;
  int bind(int fd, const sockaddr* address, socklen_t size) override;
  int listen(int fd, int backlog) override;
  int accept(int fd) override;
  int connect(int fd, const sockaddr* address, socklen_t size) override;
  int shutdown(int fd, int how) override;
  int name(int fd, sockaddr* address, socklen_t* size) override;
  int peer(int fd, sockaddr* address, socklen_t* size) override;
  int error(int fd) override;
  ssize_t receive(int fd, void* bytes, size_t size, int flags) override;
  ssize_t receive(int fd, msghdr* message, int flags) override;
  ssize_t send(int fd, const void* bytes, size_t size, int flags) override;
  ssize_t send(int fd, const msghdr& message, int flags) override;
  ssize_t send_file(int fd, int file, off_t* at, size_t size) override;
  int watch(FdWatch& watch, uint32_t events) override;
  void unwatch(FdWatch& watch) override;
  bool wait_for_room(int fd, int milliseconds) override { return false; }

  /// A number that the descriptor has been told.
  static int option(int fd, int level, int which);

 private:
  static constexpr uint64_t kLatencyNs = 50'000, kLateNs = 1'000'000'000;
  static constexpr uint16_t kFirstPort = 32768;
  using EndId = uint64_t;

  /// Something under way to an end.
  struct Packet {
    enum class Kind : uint8_t { bytes, datagram, end, reset, refused, handshake };
    Kind kind = Kind::bytes;
    uint64_t due_ns = 0;
    std::string bytes = {};
    SocketAddress from = {};
    std::vector<int> beside = {};  ///< of a datagram: values of kBeside
  };
  enum class State : uint8_t { open, listening, connecting, connected, broken };
  struct End;
  struct Alarm : Timer {
    SimulatedNetwork* network = nullptr;
    EndId end = 0;
    bool running = false;
  };
  struct End {
    EndId id = 0;
    int fd = -1;                            ///< -1: not accepted yet
    int usual_send = 0, usual_receive = 0;  ///< sizes of buffers that nobody has set
    int family = 0;
    bool is_local() const { return family != AF_INET && family != AF_INET6; }
    bool stream = false;
    State state = State::open;
    SocketAddress here, there;
    std::string label;  ///< of the connection, for faults
    EndId other = 0;
    int error = 0;
    // --- what has come, and what is to come
    std::string in;
    size_t in_done = 0, unread = 0;  ///< unread: of `in` and of the wire
    std::deque<Packet> datagrams, wire;
    bool input_ended = false, sends_no_more = false, reads_no_more = false;
    bool sender_waits = false;  ///< the other end found no room
    bool asks_again = false;    ///< who connects has not yet heard that it is done
    // --- of a listening one
    size_t backlog = 0;
    std::deque<EndId> accepts;
    // --- who is to be notified
    FdWatch* watched_by = nullptr;
    uint32_t armed = 0;
    Alarm arrival, report;
  };

  static int fail(int error);  ///< -1, and this in errno
  End* find(EndId id);
  End* at(int fd);
  End& make(int family, bool stream);
  void own(End& e, int fd);
  void remove(End& e);
  void start(Alarm& alarm, const End& e, uint64_t deadline_ns, Timer::Fire fire);

  // --- simulated_network.cc: addresses
  int wrong_family(const End& e, const SocketAddress& a) const;
  bool is_here(const SocketAddress& a);
  bool is_taken(const End& by, const SocketAddress& a);
  bool takes(const End& e, const SocketAddress& to) const;
  End* receiver(const End& from, const SocketAddress& to);
  uint16_t free_port(const End& by, SocketAddress at);
  void bind_to_any(End& e, const SocketAddress& to);
  int connect_stream(End& e, const SocketAddress& to);
  int connect_datagrams(End& e, const SocketAddress& to);
  End* open_connection(End& client);
  int copy_name(const SocketAddress& a, sockaddr* to, socklen_t* size);

  // --- simulated_traffic.cc: what is under way
  void put(End& to, Packet packet, uint64_t latency_ns = kLatencyNs);
  static void on_arrival(Worker& w, Timer& timer);
  static void on_report(Worker& w, Timer& timer);
  void apply(Worker& w, EndId to, Packet packet);
  void shake_hands(Worker& w, End& client);
  void break_off(End& e, int error);
  uint32_t ready(End& e);
  void report(Worker& w, End& e);
  void report_soon(End& e);
  size_t room(const End& from, const End& to) const;
  static size_t buffer_size(const End& e, int which);
  ssize_t send_bytes(End& e, const msghdr& m, size_t size);
  ssize_t send_datagram(End& e, const msghdr& m, size_t size);
  ssize_t receive_bytes(End& e, const iovec* parts, size_t count, int flags);
  ssize_t receive_datagram(End& e, msghdr* m, int flags);
  int take_error(End& e);

  Vm& vm_;
  std::map<EndId, std::unique_ptr<End>> ends_;
  std::unordered_map<int, EndId> by_fd_;
  std::vector<SocketAddress> interfaces_;
  bool knows_interfaces_ = false;
  EndId last_id_ = 0;
  uint16_t next_port_ = kFirstPort;
};

}  // namespace wb
