// The options of spawn_opt/4 and spawn_request/4, for children of this node and of others.
#pragma once

#include "term/lists.h"
#include "vm/process/options.h"

namespace wb {

enum class Reply : uint8_t { yes, no, error_only, success_only };

struct ChildOptions {
  explicit ChildOptions(Vm& vm, const Process* parent = nullptr);
  void limit_heap(const MaxHeap& max) {
    spawn.max_heap_size = max.words;
    spawn.max_heap_kill = max.kill, spawn.max_heap_log = max.log;
    spawn.max_heap_shared = max.shared;
  }
  MaxHeap max_heap;  ///< the machine's default
  const uint32_t schedulers;
  SpawnOptions spawn;
  Term fault = am::badopt;      ///< `cause` of the badarg if an option is wrong
  const Process* const parent;  ///< null: of another node
  bool monitored = false;
  MonitorOptions monitor;
  Reply reply = Reply::yes;
  Term reply_tag = am::spawn_reply;
};

/// {reply, _}: false, it is none of the four.
bool to_reply(Term t, Reply* reply);
/// Takes all that is right, so that a wrong option is reported as the right ones say.
bool take_child_options(Term list, bool asynchronous, ChildOptions* options);
/// Three terms: a module, a function, a list.
inline bool is_mfa(const Term* a) {
  return is_atom(a[0]) && is_atom(a[1]) && list_length(a[2]) >= 0;
}

}  // namespace wb
