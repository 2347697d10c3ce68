// ets:update_counter/3,4 and ets:update_element/3,4: change elements of the object of one key, in
// place where an immediate gives way to an immediate, else by an object that takes the old one's
// place.
#include "base/stack.h"
#include "term/number.h"
#include "term/order.h"
#include "vm/bif/ets_common.h"

namespace wb {
namespace {

struct NewElement {
  uint64_t position;
  Term value;
};
using Changes = Stack<NewElement, 8>;

/// `o` with these elements changed.
TableObject* with_elements(Table& t, TableObject* o, const Changes& changes) {
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

/// Reads and applies the operations one by one: what is wrong with a later one is not known before.
class CounterUpdater final : public Updater {
 public:
  CounterUpdater(Table& t, Term spec) : table_(t), spec_(spec) {}
  TableObject* update(TableObject* o) override {
    return apply_all(o) ? with_elements(table_, o, changes_) : nullptr;
  }
  Stack<Term, 8> results;  // live in this updater's scratch heap or the caller's arguments
  Term cause = kNone;
  Term failed = kNone;

 private:
  bool apply_all(TableObject* o) {
    if (!is_list(spec_)) return apply(o, spec_, true);
    Term rest = spec_;
    for (; is_cons(rest); rest = tail(rest))
      if (!apply(o, head(rest), false)) return false;
    return is_nil(rest) || fail(kBadarg);
  }
  bool apply(TableObject* o, Term text, bool alone) {
    CounterOp op;
    if (!parse_op(table_, text, alone, &op, &cause)) return fail(kBadarg);
    if (op.position > o->arity()) {
      cause = am::position;
      return false;
    }
    Term old = o->element(op.position);
    for (const NewElement& c : changes_)
      if (c.position == op.position) old = c.value;
    Term sum = is_integer(old) ? num_add(scratch_, old, op.increment) : kBadarg;
    if (is_fault(sum)) return fail(sum == kSystemLimit ? kSystemLimit : kBadarg);
    if (op.threshold != kNone && passes(op, sum)) sum = op.reset;
    changes_.push({op.position, sum});
    results.push(sum);
    return true;
  }
  bool fail(Term fault) {
    failed = fault;
    return false;
  }
  /// With a negative increment the threshold is a floor, otherwise a ceiling.
  static bool passes(const CounterOp& op, Term sum) {
    const bool down = compare(op.increment, make_small(0)) < 0;
    return down ? compare(sum, op.threshold) < 0 : compare(sum, op.threshold) > 0;
  }
  Table& table_;
  const Term spec_;
  Changes changes_;
  ScratchHeap scratch_;
};

/// What nearly every program asks for: a small counter plus a small number, in place.
class SmallIncrement final : public Updater {
 public:
  SmallIncrement(const Table& t, Term spec) {
    if (is_tuple_of(spec, 2) && is_small(tuple_elements(spec)[0])) {
      position_ = static_cast<uint64_t>(small_value(tuple_elements(spec)[0]));
      increment_ = tuple_elements(spec)[1];
    } else {
      position_ = t.options.keypos + 1;
      increment_ = spec;
    }
    usable = is_small(increment_) && position_ != t.options.keypos;
  }
  TableObject* update(TableObject* o) override {
    if (position_ - 1 >= o->arity()) return nullptr;
    Term& counter = o->element(position_);
    int64_t r;
    if (!is_small(counter) || __builtin_add_overflow(static_cast<int64_t>(counter),
                                                     static_cast<int64_t>(increment_), &r)) {
      return nullptr;
    }
    sum = counter = static_cast<Term>(r);
    return o;
  }
  bool usable = false;
  Term sum = kNone;  ///< kNone: nothing was changed

 private:
  uint64_t position_;
  Term increment_;
};

/// An object for `key`, as `model`; null where that is too short.
TableObject* object_for(Table& t, Term key, Term model) {
  if (tuple_arity(model) < t.options.keypos) return nullptr;
  std::vector<Term> tuple(boxed_ptr(model), boxed_ptr(model) + 1 + tuple_arity(model));
  tuple[t.options.keypos] = key;
  return t.make_object(make_boxed(tuple.data()));
}

/// The object that is put into the table if there is none. kNone: it can be.
Term check_fallback(Process& p, const Table& t, const Term* fallback) {
  if (!fallback) return kNone;
  const bool is_object = is_tuple(*fallback) && tuple_arity(*fallback) >= t.options.keypos;
  if (!is_object && otp_release() >= 29) return p.badarg(am::default_);
  return is_tuple(*fallback) ? kNone : kBadarg;
}

Term update_counter(Process& p, const Term* a, const Term* fallback) {
  TableArg t(p, a[0], Access::write);
  if (!t) return t.fail();
  if (Term bad = check_fallback(p, *t, fallback); bad != kNone) return bad;
  if (t->is_bag()) return p.badarg(am::table_type);
  if (SmallIncrement small(*t, a[2]); small.usable) {
    t->update(a[1], nullptr, small);
    if (is_value(small.sum) && t->alive()) return small.sum;
  }
  TableObject* spare = fallback ? object_for(*t, a[1], *fallback) : nullptr;
  CounterUpdater updater(*t, a[2]);
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
/// Reads the changes when there is an object, and fails at the first that does not fit it.
class ElementUpdater final : public Updater {
 public:
  ElementUpdater(Table& t, Term spec) : table_(t), spec_(spec) {}
  TableObject* update(TableObject* o) override {
    failed = !read_all(*o);
    return failed ? nullptr : with_elements(table_, o, changes_);
  }
  bool failed = false;
  Term cause = kNone;

 private:
  bool read_all(const TableObject& o) {
    if (!is_list(spec_)) return read(o, spec_);
    Term rest = spec_;
    for (; is_cons(rest); rest = tail(rest))
      if (!read(o, head(rest))) return false;
    return is_nil(rest);
  }
  bool read(const TableObject& o, Term change) {
    uint64_t position;
    if (!is_tuple_of(change, 2)) return false;
    const Term where = tuple_elements(change)[0];
    if (!to_position(where, &position)) {
      if (is_small(where) && otp_release() >= 27) cause = am::position;
      return false;
    }
    if (position == table_.options.keypos && position <= o.arity()) {
      cause = am::keypos;
      return false;
    }
    if (position > o.arity()) {
      if (otp_release() >= 27) cause = am::position;
      return false;
    }
    changes_.push({position, tuple_elements(change)[1]});
    return true;
  }
  Table& table_;
  const Term spec_;
  Changes changes_;
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

static Term update_element(Process& p, const Term* a, const Term* fallback) {
  TableArg t(p, a[0], Access::write);
  if (!t) return t.fail();
  if (Term bad = check_fallback(p, *t, fallback); bad != kNone) return bad;
  if (t->is_bag()) return kBadarg;
  TableObject* spare = fallback ? object_for(*t, a[1], *fallback) : nullptr;
  ElementUpdater updater(*t, a[2]);
  const bool found = t->update(a[1], spare, updater);
  if (updater.failed) return updater.cause == kNone ? kBadarg : p.badarg(updater.cause);
  if (!found && fallback && t->alive()) return p.badarg(am::position);
  return t.done(make_bool(found));
}

BIF(ets, update_element, 3)
{
  return update_element(p, a, nullptr);
}
BIF(ets, update_element, 4)
{
  return update_element(p, a, &a[3]);
}

}  // namespace wb
