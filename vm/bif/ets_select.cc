// ets:select, match, match_object and select_reverse, whole or in portions.
//
// A portion ends at a bucket (hash tables) or behind a key (ordered tables). What a bucket has too
// much is left for the next: the last one first by the first portion, the other way round by those
// that follow, as in OTP. Its continuation is what OTP's is: {Table, Bucket, Limit, Program, Rest,
// RestLength} or {Table, Key, [], Limit, Program, [], Reverse, 0}; ets:repair_continuation/2 knows
// these shapes. A continuation is a term that a program may have forged: everything in it is
// checked again.
#include <algorithm>

#include "term/number.h"
#include "vm/bif/ets_search.h"

namespace wb {
namespace {

/// Collects all results.
class Collector final : public BudgetVisitor {
 public:
  /// They come in front of `found`, the last one first.
  Collector(Process& p, const Table& t, const SearchJob& job, Term found)
      : BudgetVisitor(p, t, *job.spec), list_(found) {}
  Verdict visit(const TableObject& o) override {
    saw(o);
    const Term r = matcher_.run(o.tuple(), heap_, true, &o);
    if (r == kNone) return Verdict::keep;
    list_ = cons(heap_, r, list_);
    ++count_;
    return Verdict::keep;
  }
  Term list() const { return list_; }
  int64_t count() const { return count_; }

 private:
  Term list_;
  int64_t count_ = 0;
};

/// Collects results until it has enough.
class Selector final : public BudgetVisitor {
 public:
  Selector(Process& p, const Table& t, const SearchJob& job)
      : BudgetVisitor(p, t, *job.spec), limit_(job.limit) {}
  Verdict visit(const TableObject& o) override {
    saw(o);
    Term r = matcher_.run(o.tuple(), heap_, true, &o);
    if (r == kNone) return Verdict::keep;
    results.push_back(r);
    if (results.size() == limit_) remember(o);
    return Verdict::keep;
  }
  bool full() override {
    if (results.size() >= limit_) return true;
    if (visited() >= kOtpSlice) would_yield = true;
    return BudgetVisitor::full();
  }

  std::vector<Term> results;
  /// Would OTP have yielded? That can be seen in the order of what is left.
  bool would_yield = false;

