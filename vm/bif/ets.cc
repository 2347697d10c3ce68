// ets: putting objects in, finding them, taking them out, walking from key to key.
#include <algorithm>
#include <utility>

#include "scheduler/oracle.h"
#include "term/order.h"
#include "vm/bif/ets_common.h"
#include "vm/process/native_yield.h"

namespace wb {
namespace {

constexpr uint64_t kManyObjects = 20000;  // more than a scheduler deals with at one go

bool is_fixed(Table& t) {
  std::lock_guard lock(t.facts);
  return !t.fixations.empty();
}

bool fits(const Table& t, Term object) {
  return is_tuple(object) && tuple_arity(object) >= t.options.keypos;
}

/// Objects that are to be put in: freed here if it does not come to that.
struct NewObjects {
  NewObjects() = default;
  ~NewObjects() {
    for (TableObject* o : list) free_object(o);
  }
  NewObjects(const NewObjects&) = delete;
  bool put_into(Table& t, bool only_new, InsertPermission& permission) {
    std::vector<TableObject*> taken = std::exchange(list, {});
    return t.insert(taken, only_new, &permission);
  }
  std::vector<TableObject*> list;
};

constexpr int64_t kWholeSlice = 4000;  // reductions

/// Since OTP 26 a list goes in from its beginning. 25 puts it into a bag from its end, and so one
/// that is too long for what is left of the slice: at four objects a reduction. Short ones always
/// go from their beginning here, so that equal keys have the same outcome whenever the slice ends.
bool is_from_end(const Table& t, int64_t objects, int64_t slice) {
  if (otp_release() >= 26) return false;
  constexpr int64_t kShort = 1000;
  return t.options.type == TableType::bag || (objects > kShort && objects > slice * 4);
}

/// Objects made from a list of tuples: kNil, or the fault if one is not fit.
Term make_objects(Process& p, Table& t, Term list, std::vector<TableObject*>* objects) {
  const int64_t slice = p.vm().oracle->simulates() ? kWholeSlice : p.reductions_left();
  BifBudget budget(p, 1);
  constexpr size_t kUsually = 16;
  objects->reserve(kUsually);
  Term rest = list;
  for (; is_cons(rest); rest = tail(rest)) {
    if (!fits(t, head(rest))) return kBadarg;
    objects->push_back(t.make_object(head(rest)));
    if (!budget.step()) return kCancelled;
  }
  if (!is_nil(rest)) return kBadarg;
  if (is_from_end(t, static_cast<int64_t>(objects->size()), slice))
    std::reverse(objects->begin(), objects->end());
  return kNil;
}

/// The table may be gone meanwhile, or have another name or owner.
class StillHeld final : public InsertPermission {
 public:
  explicit StillHeld(const TableArg& t) : table_(t) {}
  bool holds() override { return held_ = table_.holds(); }
  bool held() const { return held_; }

 private:
  const TableArg& table_;
  bool held_ = false;
};

/// insert_new of a few objects of which one is there, as one can see before they are made.
bool is_any_there(Table& t, Term list) {
  constexpr int kFew = 32;
  bool there = false;
  for (int k = 0; k < kFew && is_cons(list); ++k, list = tail(list)) {
    if (!fits(t, head(list))) return false;
    there = there || t.member(tuple_elements(head(list))[t.options.keypos - 1]);
  }
  return there && is_nil(list);
}

/// All at once for everyone who looks, so this cannot yield in between: many are put in by a dirty
/// thread. What becomes of the table later does not matter.
Term insert_list(Process& p, TableArg& t, Term list, bool only_new) {
  if (only_new && is_any_there(*t, list)) return t.done(am::false_);
  TableShare share(*t);  // it may be deleted while this has yielded
  NewObjects objects;
  Term made = make_objects(p, *t, list, &objects.list);
  if (is_fault(made)) return made;
  if (objects.list.empty()) return t.done(am::true_);
  StillHeld permission(t);
  bool inserted = false;
  auto insert = [&] { inserted = objects.put_into(*t, only_new, permission); };
  if (objects.list.size() <= kManyObjects)
    insert();
  else if (!off_scheduler(p, insert, Touches::shared))
    return kCancelled;
  return permission.held() ? make_bool(inserted) : p.badarg(am::id);
}

Term insert(Process& p, const Term* a, bool only_new) {
  TableArg t(p, a[0], Access::write);
  if (!t) return t.fail();
  if (fits(*t, a[1])) return t.done(make_bool(t->insert_tuple(a[1], only_new)));
  return insert_list(p, t, a[1], only_new);
}

class ElementCollector final : public Visitor {
 public:
  ElementCollector(Heap& h, uint64_t position) : heap_(h), position_(position) {}
  Verdict visit(const TableObject& o) override {
    ++count_;
    if (position_ > o.arity()) {
      beyond_ = true;
      return Verdict::keep;
    }
    last_ = copy_term_deep(heap_, o.data[position_]);
    list_ = cons(heap_, last_, list_);
    return Verdict::keep;
  }
  bool beyond() const { return beyond_; }
  size_t count() const { return count_; }
  Term last() const { return last_; }
  Term list() const { return list_; }

 private:
  Heap& heap_;
  uint64_t position_;
  size_t count_ = 0;
  bool beyond_ = false;
  Term last_ = kNil, list_ = kNil;
};

class ExactEraser final : public Visitor {
 public:
  explicit ExactEraser(Term object) : object_(object) {}
  Verdict visit(const TableObject& o) override {
    return equal_exact(o.tuple(), object_) ? Verdict::erase : Verdict::keep;
  }

