// ets:info/1,2.
#include <cmath>

#include "term/binary.h"
#include "term/number.h"
#include "vm/bif/ets_common.h"
#include "vm/ets/hash_table.h"
#include "vm/ets/ordered_table.h"

namespace wb {

BIF(ets, first, 1);  // ets.cc
BIF(ets, next, 2);
namespace {

Term type_of(const Table& t) {
  switch (t.options.type) {
    case TableType::set:
      return am::set;
    case TableType::bag:
      return am::bag;
    case TableType::duplicate_bag:
      return am::duplicate_bag;
    case TableType::ordered_set:
      return am::ordered_set;
  }
  return am::undefined;
}

Term protection_of(const Table& t) {
  switch (t.protection()) {
    case Protection::public_:
      return am::public_;
    case Protection::protected_:
      return am::protected_;
    case Protection::private_:
      return am::private_;
  }
  return am::undefined;
}

Term heir_of(Process& p, Table& t) {
  std::lock_guard lock(t.facts);
  return t.reported_heir;
}

Term id_of(Process& p, Table& t) { return EtsTables::identifier(p.heap, t); }

Term write_concurrency_of(Process& p, Table& t) {
  const Term wc = t.options.write_concurrency;
  return is_small(wc) ? tuple(p.heap, am::debug_hash_fixed_number_of_locks, wc) : wc;
}

/// {When, [{Pid, Count}]}, or false.
Term fixation_of(Process& p, Table& t, bool monotonic) {
  std::lock_guard lock(t.facts);
  if (t.fixations.empty()) return am::false_;
  Term who = kNil;
  for (const Table::Fixation& f : t.fixations)
    who = cons(p.heap, tuple(p.heap, f.pid, make_small(static_cast<int64_t>(f.count))), who);
  if (monotonic) return tuple(p.heap, make_integer(p.heap, t.fixed_since_monotonic), who);
  const int64_t us = t.fixed_since_system;
  Term when = tuple(p.heap, make_small(us / 1000000000000), make_small(us / 1000000 % 1000000),
                    make_small(us % 1000000));
  return tuple(p.heap, when, who);
}

bool is_fixed(Table& t) {
  std::lock_guard lock(t.facts);
  return !t.fixations.empty();
}

/// {Buckets, AverageLength, Deviation, ExpectedDeviation, Shortest, Longest, Kept, Locks}: kept
/// are those deleted while the table is fixed
Term stats_of(Process& p, Table& t) {
  if (t.is_ordered()) return am::false_;
  HashTable::Stats s = static_cast<HashTable&>(t).stats();
  const double n = static_cast<double>(s.objects), buckets = static_cast<double>(s.buckets);
  // Only as precise as OTP's.
  auto single = [](double d) { return static_cast<float>(d); };
  const float average = single(n / buckets);
  const float variance = single((s.squares - single(n * average)) / buckets);
  const float deviation = single(variance > 0 ? std::sqrt(variance) : 0);
  const float expected = single(std::sqrt(n / buckets * (1 - 1 / buckets)));
  return tuple(p.heap, make_small(static_cast<int64_t>(s.buckets)), make_float(p.heap, average),
               make_float(p.heap, deviation), make_float(p.heap, expected),
               make_small(static_cast<int64_t>(s.shortest)),
               make_small(static_cast<int64_t>(s.longest)),
               make_small(static_cast<int64_t>(s.kept)), make_small(static_cast<int64_t>(s.locks)));
}

/// [{Address, Bytes, References}] of every large binary that objects hold.
class BinaryCollector final : public Visitor {
 public:
  explicit BinaryCollector(Process& p) : vm_(p.vm()), heap_(p.heap) {}
  Verdict visit(const TableObject& o) override {
    for (Term* owner = o.off_heap; owner; owner = reinterpret_cast<Term*>(owner[2])) {
      if (header_kind(*owner) != Kind::refc_bin) continue;
      const Binary* b = refc_bin::object(owner);
      list = cons(
          heap_,
          tuple(heap_, make_unsigned(heap_, vm_.shown_address(b)), make_unsigned(heap_, b->size),
                make_small(b->refs.load(std::memory_order_relaxed))),
          list);
    }
    return Verdict::keep;
  }
  bool wants_dead() const override { return true; }
  Term list = kNil;