 private:
  static constexpr int64_t kOtpSlice = 1000;
  size_t limit_;
};

/// Results as a list, the last one first.
Term pushed(Heap& h, const std::vector<Term>& results) {
  Term list = kNil;
  for (Term r : results) list = cons(h, r, list);
  return list;
}

/// Results [from, to) as a list, in the order they were found or against it.
Term portion(Process& p, const std::vector<Term>& r, size_t from, size_t to, bool as_found) {
  Term list = kNil;
  if (as_found)
    for (size_t i = to; i-- > from;) list = cons(p.heap, r[i], list);
  else
    for (size_t i = from; i < to; ++i) list = cons(p.heap, r[i], list);
  return list;
}

Term continuation(Process& p, Table& t, const SearchJob& job, Term spec_ref, const Selector& s,
                  size_t used, bool more) {
  if (spec_ref == kNone) {
    job.spec->retain();
    spec_ref = p.vm().new_magic_ref(p.heap, job.spec, 0);
  }
  const Term table = EtsTables::identifier(p.heap, t);  // a name may be another table's then
  const Term limit = make_small(static_cast<int64_t>(job.limit));
  const Term left = make_small(static_cast<int64_t>(s.results.size() - used));
  const bool as_found = t.is_ordered() || job.rest_reversed;
  Term rest = portion(p, s.results, used, s.results.size(), as_found);
  if (t.is_ordered())
    return tuple(p.heap, table, s.last_key(), kNil, limit, spec_ref, rest,
                 make_small(job.cursor.reverse), left);
  const int64_t bucket = more ? static_cast<int64_t>(job.cursor.bucket) : -1;
  return tuple(p.heap, table, make_small(bucket), limit, spec_ref, rest, left);
}

/// A list of results, the last one first, as they were found.
std::vector<Term> unpushed(Term list) {
  std::vector<Term> results;
  for (; is_cons(list); list = tail(list)) results.push_back(head(list));
  std::reverse(results.begin(), results.end());
  return results;
}

/// What a portion is once its search has stopped or ended.
Term finish_portion(Process& p, TableArg& t, const SearchJob& job, Term spec_ref, const Selector& s,
                    bool more) {
  const size_t used = std::min(job.limit, s.results.size());
  Term list = portion(p, s.results, 0, used, t->is_ordered());
  if (more || used < s.results.size())
    return tuple(p.heap, list, continuation(p, *t, job, spec_ref, s, used, more));
  return used == 0 ? am::end_of_table : tuple(p.heap, list, am::end_of_table);
}

Term run_select_all(Process& p, TableArg& t, SearchJob& job, Term found) {
  Collector c(p, *t, job, found);
  const bool more = search(*t, SearchPlan(*job.spec, *t), job.cursor, c, false);
  p.charge(c.visited() / 8 + c.count() / 4);
  note_search(p, *t, job, c.visited());
  if (!t->alive()) return p.badarg(am::id);
  if (more) return continue_later(p, t, job, c.last_key(), c.list());
  search_ended(p, t, job);
  return c.list();
}

}  // namespace

Term run_select(Process& p, TableArg& t, SearchJob& job, Term found, Term spec_ref) {
  if (job.limit == kUnlimited) return run_select_all(p, t, job, found);
  Selector s(p, *t, job);
  s.results = unpushed(found);
  const bool more = s.full() || search(*t, SearchPlan(*job.spec, *t), job.cursor, s, false);
  p.charge(s.visited() / 8 + static_cast<int64_t>(s.results.size()) / 4);
  note_search(p, *t, job, s.visited());
  job.rest_reversed = job.rest_reversed || s.would_yield;
  if (!t->alive()) return p.badarg(am::id);
  if (more && s.results.size() < job.limit)
    return continue_later(p, t, job, s.last_key(), pushed(p.heap, s.results));
  search_ended(p, t, job);
  return finish_portion(p, t, job, spec_ref, s, more);
}

namespace {

Term select(Process& p, Term table, Term spec, const Term* limit, bool reverse) {
  TableArg t(p, table, Access::read);
  if (!t) return t.fail();
  if (limit && (!is_small(*limit) || small_value(*limit) < 1)) return kBadarg;
  if (is_nil(spec)) return limit ? am::end_of_table : kNil;
  Compiled compiled(spec);
  if (!compiled) return kBadarg;
  JobShare share(new SearchJob(SearchJob::Kind::select, compiled.detach()));
  SearchJob& job = *share.job;
  if (limit) job.limit = static_cast<size_t>(small_value(*limit));
  // Without a limit the list grows at its front: an ordered table is walked from the far end.
  job.cursor.reverse = t->is_ordered() && reverse == (limit != nullptr);
  return run_select(p, t, job, kNil, kNone);
}

/// [{Pattern, [], [Result]}]
Term pattern_spec(Process& p, Term pattern, Term result) {
  return cons(p.heap, tuple(p.heap, pattern, kNil, cons(p.heap, result, kNil)), kNil);
}

/// The end of a portioned search by keys: only `rest` is left.
Term select_rest(Process& p, TableArg& t, const SearchJob& job, Term rest, Term spec_ref) {
  Selector s(p, *t, job);
  s.results = unpushed(rest);
  return finish_portion(p, t, job, spec_ref, s, false);
}

Term select_continue(Process& p, Term c) {
  if (c == am::end_of_table) return c;
  if (!is_tuple(c) || tuple_arity(c) == 0) return kBadarg;
  const Term* e = tuple_elements(c);
  TableArg t(p, e[0], Access::read);
  if (!t) return t.fail();
  const bool ordered = t->is_ordered();
  if (tuple_arity(c) != (ordered ? 8 : 6)) return kBadarg;
  const Term limit = e[ordered ? 3 : 2], spec_ref = e[ordered ? 4 : 3], rest = e[ordered ? 5 : 4];
  MatchSpec* spec = MatchSpec::from_term(spec_ref);
  if (!spec || spec->dialect() != MatchDialect::table) return kBadarg;
  if (!is_small(limit) || small_value(limit) < 1 || list_length(rest) < 0) return kBadarg;
  spec->retain();
  JobShare share(new SearchJob(SearchJob::Kind::select, spec));
  SearchJob& job = *share.job;
  job.limit = static_cast<size_t>(small_value(limit));
  job.rest_reversed = true;
  if (ordered) {
    if (e[6] != make_small(0) && e[6] != make_small(1)) return kBadarg;
    job.cursor.reverse = e[6] == make_small(1);
    job.cursor.after = e[1];
    return run_select(p, t, job, kNil, spec_ref);
  }
  if (!is_small(e[1])) return kBadarg;
  if (small_value(e[1]) < 0) return select_rest(p, t, job, rest, spec_ref);
  job.cursor.bucket = static_cast<uint64_t>(small_value(e[1]));
  return run_select(p, t, job, rest, spec_ref);
}

}  // namespace

BIF(ets, select, 1)
{
  return select_continue(p, a[0]);
}
BIF(ets, select, 2)
{
  return select(p, a[0], a[1], nullptr, false);
}
BIF(ets, select, 3)
{
  return select(p, a[0], a[1], &a[2], false);
}
BIF(ets, select_reverse, 1)
{
  return select_continue(p, a[0]);
}
BIF(ets, select_reverse, 2)
{
  return select(p, a[0], a[1], nullptr, true);
}
BIF(ets, select_reverse, 3)
{
  return select(p, a[0], a[1], &a[2], true);
}

BIF(ets, match, 1)
{
  return select_continue(p, a[0]);
}
BIF(ets, match, 2)
{
  return select(p, a[0], pattern_spec(p, a[1], am::dollar_dollar), nullptr, false);
}
BIF(ets, match, 3)
{
  return select(p, a[0], pattern_spec(p, a[1], am::dollar_dollar), &a[2], false);
}
BIF(ets, match_object, 1)
{
  return select_continue(p, a[0]);
}
BIF(ets, match_object, 2)
{
  return select(p, a[0], pattern_spec(p, a[1], am::dollar_underscore), nullptr, false);
}
BIF(ets, match_object, 3)
{
  return select(p, a[0], pattern_spec(p, a[1], am::dollar_underscore), &a[2], false);
}

}  // namespace wb
