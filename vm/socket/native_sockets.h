// The sockets of a machine (native_socket.h): all of them, and by the processes that own them or
// wait for them.
//
// A process that ends must be found again by its sockets, at next to no cost for those that never
// had one: who owns a socket, or waits for one, is noted here by its pid, in one of kShards small
// tables of which an ending process reads one number. As with names (vm/process/table.h) each side
// writes, fences, then looks: who notes a process looks whether it is ending, an ending
// process says so and looks here. One of them sees the other.
//
// The locks' rank is the lowest that fits: a socket is freed wherever its last reference dies.
//
// The table holds no share of a socket. A socket takes itself out before it is freed, and who finds
// one here takes a share only if it is not the last that goes (NativeSocket::try_retain).
#pragma once

#include <atomic>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/ranked_lock.h"
#include "term/fault.h"
#include "vm/socket/native_socket.h"

namespace wb {

class Process;

class NativeSockets {
 public:
  explicit NativeSockets(Vm& vm) : vm_(vm) {}
  ~NativeSockets();

  Vm& vm() { return vm_; }

  void add(NativeSocket& s);
  void remove(NativeSocket& s);
  void note_closed(NativeSocket& s);  ///< terms of it are left
  /// Notes that `pid` has to do with it. False: that has ended.
  bool note(Term pid, NativeSocket& s);
  void forget(Term pid, NativeSocket& s);
  /// Is it noted? Any thread may ask; sure only of a process that has left the table of processes.
  bool involves(Term pid) { return opened.load(std::memory_order_relaxed) && is_noted(pid); }
  void process_ended(Term pid);
  /// All, each with a share that the caller releases.
  std::vector<NativeSocket*> all();

  // --- nif_info/0, nif_command/1, load_nif/2 -----------------------------------------------------
  std::atomic<bool> debug{false}, socket_debug{false}, use_registry{true}, inform_of_wraps{false};
  std::atomic<Term> registry{kNone};  ///< a pid; kNone: whoever is registered by its name
  /// The process that hears of sockets, started if it must be; kNone: there is none.
  Term registry_pid();
  struct Census {
    uint64_t all, inet, inet6, local, streams, datagrams, seqpackets, tcp, udp, sctp, ip;
  };
  Census census();
  std::atomic<uint64_t> opened{0}, waits{0};

 private:
  using Lock = RankedLock<LockRank::magic_references>;
  static constexpr size_t kShards = 64;
  struct alignas(64) Shard {
    std::atomic<uint32_t> count{0};  ///< processes; written under the lock
    Lock lock;
    std::unordered_map<Term, std::vector<NativeSocket*>> sockets;  ///< of a process
  };
  bool is_noted(Term pid);
  Shard& shard(Term pid) { return shards_[(pid >> 4) % kShards]; }

  Vm& vm_;
  Lock lock_;
  std::unordered_set<NativeSocket*> all_;
  std::unordered_set<NativeSocket*> closed_;  ///< of which there are still terms
  Shard shards_[kShards];
};

}  // namespace wb
