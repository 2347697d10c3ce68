// Warnings that processes are asked for, or are seen to deserve.
#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "scheduler/event_ring.h"
#include "scheduler/scheduler.h"
#include "term/print.h"
#include "vm/core/vm.h"
#include "vm/observe/makers.h"
#include "vm/observe/observer.h"
#include "vm/observe/process_report.h"
#include "vm/observe/request.h"
#include "vm/observe/table_scan.h"
#include "vm/observe/warnings.h"
#include "vm/process/event_log.h"
#include "vm/process/table.h"

namespace wb {
namespace {

constexpr size_t kMostSuspects = 50, kMostAsked = 200;
constexpr std::chrono::milliseconds kPatience{50};

std::string mib(uint64_t bytes) { return fmt::format("{:.1f} MiB", double(bytes) / (1 << 20)); }

}  // namespace

// --- what a process is asked ---------------------------------------------------------------------
/// From another place on each time, as not all can be asked.
void Warnings::find_suspects(uint64_t now) {
  constexpr uint64_t kSeldom = 4 * kSecond;
  const uint64_t cpu = o_.cpu_ns();
  suspects_.pass();
  to_ask_ = suspects_.some(Suspects::suspect, kMostSuspects, passes_);
  trouble_ = find_call_trouble(o_, suspects_.some(Suspects::awaiting, kMostAwaiting, passes_));
  ++passes_;
  next_pass_ns_ = now + std::clamp(100 * (o_.cpu_ns() - cpu), kApart, kSeldom);
}

/// Each may show several, of which the one that says most is told.
static std::pair<WarningKind, std::string> worst_of(const SuspectMark& m) {
  if (m.scanned)
    return {
        WarningKind::scanning_receive,
        fmt::format("its receive has passed over {} or more of {} messages", m.scanned, m.queue)};
  if (m.queue > kLongQueue)
    return {WarningKind::long_queue, fmt::format("{} messages wait in its queue", m.queue)};
  if (m.holds_large_binaries && m.used_is_known && m.used_bytes < m.binary_bytes / 2)
    return {WarningKind::small_slices,
            fmt::format("{} of {} binaries are kept, {} of that is used", mib(m.binary_bytes),
                        m.binaries, mib(m.used_bytes))};
  if (m.holds_large_binaries)
    return {WarningKind::large_binaries,
            fmt::format("{} of {} binaries, with a heap of {}", mib(m.binary_bytes), m.binaries,
                        mib(m.heap_bytes))};
  return {WarningKind::heap_limit, fmt::format("{} of the {} that its heap may have",
                                               mib(m.heap_bytes), mib(m.most_heap_bytes))};
}

/// Of what it has said.
static Warning warning_of(Term pid, const std::string& said) {
  SuspectMark mark;
  memcpy(&mark, said.data(), sizeof mark);
  const std::string place = said.substr(sizeof mark);
  const size_t end = place.find('\n');
  auto [kind, text] = worst_of(mark);
  Warning w(kind, pid, std::move(text), pid);
  w.function = place.substr(0, end), w.file = place.substr(end + 1), w.line = mark.line;
  return w;
}

/// Who has not answered when the time is up is heard at the next look.
void Warnings::ask_suspects() {
  std::vector<Term> fresh;
  for (Term pid : to_ask_) {
    if (asked_.size() + fresh.size() < kMostAsked && !asked_.contains(pid)) fresh.push_back(pid);
  }
  const std::vector<ProcessQuery*> queries =
      query_all(o_.vm(), o_.query_waiter, fresh, report_suspect, kPatience);
  for (size_t k = 0; k < fresh.size(); ++k) asked_[fresh[k]] = queries[k];
  std::erase_if(asked_, [&](const auto& asked) {
    ProcessQuery& q = *asked.second;
    const bool answers = q.state() == ProcessQuery::State::answered;
    if (answers && q.text.size() > sizeof(SuspectMark)) note(warning_of(asked.first, q.text));
    const bool over = q.state() != ProcessQuery::State::asked;
    if (over) q.drop();
    return over;
  });
}
void Warnings::forget_asked() {
  for (auto& [pid, query] : asked_) query->drop();
  asked_.clear();
}

/// As the last pass has found them.
void Warnings::find_call_warnings() {
  constexpr size_t kMostNames = 5;
  ReaderGuard guard(o_.vm().scheduler->progress());
  auto name_of = [&](Term pid) {
    std::string name = name_or_start(o_.vm(), pid);
    return name.empty() ? to_text(pid) : name;
  };
  for (const CallTrouble& t : trouble_) {
    const bool cycle = !is_value(t.end);
    std::string path;
    for (size_t k = 0; k < std::min(kMostNames, t.members.size()); ++k)
      path += name_of(t.members[k]) + " > ";
    if (t.members.size() > kMostNames) path += "... > ";
    path += name_of(cycle ? t.members.front() : t.end);
    path += fmt::format(", for {:.1f} s", static_cast<double>(t.age_ns) / 1e9);
    if (!cycle) path += fmt::format("; {} wait for it", t.waiting);
    Warning w{cycle ? WarningKind::call_cycle : WarningKind::call_chain,
              cycle ? *std::ranges::min_element(t.members) : t.end, std::move(path),
              cycle ? t.members.front() : t.end};
    w.other = cycle ? t.members[1 % t.members.size()] : t.members.back();
    ObserverRequest call;
    std::string error;
    if (call.parse('{' + t.call + '}', &error)) {
      w.function = call.text("call_fn"), w.file = call.text("call_file");
      w.line = static_cast<uint32_t>(call.number("call_line", 0, 0, INT32_MAX));
    }
    note(std::move(w));
  }
}

// --- what a process is seen to do ----------------------------------------------------------------
namespace {

/// Time by label, as a share of that from `begin` to `end`, of what one worker did.
void add_shares(const std::vector<Event>& events, const EventClock& clock, uint64_t begin,
                uint64_t end, std::unordered_map<uint64_t, double>* shares) {
  uint64_t slice = 0;  // its time so far: what happens in the middle of it is an event, too
  for (size_t k = 1; k < events.size(); ++k) {
    const uint64_t from = std::max(clock.to_ns(events[k - 1].ticks), begin);
    const uint64_t to = std::min(clock.to_ns(events[k].ticks), end);
    if (to <= from) continue;
    slice += to - from;
    switch (events[k].kind) {
      case EventKind::parked:
      case EventKind::requeued:
      case EventKind::gone:
        (*shares)[events[k].argument] +=
            static_cast<double>(slice) / static_cast<double>(end - begin);
        slice = 0;
        break;
      case EventKind::asleep:
      case EventKind::awake:
      case EventKind::stolen:
      case EventKind::timers:
      case EventKind::io:
        slice = 0;
        break;
      default:
        break;
    }
  }
}

}  // namespace

void Warnings::find_busy(uint64_t now) {
  constexpr uint32_t kMany = 100;
  constexpr double kMuch = 0.6;
  Scheduler& s = *o_.vm().scheduler;
  if (o_.vm().processes->count() < kMany) return;
  const EventClock clock = s.event_clock();
  workers_.resize(s.all_worker_count());
  std::unordered_map<uint64_t, double> shares;
  for (uint32_t i = 0; i < workers_.size(); ++i) {
    WorkerTime& w = workers_[i];
    const std::vector<Event> events = s.worker(i).events.snapshot();
    if (events.empty()) continue;
    // What has begun since its last event is known when it ends.
    const bool sleeps = events.back().kind == EventKind::asleep;
    const uint64_t end = sleeps ? now : clock.to_ns(events.back().ticks);
    if (end > w.until_ns) {
      w.shares.clear();
      add_shares(events, clock, std::exchange(w.until_ns, end), end, &w.shares);
    }
    for (const auto& [label, share] : w.shares) shares[label] += share;
  }
  for (const auto& [label, share] : shares) {
    if (share < kMuch) continue;
    const Term pid = pid_of_label(label);
    Warning w{WarningKind::does_not_rest, pid,
              fmt::format("it has had {:.0f} % of a scheduler, among {} processes",
                          std::min(share, 1.0) * 100, o_.vm().processes->count()),
              pid};
    ReaderGuard guard(s.progress());
    const Process* p = o_.vm().processes->find(pid);
    if (!p || p->system) continue;
    w.function = o_.scan.function_name(p->resume, p->initial_call);
    note(std::move(w));
  }
}

}  // namespace wb
