// A connection to another node: from the moment somebody wants it until it ends. The next one to
// the same node is another object.
//
//   pending   the handshake, which is kernel's Erlang code, goes on; what is to be said is held
//   up        there is a controller: a port, which carries packets by itself (PortChannel), or a
//             process, which fetches them and hands in those that come
//   down      everybody has been notified; nothing goes out or comes in any more
//
// Going out. A message is encoded by whoever sends it, on its own time and with no lock held; then
// it gets its place under lock_: its header is written, which is what must happen in order
// (atom_cache.h), and it is appended to out_. The controller fetches from there. A message of more
// than kFragment bytes goes in fragments, of which only the first stands in out_: the rest is a
// Sequence, and of each sequence one fragment goes whenever something is fetched, so that others
// overtake. What the same sender says meanwhile waits behind its sequence (Sequence::behind), since
// what one process sends must arrive in order. Bytes of large binaries are counted, not copied, up
// to the socket (term/spliced_bytes.h). What a slice says goes to the socket when the slice is over
// (vm/process/after_slice.h), or when it is much: many small messages cost one system call.
//
// Busy. From busy_limit bytes in out_ on (held, while it is pending), and for a sender as long as
// it has a sequence, who wants to send is suspended (by a signal to itself) and does it again when
// there is room. So is everybody when there are sequences and nothing has been fetched for a while,
// the connection is stalled, and when there are many: each takes the memory of its whole message on
// the other side, and their senders need not be alive. Links, monitors and exit signals go out all
// the same; who has sent one is suspended before it goes on (Distribution::after_signal). A process
// that ends waits between those whom it notifies.
//
// Coming in. One thread at a time reads: it holds the port's lock, or input_lock_. It decodes and
// routes; it takes lock_ only for relations. Whatever makes no sense ends the connection, a message
// whose term is none when it is received (vm/process/undecoded.h).
//
// The end fires each link and monitor over the connection (relations_over.h, last_words.h).
//
// Lock order: a port, then the table of connections (distribution.h), then a connection; under a
// connection's lock signals are pushed to processes here, and nothing else.
//
// Rejected: encoding under the lock (a large term would hold up everybody); encoding on the
// controller's side from copied terms (each message copied twice, and one thread for all of it);
// one queue for fragments of all senders (a small message waits for the large ones before it).
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/ranked_lock.h"
#include "vm/dist/assemblies.h"
#include "vm/dist/atom_cache.h"
#include "vm/dist/outgoing.h"
#include "vm/dist/relations_over.h"
#include "vm/port/channel.h"
#include "vm/process/options.h"
#include "vm/process/signal.h"

namespace wb {

class Distribution;
class Port;
class Process;
struct SendOptions;

/// A child that was asked for there, and has not been answered for.
struct PendingSpawn {
  Term parent = kNone;
  Term tag = am::spawn_reply;
  HeapFragment* tag_fragment = nullptr;
  bool link = false, monitored = false;
  Monitor monitor;  ///< as it will be, but for its target
  bool tell_success = true, tell_error = true;
  bool abandoned = false;
};

class Connection final : public PortChannel, public std::enable_shared_from_this<Connection> {
 public:
  enum class State : uint8_t { pending, up, down };
  static constexpr size_t kFragment = 64 * 1024;
  static constexpr uint64_t kStalledNs = 100'000'000;
  static constexpr size_t kReportedBytes = 500;  ///< of what makes no sense

  Connection(Distribution& d, Term node, uint32_t id, uint64_t handle_number)
      : node(node), id(id), handle_number(handle_number), dist_(d) {}
  ~Connection() override;

  const Term node;
  const uint32_t id;             ///< as programs see it
  const uint64_t handle_number;  ///< of the reference in its handle

  State state() const { return state_.load(std::memory_order_acquire); }
  bool is_up() const { return state() == State::up; }
  bool is_visible() const { return flags_ & dist_flag::published; }
  uint32_t creation() const { return creation_; }
  Term controller() const { return controller_; }  ///< once it is up

  // --- its life
  /// The handshake is done. `port` or a process of that pid carries it. False: it is not pending.
  bool begin(Term controller, std::shared_ptr<Port> port, uint64_t flags, uint32_t creation);
  /// False: it has ended before.
  bool end(Term reason);
  /// What has come makes no sense: it ends, and so does its controller.
  void break_off();
  /// The machine ends.
  void release_port() { port_.reset(); }
  /// Still pending: nobody will make it.
  bool abort();

  // --- going out
  /// am::ok, am::nosuspend, kSystemLimit, or kYield: `from` is suspended and does it again.
  Term send(Process& from, Outgoing o, bool nosuspend);
  /// A signal to somebody there; false: the connection is down. `s` stays the caller's.
  bool send_signal(Address to, const Signal& s);
  /// True: `p` is suspended until there is room.
  bool suspend_if_busy(Process& p);
  bool is_busy_for(const Process& p);
  /// `p` ends, and has said something: it goes on when there is room for more.
  void await_room(Process& p);
  /// What is no signal.
  bool say(const Outgoing& o, Term sender);
  /// A child is wanted: the request under `number` goes out. False: the connection is down, and
  /// `spawn` stays the caller's.
  bool request_spawn(Process& from, uint64_t number, const PendingSpawn& spawn, const Outgoing& o);
  bool abandon_spawn(uint64_t number, Term parent);
  /// It is answered; `child`, if there is one, is linked and monitored from now on.
  bool take_spawn(uint64_t number, const HeldAddress& child, PendingSpawn* spawn);
  /// `parent` ends: children to which it is not linked yet will have its reason.
  void parent_ended(Term parent, Term reason);
  /// The parent is linked to the child of request `number`.
  void take_awaited_link(Term parent, uint64_t number);
  /// It is not: it has ended, and tells `child` so, or will.
  void break_awaited_link(Term parent, uint64_t number, const HeldAddress& child);
  /// The same of a child here; `number`: under which it is watched, 0: it is not.
  void note_child(Address child, const HeldAddress& parent, bool link, uint64_t number,
                  const RefKey& ref);

