#include "vm/dist/last_words.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "scheduler/scheduler.h"
#include "term/dist_atoms.h"
#include "vm/core/vm.h"
#include "vm/process/route.h"
#include "vm/process/visit.h"

namespace wb {
namespace {

/// More are not told at once.
constexpr size_t kMany = 2000;
/// So many to one process, or to all, in a row.
constexpr uint32_t kInARow = 1000;
constexpr std::chrono::milliseconds kPatience{50};

/// A signal behind others: when it is handled, so are those.
class Marker final : public Visit {
 public:
  /// False: it did not come there in time. `self` is kept until it does.
  static bool reach(Vm& vm, Address who) {
    auto marker = std::make_shared<Marker>();
    {
      ReaderGuard guard(vm.scheduler->progress());
      marker->self_ = marker;
      if (!route(vm, who, marker->new_signal_for())) marker->self_ = nullptr;
    }
    std::unique_lock lock(marker->lock_);
    return marker->reached_.wait_for(lock, kPatience, [&] { return !marker->self_; });
  }
  void visit(Process&) override { reached(); }
  void too_late() override { reached(); }
  void drop() override { reached(); }

 private:
  void reached() {
    std::shared_ptr<Marker> self;
    std::lock_guard lock(lock_);
    self = std::move(self_);
    reached_.notify_one();
  }
  std::mutex lock_;  ///< a leaf
  std::condition_variable reached_;
  std::shared_ptr<Marker> self_;  ///< as long as it is on its way
};

/// Tells one after the other.
class Telling : public DirtyJob {
 public:
  Telling(Vm& vm, LastWords words) : vm_(vm), words_(std::move(words)) {}

  /// `paced`: on a dirty thread.
  void tell(bool paced) {
    paced_ = paced;
    if (paced_) guard_.emplace(vm_.scheduler->progress());
    for (auto* link : in_order(words_.relations.links, [](auto& l) { return l.second.order; })) {
      Signal* s = new_signal(SignalKind::link_exit, am::noconnection);
      s->from = link->second.there.take();
      s->request = Request::token_stays;
      if (!send(link->first.here, s)) return;
    }
    for (auto* entry : in_order(words_.relations.monitors, [](auto& m) { return m.first; })) {
      auto& [number, monitor] = *entry;
      Signal* s = new_signal(SignalKind::down, am::noconnection);
      s->from = monitor.target.take();
      s->ref = number;
      if (!send(monitor.watcher, s)) return;
    }
    for (auto& [number, watched] : words_.relations.watched) {
      Signal* s = new_signal(SignalKind::demonitor);
      s->ref = number;
      if (!send(watched.target, s)) return;
    }
    for (auto& [number, spawn] : words_.spawns) tell_no_child(number, spawn);
    for (auto& [pid, times] : words_.watchers) {
      for (uint32_t k = 0; k < times; ++k) {
        FragmentHeap h(4);
        Signal* s = new_signal(SignalKind::message);
        s->term = tuple(h, am::nodedown, words_.node);
        s->fragment = h.take_fragments();
        if (!send(Address::of_local(pid), s)) return;
      }
    }
  }

  static void run_now(DirtyJob& job) {
    auto& self = static_cast<Telling&>(job);
    self.tell(true);
    self.guard_.reset();
  }
  static void over(DirtyJob& job) { delete static_cast<Telling*>(&job); }

 private:
  /// Links break and monitors fire in the order in which they were made: who waits for one after
  /// the other finds each at the front of its queue.
  template <class Map, class Order>
  static std::vector<typename Map::value_type*> in_order(Map& relations, Order order) {
    std::vector<typename Map::value_type*> all;
    all.reserve(relations.size());
    for (auto& relation : relations) all.push_back(&relation);
    std::sort(all.begin(), all.end(), [&](auto* a, auto* b) { return order(*a) < order(*b); });
    return all;
  }
  /// False: the machine ends.
  bool send(Address to, Signal* s) {
    route(vm_, to, s);
    return !paced_ || pace(to);
  }
  bool pace(Address to) {
    uint32_t& in_a_row = told_[to];
    const bool wait = in_a_row != kNotWaitedFor && ++in_a_row == kInARow;
    if (!wait && ++since_ < kInARow) return true;
    since_ = 0;
    guard_.reset();
    if (wait) in_a_row = Marker::reach(vm_, to) ? 0 : kNotWaitedFor;
    if (vm_.scheduler->stopping()) return false;
    guard_.emplace(vm_.scheduler->progress());
    return true;
  }
  /// {Tag, Ref, error, noconnection} to who asked for a child.
  void tell_no_child(uint64_t number, PendingSpawn& spawn) {
    if (spawn.tell_error && !spawn.abandoned) {
      FragmentHeap h(16 + flat_size(spawn.tag));
      Signal* s = new_signal(SignalKind::message);
      s->term = tuple(h, copy_term(h, spawn.tag), make_ref(h, number), am::error, am::noconnection);
      s->fragment = h.take_fragments();
      route(vm_, spawn.parent, s);
    }
    if (spawn.tag_fragment) free_fragments(spawn.tag_fragment);
    if (spawn.monitor.tag_fragment) free_fragments(spawn.monitor.tag_fragment);
  }

  static constexpr uint32_t kNotWaitedFor = UINT32_MAX;
  struct Hash {
    size_t operator()(Address a) const { return std::hash<uint64_t>()(a.word()); }
  };
  Vm& vm_;
  LastWords words_;
  bool paced_ = false;
  std::optional<ReaderGuard> guard_;
  std::unordered_map<Address, uint32_t, Hash> told_;
  uint32_t since_ = 0;
};

}  // namespace

void tell_all(Vm& vm, LastWords words) {
  if (words.size() <= kMany) return Telling(vm, std::move(words)).tell(false);
  auto* job = new Telling(vm, std::move(words));
  job->run = Telling::run_now;
  job->done = Telling::over;
  job->touches = Touches::shared;
  vm.scheduler->submit_dirty(DirtyKind::io, *job);
}

}  // namespace wb
