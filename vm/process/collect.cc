// Collection of a process with all its roots.
//
// Roots are what roots.def lists, the stack, and messages whose terms have become part of the heap.
// Messages on their way in, each in a fragment of its own, are not collected; a process with
// messages on heap answers for their size all the same (max_heap_size).
#include <algorithm>
#include <chrono>
#include <thread>

#include "base/large_blocks.h"
#include "base/out_of_memory.h"
#include "base/work_budget.h"
#include "gc/heap_sizes.h"
#include "vm/core/settings.h"
#include "vm/core/vm.h"
#include "vm/process/evict.h"
#include "vm/process/exec.h"
#include "vm/process/extra.h"
#include "vm/process/heap_summary.h"
#include "vm/process/literal_collector.h"
#include "vm/process/native_yield.h"
#include "vm/process/report.h"
#include "vm/process/roots.h"
#include "vm/process/run.h"
#include "vm/process/signal.h"
#include "vm/process/trace_flags.h"

namespace wb {

/// Messages whose terms live in the heap are roots.
static void visit_messages(void* context, void (*visit)(void*, Term*), void* collector) {
  auto* p = static_cast<Process*>(context);
  const uint32_t end = p->heap_messages == HeapMessages::near ? kNear : UINT32_MAX;
  auto found = HeapMessages::none;
  uint32_t at = 0;
  for (Signal* s = p->messages; s && at < end; s = s->next, ++at) {
    if (s->fragment || !is_pointer(s->term)) continue;
    found = at < kNear ? HeapMessages::near : HeapMessages::anywhere;
    visit(collector, &s->term);
  }
  p->heap_messages = found;
}

/// With the binaries outside of it, if they count.
static size_t counted_words(const Process& p) {
  const size_t own = p.heap.total_words() + (p.off_heap_messages ? 0 : p.message_words.get());
  return own +
         (p.extra->rare->max_heap_shared ? p.heap.vheap_words() + p.heap.old_vheap_words() : 0);
}
/// What the heap alone does not show (max_words of collect): the binaries that have survived.
static bool holds_too_much(const Process& p) {
  const RareParts* e = rare_of(p);
  return e && e->max_heap_shared && e->max_heap_kill && e->max_heap_size &&
         counted_words(p) > e->max_heap_size;
}

/// Too large, killed for it (`refused`) or not: reported if wanted.
static void check_max_heap(Process& p, bool refused, size_t need) {
  const RareParts& e = *p.extra->rare;
  const size_t words = counted_words(p);
  bool too_large = refused || words > e.max_heap_size;
  if (too_large && e.max_heap_log)
    report_max_heap(p, refused ? heap_size_at_least(words + need) : words);
}

static void add_stats(GcStats& sum, const GcStats& s) {
  sum.collections += s.collections;
  sum.major += s.major;
  sum.words_copied += s.words_copied;
  sum.words_reclaimed += s.words_reclaimed;
}

static void count_collection(WorkerCounters& n, const GcStats& stats, uint64_t ticks) {
  n.collections.add(stats.collections);
  n.major_collections.add(stats.major);
  n.words_copied.add(stats.words_copied);
  n.words_reclaimed.add(stats.words_reclaimed);
  n.pause_ticks.add(ticks);
  n.longest_pause_ticks.raise_to(ticks);
}

/// Time in collections, to the nearest unit.
static void add_pause(Process& p, uint64_t ticks) {
  uint64_t units = (ticks + kPauseTicks / 2) / kPauseTicks;
  uint64_t room = UINT32_MAX - p.heap.collected_for;
  if (WB_UNLIKELY(units > room)) p.rare().collected_for_more += units - room;
  p.heap.collected_for += static_cast<uint32_t>(std::min(units, room));
}

void adopt_peeked(Process& p) {
  if (!p.peeked) return;
  Signal* s = *p.save;
  if (!s || !s->fragment) return;
  p.heap.adopt(s->fragment);
  p.message_words += -fragment_words(*s);
  s->fragment = nullptr;
  if (p.heap_messages == HeapMessages::anywhere) return;
  Signal* const* link = &p.messages;
  for (uint32_t at = 0; at + 1 < kNear && link != p.save; ++at) link = &(*link)->next;
  p.heap_messages = link == p.save ? HeapMessages::near : HeapMessages::anywhere;
}

static Roots gather_roots(Exec& c, uint32_t live) {
  Process& p = *c.p;
  adopt_peeked(p);
  Roots roots;
  each_root(p, c.x, live, [&](Term* begin, size_t count) { roots.add(begin, count); });
  if (p.heap_messages != HeapMessages::none) {
    roots.each = visit_messages;
    roots.context = &p;
  }
  return roots;
}

/// Words the heap may grow to, its messages considered; 0: no limit. `*refused`: they alone are
/// more.
static size_t heap_limit(const Process& p, bool* refused) {
  const RareParts* e = rare_of(p);
  if (!e || !e->max_heap_size || !e->max_heap_kill) return 0;
  size_t max = e->max_heap_size, queued = p.off_heap_messages ? 0 : p.message_words.get();
  *refused = queued >= max;
  return max - std::min(max - 1, queued);
}

namespace {
/// Lets others run between the chunks of a long collection. Small ones never ask.
class CollectionBudget final : public WorkBudget {
 public:
  explicit CollectionBudget(Exec& c) : WorkBudget(kRefill), exec_(c) {}
  int64_t charged() const { return charged_; }
  uint64_t yielded_ticks() const { return yielded_ticks_; }  ///< ticks

