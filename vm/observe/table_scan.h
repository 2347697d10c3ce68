// One pass over all processes that keeps the first few by a column.
//
// It reads only what everybody may read (Watched fields and atomics of control blocks), a chunk of
// the table at a time, each inside a ReaderGuard of its own. A million processes are a million
// cache misses, and that is what a pass over all costs. So
//   - who has done nothing since the last tick is known by it (last_tick.h, slice_marks.h): the
//     orders that people look at again and again, and filters of what is known, read the others;
//   - a pass over all reads the table ahead (ProcessTable::each_in), and of each process one line,
//     where most that rows are sorted by stands: the rest is read of those that are kept, and of
//     all if a filter or the order needs it.
// What is kept is a heap of the best K; of equal ones those in front in the table.
//
// All connections share one tick, renewed by whoever asks when it is older than kTick. A process
// that was spawned since is known by its serial number, so nothing tells slots apart.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "vm/observe/filter.h"
#include "vm/observe/growth.h"
#include "vm/observe/last_tick.h"
#include "vm/process/process.h"

namespace wb {

/// What one look at a process' control block gives.
struct Seen {
  Term pid = kNone;
  Term parent = kNone;
  const Word* resume = nullptr;
  const Export* initial_call = nullptr;
  bool named = false, system = false;
#define NUMBER(name, key, title, unit, width, place, quiet, type, reader, hint) type name{};
#define RANK(name, key, title, width, place, type, reader, shown, hint) type name{};
#define CHANGE(name, ...) int64_t name = 0;
#define MINUTE CHANGE
#include "vm/observe/columns.def"
};

/// How many of the warnings (process_report.cc) it shows without being asked.
uint8_t warning_count(const Process& p);

class TableScan {
 public:
  explicit TableScan(Vm& vm) : vm_(vm) {}

  static constexpr uint32_t kMostKept = 10000;
  using By = ProcessColumn;
  struct Query {
    By by = By::reds;
    bool ascending = false;
    uint32_t keep = 100;
    bool deltas = true;
    const Filter* filter = nullptr;
  };
  struct Result {
    std::vector<Seen> rows;  ///< in order
    uint32_t seen = 0, matched = 0;
    uint64_t interval_ns = 0;        ///< what deltas are about; 0: none
    bool collected = false;          ///< dgc is known
    std::array<bool, 3> grown = {};  ///< what is known of growth_of
    uint32_t read = 0;               ///< control blocks that were read
  };
  Result run(const Query& query);

  /// What a column of growth is about, by number: memory, mailbox, binaries. Not of other columns.
  static size_t growth_of(By by);

  /// Each process that matches; changes since the last tick are not known.
  void each(const Filter& filter, const std::function<void(Process&, const Seen&)>& f);

  size_t memory() const;
  void forget();  ///< nobody asks any more

  /// One process without deltas.
  static Seen look_at(const Process& p);
  /// Of a number or a change, in its told_unit().
  int64_t number_of(const Seen& s, By by) const;
  /// Of a rank or a text, which a ReaderGuard protects: in *buffer, or elsewhere.
  std::string_view text_of(const Seen& s, By by, std::string* buffer);
  /// "m:f/a" of where a process goes on, "" if that is no loaded code. Inside a ReaderGuard.
  const std::string& function_name(const Word* pc, const Export* initial_call);

 private:
  static constexpr uint64_t kTick = 900'000'000, kOldest = 60'000'000'000;
  static constexpr uint64_t kStillAsked = 20'000'000'000;
  static constexpr uint32_t kChunk = 8192;
  class Best;
  class Row;
  class Pass;

  void forget_names();
  void begin_tick(const Query& query);
  std::pair<uint32_t, uint32_t> slots_of(const Filter* filter) const;
  template <ColumnFacts::Place place>
  static void read(const Process& p, Seen* s);
  void compare(uint32_t slot, Seen* s);
  void compare_collected(uint32_t slot, Seen* s);
  void compare_growth(uint32_t slot, Seen* s);
  void note_growth(uint32_t slot, const Seen& s);
  void read_quiet_growth(uint32_t slot, Seen* s) const;
  void note_gone(uint32_t slot);
  void ask_for_growth(const Query& query, uint64_t now);
  bool wants_growth() const;
  bool is_old(const Seen& s) const;
  std::string registered_name(const Seen& s);
  const std::string& initial_name(const Seen& s);
  const std::string& name_text(const Seen& s);
  int64_t in_told_unit(ColumnUnit unit, int64_t n) const;
  int64_t order_of(const Seen& s, By by);
  bool is_ordered_by_text(By by);

  Vm& vm_;
  LastTick last_;
  std::array<Growth, 3> growth_;
  std::array<uint64_t, 3> growth_asked_ns_ = {};  ///< when somebody asked for each
  bool grows_ = false;                            ///< some of them are noticed
  uint64_t in_ns(uint64_t ticks) const;
  mutable double ns_per_tick_ = 0;   ///< 0: not known yet, by this pass
  uint32_t spawned_ = 0;             ///< before the last tick
  uint64_t tick_ns_ = 0;             ///< 0: there was none
  uint64_t collected_asked_ns_ = 0;  ///< when somebody asked for how time in collections changes
  bool renews_ = false;              ///< this pass makes a new tick
  bool marked_ = false;              ///< slices have been marked since the last tick
  std::unordered_map<const Word*, std::string> names_;
  std::pair<const Word*, const std::string*> last_name_{};  ///< of names_
  std::unordered_map<Term, std::string> registered_;        ///< names as texts
};

std::string mfa_text(Term module, Term function, uint32_t arity);
const char* priority_text(uint8_t priority);

}  // namespace wb
