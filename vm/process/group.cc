#include "vm/process/group.h"

#include <algorithm>
#include <mutex>

#include "scheduler/scheduler.h"
#include "term/instance.h"
#include "term/magic_registry.h"
#include "term/owned_bytes.h"
#include "term/policy_atoms.h"
#include "vm/core/vm.h"
#include "vm/process/exec.h"
#include "vm/process/extra.h"
#include "vm/process/signal.h"
#include "vm/process/table.h"
#include "vm/process/trace_flags.h"

namespace wb {

/// About what one takes when it is its turn.
constexpr uint32_t kSliceReductions = 4000, kOneMessage = 1;

const char* action_text(GroupAction action) {
  switch (action) {
#define GROUP_ACTION(name, what) \
  case GroupAction::name:        \
    return #name;
#include "vm/process/group_actions.def"
  }
}

// --- which there are ----------------------------------------------------------------------------
Group::Group(Vm& vm, Groups& groups, const GroupOptions& o)
    : number([&] {
        std::lock_guard guard(groups.lock_);
        return ++groups.made_;
      }()),
      options(o),
      depth(o.parent ? o.parent->depth + 1 : 1),
      vm_(vm),
      groups_(groups),
      ref_number_(vm.next_ref_number() | kMagicNumber),
      limits_reductions_(o.reductions || (o.parent && o.parent->limits_reductions_)),
      limits_messages_(o.messages || (o.parent && o.parent->limits_messages_)),
      reductions_rate_(vm, o.reductions, kSliceReductions),
      messages_rate_(vm, o.messages, kOneMessage) {
  destroy = destroyed;
}
Group::~Group() = default;

Group* Group::make(Vm& vm, Groups& groups, const GroupOptions& options) {
  if (options.parent) options.parent->retain();
  auto* g = new Group(vm, groups, options);
  if (Group* parent = options.parent) {
    std::lock_guard guard(parent->lock_);
    parent->children_.push_back(g);
  }
  std::lock_guard guard(groups.lock_);
  groups.groups_.push_back(g);
  return g;
}

void Group::destroyed(OffHeapObject* o) {
  auto* g = static_cast<Group*>(o);
  Group* parent = g->options.parent;
  if (!g->outlives_) {
    std::lock_guard guard(g->groups_.lock_);
    std::erase(g->groups_.groups_, g);
  }
  if (parent) {
    std::lock_guard guard(parent->lock_);
    std::erase(parent->children_, g);
  }
  delete g;
  if (parent) parent->release();
}

bool Group::try_retain() {
  int64_t n = refs.load(std::memory_order_relaxed);
  do {
    if ((n & ~kNoted) == 0) return false;
  } while (!refs.compare_exchange_weak(n, n + 1, std::memory_order_relaxed));
  return true;
}

void Group::outlive() {
  outlives_ = true;
  reductions_rate_.outlive();
  messages_rate_.outlive();
}
Groups::~Groups() {
  for (Group* g : groups_) g->outlive();
}

std::vector<Group*> Groups::all() {
  std::lock_guard guard(lock_);
  std::vector<Group*> found;
  for (Group* g : groups_) {
    if (g->try_retain()) found.push_back(g);
  }
  std::sort(found.begin(), found.end(), [](Group* a, Group* b) { return a->number < b->number; });
  return found;
}

std::vector<Group*> Group::children() {
  std::lock_guard guard(lock_);
  std::vector<Group*> found;
  for (Group* g : children_) {
    if (g->try_retain()) found.push_back(g);
  }
  return found;
}

Group* Group::of(Term ref) {
  if (!is_kind(ref, Kind::magic_ref)) return nullptr;
  OffHeapObject* o = magic_object(ref);
  return o->destroy == destroyed ? static_cast<Group*>(o) : nullptr;
}
Term Group::ref(Heap& h) {
  retain();
  Term* p = h.alloc(5);  // as Vm::new_magic_ref, one number for all of them
  p[0] = make_header(Kind::magic_ref, 4, owned_kib(sizeof *this));
  p[1] = reinterpret_cast<Word>(static_cast<OffHeapObject*>(this));
  p[3] = ref_number_;
  p[4] = 0;
  h.link_off_heap(p, sizeof *this);
  return make_boxed(p);
}

bool Group::is_within(const Group& other) const {
  const Group* g = this;
  while (g && g != &other) g = g->options.parent;
  return g;
}

// --- memory -------------------------------------------------------------------------------------
static int64_t bytes_of(const Process& p) {
  const ProcessHeap& h = p.heap;
  const size_t words = h.outer_words() + h.vheap_words() + h.old_vheap_words();
  return static_cast<int64_t>(Process::kBlockBytes + words * sizeof(Term) + message_bytes(p));
}

/// Calls f(GroupMember&) for all of it and of those below.
template <class F>
void Group::each_member(F f) {
  retain();
  std::vector<Group*> to_do{this};
  while (!to_do.empty()) {
    Group* g = to_do.back();
    to_do.pop_back();
    for (Group* child : g->children()) to_do.push_back(child);
    {
      std::lock_guard guard(g->lock_);
      for (GroupMember* m = g->members_; m; m = m->next_) f(*m);
    }
    g->release();
  }
}

void Group::add_memory(int64_t bytes, Process* by) {
  each_above([&](Group& g) {
    g.memory.fetch_add(bytes, std::memory_order_relaxed);
    g.check_memory(by);
  });
}

void Group::check_memory(Process* by) {
  if (!options.memory) return;
  const int64_t bytes = memory.load(std::memory_order_relaxed);
  if (bytes <= static_cast<int64_t>(options.memory)) {
    if (acting_.load(std::memory_order_relaxed)) victim_ = nullptr, acting_ = false;
  } else if (!acting_.exchange(true)) {
    act(by, bytes);
  }
}

/// Within a slice, so whoever is a member stays readable.
void Group::act(Process* by, int64_t bytes) {
  exceeded.fetch_add(1, std::memory_order_relaxed);
  switch (options.action) {
    case GroupAction::kill_largest: {
      GroupMember* largest = nullptr;
      each_member([&](GroupMember& m) {
        if (!largest || m.memory_ > largest->memory_) largest = &m;
      });
      victim_ = largest;
      if (largest) kill(*largest->process_, by);
      return;
    }
    case GroupAction::kill_all:
      each_member([&](GroupMember& m) { kill(*m.process_, by); });
      return;
    case GroupAction::notify: {
      Process* owner = vm_.processes->find(options.owner);
      if (!owner) return;
      FragmentHeap h(16);
      Signal* s = new_signal(SignalKind::message);
      s->term = tuple(h, am::group_exceeded, ref(h), make_small(bytes));
      s->fragment = h.take_fragments();
      push_signal(*owner, s);
      return;
    }
  }
}

void Group::kill(Process& p, Process* by) {
  Signal* s = new_signal(SignalKind::exit, am::kill);
  s->from = p.address();
  push_signal(p, s);
  if (&p == by && p.exec) p.exec->fc = std::min<int64_t>(p.exec->fc, 0);
}

void Group::left(const GroupMember& m) {
  each_above([&](Group& g) {
    const GroupMember* victim = &m;
    if (g.victim_.compare_exchange_strong(victim, nullptr)) g.acting_ = false;
    g.check_memory(nullptr);
  });
}

// --- members ------------------------------------------------------------------------------------
GroupMember::GroupMember(Group& g) : group(g) { group.retain(); }
GroupMember::~GroupMember() { group.release(); }
GroupMember& GroupMember::of(const Process& p) { return *p.extra->rare->group; }

Group* group_of(const Process& p) {
  return has_policies(p) && p.extra->rare->group ? &p.extra->rare->group->group : nullptr;
}

void GroupMember::joins(Process& p) {
  process_ = &p;
  {
    std::lock_guard guard(group.lock_);
    next_ = group.members_;
    if (next_) next_->prev_ = this;
    group.members_ = this;
  }
  group.each_above([](Group& g) { g.processes.fetch_add(1, std::memory_order_relaxed); });
  changed(p);
}
void GroupMember::exits(Process& p) {
  {
    std::lock_guard guard(group.lock_);
    (prev_ ? prev_->next_ : group.members_) = next_;
    if (next_) next_->prev_ = prev_;
  }
  const int64_t bytes = memory_.exchange(0, std::memory_order_relaxed);
  group.each_above([&](Group& g) {
    g.processes.fetch_sub(1, std::memory_order_relaxed);
    g.memory.fetch_sub(bytes, std::memory_order_relaxed);
  });
  group.left(*this);
}
void GroupMember::changed(Process& p) {
  if (p.exiting) return;
  const int64_t now = bytes_of(p), before = memory_.load(std::memory_order_relaxed);
  if (now == before) return;
  memory_.store(now, std::memory_order_relaxed);
  group.add_memory(now - before, &p);
}

// --- what is spent a second ---------------------------------------------------------------------
/// Before it stands in the line, from which it may be resumed at once.
void GroupMember::suspend(Process& p) {
  waiting_.store(true, std::memory_order_relaxed);
  ++p.suspend_count;
}
void GroupMember::resume(Process& p) {
  waiting_.store(false, std::memory_order_release);
  push_signal(p, new_signal(SignalKind::resume));
}

/// The first of its groups whose account says that it is to wait, or null.
Group* GroupMember::overdrawn(Rate Group::* rate, uint64_t now_ns) {
  Group* g = &group;
  while (g && (g->*rate).is_due(now_ns)) g = g->options.parent;
  return g;
}
/// False: there is something left meanwhile.
bool GroupMember::stands_in_line(Process& p, Rate& rate) {
  suspend(p);
  if (rate.wait(p)) {
    group.each_above([](Group& g) { g.waits.fetch_add(1, std::memory_order_relaxed); });
    return true;
  }
  waiting_.store(false, std::memory_order_relaxed);
  --p.suspend_count;
  return false;
}

Turn GroupMember::before_slice(Exec& c, AfterSlice& end, bool may_wait) {
  Process& p = *c.p;
  call_after_slice(*this, end);
  if (!may_wait) return Turn::runs;
  changed(p);
  if (waiting_.load(std::memory_order_acquire)) return Turn::waits;
  if (!group.limits_reductions_) return Turn::runs;
  Group* g = overdrawn(&Group::reductions_rate_, group.vm_.scheduler->now_ns());
  return g && stands_in_line(p, g->reductions_rate_) ? Turn::waits : Turn::runs;
}

void GroupMember::after_slice(After, uint32_t reductions) {
  const uint64_t now = group.limits_reductions_ ? group.vm_.scheduler->now_ns() : 0;
  group.each_above([&](Group& g) {
    g.reductions.fetch_add(reductions, std::memory_order_relaxed);
    if (g.reductions_rate_.per_second) g.reductions_rate_.spend(now, reductions);
  });
}

bool GroupMember::may_send(Process& p, bool waits) {
  if (waiting_.load(std::memory_order_acquire)) return false;
  uint64_t now = 0;
  if (group.limits_messages_) {
    now = group.vm_.scheduler->now_ns();
    if (Group* g = overdrawn(&Group::messages_rate_, now)) {
      if (!waits || stands_in_line(p, g->messages_rate_)) return false;
    }
  }
  group.each_above([&](Group& g) {
    g.messages.fetch_add(1, std::memory_order_relaxed);
    if (g.messages_rate_.per_second) g.messages_rate_.spend(now, 1);
  });
  return true;
}

}  // namespace wb
