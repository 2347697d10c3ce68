// hello, home, schedulers, events: the machine as a whole.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <unordered_set>

#include "base/live_bytes.h"
#include "base/memory_limit.h"
#include "loader/code_table.h"
#include "term/external.h"
#include "term/print.h"
#include "vm/core/clock.h"
#include "vm/core/memory_use.h"
#include "vm/core/vm.h"
#include "vm/ets/persistent_terms.h"
#include "vm/ets/tables.h"
#include "vm/jit/baseline.h"
#include "vm/observe/json.h"
#include "vm/observe/makers.h"
#include "vm/observe/observer.h"
#include "vm/observe/request.h"
#include "vm/port/ports.h"
#include "vm/process/run.h"
#include "vm/process/table.h"

namespace wb {
namespace {

struct Probe {
  const char* name;
  const char* group;
  const char* text;
  Counter WorkerCounters::* counter;
  bool largest;
  bool is_time() const { return std::string_view(name).ends_with("_ticks"); }
  /// Ticks are shown as nanoseconds.
  std::string key() const {
    std::string k = name;
    return is_time() ? k.substr(0, k.size() - 5) + "ns" : k;
  }
};
constexpr Probe kProbes[] = {
#define PROBE(group, name, text) {#name, #group, text, &WorkerCounters::name, false},
#define PROBE_MAX(group, name, text) {#name, #group, text, &WorkerCounters::name, true},
#include "scheduler/probes.def"
#undef PROBE
};

uint64_t in_ns(const EventClock& clock, uint64_t ticks) {
  return clock.to_ns(clock.ticks0 + ticks) - clock.to_ns(clock.ticks0);
}

void write_counters(JsonWriter& w, Vm& vm, uint32_t from, uint32_t to) {
  EventClock clock = vm.scheduler->event_clock();
  w.object("counters");
  for (const Probe& probe : kProbes) {
    uint64_t all = 0;
    for (uint32_t i = from; i < to; ++i) {
      uint64_t n = (vm.scheduler->worker(i).counters.*probe.counter).value();
      all = probe.largest ? std::max(all, n) : all + n;
    }
    w.number(probe.key(), probe.is_time() ? in_ns(clock, all) : all);
  }
  w.close('}');
}

uint64_t microseconds(const timeval& t) {
  return static_cast<uint64_t>(t.tv_sec) * 1'000'000 + static_cast<uint64_t>(t.tv_usec);
}

void write_system(JsonWriter& w) {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  w.object("os").number("resident", resident_bytes()).number("memory_limit", memory_limit());
  w.number("user_us", microseconds(use.ru_utime)).number("system_us", microseconds(use.ru_stime));
  w.number("cores", sysconf(_SC_NPROCESSORS_ONLN)).close('}');
}

void write_memory(JsonWriter& w, Vm& vm) {
  MemoryUse u = memory_use(vm);
  w.object("memory").number("heaps", u.heaps).number("binaries", u.binaries);
  const auto persistent = static_cast<int64_t>(vm.persistent_terms->words() * sizeof(Term));
  w.number("tables", u.tables).number("timers", u.timers);
  w.number("atoms", u.atoms).number("code", u.code).number("persistent_terms", persistent);
  w.number("other", std::max<int64_t>(u.other - u.atoms - u.code - persistent, 0));
  w.number("total", u.heaps + u.binaries + u.tables + u.timers + u.other).close('}');
}

void write_count(JsonWriter& w, const char* name, uint64_t now, uint64_t limit = 0) {
  w.object(name).number("now", now);
  if (limit) w.number("limit", limit);
  w.close('}');
}

void write_counts(JsonWriter& w, Vm& vm) {
  w.object("counts");
  w.object("processes").number("now", vm.processes->count()).number("limit", vm.processes->limit());
  w.number("peak", vm.processes->peak()).close('}');
  write_count(w, "atoms", atom_count(), atom_limit());
  write_count(w, "ports", vm.ports->count(), vm.ports->limit());
  write_count(w, "tables", vm.ets->count());
  write_count(w, "modules", vm.code->loaded_modules().size());
  write_count(w, "persistent_terms", vm.persistent_terms->count());
  write_count(w, "binaries",
              static_cast<uint64_t>(std::max<int64_t>(live_bytes(Live::binary_count), 0)));
  uint64_t timers = 0;
  for (uint32_t i = 0; i < vm.scheduler->worker_count(); ++i) {
    timers += vm.scheduler->worker(i).timer_count();
  }
  write_count(w, "timers", timers);
  w.close('}');
}

void write_dirty(JsonWriter& w, const char* name, DirtyPool& pool) {
  DirtyPool::Use use = pool.use();
  w.object(name).number("threads", use.threads).number("online", use.online);
  w.number("running", use.running).number("waiting", use.waiting);
  w.number("done", use.done).close('}');
}
void write_dirty_pools(JsonWriter& w, Scheduler& s) {
  w.object("dirty");
  write_dirty(w, "cpu", s.dirty(DirtyKind::cpu));
  write_dirty(w, "io", s.dirty(DirtyKind::io));
  w.close('}');
}

void write_scheduler(JsonWriter& w, Worker& worker, uint32_t number) {
  w.open('{').number("number", number).number("active_ns", worker.active_ns());
  w.boolean("asleep", worker.asleep()).boolean("online", worker.online());
  w.number("queue", worker.queue_length()).number("timers", worker.timer_count());
  RunQueue::Lengths lengths = worker.queue_lengths();
  w.object("queues").number("max", lengths.of[Runnable::kMax]);
  w.number("high", lengths.of[Runnable::kHigh]).number("normal", lengths.of[Runnable::kNormal]);
  w.number("low", lengths.of[Runnable::kLow]).close('}');
}

/// [[below so many nanoseconds, how often], ...]
void write_times(JsonWriter& w, const char* name, const Histogram& h, const EventClock& clock) {
  w.array(name);
  for (uint32_t k = 0; k < Histogram::kBuckets; ++k) {
    uint64_t n = h.count(k);
    if (n) w.open('[').number(in_ns(clock, uint64_t{1} << k)).number(n).close(']');
  }
  w.close(']');
}
/// Where it took work, and where its runnables had run before: numbers by scheduler.
void write_origins(JsonWriter& w, Scheduler& s, const Worker& worker) {
  w.array("taken_from");
  for (uint32_t i = 0; i < s.worker_count(); ++i) w.number(worker.taken_from(i));
  w.close(']').array("came_from");
  for (uint32_t i = 0; i < s.worker_count(); ++i) w.number(worker.came_from(i));
  w.close(']');
}

uint64_t uptime_ns(Vm& vm) {
  return static_cast<uint64_t>(vm.clock->monotonic_ns() - Clock::kStart);
}

}  // namespace

std::string answer_hello(RequestContext& a) {
  a.connection.acts = a.request.boolean("actions", false) && a.observer.actions_allowed();
  JsonWriter& w = a.out;
  w.number("protocol", Observer::kProtocol).text("whitebeam", WB_VERSION);
  w.number("pid", getpid()).text("program", a.observer.program());
  w.text("node", atom_text(local_node().name)).boolean("actions", a.connection.acts);
  w.number("schedulers", a.vm.scheduler->worker_count());
  w.number("started_ms", (a.vm.clock->system_ns() - int64_t(uptime_ns(a.vm))) / 1'000'000);
  w.object("requests");
#define REQUEST(name, what) w.text(#name, what);
#include "vm/observe/requests.def"
#undef REQUEST
  w.close('}').object("counters");
  for (const Probe& probe : kProbes) w.text(probe.key(), probe.text);
  w.close('}');
  return {};
}

uint64_t write_home(JsonWriter& w, Observer& observer) {
  Vm& vm = observer.vm();
  Scheduler& s = *vm.scheduler;
  const auto time_ms = static_cast<uint64_t>(vm.clock->os_system_ns() / 1'000'000);
  w.number("time_ms", time_ms).number("uptime_ns", uptime_ns(vm));
  write_system(w);
  write_memory(w, vm);
  write_counts(w, vm);
  w.array("schedulers");
  for (uint32_t i = 0; i < s.worker_count(); ++i) {
    write_scheduler(w, s.worker(i), i + 1);
    w.close('}');
  }
  w.close(']');
  write_dirty_pools(w, s);
  write_counters(w, vm, 0, s.all_worker_count());
  const ObserverCost& cost = observer.cost;
  w.object("observer").number("cpu_ns", observer.cpu_ns()).number("requests", cost.requests);
  w.number("bytes_out", cost.bytes_out).number("last_request_ns", cost.last_request_ns);
  w.number("memory", observer.memory());
  w.number("connections", observer.connection_count()).close('}');
  return time_ms;
}

std::string answer_home(RequestContext& a) {
  write_home(a.out, a.observer);
  return {};
}

std::string answer_schedulers(RequestContext& a) {
  a.observer.measure(a.connection);
  Scheduler& s = *a.vm.scheduler;
  a.out.number("uptime_ns", uptime_ns(a.vm)).array("schedulers");
  for (uint32_t i = 0; i < s.all_worker_count(); ++i) {
    write_scheduler(a.out, s.worker(i), i + 1);
    a.out.boolean("dedicated", i >= s.worker_count());
    write_counters(a.out, a.vm, i, i + 1);
    write_times(a.out, "wakeups", s.worker(i).wakeup_times, s.event_clock());
    write_times(a.out, "waits", s.worker(i).wait_times, s.event_clock());
    write_times(a.out, "pauses", s.worker(i).pause_times, s.event_clock());
    write_origins(a.out, s, s.worker(i));
    a.out.close('}');
  }
  a.out.close(']');
  write_dirty_pools(a.out, s);
  a.out.number("watched_descriptors", s.watched_fds());
  return {};
}

// --- events --------------------------------------------------------------------------------------
namespace {
/// Events that name a process have its number in the argument (run.h, event_label).
bool names_process(EventKind kind) {
  switch (kind) {
    case EventKind::parked:
    case EventKind::requeued:
    case EventKind::gone:
    case EventKind::spawn:
    case EventKind::collect_begin:
    case EventKind::native_begin:
    case EventKind::native_end:
      return true;
    case EventKind::stolen:
    case EventKind::woke:
    case EventKind::asleep:
    case EventKind::awake:
    case EventKind::timers:
    case EventKind::io:
    case EventKind::collect_end:
    case EventKind::load:
    case EventKind::compile:
      return false;
  }
}
}  // namespace

/// Processes that an answer is about, by the numbers in events.
using Labels = std::unordered_set<uint64_t>;

/// Those that were taken after `since`: [ns, from, to, how many together]
static void write_messages(JsonWriter& w, Scheduler& s, const EventClock& clock, uint64_t since,
                           Labels* labels) {
  w.array("messages");
  for (uint32_t i = 0; i < s.all_worker_count(); ++i) {
    for (const auto& [number, flow] : s.worker(i).flows.snapshot()) {
      uint64_t ns = clock.to_ns(flow.ticks);
      if (ns <= since) continue;
      labels->insert(flow.from), labels->insert(flow.to);
      w.open('[').number(ns).text(to_text(pid_of_label(flow.from)));
      w.text(to_text(pid_of_label(flow.to))).number(flow.count).close(']');
    }
  }
  w.close(']');
}

/// [pid, name]: what they are called.
static void write_names(JsonWriter& w, Vm& vm, const Labels& labels) {
  constexpr size_t kMostNames = 2000;
  size_t n = 0;
  ReaderGuard guard(vm.scheduler->progress());
  w.array("names");
  for (uint64_t label : labels) {
    if (n++ == kMostNames) break;
    const Term pid = pid_of_label(label);
    const std::string name = name_or_start(vm, pid);
    if (!name.empty()) w.open('[').text(to_text(pid)).text(name).close(']');
  }
  w.close(']');
}

/// Where a reader goes on: the newest event is given again while its end may still move.
static uint64_t next_event(const EventRing& ring, const std::vector<Event>& events) {
  if (events.empty()) return ring.recorded();
  const Event& newest = events.back();
  return newest.number + (newest.kind != EventKind::requeued);
}

/// {"from": [the number of the first event wanted, a scheduler each], "most": N}
std::string answer_events(RequestContext& a) {
  constexpr size_t kMost = 20000;
  a.observer.measure(a.connection);
  Scheduler& s = *a.vm.scheduler;
  const std::vector<double>& from = a.request.numbers("from");
  auto most = static_cast<size_t>(a.request.number("most", kMost, 1, kMost));
  EventClock clock = s.event_clock();
  JsonWriter& w = a.out;
  w.number("now_ns", clock.ns1).array("kinds");
#define EVENT(name, what, argument) w.text(#name);
#include "scheduler/events.def"
#undef EVENT
  w.close(']').array("schedulers");
  Labels labels;
  for (uint32_t i = 0; i < s.all_worker_count(); ++i) {
    EventRing& ring = s.worker(i).events;
    uint64_t first = i < from.size() && from[i] > 0 ? static_cast<uint64_t>(from[i]) : 0;
    std::vector<Event> events = ring.snapshot(first);
    size_t skip = events.size() > most ? events.size() - most : 0;
    bool lost = skip || (!events.empty() && events.front().number > first);
    w.open('{').number("next", next_event(ring, events)).boolean("lost", lost);
    w.array("events");
    for (size_t k = skip; k < events.size(); ++k) {
      const Event& e = events[k];
      w.open('[').number(clock.to_ns(e.ticks)).number(static_cast<int>(e.kind));
      if (names_process(e.kind)) {
        w.text(to_text(pid_of_label(e.argument)));
        labels.insert(e.argument);
      } else if (e.kind == EventKind::load) {
        w.text(atom_text(make_atom(static_cast<uint32_t>(e.argument))));
      } else {
        w.number(e.argument);
      }
      w.close(']');
    }
    w.close(']').close('}');
  }
  w.close(']');
  write_messages(w, s, clock,
                 static_cast<uint64_t>(a.request.number("messages_since_ns", 0, 0, INT64_MAX)),
                 &labels);
  write_names(w, a.vm, labels);
  return {};
}

}  // namespace wb
