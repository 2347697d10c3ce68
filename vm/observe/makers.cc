// atoms, timers: what is there, and who has made it.
#include "vm/observe/makers.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "loader/code_table.h"
#include "scheduler/scheduler.h"
#include "term/atom_makers.h"
#include "term/print.h"
#include "vm/core/memory_use.h"
#include "vm/core/vm.h"
#include "vm/observe/observer.h"
#include "vm/observe/request.h"
#include "vm/process/process.h"
#include "vm/process/table.h"
#include "vm/process/timers.h"

namespace wb {
namespace {

constexpr PrintOptions kShort = {true, true, 300};
constexpr uint64_t kSecond = 1'000'000'000;

size_t limit_of(RequestContext& a) {
  return static_cast<size_t>(a.request.number("limit", 200, 1, 5000));
}

// --- atoms ---------------------------------------------------------------------------------------
struct AtomsMade {
  std::map<std::pair<Term, const Word*>, uint64_t> by_maker;
  uint64_t noted = 0, oldest_ns = 0, lately = 0;
};

AtomsMade atoms_made(Vm& vm, uint32_t count, uint64_t now) {
  constexpr uint64_t kLately = 10 * kSecond;
  AtomsMade made;
  for (uint32_t k = count; k-- > count - std::min(count, kAtomMakers);) {
    const std::optional<AtomMaker> maker = atom_maker(k);
    if (!maker || maker->vm != &vm) continue;
    ++made.noted, made.oldest_ns = maker->ns;
    made.lately += now < maker->ns + kLately;
    ++made.by_maker[{maker->pid, maker->at}];
  }
  return made;
}

/// Of the last ten seconds, or of those in which all were made that are noted.
double a_second(const AtomsMade& made, uint64_t now) {
  const double all = static_cast<double>(now - std::min(now, made.oldest_ns)) / 1e9;
  const bool all_lately = made.lately == made.noted && all > 0 && made.noted >= kAtomMakers / 2;
  return all_lately ? static_cast<double>(made.noted) / all : static_cast<double>(made.lately) / 10;
}

template <class Map>
std::vector<typename Map::value_type> most_first(const Map& counts, size_t limit) {
  std::vector<std::pair<typename Map::key_type, typename Map::mapped_type>> rows(counts.begin(),
                                                                                 counts.end());
  std::ranges::sort(rows, [](const auto& a, const auto& b) {
    return b.second < a.second || (b.second == a.second && a.first < b.first);
  });
  if (rows.size() > limit) rows.resize(limit);
  return {rows.begin(), rows.end()};
}

}  // namespace

std::string name_or_start(Vm& vm, Term pid) {
  Process* p = is_local_pid(pid) ? vm.processes->find(pid) : nullptr;
  if (!p) return {};
  Term name = p->named.load(std::memory_order_relaxed) ? vm.processes->name_of(pid) : kNone;
  if (is_value(name)) return std::string(atom_text(name));
  const Export* e = p->initial_call;
  return e ? mfa_text(e->module, e->function, e->arity) : std::string();
}

void write_maker(JsonWriter& w, Vm& vm, const CallSite& maker) {
  w.text("pid", to_text(maker.pid)).text("name", name_or_start(vm, maker.pid));
  const Module* m = vm.code->module_at(maker.at);
  const Module::Function* f = m ? m->function_at(maker.at) : nullptr;
  if (!f) return;
  w.text("fn", mfa_text(m->name, f->name, f->arity));
  const SourceLocation where = m->location(maker.at);
  if (where.line) w.text("file", where.file).number("line", where.line);
}

/// The newest first: atoms that are made and made again show there. And who has made them.
std::string answer_atoms(RequestContext& a) {
  constexpr size_t kMostMakers = 20;
  JsonWriter& w = a.out;
  ReaderGuard guard(a.vm.scheduler->progress());
  const uint32_t count = atom_count();
  const uint64_t now = a.vm.scheduler->now_ns();
  const AtomsMade made = atoms_made(a.vm, count, now);
  const double rate = a_second(made, now);
  w.number("total", count).number("limit", atom_limit());
  w.number("bytes", memory_use(a.vm).atoms).number("a_second", rate);
  if (rate > 0) w.number("left_s", static_cast<uint64_t>((atom_limit() - count) / rate));
  w.array("makers");
  for (const auto& [maker, atoms] : most_first(made.by_maker, kMostMakers)) {
    write_maker(w.open('{'), a.vm, {maker.first, maker.second});
    w.number("atoms", atoms).close('}');
  }
  w.close(']').array("rows");
  const uint32_t end = count - std::min(count, static_cast<uint32_t>(limit_of(a)));
  for (uint32_t k = count; k-- > end;) {
    w.open('{').text("name", to_text(make_atom(k), kShort)).number("number", k);
    const std::optional<AtomMaker> maker = atom_maker(k);
    if (maker && maker->vm == &a.vm) {
      write_maker(w.object("maker"), a.vm, {maker->pid, maker->at});
      w.close('}').number("age_ns", now - std::min(now, maker->ns));
    }
    w.close('}');
  }
  w.close(']');
  return {};
}

// --- timers --------------------------------------------------------------------------------------
namespace {

struct TimersOf {
  uint64_t count = 0, bytes = 0;
  int64_t first_ms = INT64_MAX, last_ms = 0;
  auto operator<=>(const TimersOf&) const = default;
};

/// More makers than these are counted as none.
constexpr size_t kMostMakers = 50'000;

}  // namespace

/// Those of programs, by who has started them, where, and for whom: the most first.
std::string answer_timers(RequestContext& a) {
  JsonWriter& w = a.out;
  using Key = std::tuple<Term, const Word*, Address>;
  std::map<Key, TimersOf> by_maker;
  uint64_t total = 0, bytes = 0;
  ReaderGuard guard(a.vm.scheduler->progress());
  a.vm.timers->each_seen([&](const Timers::Seen& t) {
    ++total, bytes += t.bytes;
    const CallSite maker = call_site(*a.vm.code, t.maker);
    Key key{maker.pid, maker.at, t.to};
    if (by_maker.size() >= kMostMakers && !by_maker.contains(key)) return;
    TimersOf& of = by_maker[key];
    ++of.count, of.bytes += t.bytes;
    of.first_ms = std::min(of.first_ms, t.left_ms);
    of.last_ms = std::max(of.last_ms, t.left_ms);
  });
  w.number("total", total).number("bytes", bytes).number("makers", by_maker.size()).array("rows");
  FragmentHeap h(64);
  for (const auto& [key, of] : most_first(by_maker, limit_of(a))) {
    const auto& [pid, at, to] = key;
    write_maker(w.open('{'), a.vm, {pid, at});
    const Term whom = term_of(to, h);
    w.text("to", to_text(whom));
    if (is_local_pid(whom)) w.text("to_name", name_or_start(a.vm, whom));
    w.number("count", of.count).number("bytes", of.bytes);
    w.number("first_ms", of.first_ms).number("last_ms", of.last_ms).close('}');
  }
  w.close(']');
  return {};
}

}  // namespace wb
