#include "vm/explore/search.h"

#include <algorithm>
#include <deque>
#include <unordered_set>

#include <fmt/format.h>

#include "vm/explore/fork_ready.h"
#include "vm/explore/shrink.h"

namespace wb {
namespace {

std::string text_of(const Switches& switches) {
  std::string text;
  for (const Switch& s : switches)
    text += fmt::format("{} {} {} {};", s.at.who, s.at.operation, s.at.turn, s.to);
  return text;
}

void count(SearchState& state, const Outcome& o, const Switches& switches) {
  ++state.runs, state.choices += o.choices;
  for (EndingClass& c : state.classes) {
    if (!is_same_class(c.ending, o.ending)) continue;
    ++c.count;
    return;
  }
  state.classes.push_back({o.ending, 1, 0, switches});
  std::ranges::sort(state.classes, {}, [](const EndingClass& c) { return c.ending.kind; });
}

}  // namespace

SearchState run_search(Runner& runner, const CampaignPlan& plan, size_t most,
                       const std::function<void(const CampaignState&)>& progress) {
  using Steady = std::chrono::steady_clock;
  SearchState state;
  std::vector<std::deque<Switches>> levels(most + 1);  // by number of switches
  std::unordered_set<std::string> known;
  std::unordered_set<uint64_t> traces;
  own_code(runner.code());
  const Steady::time_point began = Steady::now();
  levels[0].emplace_back();
  known.insert("");
  Steady::time_point shown = began;
  for (size_t level = 0; level <= most;) {
    if (levels[level].empty()) {
      ++level;
      continue;
    }
    const Switches switches = std::move(levels[level].front());
    levels[level].pop_front();
    const Outcome o = runner.run({.switches = &switches, .records = true, .races = true});
    count(state, o, switches);
    const Steady::time_point now = Steady::now();
    state.elapsed = now - began;
    if (now - shown > std::chrono::milliseconds(200)) progress(state), shown = now;
    if (traces.insert(o.trace).second) {
      for (const Races::Reversal& r : o.reversals) {
        Switches next(o.switches.begin(), o.switches.begin() + static_cast<ptrdiff_t>(std::min(
                                                                   r.before, o.switches.size())));
        next.push_back(r.instead);
        if (!known.insert(text_of(next)).second) continue;
        if (next.size() > most) {
          ++state.refused;
          continue;
        }
        // Turned round, one may have fewer than those that are looked at now.
        level = std::min(level, next.size());
        levels[next.size()].push_back(std::move(next));
      }
    }
    state.different = traces.size();
    const bool late = plan.time.count() && now - began >= plan.time;
    if (late || (plan.runs && state.runs >= plan.runs) || (plan.is_enough && plan.is_enough(state)))
      return state;
  }
  state.complete = true;
  return state;
}

Switches fewer(Runner& runner, const Switches& few, const Finding& ending,
               std::chrono::milliseconds time) {
  constexpr uint64_t kMostRuns = 500;
  if (few.size() < 2) return few;
  auto is_it = [&](const EndingClass& c) { return is_same_class(c.ending, ending); };
  CampaignPlan plan;
  plan.runs = kMostRuns, plan.time = time;
  plan.is_enough = [&](const CampaignState& s) { return std::ranges::any_of(s.classes, is_it); };
  const SearchState found = run_search(runner, plan, few.size() - 1, [](const CampaignState&) {});
  auto c = std::ranges::find_if(found.classes, is_it);
  return c == found.classes.end() ? few : *c->switches;
}

}  // namespace wb
