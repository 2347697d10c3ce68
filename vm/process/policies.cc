#include "vm/process/policies.h"

#include <algorithm>
#include <charconv>

#include "scheduler/scheduler.h"
#include "term/instance.h"
#include "term/lists.h"
#include "term/policy_atoms.h"
#include "vm/core/vm.h"
#include "vm/process/exec.h"
#include "vm/process/extra.h"
#include "vm/process/periodic.h"
#include "vm/process/spawn.h"
#include "vm/process/trace_flags.h"

namespace wb {

// --- which --------------------------------------------------------------------------------------
constexpr int64_t kLongestPeriod = 10'000, kLargestBound = 1'000'000;

static Term take_argument(Term t, int64_t most, Term wrong, uint32_t* argument) {
  if (!is_small(t) || small_value(t) < 1 || small_value(t) > most) return wrong;
  *argument = static_cast<uint32_t>(small_value(t));
  return kNone;
}

Term to_policy(Term t, PolicyChoice* choice) {
  *choice = {};
  const Term name = is_tuple_of(t, 2) ? tuple_elements(t)[0] : t;
  const Term argument = is_tuple_of(t, 2) ? tuple_elements(t)[1] : kNone;
  switch (name) {
#define POLICY(name, term, pattern, promise) \
  case am::term:                             \
    choice->kind = PolicyKind::name;         \
    break;
#include "vm/process/policies.def"
    default:
      return am::not_a_policy;
  }
  switch (choice->kind) {
    case PolicyKind::periodic:
      return take_argument(argument, kLongestPeriod, am::not_a_period, &choice->argument);
    case PolicyKind::oldest_first:
      return take_argument(argument, kLargestBound, am::not_a_bound, &choice->argument);
    case PolicyKind::usual:
    case PolicyKind::dedicated:
      return is_value(argument) ? am::not_a_policy : kNone;
  }
}

Term policy_term(Heap& h, PolicyChoice choice) {
  Term name = kNone;
  switch (choice.kind) {
#define POLICY(id, term, pattern, promise) \
  case PolicyKind::id:                     \
    name = am::term;                       \
    break;
#include "vm/process/policies.def"
  }
  return choice.argument ? tuple(h, name, make_small(choice.argument)) : name;
}

bool parse_policy(std::string_view text, PolicyChoice* choice) {
  *choice = {};
  if (text == "default") return true;
  const size_t colon = text.find(':');
  if (colon == text.npos) return false;
  const std::string_view name = text.substr(0, colon), digits = text.substr(colon + 1);
  if (name != "periodic" && name != "oldest_first") return false;
  const bool periodic = name == "periodic";
  choice->kind = periodic ? PolicyKind::periodic : PolicyKind::oldest_first;
  const char* end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, choice->argument);
  const int64_t most = periodic ? kLongestPeriod : kLargestBound;
  return read.ec == std::errc() && read.ptr == end && choice->argument >= 1 &&
         choice->argument <= most;
}

// --- a thread of its own ------------------------------------------------------------------------
namespace {
class Dedicated final : public Policy {
 public:
  void gone(Process& p) override { p.vm().scheduler->undedicate(p); }
};
}  // namespace

/// A seeded run has one thread, which takes the part of all others; so has a
/// machine that is stepped.
static bool dedicate(Process& p) {
  Scheduler& s = *p.vm().scheduler;
  return s.oracle().simulates() || s.stepped() || s.dedicate(p);
}

// --- of one process -----------------------------------------------------------------------------
static std::shared_ptr<Policy> make_policy(Process& p, PolicyChoice choice, MachinePolicies& all) {
  switch (choice.kind) {
    case PolicyKind::usual:
      return nullptr;
    case PolicyKind::dedicated:
      return dedicate(p) ? std::make_shared<Dedicated>() : nullptr;
    case PolicyKind::periodic:
      return std::make_shared<Periodic>(p, choice.argument);
    case PolicyKind::oldest_first:
      return std::make_shared<OldestFirstPolicy>(p, choice.argument, all.oldest_first);
  }
}

/// The bits by which others know it.
static void note_policies(Process& p) {
  p.special |= kHasPolicies;
  p.trace_flags.fetch_or(traced::has_policies, std::memory_order_relaxed);
}

bool give_policies(Process& p, const Process* parent, const SpawnOptions& options,
                   MachinePolicies& all) {
  if (options.policy.kind != PolicyKind::usual) {
    std::shared_ptr<Policy> policy = make_policy(p, options.policy, all);
    if (!policy) return false;
    p.rare().policy = options.policy;
    p.extra->rare->policies.push_back(std::move(policy));
    note_policies(p);
  }
  Group* group = options.group ? options.group : parent ? group_of(*parent) : nullptr;
  if (!group) return true;
  auto member = std::make_shared<GroupMember>(*group);
  p.rare().group = member.get();
  p.extra->rare->policies.push_back(std::move(member));
  note_policies(p);
  return true;
}

PolicyChoice policy_of(const Process& p) {
  return has_policies(p) ? p.extra->rare->policy : PolicyChoice{};
}

Turn ask_policies(Exec& c, AfterSlice& end, bool may_wait) {
  for (auto& policy : c.p->extra->rare->policies) {
    const Turn turn = policy->before_slice(c, end, may_wait);
    if (turn != Turn::runs) return turn;
  }
  return Turn::runs;
}

}  // namespace wb
