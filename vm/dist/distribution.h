// The other nodes of one machine: connections by node, and who wants to know of nodes that come and
// go.
//
// Kernel's Erlang code (net_kernel, dist_util, a carrier such as inet_tcp_dist) finds nodes, makes
// the handshake and ticks. What the machine does: somebody sends to a node to which there is no
// connection, so a pending one is made and net_kernel is asked to bring it up; when it has,
// erlang:setnode/3 begins it (Connection::begin). Without net_kernel nothing can be connected.
//
// Our own name comes by setnode/2 and goes with the process that was net_kernel then: its end ends
// every connection.
//
// lock_ guards the table and the lists of who wants to know; under it a connection's lock may be
// taken, and signals may be pushed. A connection that has ended is out of the table before anybody
// is notified of it.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/ranked_lock.h"
#include "vm/dist/connection.h"

namespace wb {

class Ports;
class Vm;

/// What a process that has called process_flag({monitor_nodes, _}, true) wants to hear: bits.
namespace node_news {
enum : uint8_t { list = 1, reason = 2, connection = 4, visible = 8, hidden = 16 };
}

class Distribution {
 public:
  explicit Distribution(Vm& vm) : vm_(vm) {}
  /// The machine ends: ports and connections own each other until then.
  void release_ports();
  static constexpr size_t kUsualBusyLimit = 1024 * 1024;

  Vm& vm() { return vm_; }
  static bool is_alive();  ///< has this node a name?
  /// Has it one, or will the first node that it connects to give it one?
  bool may_connect() const;
  /// setnode/2, by the process registered as net_kernel. False: there is none.
  bool set_node(NodeName name);

  // --- connections
  std::shared_ptr<Connection> find(Term node);
  /// The one there is, or a pending one that net_kernel is asked to make; null: nobody can.
  std::shared_ptr<Connection> connect(Term node);
  /// The same without asking.
  std::shared_ptr<Connection> begin_connection(Term node);
  /// Those that are up, the newest first.
  std::vector<std::shared_ptr<Connection>> all_up();
  std::vector<std::shared_ptr<Connection>> all();
  bool is_controller(Term t);
  Term handle(Heap& h, const std::shared_ptr<Connection>& c);  ///< {Id, Reference}
  /// Of a handle; null: it is none.
  static std::shared_ptr<Connection> of_handle(Term handle);

  /// For VmHooks.
  bool push(Address to, Signal* s);
  Term send(Process& from, Term to, Term message, const SendOptions& options);
  void await_room(Process& p, Address to);  ///< of VmHooks::await_node
  /// `p` has said something about itself and `to`: `result`, once there is room on the way there.
  Term after_signal(Process& p, Address to, Term result);
  /// exit/2 to a pid of another node: as send().
  Term exit(Process& from, Term to, Term reason);

  bool abandon_spawn(uint64_t number, Term parent);

  // --- who wants to know
  /// How often it did; `on` false: not any more.
  uint32_t set_node_news(Term pid, uint8_t kind, bool on);
  Term node_news(Heap& h);  ///< [{Pid, Options}], the newest first
  void came_up(Connection& c);
  void went_down(Connection& c, bool was_up, Term reason);

  /// Has the end of that process something to do with nodes? It ends.
  bool involves(Term pid) const {
    return marks_[mark_of(pid)].load(std::memory_order_relaxed) != 0;
  }
  void process_ended(Term pid, Term reason);
  void mark(Term pid) { marks_[mark_of(pid)].fetch_add(1, std::memory_order_relaxed); }
  /// One of the reasons to mark it is gone. Others, which are rare, stay.
  void unmark(Term pid) { marks_[mark_of(pid)].fetch_sub(1, std::memory_order_relaxed); }

  std::atomic<size_t> busy_limit{kUsualBusyLimit};

 private:
  static constexpr size_t kMarks = 1024;
  static size_t mark_of(Term pid) { return is_local_pid(pid) ? pid_slot(pid) % kMarks : 0; }
  void tell_of_node(Connection& c, bool up, Term reason);
  std::shared_ptr<Connection> add_pending(Term node);  ///< under lock_

  Vm& vm_;
  std::atomic<Term> kernel_{kNone};  ///< who was net_kernel when this node got its name
  RankedLock<LockRank::distribution> lock_;
  std::unordered_map<Term, std::shared_ptr<Connection>> connections_;
  uint32_t next_id_ = 1;
  struct News {
    Term pid;
    uint8_t kind;
  };
  std::vector<News> news_;  ///< the oldest first, as they are told; each as often as it wants it
  std::array<std::atomic<uint32_t>, kMarks> marks_{};  ///< processes that may be involved
};

}  // namespace wb