 private:
  Vm& vm_;
  Heap& heap_;
};

Term binaries_of(Process& p, Table& t) {
  BinaryCollector collector(p);
  if (t.is_ordered())
    static_cast<OrderedTable&>(t).traverse(kNone, nullptr, false, collector, false);
  else
    static_cast<HashTable&>(t).traverse(0, collector, false);
  return collector.list;
}

struct Item {
  Term name;
  Term (*value)(Process& p, Table& t);
};

// The first kListed are what info/1 lists, in its order.
const Item kItems[] = {
    {am::id, id_of},
    {am::decentralized_counters,
     [](Process&, Table& t) { return make_bool(t.options.decentralized_counters); }},
    {am::read_concurrency,
     [](Process&, Table& t) { return make_bool(t.options.read_concurrency); }},
    {am::write_concurrency, write_concurrency_of},
    {am::compressed, [](Process&, Table& t) { return make_bool(t.options.compressed); }},
    {am::memory, [](Process& p, Table& t) { return make_unsigned(p.heap, t.memory_words()); }},
    {am::owner, [](Process&, Table& t) { return t.owner(); }},
    {am::heir, heir_of},
    {am::name, [](Process&, Table& t) { return t.name(); }},
    {am::size, [](Process& p, Table& t) { return make_unsigned(p.heap, t.size()); }},
    {am::node, [](Process&, Table&) { return local_node().name; }},
    {am::named_table, [](Process&, Table& t) { return make_bool(t.options.named); }},
    {am::type, [](Process&, Table& t) { return type_of(t); }},
    {am::keypos, [](Process&, Table& t) { return make_small(t.options.keypos); }},
    {am::protection, [](Process&, Table& t) { return protection_of(t); }},
    {am::fixed, [](Process&, Table& t) { return make_bool(is_fixed(t)); }},
    {am::safe_fixed, [](Process& p, Table& t) { return fixation_of(p, t, false); }},
    {am::safe_fixed_monotonic_time, [](Process& p, Table& t) { return fixation_of(p, t, true); }},
    {am::stats, stats_of},
    {am::binary, binaries_of},
};
constexpr size_t kListed = 15;

}  // namespace

BIF(ets, info, 1)
{
  TableArg t(p, a[0], Access::none);
  if (!t) return t.cause() == am::id ? am::undefined : t.fail();
  Term list = kNil;
  for (size_t i = kListed; i-- > 0;)
    list = cons(p.heap, tuple(p.heap, kItems[i].name, kItems[i].value(p, *t)), list);
  return t->alive() ? list : am::undefined;
}

BIF(ets, info, 2)
{
  TableArg t(p, a[0], Access::none);
  if (!t) return t.cause() == am::id ? am::undefined : t.fail();
  for (const Item& item : kItems) {
    if (item.name != a[1]) continue;
    Term value = item.value(p, *t);
    return t->alive() ? value : am::undefined;
  }
  return kBadarg;
}

// --- for the observer -------------------------------------------------------------------------
BIF(erts_internal, ets_super_user, 1)
{
  if (a[0] != am::true_ && a[0] != am::false_) return kBadarg;
  p.vm().ets->set_super_user(p.id, a[0] == am::true_);
  return am::ok;
}

BIF(erts_internal, ets_raw_first, 1)
{
  return ets_first_1(p, a);
}
BIF(erts_internal, ets_raw_next, 2)
{
  return ets_next_2(p, a);
}

BIF(erts_internal, ets_lookup_binary_info, 2)
{
  TableArg t(p, a[0], Access::read);
  if (!t) return t.fail();
  BinaryCollector collector(p);
  t->visit_key(a[1], collector, false);
  return t.done(collector.list);
}

}  // namespace wb