  // --- who wants to hear of the end of this node
  void watch_node(Term pid);
  void unwatch_node(Term pid);
  void forget_watcher(Term pid);

  // --- a controller that is a process (bif_controller.cc)
  void set_input_handler(Term pid) { input_handler_ = pid; }
  bool handles_input(Term pid) const { return pid == input_handler_ || pid == controller_; }
  /// A packet that has come. False: it makes no sense, and the connection has ended.
  bool put_data(const uint8_t* packet, size_t n);
  /// The next packet that goes out, without its length; false: there is none.
  bool take_packet(std::string* packet);
  /// It is sent {dist_data} when there is something to fetch.
  void notify_of_data();
  std::atomic<bool> gives_size{false};

  struct Statistics {
    uint64_t packets_in, packets_out, waiting_packets, bytes_in, bytes_out, waiting_bytes;
    size_t links, monitors, watched, sequences, senders_waiting;
    bool busy;
  };
  Statistics statistics();

  // --- PortChannel
  bool receive(const uint8_t* packet, size_t n) override;
  size_t fetch(SplicedBytes* out) override;
  void ended(Term reason) override { end(reason); }

 private:
  friend class Incoming;
  struct Behind {
    std::vector<Term> atoms;
    SplicedBytes body;
    bool plain;
  };
  /// A link to a child that was asked for, until the parent has it.
  struct AwaitedLink {
    uint64_t number;                   ///< of the request
    std::optional<HeldOutgoing> exit;  ///< of the parent, which ended meanwhile
    HeldAddress child;                 ///< of one that has just ended, and will say why
  };
  /// A large message of which some fragments have still to go.
  struct Sequence {
    uint64_t number, left;  ///< fragments
    Term sender;
    SplicedBytes body;
    SplicedBytes::Cursor at;
    std::vector<Behind> behind;
  };

  // --- going out (connection_out.cc); under lock_ but for the last two
  void place(std::span<const Term> atoms, SplicedBytes body, bool plain, Term sender);
  void append_packet(std::string_view head, std::span<const Term> atoms, const SplicedBytes& body,
                     SplicedBytes::Cursor* at, size_t n);
  void append_fragment(Sequence& s, SplicedBytes* out);
  bool next_fragment(SplicedBytes* out);
  void finish_sequence(std::deque<Sequence>::iterator at);
  Sequence* sequence_of(Term sender);
  void hold(const Outgoing& o);
  void drop_held();
  bool is_busy_for(Term sender);
  bool is_stalled();
  bool is_crowded();
  void note_fetched();
  size_t waiting_bytes() const {
    return out_.size() - out_at_.done + behind_bytes_ + sequence_bytes_;
  }
  bool suspend_if_busy(Process& from, bool nosuspend, bool* refused);
  void resume_waiting();
  void tell_controller();
  bool commit(Encoded& e, Term sender);
  void flush(bool much);

  using AwaitedLinks = std::unordered_multimap<Term, AwaitedLink>;
  AwaitedLinks::iterator find_awaited_link(Term parent, uint64_t number);  ///< under lock_
  void erase_awaited_link(AwaitedLinks::iterator at);                      ///< the same

  // --- coming in (incoming.cc)
  void report_corrupted(const char* what, const uint8_t* p, size_t n);
  bool report_fragment(uint64_t number);
  bool read_packet(const uint8_t* p, size_t n);
  bool read_first_fragment(const uint8_t* p, size_t n);
  bool read_fragment(const uint8_t* p, size_t n);
  bool read_message(const uint8_t* p, size_t n, std::span<const Term> atoms, bool plain,
                    Binary* whole = nullptr);

  Distribution& dist_;
  std::atomic<State> state_{State::pending};
  uint64_t flags_ = 0;  ///< these three stay from begin() on
  uint32_t creation_ = 0;
  Term controller_ = kNone;
  std::shared_ptr<Port> port_;  ///< null: a process carries it
  std::atomic<Term> input_handler_{kNone};

  RankedLock<LockRank::connection> lock_;  ///< for what follows
  std::vector<HeldOutgoing> held_;         ///< while it is pending
  size_t held_bytes_ = 0;
  OutgoingAtoms out_atoms_;
  SplicedBytes out_;             ///< packets, lengths included
  SplicedBytes::Cursor out_at_;  ///< what take_packet() takes next
  size_t out_packets_ = 0, behind_bytes_ = 0;
  size_t sequence_bytes_ = 0;   ///< of sequences_, that have still to go
  uint64_t fetched_at_ns_ = 0;  ///< something was, last
  std::deque<Sequence> sequences_;
  uint64_t next_sequence_ = 1;
  bool busy_ = false, tell_of_data_ = false;
  bool stalled_ = false;          ///< for somebody who waits
  bool crowded_ = false;          ///< with sequences
  std::vector<Term> waiting_;     ///< suspended senders
  std::vector<Process*> ending_;  ///< who waits in await_room()
  RelationsOver relations_;
  std::unordered_map<uint64_t, PendingSpawn> spawns_;
  AwaitedLinks awaited_links_;  ///< by parent
  std::unordered_map<Term, uint32_t> node_watchers_;
  uint64_t packets_out_ = 0, bytes_out_ = 0;

  RankedLock<LockRank::dist_input> input_lock_;  ///< of a process' packets
  IncomingAtoms in_atoms_;
  Assemblies incomplete_;
  std::atomic<uint64_t> packets_in_{0}, bytes_in_{0};
};

}  // namespace wb