 private:
  static constexpr int64_t kRefill = 8 * 1024;  // words
  static constexpr int64_t kReductions = kRefill / 32;

  bool refill() override {
    left_ = kRefill;
    charged_ += kReductions;
    exec_.fc -= kReductions;
    if (exec_.fc >= 0 && !exec_.is_late()) return true;
    Worker& w = *exec_.worker;
    uint64_t from = w.note(EventKind::collect_end, 0);
    yield_within_collection(*exec_.p);
    yielded_ticks_ += w.note(EventKind::collect_begin, w.label) - from;
    return true;
  }

  Exec& exec_;
  int64_t charged_ = 0;
  uint64_t yielded_ticks_ = 0;
};
}  // namespace

/// For tests of system_monitor.
static void take_longer(Vm& vm) {
  uint32_t ms = vm.settings->limits.collection_sleep_ms.load(std::memory_order_relaxed);
  if (ms) std::this_thread::sleep_for(std::chrono::milliseconds(ms));
}

/// A first collection is reported as BEAM's: a minor one that is given up for a major one.
static void trace_collection_begin(Process& p, bool major, bool first, size_t need) {
  VmHooks& hooks = *p.vm().hooks;
  if (!major) hooks.trace_collection(p, am::gc_minor_start, need);
  if (first) hooks.trace_collection(p, am::gc_minor_end, 0);
  if (major || first) hooks.trace_collection(p, am::gc_major_start, need);
}

/// What is freed was used all the same.
static void meter_collection(RareParts& x, size_t before, size_t after) {
  x.meter(CallCost::memory).charged_until += static_cast<int64_t>(after - before);
}

bool collect_garbage(Exec& c, size_t need, uint32_t live, Collection how) {
  Process& p = *c.p;
  p.state.store(ProcessState::garbage_collecting, std::memory_order_relaxed);
  Roots roots = gather_roots(c, live);
  CollectionBudget budget(c);
  roots.budget = &budget;
  GcStats stats;
  bool refused = false;
  size_t max_words = heap_limit(p, &refused);
  size_t used = p.heap.used_words() + p.heap.old_used_words();
  size_t before = p.heap.used_words(), fragments = p.heap.fragment_words();
  const bool asked = how == Collection::asked;
  const bool minor = asked || how == Collection::usual || how == Collection::waiting;
  bool is_major = !minor || p.heap.wants_major();
  bool is_reported = is_traced(p, traced::garbage_collection) &&
                     (is_major || asked || !p.heap.collects_early(need));
  const bool first = !is_major && p.heap.is_first();
  if (WB_UNLIKELY(is_reported)) trace_collection_begin(p, is_major, first, need);
  VmHooks& hooks = *c.vm->hooks;
  if (WB_UNLIKELY(c.vm->samples_allocation.load(std::memory_order_relaxed)))
    hooks.allocated(c, before - std::min(before, p.heap.recent_words()));
  Worker& w = *c.worker;
  uint64_t begin = w.note(EventKind::collect_begin, w.label);
  const bool monitored = c.vm->settings->limits.collections.load(std::memory_order_relaxed);
  if (WB_UNLIKELY(monitored)) take_longer(*c.vm);
  bool done = true;
  if (how == Collection::shrink)
    p.heap.shrink(roots, &stats);
  else if (how == Collection::waiting)
    p.heap.shrink_for_wait(roots, &stats);
  else if (how == Collection::evict)
    done = p.heap.evict_literals(*c.vm->literals->releasing(), roots, &stats) &&
           (!max_words || p.heap.total_words() <= max_words);
  else
    done =
        p.heap.collect(need, roots, how == Collection::major, &stats, max_words, asked) && !refused;
  if (!done && !max_words) out_of_memory("heap", (p.heap.total_words() + need) * sizeof(Term));
  size_t survived = p.heap.used_words() + p.heap.old_used_words();
  uint64_t end = w.note(EventKind::collect_end, survived);
  p.heap_words = summarize_heap(p);
  uint64_t paused = end - begin - budget.yielded_ticks();
  count_collection(w.counters, stats, paused);
  w.pause_times.add(paused);
  auto words = [](size_t n) { return static_cast<uint32_t>(std::min<size_t>(n, UINT32_MAX)); };
  w.pauses.record({end, paused, w.label, words(used), words(survived), is_major});
  if (++c.collections > 2 && how != Collection::waiting) p.heap.collect_less_often();
  if (p.extra) add_stats(p.extra->gc, stats);
  const RareParts* const rare = rare_of(p);
  if (rare) {
    meter_collection(*p.extra->rare, used + fragments, survived + p.heap.fragment_words());
    if (!rare->policies.empty()) tell_policies(p, &Policy::changed);
  }
  add_pause(p, paused);
  done = done && !holds_too_much(p);
  if (rare && rare->max_heap_size) check_max_heap(p, !done, need + fragments);
  if (how == Collection::major && std::max(before, survived) >= kLargeBlock / sizeof(Term))
    release_large_blocks();
  if (is_reported && !done) hooks.trace_collection(p, am::gc_max_heap_size, 0);
  if (is_reported) {
    Term tag = is_major || first ? am::gc_major_end : am::gc_minor_end;
    hooks.trace_collection(p, tag, stats.words_reclaimed);
  }
  if (WB_UNLIKELY(monitored) && how != Collection::shrink && how != Collection::evict)
    hooks.collection_took(p, paused);
  if (is_traced(p, traced::watch_collection))
    hooks.watch_collection(p, is_major, end - begin - budget.yielded_ticks(), survived);
  c.fc -= std::max<int64_t>(static_cast<int64_t>(before / 64) - budget.charged(), 0) + 10;
  p.state.store(ProcessState::running, std::memory_order_relaxed);
  return done;
}

bool collect_requested(Exec& c, uint32_t live) {
  Process& p = *c.p;
  if (p.evict_requested && !evict_releasing(c, live)) return false;
  if (!p.collect_requested) return true;
  p.collect_requested = false;
  const RareParts* rare = rare_of(p);
  const bool minor = rare && rare->collect_minor;
  return collect_garbage(c, 0, live, minor ? Collection::asked : Collection::major);
}
}  // namespace wb
