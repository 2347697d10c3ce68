// The life of a connection, and what its end means.
#include "vm/dist/connection.h"

#include <utility>

#include "term/dist_atoms.h"
#include "vm/core/vm.h"
#include "vm/dist/distribution.h"
#include "vm/dist/last_words.h"
#include "vm/port/ports.h"
#include "vm/process/route.h"

namespace wb {

Connection::~Connection() {
  for (auto& [number, spawn] : spawns_) {
    if (spawn.tag_fragment) free_fragments(spawn.tag_fragment);
    if (spawn.monitor.tag_fragment) free_fragments(spawn.monitor.tag_fragment);
  }
}

bool Connection::begin(Term controller, std::shared_ptr<Port> port, uint64_t flags,
                       uint32_t creation) {
  {
    std::lock_guard lock(lock_);
    if (state() != State::pending) return false;
    flags_ = flags;
    creation_ = creation;
    controller_ = controller;
    port_ = std::move(port);
    state_.store(State::up, std::memory_order_release);
    UnlimitedBudget budget;
    for (const HeldOutgoing& held : held_) {
      Encoded e;
      if (!encode(held.get(), flags_, &e, budget)) continue;
      place(e.atoms.all(), std::move(e.body), e.plain, held.get().from);
    }
    drop_held();
    resume_waiting();
  }
  dist_.came_up(*this);
  return true;
}

bool Connection::abort() { return state() == State::pending && end(am::noconnection); }

bool Connection::end(Term reason) {
  LastWords words;
  words.node = node;
  State before;
  {
    std::lock_guard lock(lock_);
    before = state_.exchange(State::down, std::memory_order_acq_rel);
    if (before == State::down) return false;
    std::swap(words.relations, relations_);
    std::swap(words.spawns, spawns_);
    std::swap(words.watchers, node_watchers_);
    for (auto& [parent, link] : awaited_links_) dist_.unmark(parent);
    awaited_links_.clear();
    drop_held();
    sequences_.clear();
    out_ = SplicedBytes();
    out_at_ = {};
    out_packets_ = behind_bytes_ = sequence_bytes_ = 0;
    busy_ = stalled_ = false;
    resume_waiting();
  }
  const std::shared_ptr<Connection> self = shared_from_this();
  dist_.went_down(*this, before == State::up, reason);  // out of the table first
  tell_all(dist_.vm(), std::move(words));
  return true;
}

void Connection::break_off() {
  Signal* s = new_signal(SignalKind::exit, am::killed);
  s->from = Address::of_local(controller_);
  if (end(am::killed))
    route(dist_.vm(), controller_, s);
  else
    free_signal(s);
}

// --- who wants to hear of the end of this node ---------------------------------------------------
void Connection::watch_node(Term pid) {
  {
    std::lock_guard lock(lock_);
    if (state() != State::down) {
      ++node_watchers_[pid];
      return;
    }
  }
  FragmentHeap h(4);
  Signal* s = new_signal(SignalKind::message);
  s->term = tuple(h, am::nodedown, node);
  s->fragment = h.take_fragments();
  route(dist_.vm(), pid, s);
}
void Connection::unwatch_node(Term pid) {
  std::lock_guard lock(lock_);
  auto at = node_watchers_.find(pid);
  if (at != node_watchers_.end() && --at->second == 0) node_watchers_.erase(at);
}
void Connection::forget_watcher(Term pid) {
  std::lock_guard lock(lock_);
  node_watchers_.erase(pid);
}

Connection::Statistics Connection::statistics() {
  std::lock_guard lock(lock_);
  return {packets_in_.load(),
          packets_out_,
          out_packets_,
          bytes_in_.load(),
          bytes_out_,
          waiting_bytes(),
          relations_.links.size(),
          relations_.monitors.size(),
          relations_.watched.size(),
          sequences_.size(),
          waiting_.size(),
          busy_};
}

}  // namespace wb
