// Groups of processes and policies (vm/process/group.h, policy.h), as programs see them.
#include "term/binary.h"
#include "term/map.h"
#include "term/number.h"
#include "term/policy_atoms.h"
#include "vm/bif/bif.h"
#include "vm/core/vm.h"
#include "vm/process/extra.h"
#include "vm/process/policies.h"
#include "vm/process/run.h"
#include "vm/process/table.h"

namespace wb {

// --- making one ---------------------------------------------------------------------------------
namespace {

Term take_budget(Term t, uint64_t* budget) {
  constexpr int64_t kMost = int64_t{1} << 50;
  if (!is_small(t) || small_value(t) < 1 || small_value(t) > kMost) return am::not_a_budget;
  *budget = static_cast<uint64_t>(small_value(t));
  return kNone;
}

Term take_action(Term t, GroupOptions* o) {
  if (is_tuple_of(t, 2)) {
    const Term* e = tuple_elements(t);
    if (e[0] != am::notify || !is_local_pid(e[1])) return am::not_an_action;
    o->action = GroupAction::notify;
    o->owner = e[1];
    return kNone;
  }
  o->action = t == am::kill_all ? GroupAction::kill_all : GroupAction::kill_largest;
  return t == am::kill_all || t == am::kill_largest ? kNone : am::not_an_action;
}

Term take_name(Term t, GroupOptions* o) {
  if (is_atom(t)) {
    o->name_atom = t;
    o->name = atom_text(t);
    return kNone;
  }
  if (!is_binary(t) || bit_size(t) > 255 * 8) return am::not_a_group_name;
  const ByteView bytes(t);
  o->name.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return kNone;
}

/// kNone, or what is wrong with it.
Term take_option(Term key, Term value, GroupOptions* o) {
  switch (key) {
    case am::memory:
      return take_budget(value, &o->memory);
    case am::reductions:
      return take_budget(value, &o->reductions);
    case am::messages:
      return take_budget(value, &o->messages);
    case am::when_exceeded:
      return take_action(value, o);
    case am::name:
      return take_name(value, o);
    case am::parent:
      o->parent = Group::of(value);
      return o->parent ? kNone : am::not_a_group;
    default:
      return am::not_a_group_option;
  }
}

Term take_options(Process& p, Term map, GroupOptions* o) {
  MapIterator i(map);
  for (Term key, value; i.next(&key, &value);) {
    if (const Term wrong = take_option(key, value, o); wrong != kNone) return wrong;
  }
  if (!o->memory && is_value(map_get(map, am::when_exceeded))) return am::action_without_memory;
  Group* own = group_of(p);
  if (!o->parent) o->parent = own;
  if (own && !o->parent->is_within(*own)) return am::not_below_own_group;
  return o->parent && o->parent->depth >= Group::kDeepest ? am::groups_too_deep : kNone;
}

}  // namespace

BIF(whitebeam, group, 1)
{
  if (!is_map(a[0])) return kBadarg;
  GroupOptions options;
  if (const Term wrong = take_options(p, a[0], &options); wrong != kNone) return p.badarg(wrong);
  Group* group = Group::make(p.vm(), p.vm().host->policies->groups, options);
  const Term ref = group->ref(p.heap);
  group->release();
  return ref;
}

// --- looking ------------------------------------------------------------------------------------
namespace {

Term name_term(Heap& h, const GroupOptions& o) {
  if (is_value(o.name_atom)) return o.name_atom;
  return o.name.empty() ? am::undefined : make_binary(h, o.name.data(), o.name.size());
}
Term action_term(Heap& h, const GroupOptions& o) {
  switch (o.action) {
    case GroupAction::kill_largest:
      return am::kill_largest;
    case GroupAction::kill_all:
      return am::kill_all;
    case GroupAction::notify:
      return tuple(h, am::notify, o.owner);
  }
}
Term budget_term(Heap& h, const GroupOptions& o) {
  Term pairs[6];
  size_t n = 0;
  const auto add = [&](Term key, uint64_t budget) {
    if (budget) pairs[n++] = key, pairs[n++] = make_small(static_cast<int64_t>(budget));
  };
  add(am::memory, o.memory);
  add(am::reductions, o.reductions);
  add(am::messages, o.messages);
  return map_from_pairs(h, pairs, n / 2);
}
Term list_of(Heap& h, const std::vector<Group*>& groups) {
  Term list = kNil;
  for (size_t k = groups.size(); k-- > 0;) {
    list = cons(h, groups[k]->ref(h), list);
    groups[k]->release();
  }
  return list;
}

}  // namespace

BIF(whitebeam, group_info, 1)
{
  Group* g = Group::of(a[0]);
  if (!g) return p.badarg(am::not_a_group);
  Heap& h = p.heap;
  const GroupOptions& o = g->options;
  const Term pairs[] = {am::name,          name_term(h, o),
                        am::parent,        o.parent ? o.parent->ref(h) : am::undefined,
                        am::groups,        list_of(h, g->children()),
                        am::budget,        budget_term(h, o),
#define GROUP_NUMBER(name, what) am::name, make_integer(h, g->name.load(std::memory_order_relaxed)),
#include "vm/process/group_numbers.def"
                        am::when_exceeded, o.memory ? action_term(h, o) : am::undefined};
  return map_from_pairs(h, pairs, std::size(pairs) / 2);
}

/// Of a process of this node: its group, `none`, or `undefined`: it has ended.
BIF(whitebeam, group_of, 1)
{
  if (!is_local_pid(a[0])) return kBadarg;
  const Process* other = p.vm().processes->find(a[0]);
  if (!other) return am::undefined;
  Group* g = group_of(*other);
  return g ? g->ref(p.heap) : am::none;
}

/// Those that the caller may put processes into.
BIF(whitebeam, groups, 0)
{
  std::vector<Group*> mine;
  const Group* own = group_of(p);
  for (Group* g : p.vm().host->policies->groups.all()) {
    if (!own || g->is_within(*own)) {
      mine.push_back(g);
    } else {
      g->release();
    }
  }
  p.charge(static_cast<int64_t>(mine.size() / 10));
  return list_of(p.heap, mine);
}

/// Of a process of this node, or `undefined`: it has ended.
BIF(whitebeam, policy, 1)
{
  if (!is_local_pid(a[0])) return kBadarg;
  const Process* other = p.vm().processes->find(a[0]);
  return other ? policy_term(p.heap, policy_of(*other)) : am::undefined;
}

/// What is said of a `cause` of option_faults.def.
BIF(whitebeam, fault_text, 1)
{
  switch (a[0]) {
#define OPTION_FAULT(name, text) \
  case am::name:                 \
    return make_binary(p.heap, text);
#include "vm/process/option_faults.def"
    default:
      return kBadarg;
  }
}

}  // namespace wb
