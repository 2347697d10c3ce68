// ets:select, match, match_object and select_reverse, whole or in portions.
//
// A portion ends at a bucket (hash tables) or behind a key (ordered tables). Its continuation is
// what OTP's is: {Table, Bucket, Limit, Program, Rest, RestLength} or {Table, Key, [], Limit,
// Program, [], Reverse, 0}; ets:repair_continuation/2 knows these shapes. A continuation is a term
// that a program may have forged: everything in it is checked again.
#include <algorithm>

#include "term/number.h"
#include "vm/bif/ets_common.h"
#include "vm/bif/match_common.h"
#include "vm/ets/search.h"

namespace wb {
namespace {

constexpr size_t kUnlimited = SIZE_MAX;

/// Collects results until it has enough.
class Selector final : public Visitor {
 public:
  Selector(Process& p, const Table& t, const MatchSpec& spec, size_t limit)
      : matcher_(spec, match_context(p)), heap_(p.heap), table_(t), limit_(limit) {}
  Verdict visit(const TableObject& o) override {
    ++visited;
    Term r = matcher_.run(o.tuple(), heap_, true, &o);
    if (r == kNone) return Verdict::keep;
    results.push_back(r);
    if (results.size() == limit_ && table_.is_ordered())
      last_key = copy_term_deep(heap_, table_.key_of(o));
    return Verdict::keep;
  }
  bool full() override { return results.size() >= limit_; }

  std::vector<Term> results;
  Term last_key = kNone;
  int64_t visited = 0;

 private:
  Matcher matcher_;
  Heap& heap_;
  const Table& table_;
  size_t limit_;
};

/// Results [from, to) as a list, in the order an ordered table was visited, against that of others.
Term result_list(Process& p, const Table& t, const std::vector<Term>& r, size_t from, size_t to) {
  Term list = kNil;
  if (t.is_ordered())
    for (size_t i = to; i-- > from;) list = cons(p.heap, r[i], list);
  else
    for (size_t i = from; i < to; ++i) list = cons(p.heap, r[i], list);
  return list;
}

struct Request {
  Term table;       // as the program named it
  MatchSpec* spec;  // borrowed
  Term spec_ref = kNone;
  size_t limit = kUnlimited;
};

Term continuation(Process& p, Table& t, Request& r, const Cursor& cursor, const Selector& s,
                  size_t used, bool more) {
  if (r.spec_ref == kNone) {
    r.spec->retain();
    r.spec_ref = p.vm().new_magic_ref(p.heap, r.spec, 0);
  }
  const Term table = t.options.named ? t.name() : r.table;
  const Term limit = make_small(static_cast<int64_t>(r.limit));
  const size_t left = s.results.size() - used;
  Term rest = result_list(p, t, s.results, used, s.results.size());
  if (t.is_ordered())
    return tuple(p.heap, table, s.last_key, kNil, limit, r.spec_ref, rest,
                 make_small(cursor.reverse), make_small(static_cast<int64_t>(left)));
  return tuple(p.heap, table,
               more ? make_small(static_cast<int64_t>(cursor.bucket)) : make_small(-1), limit,
               r.spec_ref, rest, make_small(static_cast<int64_t>(left)));
}

/// Goes on from the cursor and builds what the BIF returns.
Term run(Process& p, TableArg& t, Request& r, Cursor cursor, Selector& s, bool search_on) {
  bool more = false;
  if (search_on && !s.full())
    more = search(*t, SearchPlan(*r.spec, *t), cursor, s, false);
  else if (search_on)
    more = true;
  p.charge(s.visited / 8 + static_cast<int64_t>(s.results.size()) / 4);
  if (!t->alive()) return p.badarg(am::id);
  if (r.limit == kUnlimited) return result_list(p, *t, s.results, 0, s.results.size());
  const size_t used = std::min(r.limit, s.results.size());
  Term list = result_list(p, *t, s.results, 0, used);
  if (more || used < s.results.size())
    return tuple(p.heap, list, continuation(p, *t, r, cursor, s, used, more));
  return used == 0 ? am::end_of_table : tuple(p.heap, list, am::end_of_table);
}

Term select(Process& p, Term table, Term spec, const Term* limit, bool reverse) {
  TableArg t(p, table, Access::read);
  if (!t) return t.fail();
  Request r{.table = table, .spec = nullptr};
  if (limit) {
    if (!is_small(*limit) || small_value(*limit) < 1) return kBadarg;
    r.limit = static_cast<size_t>(small_value(*limit));
  }
  if (is_nil(spec)) return limit ? am::end_of_table : kNil;
  Compiled compiled(spec);
  if (!compiled) return kBadarg;
  r.spec = compiled.get();
  Selector s(p, *t, *r.spec, r.limit);
  Cursor cursor;
  cursor.reverse = reverse && t->is_ordered();
  return run(p, t, r, cursor, s, true);
}

/// [{Pattern, [], [Result]}]
Term pattern_spec(Process& p, Term pattern, Term result) {
  return cons(p.heap, tuple(p.heap, pattern, kNil, cons(p.heap, result, kNil)), kNil);
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
  Request r{.table = e[0], .spec = MatchSpec::from_term(spec_ref), .spec_ref = spec_ref};
  if (!r.spec || r.spec->dialect() != MatchDialect::table) return kBadarg;
  if (!is_small(limit) || small_value(limit) < 1 || list_length(rest) < 0) return kBadarg;
  r.limit = static_cast<size_t>(small_value(limit));
  Selector s(p, *t, *r.spec, r.limit);
  Cursor cursor;
  if (ordered) {
    if (e[6] != make_small(0) && e[6] != make_small(1)) return kBadarg;
    cursor.reverse = e[6] == make_small(1);
    cursor.after = e[1];
    return run(p, t, r, cursor, s, true);
  }
  if (!is_small(e[1]) || small_value(e[1]) < -1) return kBadarg;
  for (Term l = rest; is_cons(l); l = tail(l)) s.results.push_back(head(l));
  std::reverse(s.results.begin(), s.results.end());
  const bool search_on = small_value(e[1]) >= 0;
  if (search_on) cursor.bucket = static_cast<uint64_t>(small_value(e[1]));
  return run(p, t, r, cursor, s, search_on);
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
