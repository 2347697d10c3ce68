#include "vm/observe/calls.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "loader/code_table.h"
#include "loader/instruction_walk.h"
#include "scheduler/event_ring.h"
#include "scheduler/scheduler.h"
#include "term/print.h"
#include "vm/core/vm.h"
#include "vm/observe/json.h"
#include "vm/observe/observer.h"
#include "vm/observe/request.h"
#include "vm/observe/stack_frames.h"
#include "vm/process/extra.h"
#include "vm/process/relations.h"
#include "vm/process/table.h"

namespace wb {
namespace {

// --- of a process, by itself ---------------------------------------------------------------------
bool is_marked(const Process& p, uint64_t reference) {
  if (!receive_of(p)) return false;
  const auto& all = p.extra->receive->markers;
  return std::any_of(all.begin(), all.end(), [&](const ReceiveMarker& m) {
    return m.ref == reference && m.id != ReceiveMarker::kEndOfBlock;
  });
}

/// The monitor by which its receive knows the answer.
SmallMap<uint64_t, Monitor>::iterator awaited_monitor(Process& p, const StackFrame& frame) {
  auto& monitors = p.links->monitors;
  for (Term value : frame.kept) {
    if (is_catch(value) || !is_value(value) || !is_local_ref(value)) continue;
    auto m = monitors.find(ref_number(value));
    if (m == monitors.end() || m->second.type != am::process) continue;
    if (m->second.alias != AliasMode::none || is_marked(p, m->first)) return m;
  }
  return monitors.end();
}

bool stands_between(std::string_view function) {
  for (std::string_view module : {
#define CALLS_FOR(module) module,
#include "vm/observe/call_modules.def"
#undef CALLS_FOR
       }) {
    if (function.starts_with(module) && function.substr(module.size()).starts_with(':'))
      return true;
    const std::string quoted = '\'' + std::string(module) + "':";
    if (function.starts_with(quoted)) return true;
  }
  return false;
}

uint64_t age_ns(Vm& vm, uint32_t made) {
  const EventClock clock = vm.scheduler->event_clock();
  const uint32_t units = static_cast<uint32_t>(read_ticks() >> kMadeShift) - made;
  return clock.to_ns(clock.ticks0 + (uint64_t{units} << kMadeShift)) - clock.to_ns(clock.ticks0);
}

}  // namespace

bool write_call(JsonWriter& w, Process& p, CallMark* mark) {
  if (p.waiting_for != WaitFor::message || !p.links || p.links->monitors.empty()) return false;
  auto monitor = p.links->monitors.end();
  StackFrame caller;
  bool first = true;
  each_frame(p, [&](const StackFrame& frame) {
    if (first) monitor = awaited_monitor(p, frame);
    first = false;
    if (monitor == p.links->monitors.end()) return false;
    caller = frame;
    return stands_between(frame.function);
  });
  if (monitor == p.links->monitors.end()) return false;
  const Monitor& m = monitor->second;
  FragmentHeap h(64);
  const Term callee = term_of(m.target, h);
  const bool local = is_local_pid(callee);
  CallMark own{local ? callee : kNil, monitor->first, age_ns(p.vm(), m.made)};
  const Term name = !is_nil(m.name) ? m.name : local ? p.vm().processes->name_of(callee) : kNone;
  w.text("callee", to_text(callee));
  if (is_value(name) && is_atom(name)) w.text("callee_name", atom_text(name));
  w.number("call_age_ns", own.age_ns);
  if (ReceiveParts* r = receive_of(p); r && r->timer.running) {
    const uint64_t end = r->timer.deadline_ns, now = p.vm().scheduler->now_ns();
    w.number("call_left_ns", end > now ? end - now : 0);
  }
  w.text("call_fn", caller.function);
  if (caller.line) w.text("call_file", caller.file).number("call_line", caller.line);
  if (mark) *mark = own;
  return true;
}

void report_call(Process& p, ProcessQuery& q) {
  CallMark mark;
  std::string fields;
  JsonWriter w(fields);
  if (!write_call(w, p, &mark)) return;
  q.text.assign(reinterpret_cast<const char*>(&mark), sizeof mark);
  q.text += fields;
}

// --- of the machine, by the observer -------------------------------------------------------------
bool AwaitingCode::at(const Word* pc) {
  if (pc == last_pc_) return last_;
  auto [known, fresh] = known_.try_emplace(pc);
  if (fresh) known->second = look(pc);
  last_pc_ = pc;
  return last_ = known->second;
}
bool AwaitingCode::look(const Word* pc) const {
  const Module* m = vm_.code->module_at(pc);
  const Module::Function* f = m ? m->function_at(pc) : nullptr;
  if (!f) return false;
#define AWAITS(module, function) \
  if (atom_text(m->name) == module && atom_text(f->name) == function) return true;
#include "vm/observe/awaiting.def"
#undef AWAITS
  bool uses = false;
  for (uint16_t handler : handlers_of(*m, *f)) uses |= instr_of(handler) == Instr::recv_marker_use;
  return uses;
}
namespace {

constexpr size_t kMostAsked = kMostAwaiting, kMostFollowed = 2000;
constexpr size_t kMostCycles = 20;
constexpr std::chrono::milliseconds kPatience{100};
constexpr uint64_t kLongCall = 2'000'000'000;

struct Waiting {
  CallMark mark;
  std::string fields;
};
using Calls = std::unordered_map<Term, Waiting>;

/// Those that stand in such code, from another place of the table on each time. *all: how many.
std::vector<Term> candidates(RequestContext& a, size_t* all) {
  constexpr uint32_t kChunk = 8192;
  ProcessTable& table = *a.vm.processes;
  const uint32_t slots = table.used(), chunks = (slots + kChunk - 1) / kChunk;
  AwaitingCode code(a.vm);
  std::vector<Term> found;
  const auto turn = static_cast<uint32_t>(a.observer.cost.requests);
  for (uint32_t k = 0; k < chunks; ++k) {
    const uint32_t from = (k + turn) % chunks * kChunk;
    ReaderGuard guard(a.vm.scheduler->progress());
    table.each_in<false>(from, std::min(from + kChunk, slots), [&](Process& p, uint32_t) {
      if (!code.at(p.resume)) return;
      if (found.size() < kMostAsked) found.push_back(p.id);
      ++*all;
    });
  }
  return found;
}

/// Asks them; who is in a call gets into *calls.
void ask(Observer& o, const std::vector<Term>& pids, Calls* calls) {
  std::vector<ProcessQuery*> queries =
      query_all(o.vm(), o.query_waiter, pids, report_call, kPatience);
  for (size_t k = 0; k < pids.size(); ++k) {
    ProcessQuery& q = *queries[k];
    if (q.state() == ProcessQuery::State::answered && q.text.size() > sizeof(CallMark)) {
      Waiting w{{}, q.text.substr(sizeof(CallMark))};
      memcpy(&w.mark, q.text.data(), sizeof(CallMark));
      calls->emplace(pids[k], std::move(w));
    }
    q.drop();
  }
}

/// All that is known of who waits for whom. *asked: how many were.
Calls find_calls(Observer& o, std::vector<Term> next, size_t* asked) {
  Calls calls;
  std::unordered_set<Term> known(next.begin(), next.end());
  while (!next.empty()) {
    *asked += next.size();
    ask(o, next, &calls);
    std::vector<Term> callees;
    for (Term pid : next) {
      auto call = calls.find(pid);
      if (call == calls.end() || is_nil(call->second.mark.callee)) continue;
      if (*asked + callees.size() >= kMostAsked + kMostFollowed) break;
      const Term callee = call->second.mark.callee;
      if (known.insert(callee).second) callees.push_back(callee);
    }
    next = std::move(callees);
  }
  return calls;
}

/// Each cycle once, its oldest call first.
std::vector<std::vector<Term>> find_cycles(const Calls& calls) {
  std::vector<std::vector<Term>> cycles;
  std::unordered_map<Term, size_t> walk;  // in which walk somebody was met first
  size_t number = 0;
  for (const auto& [start, _] : calls) {
    ++number;
    Term at = start;
    auto call = calls.find(at);
    while (call != calls.end() && walk.emplace(at, number).second) {
      at = call->second.mark.callee;
      call = calls.find(at);
    }
    if (call == calls.end() || walk[at] != number) continue;
    std::vector<Term> cycle;
    for (Term member = at; cycle.empty() || member != at; member = calls.at(member).mark.callee) {
      cycle.push_back(member);
    }
    auto oldest = std::max_element(cycle.begin(), cycle.end(), [&](Term x, Term y) {
      return calls.at(x).mark.age_ns < calls.at(y).mark.age_ns;
    });
    std::rotate(cycle.begin(), oldest, cycle.end());
    cycles.push_back(std::move(cycle));
  }
  return cycles;
}
/// Do all of them still wait for the same?
bool is_confirmed(Observer& o, const std::vector<Term>& cycle, const Calls& calls) {
  Calls again;
  ask(o, cycle, &again);
  return std::all_of(cycle.begin(), cycle.end(), [&](Term pid) {
    auto call = again.find(pid);
    return call != again.end() && call->second.mark.reference == calls.at(pid).mark.reference;
  });
}

/// The longest of those who wait, each for the next, for one who does not.
struct Chain {
  std::vector<Term> members;
  Term end = kNone;
  size_t waiting = 0;  ///< all who wait for its end, however far from it
};

/// How far the end is, and who that is; kNone: there is none, but a cycle.
struct Depth {
  size_t steps = 0;
  Term end = kNone;
};
std::unordered_map<Term, Depth> depths_of(const Calls& calls) {
  std::unordered_map<Term, Depth> depths;
  for (const auto& [start, _] : calls) {
    std::vector<Term> path;
    std::unordered_set<Term> on_path;
    Term at = start;
    while (calls.contains(at) && !depths.contains(at) && on_path.insert(at).second) {
      path.push_back(at);
      at = calls.at(at).mark.callee;
    }
    Depth depth{0, at};
    if (depths.contains(at)) depth = depths[at];
    if (on_path.contains(at)) depth.end = kNone;
    for (; !path.empty(); path.pop_back()) {
      ++depth.steps;
      depths[path.back()] = depth;
    }
  }
  return depths;
}

std::vector<Chain> find_chains(const Calls& calls) {
  const std::unordered_map<Term, Depth> depths = depths_of(calls);
  std::unordered_map<Term, std::pair<Term, size_t>> farthest;  // by end: who, how many in all
  for (const auto& [pid, depth] : depths) {
    if (!is_value(depth.end) || is_nil(depth.end)) continue;
    auto& [who, count] = farthest.try_emplace(depth.end, pid, 0).first->second;
    ++count;
    const Depth& most = depths.at(who);
    if (depth.steps > most.steps || (depth.steps == most.steps && pid < who)) who = pid;
  }
  std::vector<Chain> chains;
  for (const auto& [end, far] : farthest) {
    Chain chain{{}, end, far.second};
    for (Term at = far.first; at != end; at = calls.at(at).mark.callee) chain.members.push_back(at);
    chains.push_back(std::move(chain));
  }
  std::sort(chains.begin(), chains.end(), [&](const Chain& x, const Chain& y) {
    if (x.members.size() != y.members.size()) return x.members.size() > y.members.size();
    return x.waiting != y.waiting ? x.waiting > y.waiting : x.end < y.end;
  });
  return chains;
}

/// Somebody waits who is waited for, and for long.
bool is_warning(const Chain& chain, const Calls& calls) {
  return chain.members.size() > 1 && calls.at(chain.members.back()).mark.age_ns >= kLongCall;
}

void write_who(JsonWriter& w, RequestContext& a, Term pid) {
  w.text("pid", to_text(pid));
  const Term name = a.vm.processes->name_of(pid);
  if (is_value(name)) w.text("name", atom_text(name));
  ReaderGuard guard(a.vm.scheduler->progress());
  const Process* p = a.vm.processes->find(pid);
  const Export* e = p ? p->initial_call : nullptr;
  if (e) w.text("initial", mfa_text(e->module, e->function, e->arity));
  if (p) w.text("fn", a.observer.scan.function_name(p->resume, e));
}

void write_members(RequestContext& a, const std::vector<Term>& members, const Calls& calls) {
  constexpr size_t kMostMembers = 50;
  JsonWriter& w = a.out;
  w.number("length", members.size()).array("members");
  for (size_t k = 0; k < members.size() && k < kMostMembers; ++k) {
    write_who(w.open('{'), a, members[k]);
    w.raw(calls.at(members[k]).fields).close('}');
  }
  w.close(']');
}

size_t write_cycles(RequestContext& a, const Calls& calls) {
  JsonWriter& w = a.out;
  size_t count = 0;
  w.array("cycles");
  for (const std::vector<Term>& cycle : find_cycles(calls)) {
    if (count == kMostCycles || !is_confirmed(a.observer, cycle, calls)) continue;
    ++count;
    w.open('{');
    write_members(a, cycle, calls);
    w.close('}');
  }
  w.close(']');
  return count;
}

size_t write_chains(RequestContext& a, const Calls& calls, size_t most) {
  JsonWriter& w = a.out;
  size_t written = 0, warnings = 0;
  w.array("chains");
  for (const Chain& chain : find_chains(calls)) {
    const bool warning = is_warning(chain, calls);
    warnings += warning;
    if (written++ >= most) continue;
    w.open('{').boolean("warning", warning).number("waiting", chain.waiting);
    write_members(a, chain.members, calls);
    write_who(w.object("end"), a, chain.end);
    w.close('}').close('}');
  }
  w.close(']');
  return warnings;
}

}  // namespace

std::vector<CallTrouble> find_call_trouble(Observer& o, std::vector<Term> awaiting) {
  size_t asked = 0;
  const Calls calls = find_calls(o, std::move(awaiting), &asked);
  std::vector<CallTrouble> found;
  for (std::vector<Term>& cycle : find_cycles(calls)) {
    if (found.size() == kMostCycles || !is_confirmed(o, cycle, calls)) continue;
    const Waiting& oldest = calls.at(cycle.front());
    found.push_back({std::move(cycle), kNone, 0, oldest.mark.age_ns, oldest.fields});
  }
  for (Chain& chain : find_chains(calls)) {
    if (found.size() >= 2 * kMostCycles || !is_warning(chain, calls)) continue;
    const Waiting& last = calls.at(chain.members.back());
    found.push_back(
        {std::move(chain.members), chain.end, chain.waiting, last.mark.age_ns, last.fields});
  }
  return found;
}

/// {"limit": 100}: so many calls, the oldest first, and chains, the longest first
std::string answer_calls(RequestContext& a) {
  const auto limit = static_cast<size_t>(a.request.number("limit", 100, 0, 1000));
  size_t all = 0, asked = 0;
  const std::vector<Term> found = candidates(a, &all);
  const Calls calls = find_calls(a.observer, found, &asked);
  JsonWriter& w = a.out;
  w.number("candidates", all).number("asked", asked).number("calls", calls.size());
  size_t warnings = write_cycles(a, calls);
  warnings += write_chains(a, calls, limit);
  w.number("warnings", warnings).array("rows");
  std::vector<Term> rows;
  for (const auto& [pid, _] : calls) rows.push_back(pid);
  std::sort(rows.begin(), rows.end(), [&](Term x, Term y) {
    const uint64_t one = calls.at(x).mark.age_ns, other = calls.at(y).mark.age_ns;
    return one != other ? one > other : x < y;
  });
  for (size_t k = 0; k < rows.size() && k < limit; ++k) {
    write_who(w.open('{'), a, rows[k]);
    w.raw(calls.at(rows[k]).fields).close('}');
  }
  w.close(']');
  return {};
}

}  // namespace wb
