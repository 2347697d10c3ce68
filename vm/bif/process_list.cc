// processes/0: who is alive now, in the order in which they were spawned. There may be millions, so
// others run while they are listed.
#include <algorithm>
#include <vector>

#include "vm/bif/bif.h"
#include "vm/core/vm.h"
#include "vm/process/table.h"

namespace wb {

namespace {

constexpr int64_t kLookedAt = 20, kHandled = 20;  // a reduction
/// What a list costs at least: a process that has nearly used up its slice goes on in the next, as
/// on BEAM, where a default table alone takes thousands.
constexpr int64_t kLeast = 32;
constexpr unsigned kDigitBits = 11, kDigits = 1u << kDigitBits;

struct Pids {
  std::vector<Term> list;
  bool sorted = true;
  uint32_t least = ~0u, most = 0;  ///< serials

  void add(Term pid) {
    uint32_t serial = pid_serial(pid);
    sorted &= list.empty() || serial > most;
    least = std::min(least, serial), most = std::max(most, serial);
    list.push_back(pid);
  }
};

bool collect(Process& p, Pids* pids) {
  ProcessTable::Snapshot all(*p.vm().processes);
  if (!p.spend(kLeast)) return false;
  BifBudget budget(p, kLookedAt);
  for (uint32_t s = 0; s < all.slots(); ++s) {
    all.look_at(s);
    if (!budget.step()) return false;
  }
  pids->list.reserve(std::min(all.slots(), p.vm().processes->count() + 64));
  for (uint32_t s = 0; s < all.slots(); ++s) {
    if (Term pid = all.at(s); is_value(pid)) pids->add(pid);
    if (!budget.step()) return false;
  }
  return true;
}

/// By the digit of their serials (above the least) at bit `shift`; equal ones stay in order.
bool sort_by_digit(Pids* pids, std::vector<Term>* to, unsigned shift, WorkBudget& budget) {
  auto digit = [&](Term pid) { return (pid_serial(pid) - pids->least) >> shift & (kDigits - 1); };
  std::vector<uint32_t> begins(kDigits + 1);
  for (Term pid : pids->list) {
    ++begins[digit(pid) + 1];
    if (!budget.step()) return false;
  }
  for (unsigned k = 0; k < kDigits; ++k) begins[k + 1] += begins[k];
  to->resize(pids->list.size());
  for (Term pid : pids->list) {
    (*to)[begins[digit(pid)]++] = pid;
    if (!budget.step()) return false;
  }
  pids->list.swap(*to);
  return true;
}
bool sort(Process& p, Pids* pids) {
  if (pids->sorted) return true;
  BifBudget budget(p, kHandled);
  std::vector<Term> other;
  for (unsigned shift = 0; shift < 32 && (pids->most - pids->least) >> shift; shift += kDigitBits) {
    if (!sort_by_digit(pids, &other, shift, budget)) return false;
  }
  return true;
}

}  // namespace

BIF(erlang, processes, 0)
{
  Pids pids;
  if (!collect(p, &pids) || !sort(p, &pids)) return kCancelled;
  BifBudget budget(p, kHandled);
  Term list = kNil;
  for (size_t k = pids.list.size(); k-- > 0;) {
    list = cons(p.heap, pids.list[k], list);
    if (!budget.step()) return kCancelled;
  }
  return list;
}

/// Of erlang:processes_next/1: {From', Pids} of some slots, `none` behind the last.
BIF(erts_internal, processes_next, 1)
{
  constexpr uint32_t kSlots = 1000;
  const ProcessTable& all = *p.vm().processes;
  if (!is_small(a[0]) || small_value(a[0]) < 0 || small_value(a[0]) > all.all_slots()) {
    return kBadarg;
  }
  const auto from = static_cast<uint32_t>(small_value(a[0])), used = all.used();
  if (from >= used) return am::none;
  const uint32_t to = std::min(from + kSlots, used);
  p.charge(kSlots / kLookedAt);
  ListBuilder list(p.heap);
  all.each_in(from, to, [&](const Process& q, uint32_t) { list.add(q.id); });
  Term pids = list.finish();
  return tuple(p.heap, make_small(to), pids);
}

}  // namespace wb
