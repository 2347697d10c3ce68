// ets:select_count, select_delete, select_replace: searches that answer with a number.
#include "term/order.h"
#include "vm/bif/ets_search.h"

namespace wb {
namespace {

/// Counts the objects for which the result is `true`; erases them if asked to.
class MatchCounter final : public BudgetVisitor {
 public:
  MatchCounter(Process& p, const Table& t, SearchJob& job)
      : BudgetVisitor(p, t, *job.spec),
        count_(job.count),
        verdict_(job.writes() ? Verdict::erase : Verdict::keep) {}
  Verdict visit(const TableObject& o) override {
    saw(o);
    if (!matcher_.is_true(o.tuple())) return Verdict::keep;
    ++count_;
    return verdict_;
  }

 private:
  int64_t& count_;
  Verdict verdict_;
};

class Replacer final : public BudgetVisitor {
 public:
  Replacer(Process& p, Table& t, SearchJob& job)
      : BudgetVisitor(p, t, *job.spec), count_(job.count), target_(t) {}
  Verdict visit(const TableObject& o) override {
    saw(o);
    const uint32_t keypos = target_.options.keypos;
    made_.reset();
    Term r = matcher_.run(o.tuple(), made_, false);
    if (r == kNone || !is_tuple(r) || tuple_arity(r) < keypos) return Verdict::keep;
    if (!equal_exact(tuple_elements(r)[keypos - 1], target_.key_of(o))) return Verdict::keep;
    ++count_;
    replacement = target_.make_object(r);
    return Verdict::replace;
  }

 private:
  int64_t& count_;
  Table& target_;
  ScratchHeap made_;
};

Term advance(Process& p, TableArg& t, SearchJob& job, BudgetVisitor& visitor) {
  const bool more = search(*t, SearchPlan(*job.spec, *t), job.cursor, visitor, job.writes());
  p.charge(visitor.visited() / 8);
  note_search(p, *t, job, visitor.visited());
  if (!t->alive()) return p.badarg(am::id);
  if (more) return continue_later(p, t, job, visitor.last_key(), kNil);
  search_ended(p, t, job);
  if (job.kind == SearchJob::Kind::erase && job.count > 0) t->shrink();
  return make_small(job.count);
}

Term start(Process& p, const Term* a, SearchJob::Kind kind) {
  TableArg t(p, a[0], kind == SearchJob::Kind::count ? Access::read : Access::write);
  if (!t) return t.fail();
  const bool replace = kind == SearchJob::Kind::replace;
  if (replace && t->options.type == TableType::bag) return p.badarg(am::table_type);
  if (is_nil(a[1])) return make_small(0);
  Compiled spec(a[1]);
  if (!spec || (replace && !keeps_key(a[1], t->options.keypos))) return kBadarg;
  JobShare share(new SearchJob(kind, spec.detach()));
  return run_count(p, t, *share.job);
}

}  // namespace

Term run_count(Process& p, TableArg& t, SearchJob& job) {
  if (job.kind == SearchJob::Kind::replace) {
    Replacer replacer(p, *t, job);
    return advance(p, t, job, replacer);
  }
  MatchCounter counter(p, *t, job);
  return advance(p, t, job, counter);
}

BIF(ets, select_count, 2)
{
  return start(p, a, SearchJob::Kind::count);
}
BIF(ets, internal_select_delete, 2)
{
  return start(p, a, SearchJob::Kind::erase);
}
BIF(ets, select_replace, 2)
{
  return start(p, a, SearchJob::Kind::replace);
}

}  // namespace wb
