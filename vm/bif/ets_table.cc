// ets: tables as a whole: new, delete, rename, give_away, setopts, fixation, all.
#include <algorithm>
#include <bit>

#include "term/number.h"
#include "vm/bif/ets_common.h"

namespace wb {
namespace {

struct NewOptions {
  TableOptions table;
  Term heir = am::none;
  Term heir_data = kNil;
  Term decentralized = kNone;
};

bool to_bool(Term t, bool* out) {
  *out = t == am::true_;
  return t == am::true_ || t == am::false_;
}

bool parse_heir(const Term* e, uint64_t n, Term* heir, Term* data) {
  if (n == 2 && e[1] == am::none) {
    *heir = am::none;
    return true;
  }
  if (n != 3 || !is_local_pid(e[1])) return false;
  *heir = e[1];
  *data = e[2];
  return true;
}

bool parse_protection(Term t, Protection* out) {
  if (t == am::public_)
    *out = Protection::public_;
  else if (t == am::protected_)
    *out = Protection::protected_;
  else if (t == am::private_)
    *out = Protection::private_;
  else
    return false;
  return true;
}

bool parse_atom(Term t, TableOptions* o) {
  if (t == am::set)
    o->type = TableType::set;
  else if (t == am::bag)
    o->type = TableType::bag;
  else if (t == am::duplicate_bag)
    o->type = TableType::duplicate_bag;
  else if (t == am::ordered_set)
    o->type = TableType::ordered_set;
  else if (t == am::named_table)
    o->named = true;
  else if (t == am::compressed)
    o->compressed = true;
  else
    return parse_protection(t, &o->protection);
  return true;
}

/// true, false, auto or {debug_hash_fixed_number_of_locks, N}: N is kept, as a power of two.
bool parse_write_concurrency(Term t, TableOptions* o) {
  constexpr int64_t kFewestLocks = 64, kMostLocks = 32768;
  o->write_concurrency = t;
  if (t == am::auto_ || t == am::true_ || t == am::false_) return true;
  if (!is_tuple_of(t, 2)) return false;
  const Term* e = tuple_elements(t);
  if (e[0] != am::debug_hash_fixed_number_of_locks || !is_small(e[1])) return false;
  const int64_t n = small_value(e[1]);
  if (n < 1 || n > kMostLocks) return false;
  const auto locks = static_cast<uint64_t>(std::max(n, kFewestLocks));
  o->write_concurrency = make_small(static_cast<int64_t>(std::bit_floor(locks)));
  return true;
}

bool parse_option(Term t, NewOptions* o) {
  if (is_atom(t)) return parse_atom(t, &o->table);
  if (!is_tuple(t) || tuple_arity(t) < 2) return false;
  const Term* e = tuple_elements(t);
  const uint64_t n = tuple_arity(t);
  if (e[0] == am::heir) return parse_heir(e, n, &o->heir, &o->heir_data);
  if (n != 2) return false;
  bool flag;
  if (e[0] == am::keypos) {
    if (!is_small(e[1]) || small_value(e[1]) < 1 || small_value(e[1]) > UINT32_MAX) return false;
    o->table.keypos = static_cast<uint32_t>(small_value(e[1]));
    return true;
  }
  if (e[0] == am::read_concurrency) return to_bool(e[1], &o->table.read_concurrency);
  if (e[0] == am::write_concurrency) return parse_write_concurrency(e[1], &o->table);
  if (e[0] == am::decentralized_counters) {
    o->decentralized = e[1];
    return to_bool(e[1], &flag);
  }
  return false;
}

/// What the options amount to: a private table has no use for concurrency. False: they do not go
/// together.
bool resolve_options(NewOptions* o) {
  TableOptions& t = o->table;
  if (t.protection == Protection::private_) {
    t.read_concurrency = false;
    t.write_concurrency = am::false_;
  }
  const Term wc = t.write_concurrency;
  const bool ordered = t.type == TableType::ordered_set;
  if (wc == am::false_) return true;
  if (is_small(wc) && ordered) return false;
  const bool by_default = wc != am::true_ || ordered;
  t.decentralized_counters = o->decentralized == kNone ? by_default : o->decentralized == am::true_;
  return true;
}

/// Options of setopts/2: at most one of each kind.
struct NewFacts {
  bool has_heir = false, has_protection = false;
  Term heir = am::none, heir_data = kNil;
  Protection protection = Protection::protected_;
  bool add(Term t) {
    if (!is_tuple(t) || tuple_arity(t) < 2) return false;
    const Term* e = tuple_elements(t);
    if (e[0] == am::heir && !has_heir) {
      has_heir = true;
      return parse_heir(e, tuple_arity(t), &heir, &heir_data);
    }
    if (e[0] != am::protection || has_protection || tuple_arity(t) != 2) return false;
    has_protection = true;
    return parse_protection(e[1], &protection);
  }
};

/// False: the process has ended meanwhile.
bool end_fixation(Process& p, TableArg& t) {
  TableShare share(*t);
  BifBudget budget(p, EtsTables::kFreed);
  t.tables().unfix(*t, p.id, budget);
  return !budget.stopped();
}

}  // namespace

BIF(ets, new, 2)
{
  if (!is_atom(a[0])) return kBadarg;
  NewOptions o;
  Term rest = a[1];
  for (; is_cons(rest); rest = tail(rest))
    if (!parse_option(head(rest), &o)) return kBadarg;
  if (!is_nil(rest)) return kBadarg;
  if (!resolve_options(&o)) return kBadarg;
  Table* t = p.vm().ets->create(p, o.table, a[0], o.heir, o.heir_data);
  if (!t) return p.badarg(am::already_exists);
  p.charge(10);
  // Others can delete a named table already; nobody else knows an unnamed one.
  return o.table.named ? a[0] : EtsTables::handle(p.heap, *t);
}

BIF(ets, delete, 1)
{
  TableArg t(p, a[0], Access::write);
  if (!t) return t.fail();
  TableShare share(*t);
  const uint64_t objects = t->size();
  std::unique_ptr<DetachedObjects> detached;
  if (!t.tables().destroy(*t, &detached)) return p.badarg(am::id);
  p.charge(10);
  return free_contents(p, t.tables(), std::move(detached), objects) ? am::true_ : kCancelled;
}

BIF(ets, rename, 2)
{
  TableArg t(p, a[0], Access::write);
  if (!t) return t.fail();
  if (!is_atom(a[1]) || !t.tables().rename(*t, a[1])) return kBadarg;
  return t.done(EtsTables::handle(p.heap, *t));
}

BIF(ets, whereis, 1)
{
  if (!is_atom(a[0])) return kBadarg;
  TableArg t(p, a[0], Access::none);
  if (!t) return t.not_yet() ? kYield : am::undefined;
  std::lock_guard lock(t->facts);
  return t->id.is_set() ? copy_term(p.heap, t->id.get()) : am::undefined;
}

BIF(ets, give_away, 3)
{
  TableArg t(p, a[0], Access::write);
  if (!t) return t.fail();
  if (!is_local_pid(a[1]) || !p.vm().is_alive(a[1])) return kBadarg;
  if (t->owner() != p.id) return p.badarg(am::not_owner);
  if (a[1] == p.id) return p.badarg(am::owner);
  return t.tables().give_away(p.vm(), *t, a[1], a[2]) ? am::true_ : kBadarg;
}

BIF(ets, setopts, 2)
{
  TableArg t(p, a[0], Access::write);
  if (!t) return t.fail();
  NewFacts facts;
  if (is_list(a[1])) {
    Term rest = a[1];
    for (; is_cons(rest); rest = tail(rest))
      if (!facts.add(head(rest))) return kBadarg;
    if (!is_nil(rest)) return kBadarg;
  } else if (!facts.add(a[1])) {
    return kBadarg;
  }
  if (t->owner() != p.id) return kBadarg;
  if (facts.has_protection) t->set_protection(facts.protection);
  if (facts.has_heir) t.tables().set_heir(p.vm(), *t, facts.heir, facts.heir_data);
  return am::true_;
}

BIF(ets, safe_fixtable, 2)
{
  TableArg t(p, a[0], Access::read);
  if (!t) return t.fail();
  bool on;
  if (!to_bool(a[1], &on)) return kBadarg;
  if (on)
    t.tables().fix(*t, p);
  else
    return end_fixation(p, t) ? am::true_ : kCancelled;
  return am::true_;
}

}  // namespace wb
