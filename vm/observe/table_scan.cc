#include "vm/observe/table_scan.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "loader/code_table.h"
#include "term/print.h"
#include "vm/core/vm.h"
#include "vm/observe/process_report.h"
#include "vm/process/extra.h"
#include "vm/process/group.h"
#include "vm/process/heap_summary.h"
#include "vm/process/park_reasons.h"
#include "vm/process/run.h"
#include "vm/process/signal.h"
#include "vm/process/table.h"
#include "vm/process/timers.h"
#include "vm/process/wait_times.h"

namespace wb {

std::string mfa_text(Term module, Term function, uint32_t arity) {
  return atom_source(module) + ':' + atom_source(function) + '/' + std::to_string(arity);
}

const char* priority_text(uint8_t priority) {
  static constexpr const char* kTexts[] = {"low", "normal", "high", "max"};
  return kTexts[priority & 3];
}

static constexpr auto kReader = SliceMarks::Reader::table;

const std::string& TableScan::function_name(const Word* pc, const Export* initial_call) {
  if (initial_call && pc == initial_call->stub_entry()) {
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

// --- the best K ----------------------------------------------------------------------------------
/// A heap whose front is the worst of those kept; rows stay where they are.
class TableScan::Best {
 public:
  /// `texts`: values are addresses of texts.
  Best(size_t keep, bool ascending, bool texts)
      : keep_(keep), ascending_(ascending), texts_(texts) {}

  bool wants(int64_t value, uint32_t slot) const {
    return heap_.size() < keep_ || (keep_ && before({value, slot, 0}, heap_.front()));
  }
  void add(int64_t value, uint32_t slot, const Seen& seen) {
    auto worse_last = [this](const Entry& a, const Entry& b) { return before(a, b); };
    if (heap_.size() == keep_) {
      std::pop_heap(heap_.begin(), heap_.end(), worse_last);
      rows_[heap_.back().row] = seen;
      heap_.back().value = value, heap_.back().slot = slot;
    } else {
      heap_.push_back({value, slot, static_cast<uint32_t>(rows_.size())});
      rows_.push_back(seen);
    }
    std::push_heap(heap_.begin(), heap_.end(), worse_last);
  }
  std::vector<Seen> take_rows() {
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
    uint32_t slot;
    uint32_t row;
  };
  bool before(const Entry& a, const Entry& b) const {
    if (a.value != b.value) {
      if (!texts_) return ascending_ ? a.value < b.value : a.value > b.value;
      int order = reinterpret_cast<const std::string*>(a.value)->compare(
          *reinterpret_cast<const std::string*>(b.value));
      if (order) return ascending_ ? order < 0 : order > 0;
    }
    return a.slot < b.slot;
  }
  const size_t keep_;
  const bool ascending_, texts_;
  std::vector<Entry> heap_;
  std::vector<Seen> rows_;
};

// --- filters -------------------------------------------------------------------------------------
/// What a quiet process has of it is known by the last tick.
static bool is_known(ProcessColumn by) { return facts_of(by).quiet != ColumnFacts::unknown; }

class TableScan::Row final : public FilterRow {
 public:
  /// `quiet`: it has done nothing since the last tick, and only that is known of it.
  Row(TableScan& scan, const Seen& seen, bool quiet = false)
      : scan_(scan), seen_(seen), quiet_(quiet) {}
  bool knows(By column) const override { return !quiet_ || is_known(column); }
  int64_t number(By column) const override { return scan_.number_of(seen_, column); }
  Term id() const override { return seen_.pid; }
  std::string_view text(By column) const override { return scan_.text_of(seen_, column, &buffer_); }

 private:
  TableScan& scan_;
  const Seen& seen_;
  const bool quiet_;
  mutable std::string buffer_;
};

// --- what is known of a process ------------------------------------------------------------------
void TableScan::forget() {
  if (marked_) vm_.host->mark_slices(kReader, false);
  marked_ = false;
  last_.forget();
  for (Growth& g : growth_) g.forget();
  tick_ns_ = 0;
  names_ = {};
  registered_ = {};
  last_name_ = {};
}
void TableScan::forget_names() {
  names_.clear();
  registered_.clear();
  last_name_ = {};
  ns_per_tick_ = 0;
}

size_t TableScan::memory() const {
  size_t growth = 0;
  for (const Growth& g : growth_) growth += g.memory();
  return last_.memory() + growth + (marked_ ? last_.slots() / SliceMarks::kSlots : 0);
}

static uint32_t mailbox_limit(const Process& p) {
  return p.counts_messages && p.extra->rare->mailbox ? p.extra->rare->mailbox->limit : 0;
}
static uint32_t group_number(const Process& p) {
  const Group* group = group_of(p);
  return group ? group->number : 0;
}
static uint64_t memory_of(const Process& p) {
  return Process::kBlockBytes + words_of_summary(p.heap_words) * sizeof(Term) + message_bytes(p);
}
static uint64_t binary_bytes_of(const Process& p) {
  return binary_words_of_summary(p.heap_words) * sizeof(Term);
}
/// Of others the table of timers need not be asked.
static uint32_t timers_of(const Process& p) {
  if (!p.timed.load(std::memory_order_relaxed)) return 0;
  return p.vm_->timers->count_of(p.address());
}
uint8_t warning_count(const Process& p) {
  const uint32_t heap = warnings_of_summary(p.heap_words);
  return static_cast<uint8_t>(std::popcount(heap) + (p.message_count > kLongQueue));
}
template <ColumnFacts::Place place>
void TableScan::read(const Process& p, Seen* s) {
  if constexpr (place == ColumnFacts::near) {
    s->pid = p.id;
    s->resume = p.resume;
  } else if constexpr (place == ColumnFacts::block) {
    s->parent = p.parent;
    s->initial_call = p.initial_call;
    s->named = p.named.load(std::memory_order_relaxed);
    s->system = p.system;
  }
#define READ(name, where, reader) \
  if constexpr (ColumnFacts::where == place) s->name = reader;
#define NUMBER(name, key, title, unit, width, where, quiet, type, reader, hint) \
  READ(name, where, reader)
#define RANK(name, key, title, width, where, type, reader, shown, hint) READ(name, where, reader)
#include "vm/observe/columns.def"
#undef READ
}
Seen TableScan::look_at(const Process& p) {
  Seen s;
  read<ColumnFacts::near>(p, &s);
  read<ColumnFacts::block>(p, &s);
  read<ColumnFacts::afar>(p, &s);
  return s;
}

uint64_t TableScan::in_ns(uint64_t ticks) const {
  if (ns_per_tick_ == 0) {
    EventClock c = vm_.scheduler->event_clock();
    if (c.ticks1 == c.ticks0) return 0;
    ns_per_tick_ = static_cast<double>(c.ns1 - c.ns0) / static_cast<double>(c.ticks1 - c.ticks0);
  }
  return static_cast<uint64_t>(static_cast<double>(ticks) * ns_per_tick_);
}
/// It was there at the last tick.
bool TableScan::is_old(const Seen& s) const {
  return tick_ns_ && static_cast<int32_t>(pid_serial(s.pid) - spawned_) < 0;
}
/// Before compare(), which makes a new tick of it.
void TableScan::compare_collected(uint32_t slot, Seen* s) {
  s->dgc = s->gc;
  if (slot >= last_.slots() || !last_.notes_collected() || !is_old(*s)) return;
  auto now = static_cast<uint16_t>(s->gc >> LastTick::kCollectedShift);
  s->dgc = static_cast<uint16_t>(now - last_.collected(slot));
  s->dgc <<= LastTick::kCollectedShift;
}
/// What has changed since the last tick.
void TableScan::compare(uint32_t slot, Seen* s) {
  s->dreds = static_cast<int64_t>(s->reds);
  s->dmsgq = s->msgq;
  if (slot >= last_.slots()) return;
  if (is_old(*s)) {
    auto then = last_.at(slot);
    s->dreds -= static_cast<int64_t>(then ? then->reductions : s->reds);
    s->dmsgq -= then ? then->messages : s->msgq;
  }
  if (renews_) last_.note(slot, {s->reds, s->msgq}, s->gc);
}

#define GROWTHS(x)                                                 \
  x(0, memory, dmemory, mmemory) x(1, mailbox, dmailbox, mmailbox) \
      x(2, binaries, dbinaries, mbinaries)

size_t TableScan::growth_of(By by) {
#define IS_OF(k, what, tick, minute) \
  if (by == By::tick || by == By::minute) return k;
  GROWTHS(IS_OF)
#undef IS_OF
  WB_CHECK(false);
}
void TableScan::compare_growth(uint32_t slot, Seen* s) {
  const bool is_new = !is_old(*s);
#define COMPARE(k, what, tick, minute)                    \
  s->tick = growth_[k].since_tick(slot, s->what, is_new); \
  s->minute = growth_[k].in_minute(slot, s->what, is_new);
  GROWTHS(COMPARE)
#undef COMPARE
}
/// After compare_growth(), for which it makes a new tick.
void TableScan::note_growth(uint32_t slot, const Seen& s) {
  const bool is_new = !is_old(s);
#define NOTE(k, what, tick, minute) growth_[k].note(slot, s.what, is_new);
  GROWTHS(NOTE)
#undef NOTE
}
/// Of one that has what it had at the last tick.
void TableScan::read_quiet_growth(uint32_t slot, Seen* s) const {
#define QUIET(k, what, tick, minute) s->minute = growth_[k].in_minute(slot);
  GROWTHS(QUIET)
#undef QUIET
}
/// Nobody is in that slot.
void TableScan::note_gone(uint32_t slot) {
  last_.note(slot, {}, 0);
  if (!grows_) return;
  for (Growth& g : growth_) g.note(slot, 0, true);
}
#undef GROWTHS
bool TableScan::wants_growth() const {
  return std::any_of(growth_.begin(), growth_.end(), [](const Growth& g) { return g.wanted(); });
}

std::string TableScan::registered_name(const Seen& s) {
  Term name = s.named ? vm_.processes->name_of(s.pid) : kNone;
  return is_value(name) ? std::string(atom_text(name)) : std::string();
}
const std::string& TableScan::initial_name(const Seen& s) {
  const Export* e = s.initial_call;
  return function_name(e ? e->stub_entry() : nullptr, e);
}
/// Its registered name, or what it was spawned with.
const std::string& TableScan::name_text(const Seen& s) {
  Term name = s.named ? vm_.processes->name_of(s.pid) : kNone;
  if (!is_value(name)) return initial_name(s);
  auto [known, fresh] = registered_.try_emplace(name);
  if (fresh) known->second = atom_text(name);
  return known->second;
}

// --- columns -------------------------------------------------------------------------------------
int64_t TableScan::in_told_unit(ColumnUnit unit, int64_t n) const {
  switch (unit) {
    case ColumnUnit::pauses:
    case ColumnUnit::pause_share:
      return static_cast<int64_t>(in_ns(static_cast<uint64_t>(n) * kPauseTicks));
    case ColumnUnit::waits:
      return static_cast<int64_t>(in_ns(WaitTimes::ticks(static_cast<uint8_t>(n))));
    case ColumnUnit::count:
    case ColumnUnit::bytes:
    case ColumnUnit::rate:
    case ColumnUnit::growth:
    case ColumnUnit::byte_rate:
    case ColumnUnit::byte_pace:
    case ColumnUnit::text:
      break;
  }
  return n;
}

#define OF_ANOTHER_KIND(name) \
  case By::name:              \
    break;

int64_t TableScan::number_of(const Seen& s, By by) const {
  switch (by) {
#define NUMBER(name, key, title, unit, ...) \
  case By::name:                            \
    return in_told_unit(ColumnUnit::unit, static_cast<int64_t>(s.name));
#define CHANGE NUMBER
#define MINUTE NUMBER
#define TEXT(name, ...) OF_ANOTHER_KIND(name)
#define RANK TEXT
#define TOLD TEXT
#include "vm/observe/columns.def"
  }
  WB_CHECK(false);
}

std::string_view TableScan::text_of(const Seen& s, By by, std::string* buffer) {
  switch (by) {
#define TEXT(name, key, title, width, place, order, shown, hint) \
  case By::name:                                                 \
    return *buffer = shown;
#define RANK(name, key, title, width, place, type, reader, shown, hint) \
  case By::name:                                                        \
    return shown;
#define NUMBER(name, ...) OF_ANOTHER_KIND(name)
#define CHANGE NUMBER
#define MINUTE NUMBER
#define TOLD NUMBER
#include "vm/observe/columns.def"
  }
  WB_CHECK(false);
}

static int64_t as_order(const std::string& text) { return reinterpret_cast<int64_t>(&text); }
static int64_t as_order(uint32_t number) { return number; }

/// By what processes are ordered: a number, or the address of a text.
int64_t TableScan::order_of(const Seen& s, By by) {
  switch (by) {
#define NUMBER(name, ...) \
  case By::name:          \
    return static_cast<int64_t>(s.name);
#define CHANGE NUMBER
#define MINUTE NUMBER
#define RANK NUMBER
#define TEXT(name, key, title, width, place, order, shown, hint) \
  case By::name:                                                 \
    return as_order(order);
#define TOLD(name, ...) OF_ANOTHER_KIND(name)
#include "vm/observe/columns.def"
  }
  WB_CHECK(false);
}
bool TableScan::is_ordered_by_text(By by) {
  const Seen s;
  switch (by) {
#define TEXT(name, key, title, width, place, order, shown, hint) \
  case By::name:                                                 \
    return std::is_same_v<decltype(order), const std::string&>;
#define NUMBER(name, ...) OF_ANOTHER_KIND(name)
#define CHANGE NUMBER
#define MINUTE NUMBER
#define RANK NUMBER
#define TOLD NUMBER
#include "vm/observe/columns.def"
  }
  return false;
}
#undef OF_ANOTHER_KIND

/// Where to look: everywhere, or at the one process that may match.
std::pair<uint32_t, uint32_t> TableScan::slots_of(const Filter* filter) const {
  uint32_t used = vm_.processes->used();
  Term only = filter ? filter->only() : kNone;
  if (is_fault(only)) return {0, used};
  uint32_t slot = pid_slot(only);
  return {std::min(slot, used), std::min(slot + 1, used)};
}

// --- the pass ------------------------------------------------------------------------------------
class TableScan::Pass {
 public:
  Pass(TableScan& scan, const Query& query, Best& best, Result& result)
      : scan_(scan),
        table_(*scan.vm_.processes),
        marks_(scan.vm_.host->marks),
        query_(query),
        best_(best),
        result_(result),
        filter_(query.filter && !query.filter->empty() ? query.filter : nullptr) {}

  void run() {
    bool whole = filter_ || order_.place == ColumnFacts::block;
    bool quiet_ones_are_known = scan_.marked_ && scan_.tick_ns_ && query_.deltas &&
                                !(query_.filter && is_value(query_.filter->only())) &&
                                !scan_.last_.wants_collected() && !scan_.wants_growth() &&
                                is_known(query_.by) &&
                                (!filter_ || filter_->is_narrowed(Row(scan_, {}, true)));
    if (scan_.renews_ && scan_.marked_) marks_.begin_look(kReader, table_.used());
    if (quiet_ones_are_known) {
      busy_ones();
    } else {
      whole ? all<true>() : all<false>();
    }
  }

 private:
  template <bool whole>
  void scan_process(Process& p, uint32_t slot) {
    Seen seen;
    read<ColumnFacts::near>(p, &seen);
    ++result_.read;
    if (whole) read<ColumnFacts::block>(p, &seen);
    if (afar_) look_afar(p, slot, &seen);
    if (query_.deltas) scan_.compare(slot, &seen);
    if (growth_of_all_) scan_.compare_growth(slot, &seen);
    ++result_.seen;
    consider<whole>(p, slot, seen);
    if (grows_ && scan_.renews_) scan_.note_growth(slot, seen);
  }
  /// Is it one of those to keep?
  template <bool whole>
  void consider(Process& p, uint32_t slot, Seen& seen) {
    if (whole && filter_ && !filter_->matches(Row(scan_, seen))) return;
    ++result_.matched;
    int64_t value = scan_.order_of(seen, query_.by);
    if (!best_.wants(value, slot)) return;
    if (!whole) read<ColumnFacts::block>(p, &seen);
    if (!afar_) look_afar(p, slot, &seen);
    if (grows_ && !growth_of_all_) scan_.compare_growth(slot, &seen);
    best_.add(value, slot, seen);
  }
  void look_afar(const Process& p, uint32_t slot, Seen* seen) {
    read<ColumnFacts::afar>(p, seen);
    if (collects_) scan_.compare_collected(slot, seen);
  }
  /// Do the order, the filter or the tick need it of all?
  bool needs_it_afar() const {
    if (collects_ && scan_.renews_) return true;
    auto is_afar = [](const ColumnFacts& c) { return c.place == ColumnFacts::afar; };
    return is_afar(order_) || (filter_ && filter_->uses(is_afar));
  }
  /// Growth of those that are not kept is looked up for what asks for it only.
  bool needs_growth_of_all() const {
    auto is_growth = [](const ColumnFacts& c) { return c.is_growth(); };
    return grows_ && (is_growth(order_) || (filter_ && filter_->uses(is_growth)));
  }
  template <bool whole>
  void all() {
    auto [first, slots] = scan_.slots_of(query_.filter);
    // The newest are mostly the last: looked at first they need not be thrown out again.
    bool backwards = query_.by == By::pid && !query_.ascending;
    uint32_t chunks = (slots - first + kChunk - 1) / kChunk;
    for (uint32_t k = 0; k < chunks; ++k) {
      uint32_t from = first + (backwards ? chunks - 1 - k : k) * kChunk;
      uint32_t to = std::min(from + kChunk, slots);
      ReaderGuard guard(scan_.vm_.scheduler->progress());
      bool renews = scan_.renews_;
      if (!renews || !scan_.marked_) {
        table_.each_in<whole>(from, to, [&](Process& p, uint32_t s) { scan_process<whole>(p, s); });
      } else {
        all_marked<whole>(from, to);
      }
    }
    if (slots - first != table_.used()) result_.seen = table_.count();
  }
  /// The same, and which of them run is noted for the next look.
  template <bool whole>
  void all_marked(uint32_t from, uint32_t to) {
    uint32_t mark = from / SliceMarks::kSlots, next = from;
    bool again = false;
    auto finish_mark = [&] {
      marks_.finish_look(kReader, mark++, again);
      again = false;
    };
    table_.each_in<true>(from, to, [&](Process& p, uint32_t s) {
      for (; next < s; ++next) scan_.note_gone(next);
      while (mark < s / SliceMarks::kSlots) finish_mark();
      again |= p.is_in_a_slice();
      scan_process<whole>(p, s);
      next = s + 1;
    });
    for (; next < to; ++next) scan_.note_gone(next);
    while (mark * SliceMarks::kSlots < to) finish_mark();
  }

  /// Reads those that may have done something since the last tick; of the others only who is kept.
  void busy_ones() {
    constexpr uint32_t kTogether = 8 * SliceMarks::kSlots;
    zero_ = order_.quiet == ColumnFacts::zero;
    uint32_t slots = table_.used();
    fresh_ = scan_.last_.slots();
    for (uint32_t from = 0; from < slots; from += kChunk) {
      uint32_t end = std::min(from + kChunk, slots);
      ReaderGuard guard(scan_.vm_.scheduler->progress());
      for (uint32_t at = from; at < end; at += kTogether) {
        uint64_t marked = marks_.read_eight(kReader, at / SliceMarks::kSlots);
        bool known = at + kTogether <= fresh_;
        if (known && !marked && zero_ && !filter_ && !best_.wants(0, at)) continue;
        if (marked) read_ahead(at, std::min(at + kTogether, end), marked);
        for (uint32_t s = at; s < std::min(at + kTogether, end); s += SliceMarks::kSlots) {
          bool busy = marked >> (s - at) & 0xff;
          for (uint32_t k = s; k < std::min(s + SliceMarks::kSlots, end); ++k) {
            busy || k >= fresh_ ? busy_one(k) : quiet_one(k);
          }
          if (busy && scan_.renews_) marks_.finish_look(kReader, s / SliceMarks::kSlots, again_);
          again_ = false;
        }
      }
    }
    result_.seen = table_.count();
    if (!filter_) result_.matched = result_.seen;
  }
  /// A byte of `marked` for kSlots neighbours.
  void read_ahead(uint32_t from, uint32_t to, uint64_t marked) {
    for (; from < to; from += SliceMarks::kSlots, marked >>= 8) {
      if (marked & 0xff) table_.read_ahead(from, std::min(from + SliceMarks::kSlots, to));
    }
  }
  void busy_one(uint32_t slot) {
    Process* p = table_.at(slot);
    if (p) {
      again_ |= p->is_in_a_slice();
      scan_process<true>(*p, slot);
    } else if (scan_.renews_) {
      scan_.note_gone(slot);
    }
  }
  void quiet_one(uint32_t slot) {
    Seen known;
    if (!zero_ || filter_) {
      auto then = scan_.last_.at(slot);
      if (!then) return busy_one(slot);
      known.reds = then->reductions, known.msgq = then->messages;
      if (scan_.grows_) scan_.read_quiet_growth(slot, &known);
    }
    int64_t value = zero_ ? 0 : scan_.order_of(known, query_.by);
    bool wanted = best_.wants(value, slot);
    if (!wanted && !filter_) return;
    Row row(scan_, known, true);
    if (filter_ && !filter_->may_match(row)) return;
    Process* p = table_.at(slot);
    if (!p) return;
    if (!wanted && filter_->is_known(row)) {
      ++result_.matched;
      return;
    }
    ++result_.read;
    Seen seen = look_at(*p);
    if (filter_ && !filter_->matches(Row(scan_, seen))) return;
    ++result_.matched;
    if (wanted) best_.add(value, slot, seen);
  }

  TableScan& scan_;
  ProcessTable& table_;
  SliceMarks& marks_;
  const Query& query_;
  const ColumnFacts& order_ = facts_of(query_.by);
  Best& best_;
  Result& result_;
  const Filter* filter_;
  const bool collects_ = scan_.last_.wants_collected() || scan_.last_.notes_collected();
  const bool afar_ = needs_it_afar();
  const bool grows_ = query_.deltas && scan_.grows_;
  const bool growth_of_all_ = needs_growth_of_all();
  bool zero_ = false;   ///< quiet ones have 0 of the column
  uint32_t fresh_ = 0;  ///< slots from here on have come since the last tick
  bool again_ = false;  ///< one of the neighbours runs
};

void TableScan::ask_for_growth(const Query& query, uint64_t now) {
  grows_ = false;
  for (size_t k = 0; k < growth_.size(); ++k) {
    auto is_asked = [k](const ColumnFacts& c) {
      return c.is_growth() && growth_of(static_cast<By>(&c - kColumns)) == k;
    };
    const bool asked =
        is_asked(facts_of(query.by)) || (query.filter && query.filter->uses(is_asked));
    if (asked) growth_[k].want(), growth_asked_ns_[k] = now;
    if (now - growth_asked_ns_[k] > kStillAsked) growth_[k].forget();
    growth_[k].begin_look(tick_ns_ ? static_cast<double>(now - tick_ns_) / 1e9 : 0);
    grows_ |= growth_[k].noticed();
  }
}

void TableScan::begin_tick(const Query& query) {
  uint64_t now = vm_.scheduler->now_ns();
  if (tick_ns_ && now - tick_ns_ > kOldest) forget();
  auto is_dgc = [](const ColumnFacts& c) { return &c == &facts_of(By::dgc); };
  bool collected = query.by == By::dgc || (query.filter && query.filter->uses(is_dgc));
  if (collected) last_.note_collected(), collected_asked_ns_ = now;
  if (now - collected_asked_ns_ > kStillAsked) last_.forget_collected();
  ask_for_growth(query, now);
  renews_ = query.deltas && (!tick_ns_ || now - tick_ns_ >= kTick);
  // Not all are seen.
  if (query.filter && is_value(query.filter->only())) renews_ = false;
  if (!renews_) return;
  last_.make_room(vm_.processes->used());
  if (!marked_) marked_ = vm_.host->mark_slices(kReader, true);
}

TableScan::Result TableScan::run(const Query& query) {
  Result result;
  forget_names();  // code may have come and gone
  uint64_t begin = vm_.scheduler->now_ns();
  begin_tick(query);
  if (query.deltas) result.interval_ns = tick_ns_ ? begin - tick_ns_ : 0;
  result.collected = query.deltas && last_.notes_collected();
  for (size_t k = 0; k < growth_.size(); ++k) {
    result.grown[k] = query.deltas && growth_[k].noted();
  }
  uint32_t spawned = vm_.processes->spawned();
  Best best(std::min(query.keep, kMostKept), query.ascending, is_ordered_by_text(query.by));
  Pass(*this, query, best, result).run();
  if (renews_) {
    if (last_.wants_collected()) last_.all_noted();
    const double seconds = tick_ns_ ? static_cast<double>(begin - tick_ns_) / 1e9 : 0;
    for (Growth& g : growth_) g.end_tick(seconds);
    tick_ns_ = begin, spawned_ = spawned;
  }
  result.rows = best.take_rows();
  return result;
}

void TableScan::each(const Filter& filter, const std::function<void(Process&, const Seen&)>& f) {
  forget_names();
  auto [first, slots] = slots_of(&filter);
  for (uint32_t from = first; from < slots; from += kChunk) {
    ReaderGuard guard(vm_.scheduler->progress());
    vm_.processes->each_in(from, std::min(from + kChunk, slots), [&](Process& p, uint32_t) {
      Seen seen = look_at(p);
      if (filter.matches(Row(*this, seen))) f(p, seen);
    });
  }
}

}  // namespace wb
