#include "vm/bif/ets_search.h"

#include "loader/code_table.h"

namespace wb {
namespace {

void destroy_job(OffHeapObject* o) {
  auto* job = static_cast<SearchJob*>(o);
  job->spec->release();
  delete job;
}

}  // namespace

SearchJob::SearchJob(Kind kind, MatchSpec* spec) : kind(kind), spec(spec) { destroy = destroy_job; }

SearchJob* SearchJob::from_term(Term t) {
  if (!is_kind(t, wb::Kind::magic_ref)) return nullptr;
  OffHeapObject* o = magic_object(t);
  return o->destroy == destroy_job ? static_cast<SearchJob*>(o) : nullptr;
}

void note_search(const Process& p, Table& t, SearchJob& job, int64_t visited) {
  constexpr int64_t kMany = 100;
  const bool begins = !is_value(job.maker.pid);
  if (begins) t.searches.fetch_add(1, std::memory_order_relaxed);
  t.searched.fetch_add(static_cast<uint64_t>(visited), std::memory_order_relaxed);
  if (visited < kMany) return;
  if (begins) job.maker = call_site(p);
  t.searcher.store(job.maker.pid, std::memory_order_relaxed);
  t.searched_at.store(job.maker.at, std::memory_order_relaxed);
}

Term continue_later(Process& p, TableArg& t, SearchJob& job, Term last_key, Term found) {
  if (t->is_ordered()) {
    job.after.set(last_key);
    job.cursor.after = job.after.get();
  }
  if (!job.fixed) job.cursor.fixed = t.tables().fix(*t, p);
  job.fixed = true;
  Term id = am::undefined;
  {
    std::lock_guard lock(t->facts);
    if (t->id.is_set()) id = copy_term(p.heap, t->id.get());
  }
  job.retain();
  Term ref = p.vm().new_magic_ref(p.heap, &job, 0);
  p.charge(kSearchBudget);  // that was the slice
  Export* next = p.vm().code->export_entry(am::erts_internal, am::ets_search, 3);
  return p.trap(next, {id, ref, found});
}

void search_ended(Process& p, TableArg& t, SearchJob& job) {
  UnlimitedBudget budget;  // what the search itself deleted is gone
  if (job.fixed) t.tables().unfix(*t, p.id, budget);
  job.fixed = false;
}

BIF(erts_internal, ets_search, 3)
{
  SearchJob* job = SearchJob::from_term(a[1]);
  if (!job || list_length(a[2]) < 0) return kBadarg;
  TableArg t(p, a[0], job->writes() ? Access::write : Access::read);
  if (!t) return t.fail();
  return job->kind == SearchJob::Kind::select ? run_select(p, t, *job, a[2], kNone)
                                              : run_count(p, t, *job);
}

}  // namespace wb
