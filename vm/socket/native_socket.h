// A socket of kernel's module `socket`: a descriptor, who owns it, and who waits for it.
//
// The functions of prim_socket try their system call at once, on the caller's scheduler. What would
// block answers `select`: the caller is noted as the current reader (writer, acceptor, connector),
// the descriptor is armed in the poller, and when that reports the caller gets
// {'$socket', Socket, select, Handle}. It is a hint, no result: the caller asks again, and stays
// the current one until a call of its succeeds or fails, or it cancels, or ends. Others who want
// the same meanwhile queue; the next is armed when the current one is done.
//
// A socket is the object of a magic reference. It is kept by the references to it and, while it is
// armed, by the poller (kArmed below): a socket that somebody waits for, or that has a report under
// way, is never freed. One without references and without anybody who waits is closed by its last
// release.
//
// Closing has two steps. close() marks the socket, so that every function answers
// {error, closed}, takes the descriptor out of the poller and sends {'$socket', Socket, abort,
// {Handle, closed}} to whoever waits; finalize() closes the descriptor, which may linger.
// The end of the owner does both.
//
// Locks. `lock` guards everything in here but the number and the kind; system calls on the
// descriptor happen under it, none of which blocks. Under it messages are sent and the table of
// sockets (native_sockets.h) is taken; nobody takes a second socket's. The poller is told to forget
// a descriptor without it: that waits for a callback which may want it.
//
// Rejected: a port below each socket, as gen_tcp's driver (its answers pass through the port's
// queue, and a port has an owner's link); results sent with the message (BEAM's are hints as well,
// and `socket` is written for that).
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/ranked_lock.h"
#include "gc/fragment.h"
#include "scheduler/io_poller.h"
#include "term/heap.h"
#include "term/socket_atoms.h"

namespace wb {

class NativeSockets;
class Network;
class Vm;

/// A term kept outside of every heap.
class HeldTerm {
 public:
  HeldTerm() = default;
  explicit HeldTerm(Term t);
  HeldTerm(HeldTerm&& o) noexcept
      : value_(o.value_), fragment_(std::exchange(o.fragment_, nullptr)) {}
  HeldTerm& operator=(HeldTerm&& o) noexcept {
    std::swap(value_, o.value_), std::swap(fragment_, o.fragment_);
    return *this;
  }
  ~HeldTerm();
  Term get() const { return value_; }

 private:
  Term value_ = kNil;
  HeapFragment* fragment_ = nullptr;
};

/// Those who want the same of a socket, in their order; the first is the current one.
struct Waiters {
  struct Waiter {
    Term pid;
    HeldTerm handle;
    bool notified = false;          ///< `select` was sent
    std::optional<HeldTerm> first;  ///< an acceptor's is known by its first handle to cancel/3
    const HeldTerm& known_by() const { return first ? *first : handle; }
  };
  std::deque<Waiter> all;

  bool any() const { return !all.empty(); }
  bool is_current(Term pid) const { return any() && all.front().pid == pid; }
  bool has(Term pid) const;
  /// Must the poller report?
  bool armed() const { return any() && !all.front().notified; }
};

#define NATIVE_SOCKET_COUNTERS(C)                                                        \
  C(read_byte)                                                                           \
  C(read_fails)                                                                          \
  C(read_pkg)                                                                            \
  C(read_pkg_max)                                                                        \
  C(read_tries) C(read_waits) C(write_byte) C(write_fails) C(write_pkg) C(write_pkg_max) \
      C(write_tries) C(write_waits) C(acc_success) C(acc_fails) C(acc_tries) C(acc_waits)
#define NATIVE_SENDFILE_COUNTERS(C) \
  C(sendfile)                       \
  C(sendfile_byte)                  \
  C(sendfile_fails)                 \
  C(sendfile_max) C(sendfile_pkg) C(sendfile_pkg_max) C(sendfile_tries) C(sendfile_waits)

struct NativeCounters {
#define C(name) uint64_t name = 0;
  NATIVE_SOCKET_COUNTERS(C) NATIVE_SENDFILE_COUNTERS(C)
#undef C
};

class NativeSocket final : public OffHeapObject {
 public:
  struct Kind {
    int domain, type, protocol;
  };
  /// What nif_info shows of each side, in this order.
  enum State : uint32_t {
    kBound = 1,
    kListening = 2,
    kAccepting = 4,
    kConnecting = 8,
    kConnected = 16,
    kSelected = 32,
    kClosing = 64,
    kClosed = 128,
  };
  /// What the `otp` options set.
  struct Settings {
    bool debug = false, inform_of_wraps = false;
    uint32_t reads = 0;  ///< rcvbuf {N, _}
    size_t read_size = 8192, read_control_size = 1024, write_control_size = 1024;
  };
  using Lock = RankedLock<LockRank::port>;  ///< nobody holds a port's as well
  using Guard = std::lock_guard<Lock>;

