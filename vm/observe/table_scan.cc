#include "vm/observe/table_scan.h"

#include <algorithm>
#include <limits>

#include "loader/code_server.h"
#include "term/print.h"
#include "vm/process/table.h"
#include "vm/process/wait_times.h"
#include "vm/vm.h"

namespace wb {

std::string mfa_text(Term module, Term function, uint32_t arity) {
  return atom_source(module) + ':' + atom_source(function) + '/' + std::to_string(arity);
}

const char* state_text(ProcessState state) {
  static constexpr const char* kTexts[] = {"waiting",   "runnable",           "running",
                                           "suspended", "garbage_collecting", "exiting"};
  return kTexts[static_cast<int>(state)];
}

const std::string& TableScan::function_name(const Word* pc, const Export* initial_call) {
  if (initial_call && pc == &initial_call->stub[kHeaderWords]) {
    pc = reinterpret_cast<const Word*>(initial_call);  // stubs are told apart by their export
  }
  if (pc == last_name_.first && last_name_.second) return *last_name_.second;
  if (names_.size() > 4096) forget_names();
  auto [known, fresh] = names_.try_emplace(pc);
  std::string& name = known->second;
  last_name_ = {pc, &name};
  if (!fresh) return name;
  if (pc == reinterpret_cast<const Word*>(initial_call) && initial_call) {
    name = mfa_text(initial_call->module, initial_call->function, initial_call->arity);
  } else if (const Module* m = vm_.code->module_at(pc)) {
    if (const Module::Function* f = m->function_at(pc)) name = mfa_text(m->name, f->name, f->arity);
  }
  return name;
}

// --- the best K
// ----------------------------------------------------------------------------------------
/// A heap whose front is the worst of those kept; rows stay where they are.
class TableScan::Best {
 public:
  Best(size_t keep, bool ascending) : keep_(keep), ascending_(ascending) {}

  bool wants(int64_t value, Term pid) const {
    return heap_.size() < keep_ || (keep_ && before({value, pid, 0}, heap_.front()));
  }
  void add(int64_t value, const Seen& seen) {
    auto worse_last = [this](const Entry& a, const Entry& b) { return before(a, b); };
    if (heap_.size() == keep_) {
      std::pop_heap(heap_.begin(), heap_.end(), worse_last);
      rows_[heap_.back().row] = seen;
      heap_.back().value = value, heap_.back().pid = seen.pid;
    } else {
      heap_.push_back({value, seen.pid, static_cast<uint32_t>(rows_.size())});
      rows_.push_back(seen);
    }
    std::push_heap(heap_.begin(), heap_.end(), worse_last);
  }
  std::vector<Seen> take() {
    std::sort(heap_.begin(), heap_.end(),
              [this](const Entry& a, const Entry& b) { return before(a, b); });
    std::vector<Seen> rows;
    rows.reserve(heap_.size());
    for (const Entry& e : heap_) rows.push_back(rows_[e.row]);
    return rows;
  }

 private:
  struct Entry {
    int64_t value;
    Term pid;
    uint32_t row;
  };
  bool before(const Entry& a, const Entry& b) const {
    if (a.value != b.value) return ascending_ ? a.value < b.value : a.value > b.value;
    return a.pid < b.pid;
  }
  const size_t keep_;
  const bool ascending_;
  std::vector<Entry> heap_;
  std::vector<Seen> rows_;
};

// --- filters
// -------------------------------------------------------------------------------------------
class TableScan::Row final : public FilterRow {
 public:
  Row(TableScan& scan, const Seen& seen) : scan_(scan), seen_(seen) {}
  int64_t number(uint8_t column) const override {
    switch (column) {
      case Filter::msgq:
        return seen_.messages;
      case Filter::reds:
        return static_cast<int64_t>(seen_.reductions);
      case Filter::memory:
        return static_cast<int64_t>(seen_.memory());
      case Filter::dreds:
        return seen_.new_reductions;
      case Filter::wait:
        return static_cast<int64_t>(scan_.wait_ns(seen_.wait_p99));
      case Filter::migrations:
        return seen_.migrations;
      default:
        return seen_.new_messages;
    }
  }
  Term id() const override { return seen_.pid; }
  std::string_view text(uint8_t column) const override {
    switch (column) {
      case Filter::pid:
        return buffer_ = to_text(seen_.pid);
      case Filter::name: {
        Term name = seen_.named ? scan_.vm_.processes->name_of(seen_.pid) : kNone;
        return is_value(name) ? buffer_ = atom_text(name) : std::string_view();
      }
      case Filter::fn:
        return scan_.function_name(seen_.resume, seen_.initial_call);
      case Filter::initial: {
        const Export* e = seen_.initial_call;
        return e ? scan_.function_name(&e->stub[kHeaderWords], e) : std::string_view();
      }
      default:
        return state_text(seen_.state);
    }
  }

