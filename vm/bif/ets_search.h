// Searches that take longer than a slice.
//
// A search looks at so many objects, then its process goes on in erts_internal:ets_search/3 with
// the table, what is left to do (a SearchJob behind a magic reference) and what was found so far.
// Meanwhile the table is fixed in the process' name, so that nothing is missed or seen twice; if
// the process dies, its exit lets go of the table.
#pragma once

#include "vm/bif/ets_common.h"
#include "vm/bif/match_common.h"
#include "vm/ets/search.h"
#include "vm/process/call_site.h"

namespace wb {

constexpr int64_t kSearchBudget = 10000;  // objects a slice
constexpr size_t kUnlimited = SIZE_MAX;

struct SearchJob final : OffHeapObject {
  enum class Kind : uint8_t { select, count, erase, replace };
  /// Takes over a reference to `spec`.
  SearchJob(Kind kind, MatchSpec* spec);
  static SearchJob* from_term(Term t);
  bool writes() const { return kind == Kind::erase || kind == Kind::replace; }

  const Kind kind;
  MatchSpec* const spec;
  size_t limit = kUnlimited;
  int64_t count = 0;
  Cursor cursor;
  KeptTerm after;  // holds cursor.after between slices
  bool fixed = false;
  bool rest_reversed = false;  // of what a portion leaves, in hash tables
  CallSite maker;
};

/// Releases at the end of a scope.
struct JobShare {
  explicit JobShare(SearchJob* j) : job(j) {}
  ~JobShare() { job->release(); }
  JobShare(const JobShare&) = delete;
  SearchJob* job;
};

/// What all search visitors share: the budget, and the key to go on behind.
class BudgetVisitor : public Visitor {
 public:
  BudgetVisitor(Process& p, const Table& t, const MatchSpec& spec)
      : matcher_(spec, match_context(p)), heap_(p.heap), table_(t) {}
  bool full() override { return visited_ >= kSearchBudget; }
  int64_t visited() const { return visited_; }
  Term last_key() const { return last_key_; }

 protected:
  ~BudgetVisitor() = default;
  /// Each visit begins with this.
  void saw(const TableObject& o) {
    if (++visited_ == kSearchBudget) remember(o);
  }
  void remember(const TableObject& o) {
    if (table_.is_ordered()) last_key_ = copy_term_deep(heap_, table_.key_of(o));
  }
  Matcher matcher_;
  Heap& heap_;
  const Table& table_;

 private:
  int64_t visited_ = 0;
  Term last_key_ = kNone;
};

/// The table keeps who looks at many of its objects.
void note_search(const Process& p, Table& t, SearchJob& job, int64_t visited);
/// Ends the slice: the search goes on with `found` (a list).
Term continue_later(Process& p, TableArg& t, SearchJob& job, Term last_key, Term found);
/// Undoes what continue_later() did to the table.
void search_ended(Process& p, TableArg& t, SearchJob& job);

Term run_select(Process& p, TableArg& t, SearchJob& job, Term found, Term spec_ref);
Term run_count(Process& p, TableArg& t, SearchJob& job);

}  // namespace wb
