// ets:update_counter/3,4 and ets:update_element/3: change elements of the object of one key, in
// place where an immediate gives way to an immediate, else by an object that takes the old one's
// place.
#include "term/number.h"
#include "term/order.h"
#include "vm/bif/ets_common.h"

namespace wb {
namespace {

struct NewElement {
  uint64_t position;
  Term value;
};

/// `o` with these elements changed.
TableObject* with_elements(Table& t, TableObject* o, const std::vector<NewElement>& changes) {
  bool in_place = true;
  for (const NewElement& c : changes)
    in_place = in_place && is_immediate(c.value) && is_immediate(o->element(c.position));
  if (in_place) {
    for (const NewElement& c : changes) o->element(c.position) = c.value;
    return o;
  }
  std::vector<Term> tuple(o->data, o->data + 1 + o->arity());
  for (const NewElement& c : changes) tuple[c.position] = c.value;
  return t.make_object(make_boxed(tuple.data()));
}

// --- counters ---------------------------------------------------------------------------------
struct CounterOp {
  uint64_t position;
  Term increment;
  Term threshold = kNone, reset = kNone;
};

/// One operation; `alone`: a bare increment is allowed.
bool parse_op(const Table& t, Term op, bool alone, CounterOp* out, Term* cause) {
  if (is_integer(op) && alone) {
    *out = {t.options.keypos + 1, op};
    return true;
  }
  if (!is_tuple_of(op, 2) && !is_tuple_of(op, 4)) return false;
  const Term* e = tuple_elements(op);
  for (uint64_t i = 0; i < tuple_arity(op); ++i)
    if (!is_integer(e[i])) return false;
  if (!is_small(e[0])) return false;
  const int64_t position = small_value(e[0]);
  if (position < 1) {
    *cause = am::position;
    return false;
  }
  *out = {static_cast<uint64_t>(position), e[1]};
  if (tuple_arity(op) == 4) {
    out->threshold = e[2];
    out->reset = e[3];
  }
  if (out->position == t.options.keypos) *cause = am::keypos;
  return *cause == kNone;
}

bool parse_ops(const Table& t, Term spec, std::vector<CounterOp>* ops, Term* cause) {
  CounterOp op;
  if (!is_list(spec)) {
    if (!parse_op(t, spec, true, &op, cause)) return false;
    ops->push_back(op);
    return true;
  }
  for (; is_cons(spec); spec = tail(spec)) {
    if (!parse_op(t, head(spec), false, &op, cause)) return false;
    ops->push_back(op);
  }
  return is_nil(spec);
}

class CounterUpdater final : public Updater {
 public:
  CounterUpdater(Table& t, const std::vector<CounterOp>& ops) : table_(t), ops_(ops) {}
  TableObject* update(TableObject* o) override {
    std::vector<NewElement> changes;
    for (const CounterOp& op : ops_) {
      if (op.position > o->arity()) {
        cause = am::position;
        return nullptr;
      }
      Term old = o->element(op.position);
      for (const NewElement& c : changes)
        if (c.position == op.position) old = c.value;
      Term sum = is_integer(old) ? num_add(scratch_, old, op.increment) : kBadarg;
      if (is_fault(sum)) {
        failed = sum == kSystemLimit ? kSystemLimit : kBadarg;
        return nullptr;
      }
      if (op.threshold != kNone && passes(op, sum)) sum = op.reset;
      changes.push_back({op.position, sum});
      results.push_back(sum);
    }
    return with_elements(table_, o, changes);
  }
  std::vector<Term> results;  // live in this updater's scratch heap or the caller's arguments
  Term cause = kNone;
  Term failed = kNone;

 private:
  /// With a negative increment the threshold is a floor, otherwise a ceiling.
  static bool passes(const CounterOp& op, Term sum) {
    const bool down = compare(op.increment, make_small(0)) < 0;
    return down ? compare(sum, op.threshold) < 0 : compare(sum, op.threshold) > 0;
  }
  Table& table_;
  const std::vector<CounterOp>& ops_;
  ScratchHeap scratch_;
};

Term update_counter(Process& p, const Term* a, const Term* fallback) {
  TableArg t(p, a[0], Access::write);
  if (!t) return t.fail();
  if (t->is_bag()) return p.badarg(am::table_type);
  std::vector<CounterOp> ops;
  Term cause = kNone;
  const bool parsed = parse_ops(*t, a[2], &ops, &cause);
  TableObject* spare = nullptr;
  if (fallback) {
    if (!is_tuple(*fallback)) return kBadarg;
    if (tuple_arity(*fallback) >= t->options.keypos) {
      std::vector<Term> tuple(boxed_ptr(*fallback),
                              boxed_ptr(*fallback) + 1 + tuple_arity(*fallback));
      tuple[t->options.keypos] = a[1];
      spare = t->make_object(make_boxed(tuple.data()));
    }
  }
  if (!parsed) {
    if (spare) free_object(spare);
    return cause == kNone ? kBadarg : p.badarg(cause);
  }
  CounterUpdater updater(*t, ops);
  const bool found = t->update(a[1], spare, updater);
  if (!t->alive()) return p.badarg(am::id);
  if (!found) return fallback ? kBadarg : p.badarg(am::badkey);
  if (updater.cause != kNone) return p.badarg(updater.cause);
  if (updater.failed != kNone) return updater.failed;
  if (!is_list(a[2])) return copy_term(p.heap, updater.results[0]);
  Term list = kNil;
  for (size_t i = updater.results.size(); i-- > 0;)
    list = cons(p.heap, copy_term(p.heap, updater.results[i]), list);
  return list;
}

// --- elements ---------------------------------------------------------------------------------
bool parse_element(const Table& t, Term spec, std::vector<NewElement>* out, Term* cause) {
  if (!is_tuple_of(spec, 2)) return false;
  const Term* e = tuple_elements(spec);
  uint64_t position;
  if (!to_position(e[0], &position)) return false;
  if (position == t.options.keypos) {
    *cause = am::keypos;
    return false;
  }
  out->push_back({position, e[1]});
  return true;
}

class ElementUpdater final : public Updater {
 public:
  ElementUpdater(Table& t, const std::vector<NewElement>& changes) : table_(t), changes_(changes) {}
  TableObject* update(TableObject* o) override {
    for (const NewElement& c : changes_) {
      if (c.position <= o->arity()) continue;
      failed = true;
      return nullptr;
    }
    return with_elements(table_, o, changes_);
  }
  bool failed = false;

 private:
  Table& table_;
  const std::vector<NewElement>& changes_;
};

}  // namespace

BIF(ets, update_counter, 3)
{
  return update_counter(p, a, nullptr);
}
BIF(ets, update_counter, 4)
{
  return update_counter(p, a, &a[3]);
}

BIF(ets, update_element, 3)
{
  TableArg t(p, a[0], Access::write);
  if (!t) return t.fail();
  if (t->is_bag()) return kBadarg;
  std::vector<NewElement> changes;
  Term cause = kNone;
  bool ok = true;
  if (is_list(a[2])) {
    Term rest = a[2];
    for (; ok && is_cons(rest); rest = tail(rest))
      ok = parse_element(*t, head(rest), &changes, &cause);
    ok = ok && is_nil(rest);
  } else {
    ok = parse_element(*t, a[2], &changes, &cause);
  }
  if (!ok) return cause == kNone ? kBadarg : p.badarg(cause);
  ElementUpdater updater(*t, changes);
  const bool found = t->update(a[1], nullptr, updater);
  if (updater.failed) return kBadarg;
  return t.done(make_bool(found));
}

}  // namespace wb
