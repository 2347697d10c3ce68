// A socket behind a port: what TCP and UDP have in common.
//
// Kernel's Erlang modules (gen_tcp, inet, prim_inet ...) do everything but the system calls. They
// ask by port_control/3 (an operation's number and bytes; the answer begins with a byte, 1 ok or 0
// error, and what belongs to it) and by data sent to the port, answered by {inet_reply, Port, _}.
// What may take long (connect, accept, recv) is answered with a number, and when it is done whoever
// asked gets {inet_async, Port, Number, Result}. An active socket sends {tcp, Port, Data} and the
// like to the port's owner.
//
// Nothing blocks: descriptors do not, and what would is waited for in the poller (`want`), which
// reports once each time it is armed. What is wanted may change while it is armed; then a report
// may find nothing to do, and does nothing. Who asked for an answer within a time has a deadline
// (deadlines.h).
//
// States are the bits that prim_inet:getstatus/1 shows; none: it was closed, or never opened, while
// its port lives on.
//
// Rejected: a thread, or a process of the machine, a socket (a hop for each message); reading ahead
// of what was asked for (programs that hand descriptors or change packet types would notice).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "gc/fragment.h"
#include "scheduler/io_poller.h"
#include "term/fault.h"
#include "vm/port/deadlines.h"
#include "vm/port/driver.h"
#include "vm/port/inet_address.h"
#include "vm/port/socket_options.h"

namespace wb {

class Network;
class Port;
class Vm;

class Socket : public PortDriver {
 public:
  ~Socket() override;

  bool control(Process& from, uint64_t operation, const std::string& in, std::string* out) override;
  bool has_garbage() const override { return !dropped_.empty(); }
  void release_after_lock(bool all) override;
  size_t memory() const override;
  std::string about() const override;

 protected:
  Socket(Port& port, bool stream);

  enum State : uint32_t {
    kClosed = 0,
    kOpen = 1,
    kConnected = 5,
    kListening = 9,
    kConnecting = 0x11,
    kAccepting = 0x29,
    kBusy = 0x80,  ///< shown beside others
  };
  struct Watch : FdWatch {
    Socket* socket = nullptr;
    bool stays_open = false;  ///< somebody else has the descriptor
  };
  /// Who waits for an answer.
  struct Waiting {
    Term caller = kNone;  ///< kNone: nobody
    uint16_t number = 0;
    uint64_t deadline = Deadlines::kNever;
  };

  // --- for TCP and UDP to say
  /// Operations of its own. False: no such operation.
  virtual bool operate(Process& from, uint64_t operation, std::string_view in,
                       std::string* out) = 0;
  virtual void options_changed(const OptionChanges& changes) = 0;
  virtual void ready(uint32_t events) = 0;
  virtual void deadline_passed(uint64_t now) = 0;
  virtual uint32_t status() const { return state_; }
  /// Bytes that wait to be sent; who is to be notified when there are none.
  virtual void notify_when_drained(Term) {}

  // --- the descriptor
  int fd() const { return watch_ ? watch_->fd : -1; }
  SocketHandle handle() const { return {fd(), family_, stream_}; }
  void adopt(int fd, int family);
  /// Lets go of it; it is closed as soon as the lock is free.
  void drop_descriptor();
  void surrender() { watch_.reset(); }  ///< never watched, and somebody else's from now on
  void want(uint32_t events);           ///< from now on these, and no others
  uint32_t wanted() const { return wanted_; }

  // --- answers to port_control
  static bool ok(std::string* out) { return out->assign(1, 1), true; }
  static bool error(std::string* out, int error);
  static bool error(std::string* out, std::string_view name);
  bool ok_number(std::string* out, uint16_t number);

  // --- messages
  Vm& vm() const;
  Network& network() const;
  Term port_id() const;
  Term owner() const;
  uint16_t next_number() { return ++last_number_; }
  /// {inet_async, Port, Number, ok}, or {error, reason}.
  void answer_caller(const Waiting& to, Term error_or_ok);
  /// The same with {ok, value}: made by `h`.
  void answer_caller_value(const Waiting& to, FragmentHeap& h, Term value);
  void reply(Term to, Term error_or_ok);  ///< {inet_reply, Port, _}; since OTP 26 {_, _, _, Ref}
  /// Since OTP 26 data begin with a reference that belongs into the answer: takes it off.
  Term without_tag(Term data, size_t* size);
  void post(Term to, FragmentHeap& h, Term message);
  void notify_owner(Term tag);               ///< {tag, Port}
  void notify_owner(Term tag, Term reason);  ///< {tag, Port, reason}
  /// After a message of an active socket: is it still active? If not its owner has been notified.
  void count_active();
  bool is_active() const { return o_.active != Active::passive; }

  /// Bytes as their program wants them.
  size_t data_words(size_t n) const;
  Term data(FragmentHeap& h, const uint8_t* bytes, size_t n) const;
  void count_in(size_t n);
  void count_out(size_t n, size_t packets = 1);

  Port& port_;
  const bool stream_;
  int family_ = 0, type_ = 0;
  uint32_t state_ = kClosed;
  SocketOptions o_;
  Deadlines deadlines_;

 private:
  static void on_ready(Worker&, FdWatch& watch, uint32_t events);
  static void on_deadline(void* self, uint64_t now);
  bool open(std::string_view in, std::string* out, bool descriptor_given);
  bool bind(std::string_view in, std::string* out);
  bool name(std::string* out, bool peer);
  /// The same, or what the program wants it to be taken for.
  bool said_name(std::string* out, bool peer);
  bool pretend(std::string_view in, std::string* out, std::optional<SocketAddress>* as);
  bool ignore(std::string_view in, std::string* out);
  bool set_options(std::string_view in, std::string* out);
  bool get_options(std::string_view in, std::string* out);
  bool statistics(std::string_view in, std::string* out);
  bool subscribe(Process& from, std::string_view in, std::string* out);

  struct Traffic {
    uint64_t bytes = 0;
    uint32_t packets = 0, largest = 0;
    double average = 0, deviation = 0;
    void add(size_t n, size_t packets_in_it = 1);
  };

  std::unique_ptr<Watch> watch_;
  std::vector<std::unique_ptr<Watch>> dropped_;
  uint32_t wanted_ = 0, armed_ = 0;
  bool ignored_ = false;
  std::optional<SocketAddress> pretended_name_, pretended_peer_;

 protected:
  std::string reply_tag_;  ///< of the command that is answered next: an encoded reference, or empty

 private:
  uint16_t last_number_ = 0;
  Traffic in_, out_;
};

}  // namespace wb
