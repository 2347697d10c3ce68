#include "vm/explore/explorer.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/exit_codes.h"
#include "loader/code_table.h"
#include "scheduler/scheduler.h"
#include "scheduler/timer_wheel.h"
#include "term/print.h"
#include "vm/explore/races.h"
#include "vm/explore/story.h"
#include "vm/machine/machine.h"
#include "vm/port/socket_operations.h"
#include "vm/process/native.h"
#include "vm/process/signal.h"
#include "vm/process/table.h"

namespace wb {
namespace {

constexpr uint64_t kInARow = 200;  // steps of one process, then others get a turn
constexpr uint64_t kSettleSteps = 5'000, kSettleNs = 60'000'000'000;
constexpr uint64_t kReadyNs = 10'000'000'000;  // services alone, before a run
constexpr uint64_t kHopelessSteps = 10'000;
constexpr uint64_t kHopelessNs = 3'600'000'000'000;  // services alone, while somebody is awaited
constexpr PrintOptions kBrief = {.strings = true, .limit = 200};

Explorer& explorer_of(const Process& p) { return static_cast<Explorer&>(points_of(*p.exec)); }

Term explored_call(Process& p, const Term* a) { return explorer_of(p).call(p, a); }
Term explored_exit(Process& p, const Term* a) { return explorer_of(p).ends(p, a); }

Process& process_of(Runnable* r) { return *static_cast<Process*>(r); }

/// Is this call an operation, or does nobody else see it? It is at oneself, or at a socket.
bool is_private(const Process& p, const Export& e, const Term* a, bool looks) {
  if (looks && e.arity && a[0] == p.id) return true;
  if (e.function != am::port_control) return false;
  const std::optional<SocketOperation> operation = socket_operation(a[1]);
  return operation && !reaches_others(*operation);
}

}  // namespace

std::string masked(std::string_view text) {
  std::string out;
  for (size_t k = 0; k < text.size(); ++k) {
    const char c = text[k];
    if (c == '<' && k + 1 < text.size() && isdigit(text[k + 1])) {
      const size_t end = text.find('>', k);
      if (end != std::string_view::npos) {
        out += "<pid>", k = end;
        continue;
      }
    }
    if (text.substr(k).starts_with("#Ref<")) {
      const size_t end = text.find('>', k);
      if (end != std::string_view::npos) {
        out += "#Ref<>", k = end;
        continue;
      }
    }
    const bool in_word = !out.empty() && (isalnum(out.back()) || out.back() == '_');
    if (isdigit(c) && !in_word) {
      while (k + 1 < text.size() && (isdigit(text[k + 1]) || text[k + 1] == '.')) ++k;
      out += 'N';
    } else {
      out += c;
    }
  }
  return out;
}

Explorer::Explorer(Machine& vm) : Outside(FaultSet()), vm_(vm) {
  clock_.path = "clock";
  put_points();
  vm_.oracle->follow(this);
}
Explorer::~Explorer() { vm_.oracle->follow(nullptr); }

void Explorer::put_points() {
  auto put = [&](const char* module, const char* name, uint32_t arity, bool looks) {
    Export* e = vm_.code->find_export(intern(module), intern(name), arity);
    if (!e || !e->bif) return;  // of another release
    operations_[e] = {e->bif, looks};
    e->body.store(BifFn(explored_call).address(), std::memory_order_relaxed);
  };
#define OPERATION(module, name, arity) put(module, name, arity, false);
#define LOOK(module, name, arity) put(module, name, arity, true);
#include "vm/explore/operations.def"
  Export* e = vm_.code->find_export(intern("whitebeam"), am::exit, 1);
  exit_body_ = e->bif;
  e->body.store(BifFn(explored_exit).address(), std::memory_order_relaxed);
}

void Explorer::begin(Strategy& strategy, const RunLimits& limits, Story* story, Races* races,
                     bool records) {
  strategy_ = &strategy, limits_ = limits, story_ = story, races_ = races, records_ = records;
  seen_fired_ = timers_fired();
  changes_files = false;
}
Party& Explorer::add_party(Term pid, std::string path) {
  auto party = std::make_unique<Party>();
  party->pid = pid, party->path = std::move(path);
  return *(parties_[pid] = std::move(party));
}
void Explorer::started(Term main) {
  add_party(main, "main");
  for (size_t k = 0; k < others_.size(); ++k)
    add_party(others_[k], fmt::format("app.{}", k + 1)).stays = true;
  last_play_ = vm_.oracle->now_ns();
  begun_ = true;
}

bool Explorer::is_of_program(const Process& p) const {
  auto found = parties_.find(p.id);
  return found != parties_.end() && !found->second->service;
}
bool Explorer::is_temporary(const Process& p) const {
  return is_of_program(p) && !parties_.at(p.id)->stays;
}
std::string Explorer::path_of(Term pid) const {
  auto found = parties_.find(pid);
  return found == parties_.end() ? std::string() : found->second->path;
}

/// Whoever comes from a process of the program is one.
Party& Explorer::party_of(Process& p) {
  auto& party = parties_[p.id];
  if (party) return *party;
  party = std::make_unique<Party>();
  party->pid = p.id;
  auto parent = parties_.find(p.parent);
  party->service = p.system || parent == parties_.end() || parent->second->service;
  party->stays = !party->service && parent->second->stays;
  if (!party->service)
    party->path = fmt::format("{}.{}", parent->second->path, ++parent->second->children);
  if (races_ && !party->service) races_->spawned(*party, *parent->second);
  return *party;
}

uint64_t Explorer::timers_fired() const {
  return vm_.scheduler->worker(0).counters.timers_fired.value();
}

void Explorer::stop(End end) {
  if (end_ == End::none) end_ = end;
  vm_.halt(exit_code_);
}

// --- who is next ---------------------------------------------------------------------------------
Runnable* Explorer::next(std::span<Runnable* const> waiting) {
  if (!begun_) look_whether_ready();
  bool plays = false;
  for (Runnable* r : waiting) {
    const Party& party = party_of(process_of(r));
    if (party.service) return next_service(r);
    plays |= !party.stays;
  }
  if (!begun_ || end_ != End::none) return waiting.front();
  if (plays) last_play_ = vm_.oracle->now_ns(), services_in_a_row_ = 0;
  if (!plays && !settling_ && is_hopeless()) {
    stop(End::deadlock);
    return waiting.front();
  }
  if (settling_) {
    if (++settling_steps_ > kSettleSteps || vm_.oracle->now_ns() > settles_until_)
      stop(End::returned);
    Process& p = process_of(waiting.front());
    return grant(p, party_of(p));
  }
  return play(waiting);
}

void Explorer::settles(Term awaited) {
  awaited_ = awaited;
  ready_at_ = vm_.oracle->now_ns() + (awaited == kNone ? kReadyNs : kHopelessNs);
}
void Explorer::look_whether_ready() {
  const uint64_t now = vm_.oracle->now_ns();
  if (awaited_ != kNone && !vm_.processes->find(awaited_)) settles(kNone);
  if (now >= ready_at_) vm_.scheduler->request_stop();
}

/// Services, and processes that were there before, may work by timers for ever: that keeps a
/// program from being stuck, and is no help to it.
bool Explorer::is_hopeless() {
  ++services_in_a_row_;
  const uint64_t now = vm_.oracle->now_ns(), alone = now - std::min(now, last_play_);
  return alone > kHopelessNs || (services_in_a_row_ > kHopelessSteps && alone > kSettleNs);
}
Runnable* Explorer::next_service(Runnable* service) {
  if (begun_ && end_ == End::none) {
    if (settling_ && vm_.oracle->now_ns() > settles_until_) stop(End::returned);
    if (!settling_ && is_hopeless()) stop(End::deadlock);
  }
  return service;
}

Runnable* Explorer::grant(Process& p, Party& party) {
  if (party.held) party.granted = true;
  party.held = party.queued = false;
  party.last_step = steps_;
  return &p;
}

/// Those of the highest priority, and the clock.
void Explorer::gather(std::span<Runnable* const> waiting) {
  runnable_.clear(), candidates_.clear();
  const uint64_t now = vm_.oracle->now_ns();
  const bool urgent = waiting.front()->effective_priority() > Runnable::kNormal;
  for (Runnable* r : waiting) {
    Party& party = party_of(process_of(r));
    if (!party.queued) party.queued = true, party.can_run_since = now;
    if (urgent && r->effective_priority() != waiting.front()->effective_priority()) continue;
    runnable_.push_back(&process_of(r));
    candidates_.push_back(&party);
  }
}

bool Explorer::may_move_clock(std::span<Runnable* const> waiting) {
  if (deadline_ == TimerWheel::kNever) return false;
  for (Runnable* r : waiting) {
    const uint64_t since = party_of(process_of(r)).can_run_since;
    if (deadline_ > since && deadline_ - since > limits_.patience_ns) return false;
  }
  return true;
}

/// Whoever ran goes on, unless it polls or has run for long; else the first in the queue.
size_t Explorer::usual_of(std::span<Party* const> candidates) const {
  const size_t processes = candidates.size() - candidates.back()->is_clock();
  auto last = std::ranges::find(candidates, last_);
  if (last != candidates.end() && !(*last)->polls && in_a_row_ < kInARow)
    return static_cast<size_t>(last - candidates.begin());
  for (size_t k = 0; k < processes; ++k) {
    if (candidates[k] != last_) return k;
  }
  return 0;
}

/// Since the last step: timers that fired because nobody could run, and the end of who ran.
void Explorer::note_what_came() {
  if (last_ && !vm_.processes->find(last_->pid)) races_->died(*last_);
  if (timers_fired() != seen_fired_ && !moving_)
    races_->step(clock_, switches_.size(), nullptr, {});
  seen_fired_ = timers_fired();
}

Runnable* Explorer::play(std::span<Runnable* const> waiting) {
  if (moving_ && timers_fired() == fired_ && may_move_clock(waiting)) {
    vm_.oracle->idle_until(deadline_);  // a slot of the wheel without a timer that is due
    return nullptr;
  }
  if (races_) note_what_came();
  moving_ = false;
  if (++steps_ > limits_.steps) {
    too_long(waiting);
    return waiting.front();
  }
  gather(waiting);
  const bool fair = steps_ > limits_.steps / 2;
  if (!fair && may_move_clock(waiting)) candidates_.push_back(&clock_);
  size_t chosen = 0;
  const size_t before = switches_.size();
  const bool has_choice = candidates_.size() > 1 && !fair;
  if (has_choice) {
    spot_ = {last_ ? last_->path : "", last_ ? last_->operations : 0, 0};
    spot_.turn = (last_ ? *last_ : clock_).next_turn();
    Choice choice{candidates_, usual_of(candidates_), last_, spot_};
    chosen = strategy_->choose(choice);
    ++choices_;
    if (records_ && chosen != choice.usual) switches_.push_back({spot_, candidates_[chosen]->path});
    if (story_ && chosen != choice.usual) story_->switches({spot_, candidates_[chosen]->path});
  }
  Party& party = *candidates_[chosen];
  if (races_) races_->step(party, before, has_choice ? &spot_ : nullptr, candidates_);
  if (party.is_clock()) {
    if (story_) story_->clock_moves(deadline_ - std::min(deadline_, vm_.oracle->now_ns()));
    moving_ = true, fired_ = timers_fired();
    vm_.oracle->idle_until(deadline_);
    return nullptr;
  }
  in_a_row_ = &party == last_ ? in_a_row_ + 1 : 0;
  last_ = &party;
  return grant(*runnable_[chosen], party);
}

/// Did somebody never get a turn although all had one who could?
void Explorer::too_long(std::span<Runnable* const> waiting) {
  for (Runnable* r : waiting) {
    const Party& party = party_of(process_of(r));
    if (party.last_step < limits_.steps / 2) starving_ = party.path;
  }
  stop(starving_.empty() ? End::endless : End::starvation);
}

bool Explorer::stuck(Worker&) {
  if (!begun_) {
    vm_.scheduler->request_stop();  // all that was to be started has
    return true;
  }
  stop(settling_ ? End::returned : End::deadlock);
  return true;
}

// --- the outside ---------------------------------------------------------------------------------
std::optional<Fault> Explorer::choose(const OutsidePlace& place, std::span<const Fault> possible) {
  if (!begun_ || settling_ || end_ != End::none) return std::nullopt;
  const Spot here{place.what, place.nth, 0};
  const std::optional<Fault> fault = strategy_->fault(here, possible);
  for (Fault other : possible) {
    if (races_ && other != fault) races_->could(switches_.size(), {here, fault_name(other)});
  }
  if (!fault) return fault;
  if (races_) races_->went_wrong({here, fault_name(*fault)});
  if (records_) switches_.push_back({here, fault_name(*fault)});
  if (story_) story_->goes_wrong(place, *fault);
  return fault;
}

// --- points --------------------------------------------------------------------------------------
/// Is it to wait for its turn? Who looks again where it has looked before, with nothing else done
/// meanwhile, polls.
bool Explorer::hold(Exec& c, Party& q, const Word* I, bool looks) {
  if (q.service || !begun_ || end_ != End::none) return false;
  if (!q.granted && (c.worker->queue_length() || c.worker->timer_count())) {
    q.held = true, q.polls = looks && q.looked_at == I;
    return true;
  }
  if (!q.granted && ++steps_ > limits_.steps && !settling_) {
    stop(End::endless);
    q.held = true;
    return true;
  }
  q.granted = q.polls = false;
  q.looked_at = looks ? I : nullptr;
  ++q.operations;
  return false;
}

bool Explorer::before(Exec& c, const Word* I, PointKind kind) {
  Process& p = *c.p;
  Party& q = party_of(p);
  if (hold(c, q, I, kind == PointKind::poll)) return true;
  if (q.service) return false;
  if (races_ && !settling_) {
    if (kind == PointKind::send) races_->sends(p, c.x[0], c.x[1]);
    if (kind == PointKind::poll) races_->polls(p);
    if (kind == PointKind::end) races_->ends(p);
  }
  if (story_) {
    if (kind == PointKind::send) story_->sends(p, I, c.x[0], c.x[1]);
    if (kind == PointKind::end) story_->ends(p, I);
  }
  if (kind == PointKind::end && p.id == vm_.main_pid) {
    for (const Signal* s = p.messages; s; s = s->next)
      left_by_main_.push_back(to_text(s->term, kBrief));
  }
  return false;
}
void Explorer::takes(Exec& c, const Word* I, const Signal& message) {
  Party& q = party_of(*c.p);
  q.granted = q.polls = false;
  if (races_ && !q.service && !settling_) races_->takes(*c.p, message.term);
  if (story_ && !q.service) story_->takes(*c.p, I, message.term);
}
void Explorer::times_out(Exec& c, const Word* I) {
  const bool counts = !party_of(*c.p).service;
  if (races_ && counts && !settling_) races_->polls(*c.p);
  if (story_ && counts) story_->times_out(*c.p, I);
}

Term Explorer::call(Process& p, const Term* a) {
  const Word* I = p.exec->pc;
  const auto* e = reinterpret_cast<const Export*>(I[1]);
  const Operation& operation = operations_.at(e);
  Party& q = party_of(p);
  const auto body = reinterpret_cast<BifFn::Body>(operation.body);
  if (is_private(p, *e, a, operation.looks)) return body(p, a);
  if (hold(*p.exec, q, I, operation.looks)) return kYield;
  if (races_ && !q.service && !settling_) races_->calls(p, *e, a);
  if (!story_ || q.service) return body(p, a);
  Story::Call call = story_->begins_call(p, I, *e, a);
  Term r = body(p, a);
  story_->ends_call(p, std::move(call), r);
  return r;
}

Term Explorer::ends(Process& p, const Term* a) {
  exit_code_ = is_small(a[0]) ? static_cast<int>(small_value(a[0]) & 255) : 0;
  const bool main_is_gone = !vm_.processes->find(vm_.main_pid);
  if (!begun_ || !main_is_gone || exit_code_ != 0) {
    if (end_ == End::none) end_ = End::halted;
    return reinterpret_cast<BifFn::Body>(exit_body_)(p, a);
  }
  settling_ = true;
  settles_until_ = vm_.oracle->now_ns() + kSettleNs;
  return am::ok;
}

}  // namespace wb
