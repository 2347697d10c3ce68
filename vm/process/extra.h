// Parts of a process that not every one has, each made when first used.
//
// Two steps keep an ordinary process small: a server has a dictionary and waits for answers now and
// then, so ProcessExtra holds these (80 bytes); what only few ever use stands in RareParts behind
// it (336), timers and markers of receives in ReceiveParts. Nothing of it is freed before the
// process ends.
#pragma once

#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "loader/code.h"
#include "scheduler/timer_wheel.h"
#include "vm/process/bounded_mailbox.h"
#include "vm/process/call_meter.h"
#include "vm/process/dictionary.h"
#include "vm/process/policy.h"
#include "vm/process/process.h"

namespace wb {

struct YieldedCall;
class SavedCalls;
class GroupMember;
namespace seq {
struct State;
}

struct ReceiveTimer : Timer {
  Process* process = nullptr;
  uint64_t number = 0;  ///< distinguishes this wait from earlier ones
  bool running = false;
  const Word* after = nullptr;  ///< where to go when it fires
};

struct ReceiveMarker {
  uint64_t ref = 0;  ///< 0: reserved, not bound
  uint64_t id = 0;
  Signal** position = nullptr;
  bool overtaken = false;  ///< it stands before a message that has overtaken those behind it
  static constexpr uint64_t kEndOfBlock = uint64_t{1} << 63;  ///< an `id`: see overtake.h
};

/// Of a process that has waited with a time limit, or for an answer known by its reference.
struct ReceiveParts {
  ReceiveTimer timer;
  std::vector<ReceiveMarker> markers;
  uint64_t next_marker = 1;
  bool overtaken = false;  ///< a receive that was looking at a message was (overtake.h)
};

struct RareParts {
  // --- identity ----------------------------------------------------------------------------------
  HeldAddress remote_parent;  ///< of a child of another node; Process::parent is `undefined`
  uint64_t restarts = 0;      ///< as a supervisor: how often it has restarted a child, or tried to
  // --- flags -------------------------------------------------------------------------------------
  Term error_handler = am::error_handler;
  uint64_t max_heap_size = 0;  // words
  bool max_heap_kill = true, max_heap_log = true, max_heap_shared = false;
  bool async_dist = false;                    ///< sends to other nodes never suspend it
  bool blocks_scheduling = false;             ///< stands in Settings::multi_scheduling
  bool collect_minor = false;                 ///< the collection requested is a minor one
  bool collected_for_self = false;            ///< garbage_collect/1 is to return now
  bool collections_wait = false;              ///< those that are asked for (erts_debug)
  bool others_ran = false;                    ///< before it changes code
  std::map<uint8_t, uint32_t> monitor_nodes;  ///< how often, by what it wants to hear
  CallMeter call_meters[kCallCostCount];      ///< by CallCost
  CallMeter& meter(CallCost c) { return call_meters[static_cast<size_t>(c)]; }
  std::vector<uint32_t> long_queue_for;      ///< whose queue is long for these sessions' monitors
  std::vector<Signal*> evictions;            ///< answers to give when they are done
  std::vector<Signal*> waiting_collections;  ///< the requests
  std::unordered_map<Address, uint32_t> suspending;  ///< whom this process has suspended
  std::unique_ptr<seq::State> sequential;            ///< vm/process/sequential.h
  std::unique_ptr<SavedCalls> saved_calls;           ///< vm/process/saved_calls.h
  std::unique_ptr<AttachedCode> scheduled;  ///< the native function that it goes on with (vm/nif)
  std::unique_ptr<BoundedMailbox> mailbox;  ///< made with the process, stays as long as it
  uint64_t collected_for_more = 0;          ///< what ProcessHeap::collected_for has no room for
  /// Made with the process (policy.h); the group's is one of them, the last.
  std::vector<std::shared_ptr<Policy>> policies;
  GroupMember* group = nullptr;
  PolicyChoice policy;
  RareParts();
  ~RareParts();
};

struct ProcessExtra {
  Dictionary dictionary;
  // --- waiting for an answer ---------------------------------------------------------------------
  uint64_t awaited = 0;  ///< reference number of the reply waited for; 0: none
  Term reply = kNone;    ///< root
  // --- a native call that has yielded ------------------------------------------------------------
  YieldedCall* yielded_call = nullptr;
  std::unique_ptr<ReceiveParts> receive;
  std::unique_ptr<RareParts> rare;
  GcStats gc;
};
static_assert(sizeof(ProcessExtra) <= 80, "of every server, and 80 is one of malloc's sizes");

/// Null: it has none.
inline ReceiveParts* receive_of(const Process& p) {
  return p.extra ? p.extra->receive.get() : nullptr;
}
inline ReceiveParts& Process::receives() {
  ReceiveParts* const parts = receive_of(*this);
  return WB_LIKELY(parts) ? *parts : make_receives();
}
inline RareParts* rare_of(const Process& p) { return p.extra ? p.extra->rare.get() : nullptr; }

/// Of a process that has policies.
template <class... Parameter, class... Argument>
void tell_policies(Process& p, void (Policy::*what)(Process&, Parameter...), Argument... more) {
  for (auto& policy : p.extra->rare->policies) (policy.get()->*what)(p, more...);
}

}  // namespace wb