 private:
  TableScan& scan_;
  const Seen& seen_;
  mutable std::string buffer_;
};

// --- the pass
// ------------------------------------------------------------------------------------------
void TableScan::forget() {
  reductions_ = {};
  messages_ = {};
  tick_ns_ = 0;
  names_ = {};
  last_name_ = {};
}
void TableScan::forget_names() {
  names_.clear();
  last_name_ = {};
}

size_t TableScan::memory() const {
  return reductions_.capacity() * sizeof(uint32_t) + messages_.capacity() * sizeof(uint16_t);
}

void TableScan::begin_tick(bool deltas) {
  uint64_t now = vm_.scheduler->now_ns();
  if (tick_ns_ && now - tick_ns_ > kOldest) forget();
  renews_ = deltas && (!tick_ns_ || now - tick_ns_ >= kTick);
  if (!renews_) return;
  size_t slots = vm_.processes->used();
  if (reductions_.capacity() < slots) {
    reductions_.reserve(slots + slots / 16);
    messages_.reserve(slots + slots / 16);
  }
  if (reductions_.size() < slots) reductions_.resize(slots), messages_.resize(slots);
}

/// What stands in the line that begins with Process::id.
void TableScan::glance(const Process& p, Seen* s) {
  s->pid = p.id;
  s->resume = p.resume;
  s->reductions = p.reductions;
  s->messages = p.message_count;
  s->heap_words = p.heap_words;
  s->wait_p50 = p.wait_p50, s->wait_p99 = p.wait_p99;
}
void TableScan::complete(const Process& p, Seen* s) {
  s->parent = p.parent;
  s->initial_call = p.initial_call;
  s->state = p.state.load(std::memory_order_relaxed);
  s->named = p.named.load(std::memory_order_relaxed);
  s->system = p.system;
  s->migrations = p.migrations;
}
Seen TableScan::look_at(const Process& p) {
  Seen s;
  glance(p, &s);
  complete(p, &s);
  return s;
}

uint64_t TableScan::wait_ns(uint8_t code) const {
  EventClock clock = vm_.scheduler->event_clock();
  return clock.to_ns(clock.ticks0 + WaitTimes::ticks(code)) - clock.to_ns(clock.ticks0);
}

/// What has changed since the last tick.
void TableScan::compare(uint32_t slot, Seen* s) {
  s->new_reductions = static_cast<int64_t>(s->reductions);
  s->new_messages = s->messages;
  if (slot >= reductions_.size()) return;
  bool is_old = tick_ns_ && static_cast<int32_t>(pid_serial(s->pid) - spawned_) < 0;
  if (is_old) {
    s->new_reductions = static_cast<uint32_t>(s->reductions) - reductions_[slot];
    s->new_messages -= messages_[slot];
  }
  if (renews_) {
    reductions_[slot] = static_cast<uint32_t>(s->reductions);
    messages_[slot] = static_cast<uint16_t>(std::min<uint32_t>(s->messages, UINT16_MAX));
  }
}

static int64_t value_of(const Seen& s, TableScan::By by) {
  switch (by) {
    case TableScan::By::pid:
      return pid_serial(s.pid);
    case TableScan::By::msgq:
      return s.messages;
    case TableScan::By::reds:
      return static_cast<int64_t>(s.reductions);
    case TableScan::By::memory:
      return s.heap_words;
    case TableScan::By::wait:
      return s.wait_p99;
    case TableScan::By::migrations:
      return s.migrations;
    case TableScan::By::dreds:
      return s.new_reductions;
    default:
      return s.new_messages;
  }
}

/// Where to look: everywhere, or at the one process that may match.
std::pair<uint32_t, uint32_t> TableScan::slots_of(const Filter* filter) const {
  uint32_t used = vm_.processes->used();
  Term only = filter ? filter->only() : kNone;
  if (is_fault(only)) return {0, used};
  uint32_t slot = pid_slot(only);
  return {std::min(slot, used), std::min(slot + 1, used)};
}

/// `whole`: all of each process is looked at, not only what it is sorted by.
template <bool whole>
void TableScan::pass(const Query& query, Best& best, Result* result) {
  bool filters = query.filter && !query.filter->empty();
  auto look = [&](Process& p, uint32_t slot) {
    Seen seen;
    glance(p, &seen);
    if constexpr (whole) complete(p, &seen);
    if (query.deltas) compare(slot, &seen);
    ++result->seen;
    if (whole && filters && !query.filter->matches(Row(*this, seen))) return;
    ++result->matched;
    int64_t value = value_of(seen, query.by);
    if (!best.wants(value, seen.pid)) return;
    if constexpr (!whole) complete(p, &seen);
    best.add(value, seen);
  };
  auto [first, slots] = slots_of(query.filter);
  // The newest are mostly the last: looked at first they need not be thrown out again.
  bool backwards = query.by == By::pid && !query.ascending;
  uint32_t pieces = (slots - first + kPiece - 1) / kPiece;
  for (uint32_t k = 0; k < pieces; ++k) {
    uint32_t from = first + (backwards ? pieces - 1 - k : k) * kPiece;
    ReaderGuard guard(vm_.scheduler->progress());
    vm_.processes->each_in<whole>(from, std::min(from + kPiece, slots), look);
  }
  if (slots - first != vm_.processes->used()) result->seen = vm_.processes->count();
}

TableScan::Result TableScan::run(const Query& query) {
  Result result;
  forget_names();  // code may have come and gone
  uint64_t begin = vm_.scheduler->now_ns();
  begin_tick(query.deltas);
  if (query.filter && is_value(query.filter->only())) renews_ = false;  // not all are seen
  if (query.deltas) result.interval_ns = tick_ns_ ? begin - tick_ns_ : 0;
  uint32_t spawned = vm_.processes->spawned();
  Best best(std::min(query.keep, kMostKept), query.ascending);
  bool whole = (query.filter && !query.filter->empty()) || query.by == By::migrations;
  whole ? pass<true>(query, best, &result) : pass<false>(query, best, &result);
  if (renews_) tick_ns_ = begin, spawned_ = spawned;
  result.rows = best.take();
  return result;
}

void TableScan::each(const Filter& filter, const std::function<void(Process&, const Seen&)>& f) {
  forget_names();
  auto [first, slots] = slots_of(&filter);
  for (uint32_t from = first; from < slots; from += kPiece) {
    ReaderGuard guard(vm_.scheduler->progress());
    vm_.processes->each_in(from, std::min(from + kPiece, slots), [&](Process& p, uint32_t) {
      Seen seen = look_at(p);
      if (filter.matches(Row(*this, seen))) f(p, seen);
    });
  }
}

}  // namespace wb