 private:
  Term object_;
};

/// What a step from key to key is to bring: the key alone, or {Key, Objects}.
enum class Brings : uint8_t { key, objects };

/// A key may be deleted before its objects are looked up: then it is looked for again.
template <typename Step>
Term bring(Process& p, TableArg& t, Brings what, Step step) {
  for (;;) {
    Term key = step();
    if (key == kNone) return t.done(am::end_of_table);
    if (what == Brings::key || !is_value(key)) return t.done(key);
    ObjectCollector found(p.heap);
    t->visit_key(key, found, false);
    p.charge(static_cast<int64_t>(found.words() / 64));
    if (!is_nil(found.list())) return t.done(tuple(p.heap, key, found.list()));
    if (!t->alive()) return p.badarg(am::id);
  }
}

using KeyStep = Term (Table::*)(Heap&);
Term outermost(Process& p, const Term* a, KeyStep step, Brings what) {
  TableArg t(p, a[0], Access::read);
  if (!t) return t.fail();
  return bring(p, t, what, [&] { return ((*t).*step)(p.heap); });
}

using KeyWalk = Term (Table::*)(Heap&, Term);
Term walk(Process& p, const Term* a, KeyWalk step, Brings what) {
  TableArg t(p, a[0], Access::read);
  if (!t) return t.fail();
  if (t->is_ordered() && a[1] == am::end_of_table) return kBadarg;  // no key to go on from
  return bring(p, t, what, [&] { return ((*t).*step)(p.heap, a[1]); });
}

}  // namespace

BIF(ets, insert, 2)
{
  return insert(p, a, false);
}
BIF(ets, insert_new, 2)
{
  return insert(p, a, true);
}

BIF(ets, lookup, 2)
{
  TableArg t(p, a[0], Access::read);
  if (!t) return t.fail();
  ObjectCollector found(p.heap);
  t->visit_key(a[1], found, false);
  p.charge(static_cast<int64_t>(found.words() / 64));
  return t.done(found.list());
}

/// `fallback`: for a key that is not there; null: that is an error.
static Term lookup_element(Process& p, const Term* a, const Term* fallback) {
  TableArg t(p, a[0], Access::read);
  if (!t) return t.fail();
  uint64_t position;
  if (!to_position(a[2], &position)) return kBadarg;
  ElementCollector found(p.heap, position);
  t->visit_key(a[1], found, false);
  if (!t->alive()) return p.badarg(am::id);
  if (found.count() == 0) return fallback ? *fallback : p.badarg(am::badkey);
  if (found.beyond()) return kBadarg;
  return t->is_bag() ? found.list() : found.last();
}

BIF(ets, lookup_element, 3)
{
  return lookup_element(p, a, nullptr);
}
BIF(ets, lookup_element, 4)
{
  return lookup_element(p, a, &a[3]);
}

BIF(ets, member, 2)
{
  TableArg t(p, a[0], Access::read);
  if (!t) return t.fail();
  return t.done(make_bool(t->member(a[1])));
}

BIF(ets, take, 2)
{
  TableArg t(p, a[0], Access::write);
  if (!t) return t.fail();
  ObjectCollector found(p.heap, Visitor::Verdict::erase);
  t->visit_key(a[1], found, true);
  return t.done(found.list());
}

BIF(ets, delete, 2)
{
  TableArg t(p, a[0], Access::write);
  if (!t) return t.fail();
  t->erase(a[1]);
  return t.done(am::true_);
}

BIF(ets, delete_object, 2)
{
  TableArg t(p, a[0], Access::write);
  if (!t) return t.fail();
  if (!fits(*t, a[1])) return kBadarg;
  ExactEraser eraser(a[1]);
  t->visit_key(tuple_elements(a[1])[t->options.keypos - 1], eraser, true);
  return t.done(am::true_);
}

BIF(ets, internal_delete_all, 2)
{
  TableArg t(p, a[0], Access::write);
  if (!t) return t.fail();
  TableShare share(*t);
  uint64_t count = 0;
  std::unique_ptr<DetachedObjects> detached;
  bool held = false;
  auto detach = [&] {
    held = t.holds();
    if (held) detached = t->take_all(&count);
  };
  // Objects of a fixed table are marked one by one.
  if (t->size() <= kManyObjects || !is_fixed(*t))
    detach();
  else if (!off_scheduler(p, detach, Touches::shared))
    return kCancelled;
  if (!held) return p.badarg(am::id);
  const bool freed = free_contents(p, t.tables(), std::move(detached), count);
  return freed ? make_small(static_cast<int64_t>(count)) : kCancelled;
}

BIF(ets, first, 1)
{
  return outermost(p, a, &Table::first, Brings::key);
}
BIF(ets, last, 1)
{
  return outermost(p, a, &Table::last, Brings::key);
}
BIF(ets, next, 2)
{
  return walk(p, a, &Table::next, Brings::key);
}
BIF(ets, prev, 2)
{
  return walk(p, a, &Table::prev, Brings::key);
}
BIF(ets, first_lookup, 1)
{
  return outermost(p, a, &Table::first, Brings::objects);
}
BIF(ets, last_lookup, 1)
{
  return outermost(p, a, &Table::last, Brings::objects);
}
BIF(ets, next_lookup, 2)
{
  return walk(p, a, &Table::next, Brings::objects);
}
BIF(ets, prev_lookup, 2)
{
  return walk(p, a, &Table::prev, Brings::objects);
}

BIF(ets, slot, 2)
{
  TableArg t(p, a[0], Access::read);
  if (!t) return t.fail();
  if (!is_small(a[1]) || small_value(a[1]) < 0) return kBadarg;
  ObjectCollector found(p.heap);
  int there = t->slot(static_cast<uint64_t>(small_value(a[1])), found);
  if (!t->alive()) return p.badarg(am::id);
  return there > 0 ? found.list() : there == 0 ? am::end_of_table : kBadarg;
}

}  // namespace wb
