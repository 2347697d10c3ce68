// Warnings by how things go on: the difference of two looks.
#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "base/memory_limit.h"
#include "scheduler/scheduler.h"
#include "term/atom_makers.h"
#include "term/print.h"
#include "vm/core/memory_use.h"
#include "vm/core/vm.h"
#include "vm/ets/tables.h"
#include "vm/observe/exit_log.h"
#include "vm/observe/filter.h"
#include "vm/observe/makers.h"
#include "vm/observe/observer.h"
#include "vm/observe/warnings.h"
#include "vm/port/ports.h"
#include "vm/process/call_site.h"
#include "vm/process/event_log.h"
#include "vm/process/table.h"
#include "vm/process/timers.h"

namespace wb {
namespace {

/// Tells places apart; two that give the same number are one warning.
uint64_t subject_of(uint64_t a, uint64_t b = 0, uint64_t c = 0) {
  constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;
  return ((a * kOdd ^ b) * kOdd ^ c) * kOdd;
}
uint64_t number_of(const void* p) { return reinterpret_cast<uintptr_t>(p); }

}  // namespace

void Warnings::find_limits() {
  constexpr double kFull = 0.85;
  Vm& vm = o_.vm();
  struct Limit {
    const char* what;
    uint64_t now, most;
  };
  const Limit limits[] = {
      {"processes", vm.processes->count(), vm.processes->limit()},
      {"atoms", atom_count(), atom_limit()},
      {"ports", vm.ports->count(), vm.ports->limit()},
      {"bytes of memory", resident_bytes(), memory_limit()},
  };
  for (const Limit& l : limits) {
    if (!l.most || static_cast<double>(l.now) < kFull * static_cast<double>(l.most)) continue;
    note(
        {WarningKind::limit, number_of(l.what), fmt::format("{} {} of {}", l.now, l.what, l.most)});
  }
}

// --- crash loops
// ---------------------------------------------------------------------------------
static const ExitLog::Frame* place_of(const ExitLog::Exit& exit) {
  for (const ExitLog::Frame& f : exit.stack) {
    if (f.line) return &f;
  }
  return exit.stack.empty() ? nullptr : &exit.stack.front();
}

void Warnings::find_crash_loops(uint64_t now) {
  constexpr uint64_t kLately = 10 * kSecond, kAgain = 5;
  Vm& vm = o_.vm();
  const std::vector<ExitLog::Row> rows =
      vm.exit_log->repeated(kAgain, now - std::min(now, kLately));
  if (!exits_ns_ || now - exits_ns_ > kLately)
    exits_then_ = std::exchange(exits_since_, {}), exits_ns_ = now;
  for (const auto& [e, kind] : rows) {
    const uint64_t since = exits_since_.try_emplace(e.kind, kind.count).first->second;
    const auto then = exits_then_.find(e.kind);
    const bool all_lately = kind.first_ns + 2 * kLately > now;
    const uint64_t before = then != exits_then_.end() ? then->second : all_lately ? 0 : since;
    if (kind.count - std::min(before, kind.count) < kAgain) continue;
    const std::string who = e.child.empty() ? e.initial : "child " + e.child;
    Warning w{WarningKind::crash_loop, e.kind,
              fmt::format("{} has ended {} times alike, the last {:.1f} s ago: {}", who, kind.count,
                          static_cast<double>(now - std::min(now, kind.last_ns)) / 1e9, e.reason)};
    // About its supervisor, which lives; without one about who spawned it.
    w.name = e.supervisor, w.other = e.pid;
    w.other_name = e.child.empty() ? e.name.empty() ? e.initial : e.name : e.child;
    w.pid = parse_pid(w.name);
    if (!is_value(w.pid) && !w.name.empty() && is_value(find_atom(w.name)))
      w.pid = vm.processes->registered(find_atom(w.name));
    if (w.name.empty()) w.pid = e.parent;
    if (const ExitLog::Frame* f = place_of(e))
      w.function = f->function, w.file = f->file, w.line = f->line;
    note(std::move(w));
  }
}

// --- tables
// --------------------------------------------------------------------------------------
void Warnings::find_searches(double seconds) {
  constexpr double kMany = 100'000;  // objects a second
  constexpr uint64_t kFar = 1000;    // objects a search
  struct Seen {
    const Table* table;
    Term name;
    Searches now;
    CallSite searcher;
  };
  std::vector<Seen> all;
  o_.vm().ets->each(&all, [](void* list, Table& t) {
    const uint64_t searches = t.searches.load(std::memory_order_relaxed);
    if (!searches) return;
    static_cast<std::vector<Seen>*>(list)->push_back(
        {&t,
         t.name(),
         {searches, t.searched.load(std::memory_order_relaxed)},
         {t.searcher.load(std::memory_order_relaxed),
          t.searched_at.load(std::memory_order_relaxed)}});
  });
  std::unordered_map<const Table*, Searches> then = std::exchange(searches_, {});
  ReaderGuard guard(o_.vm().scheduler->progress());
  for (const Seen& t : all) {
    searches_[t.table] = t.now;
    const auto before = then.find(t.table);
    if (before == then.end() || t.now.searched < before->second.searched) continue;
    const uint64_t objects = t.now.searched - before->second.searched;
    const uint64_t searches = std::max<uint64_t>(t.now.searches - before->second.searches, 1);
    const double rate = static_cast<double>(objects) / seconds;
    if (rate < kMany || objects / searches < kFar || !is_value(t.searcher.pid)) continue;
    Warning w{WarningKind::table_search, number_of(t.table),
              fmt::format("searches the table {}, {:.0f} of its objects a second",
                          atom_text(t.name), rate),
              t.searcher.pid};
    w.other_name = atom_text(t.name);
    set_place(&w, t.searcher);
    note(std::move(w));
  }
}

// --- messages
// ------------------------------------------------------------------------------------
void Warnings::find_large_messages(double seconds) {
  constexpr double kMany = 2e6, kLarge = 64 << 10;  // bytes a second, bytes a message
  struct Received {
    double bytes = 0, messages = 0;
    std::map<uint64_t, double> from;
  };
  std::unordered_map<uint64_t, Received> by_receiver;
  Scheduler& s = *o_.vm().scheduler;
  next_flow_.resize(s.all_worker_count());
  for (uint32_t i = 0; i < next_flow_.size(); ++i) {
    const FlowRing& ring = s.worker(i).flows;
    const uint64_t from = std::exchange(next_flow_[i], ring.recorded());
    const auto kept = ring.snapshot(from);
    if (kept.empty() || seconds == 0) continue;
    const double scale =
        static_cast<double>(kept.back().number + 1 - from) / static_cast<double>(kept.size());
    for (const auto& [number, flow] : kept) {
      const double weight = scale * static_cast<double>(flow.weight);
      const double bytes = weight * static_cast<double>(flow.size * sizeof(Term));
      Received& r = by_receiver[flow.to];
      r.bytes += bytes, r.messages += weight * flow.count, r.from[flow.from] += bytes;
    }
  }
  for (const auto& [to, r] : by_receiver) {
    if (r.bytes < kMany * seconds || r.bytes < kLarge * r.messages) continue;
    const auto most = std::ranges::max_element(r.from, {}, [](const auto& f) { return f.second; });
    Warning w{WarningKind::large_messages, to,
              fmt::format("gets messages of {:.0f} KiB, {:.1f} MiB a second",
                          r.bytes / r.messages / 1024, r.bytes / seconds / (1 << 20)),
              pid_of_label(to)};
    w.other = pid_of_label(most->first);
    note(std::move(w));
  }
}

// --- atoms and timers
// ----------------------------------------------------------------------------
void Warnings::find_atoms(double seconds) {
  constexpr double kMany = 10;  // a second
  const uint32_t count = atom_count(), then = std::exchange(atoms_, count);
  if (seconds == 0 || count - then < kMany * seconds) return;
  std::map<std::pair<Term, const Word*>, uint64_t> by_maker;
  const uint32_t first = std::max(then, count - std::min(count, kAtomMakers));
  for (uint32_t k = first; k < count; ++k) {
    const std::optional<AtomMaker> maker = atom_maker(k);
    if (maker && maker->vm == &o_.vm()) ++by_maker[{maker->pid, maker->at}];
  }
  const double scale = static_cast<double>(count - then) / static_cast<double>(count - first);
  ReaderGuard guard(o_.vm().scheduler->progress());
  for (const auto& [maker, n] : by_maker) {
    const double rate = scale * static_cast<double>(n) / seconds;
    if (rate < kMany) continue;
    Warning w{WarningKind::atoms, subject_of(maker.first, number_of(maker.second)),
              fmt::format("makes {:.0f} atoms a second; the table is full in {:.1f} hours", rate,
                          (atom_limit() - count) / rate / 3600),
              maker.first};
    set_place(&w, {maker.first, maker.second});
    note(std::move(w));
  }
}

/// Of those that are not to fire within a minute. Only if there are more than at the last look,
/// and where there are very many of some.
void Warnings::find_timers(double seconds) {
  constexpr double kMany = 50;  // more a second
  constexpr int64_t kLong = 60'000;
  constexpr size_t kLookedAt = 20'000;
  const Timers& timers = *o_.vm().timers;
  const size_t count = timers.count(), before = std::exchange(timer_count_, count);
  std::map<TimersFrom, uint64_t> then = std::exchange(timers_, {});
  if (seconds == 0 || static_cast<double>(count) < static_cast<double>(before) + kMany * seconds)
    return;
  const size_t one_of = std::min(std::bit_ceil(count / kLookedAt + 1), Timers::kShards);
  timers.each_seen(
      [&](const Timers::Seen& t) {
        if (t.left_ms <= kLong) return;
        const CallSite maker = call_site(*o_.vm().code, t.maker);
        timers_[{maker.pid, maker.at, t.to}] += one_of;
      },
      one_of);
  if (then.empty()) return;
  FragmentHeap h(64);
  ReaderGuard guard(o_.vm().scheduler->progress());
  for (const auto& [key, n] : timers_) {
    const auto& [pid, at, to] = key;
    const auto known = then.find(key);
    const double more =
        static_cast<double>(n) - (known == then.end() ? 0 : static_cast<double>(known->second));
    const double chance = one_of > 1 ? 3 * std::sqrt(static_cast<double>(one_of * n)) : 0;
    if (more < kMany * seconds + chance) continue;
    Warning w{
        WarningKind::timers, subject_of(pid, number_of(at), to.word()),
        fmt::format("has started {} timers that stay, {:.0f} more a second", n, more / seconds),
        pid};
    const Term whom = term_of(to, h);
    if (is_local_pid(whom))
      w.other = whom;
    else
      w.other_name = to_text(whom);
    set_place(&w, {pid, at});
    note(std::move(w));
  }
}

}  // namespace wb
