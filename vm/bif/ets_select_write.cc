// ets:select_count, select_delete, select_replace: searches that answer with a number.
#include "term/order.h"
#include "vm/bif/ets_common.h"
#include "vm/bif/match_common.h"
#include "vm/ets/search.h"

namespace wb {
namespace {

/// Counts the objects for which the result is `true`; erases them if told to.
class Counter final : public Visitor {
 public:
  Counter(Process& p, const MatchSpec& spec, Verdict verdict)
      : matcher_(spec, match_context(p)), verdict_(verdict) {}
  Verdict visit(const TableObject& o) override {
    ++visited;
    if (!matcher_.is_true(o.tuple())) return Verdict::keep;
    ++count;
    return verdict_;
  }
  int64_t count = 0, visited = 0;

 private:
  Matcher matcher_;
  Verdict verdict_;
};

class Replacer final : public Visitor {
 public:
  Replacer(Process& p, Table& t, const MatchSpec& spec)
      : matcher_(spec, match_context(p)), table_(t) {}
  Verdict visit(const TableObject& o) override {
    ++visited;
    ScratchHeap scratch;
    Term r = matcher_.run(o.tuple(), scratch, false);
    if (r == kNone || !is_tuple(r) || tuple_arity(r) < table_.options.keypos) return Verdict::keep;
    Term key = tuple_elements(r)[table_.options.keypos - 1];
    if (!equal_exact(key, table_.key_of(o))) return Verdict::keep;
    ++count;
    replacement = table_.make_object(r);
    return Verdict::replace;
  }
  int64_t count = 0, visited = 0;

 private:
  Matcher matcher_;
  Table& table_;
};

template <class V>
Term finish(Process& p, TableArg& t, const MatchSpec& spec, V& visitor, bool write) {
  Cursor cursor;
  search(*t, SearchPlan(spec, *t), cursor, visitor, write);
  p.charge(visitor.visited / 8);
  return t.done(make_small(visitor.count));
}

Term count(Process& p, const Term* a, Access access, Visitor::Verdict verdict) {
  TableArg t(p, a[0], access);
  if (!t) return t.fail();
  if (is_nil(a[1])) return make_small(0);
  Compiled spec(a[1]);
  if (!spec) return kBadarg;
  Counter counter(p, *spec, verdict);
  return finish(p, t, *spec, counter, access == Access::write);
}

}  // namespace

BIF(ets, select_count, 2)
{
  return count(p, a, Access::read, Visitor::Verdict::keep);
}
BIF(ets, internal_select_delete, 2)
{
  return count(p, a, Access::write, Visitor::Verdict::erase);
}

BIF(ets, select_replace, 2)
{
  TableArg t(p, a[0], Access::write);
  if (!t) return t.fail();
  if (t->options.type == TableType::bag) return p.badarg(am::table_type);
  if (is_nil(a[1])) return make_small(0);
  Compiled spec(a[1]);
  if (!spec || !keeps_key(a[1], t->options.keypos)) return kBadarg;
  Replacer replacer(p, *t, *spec);
  return finish(p, t, *spec, replacer, true);
}

}  // namespace wb