  NativeSocket(NativeSockets& table, int fd, const Kind& kind);

  /// The socket of a term, or null.
  static NativeSocket* of(Term ref);
  Term ref(Heap& h);   ///< the magic reference
  Term term(Heap& h);  ///< {'$socket', Ref}

  const Kind kind;
  Lock lock;

  Network& network() const;

  // --- under the lock ----------------------------------------------------------------------------
  int fd() const { return watch_.fd; }
  bool is_open() const { return !((read_state | write_state) & (kClosing | kClosed)); }
  bool is_stream() const { return kind.type == 1; }
  Term owner = kNone;
  uint32_t read_state = 0, write_state = 0;
  Waiters readers, writers, acceptors, connectors;
  Settings settings;
  NativeCounters counters;
  HeldTerm meta{am::undefined};
  bool registered = false;
  std::optional<int> made_from;  ///< a descriptor: which; -1: this one
  bool sent_files = false;
  uint32_t reads_in_row = 0;
  int file = -1;  ///< of a sendfile that goes on

  /// May `pid` try now? Else it must wait behind others: queue it, or it is there already.
  enum class Turn { now, queue, queued };
  Turn turn(const Waiters& w, Term pid) const;
  /// `pid` waits, at the end or, if it is the current one, with another handle. `replaced`: what
  /// becomes of the handle it had.
  enum class Replaced { is_forgotten, stays_known, is_aborted };
  void wait(Waiters& w, Term pid, Term handle, Replaced replaced = Replaced::is_forgotten);
  /// The current one is done; the next is armed.
  void done(Waiters& w, Term pid);
  /// All who wait get {abort, {Handle, reason}}, but `except` only leaves.
  void abort(Waiters& w, Term reason, Term except = kNone);
  /// cancel/3: ok, select_sent or not_found.
  Term cancel(Waiters& w, Term pid, Term handle);
  /// Arms what is waited for. 0 or errno.
  int arm();

  // --- without the lock --------------------------------------------------------------------------
  /// False: somebody closes it already.
  bool close(Term closer);
  /// The descriptor, for the caller to close; none: it is not being closed, or is closed.
  std::optional<int> finalize();
  /// A process has ended.
  void process_ended(Term pid);
  /// Makes `pid` the owner; if that has ended the socket closes.
  void give_to(Term pid);
  /// Tells the registry of it.
  void enter_registry();

  /// Shares that were not the last; false: it is being freed.
  bool try_retain();
  /// The machine ends.
  void detach();
  std::string about();

 private:
  struct Watch : FdWatch {
    NativeSocket* socket = nullptr;
  };
  ~NativeSocket() = default;
  static void destroyed(OffHeapObject* o);
  static void on_ready(Worker&, FdWatch& watch, uint32_t events);
  void notify(Waiters& w);
  void send_abort(const Waiters::Waiter& w, Term reason);
  void forget_process(Waiters& w, Term pid);
  void tell_registry(Term what);
  Vm& vm() const;

  NativeSockets* table_;  ///< null: the machine has ended
  const uint64_t number_;
  Watch watch_;
  uint32_t armed_ = 0;
  bool watched_ = false;  ///< the poller has seen the descriptor
};

bool lingers(int fd);
/// Waits as long as the socket lingers, if it may; else it does not linger.
void close_descriptor(Network& network, int fd, bool may_wait);

}  // namespace wb
