#include "vm/core/vm.h"
#include "vm/process/time_watchers.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "base/allocator.h"
#include "base/cannot_start.h"
#include "loader/code_table.h"
#include "scheduler/reading.h"
#include "term/binary.h"
#include "term/owned_bytes.h"
#include "vm/core/clock.h"
#include "vm/core/settings.h"
#include "vm/process/event_log.h"
#include "vm/process/exec.h"
#include "vm/process/exit.h"
#include "vm/process/literal_collector.h"
#include "vm/process/run.h"
#include "vm/process/send.h"
#include "vm/process/signal.h"
#include "vm/process/suspensions.h"
#include "vm/process/table.h"
#include "vm/process/timers.h"

namespace wb {

static std::unique_ptr<Oracle> make_oracle(const VmOptions& o) {
  if (o.recording) return Oracle::recorded(*o.recording);
  return o.seed ? Oracle::seeded(*o.seed) : Oracle::live();
}

Vm::Vm(const VmOptions& o, VmHooks& h, const Word* handlers, uint32_t warm)
    : options(o),
      gc_stress(o.gc_stress),
      warm_calls(warm),
      hooks(&h),
      oracle(make_oracle(o)),
      settings(std::make_unique<Settings>()),
      clock(std::make_unique<Clock>(*oracle)),
      processes(std::make_unique<ProcessTable>(o.max_processes)),
      code(std::make_unique<CodeTable>(handlers)),
      host(std::make_unique<ProcessHost>(*this)) {
  instance.host = this;
  instance.poisons_freed = o.gc_stress;
  instance.is_repeatable = o.seed || o.recording;
  instance.memory_limit = o.max_memory;
  instance.recording = o.recording;
  instance.release = o.otp.number;
  instance.nodes.use_clock([](void* o) { return static_cast<Oracle*>(o)->now_ns(); }, oracle.get());
  if (o.on_fatal) instance.on_fatal = fail;
  processes->hooks = hooks;
  timers = std::make_unique<Timers>(*this);
  suspensions = std::make_unique<Suspensions>();
  time_watchers = std::make_unique<TimeWatchers>();
  constexpr int kFirstThatWarps = 26;
  if (o.otp.number >= kFirstThatWarps && !oracle->simulates()) clock->set_warp(TimeWarp::multi);
  Scheduler::Options s;
  s.workers = o.schedulers;
  s.dirty_cpu_threads = o.dirty_schedulers, s.dirty_io_threads = o.dirty_io_schedulers;
  s.oracle = oracle.get();
  s.stepped = o.stepped;
  scheduler = std::make_unique<Scheduler>(s, *host);
  time_watchers->begin(*this);
  code->use(scheduler.get());
  literals = std::make_unique<LiteralCollector>(*this);
  if (oracle->simulates() && !o.event_log.empty()) write_event_log(o.event_log);
  constructing.reset();
}
/// What needs others of these is gone already: ~Machine.
Vm::~Vm() {
  InstanceScope scope(instance);
  processes.reset();
}

void Vm::write_event_log(const std::string& path) {
  event_log = EventLog::open(*this, path);
  if (!event_log) cannot_start(("cannot write " + path).c_str(), errno);
  host->watch(ProcessHost::kLog, true);
  scheduler->worker(0).measures.store(1, std::memory_order_relaxed);  // signals are looked at
}

void Vm::start() {
  InstanceScope scope(instance);
  scheduler->start();
}

int Vm::wait() {
  empty_thread_cache();  // full of what loading and booting needed
  {
    std::unique_lock lock(end_lock_);
    end_.wait(lock, [&] { return ended_; });
  }
  if (failed()) return exit_code_;
  InstanceScope scope(instance);
  scheduler->stop();
  if (slogan_) hooks->write_crash_dump(*slogan_, dumped_by_);
  hooks->flush();
  return exit_code_;
}

void Vm::dump_at_end(std::string slogan, Term by) {
  std::lock_guard lock(end_lock_);
  if (!slogan_) slogan_ = std::move(slogan), dumped_by_ = by;
}

void Vm::halt(int code) {
  std::lock_guard lock(end_lock_);
  if (ended_) return;
  ended_ = true;
  exit_code_ = code;
  halting_.store(true, std::memory_order_release);
  scheduler->request_stop();
  end_.notify_all();
}

int Vm::exit_code() {
  std::lock_guard lock(end_lock_);
  return exit_code_;
}

/// On the thread that cannot go on: it may hold any lock of this machine.
void Vm::fail(void* self, int exit_code, const char* message) {
  Vm& vm = *static_cast<Vm*>(self);
  if (vm.failed_.exchange(true)) return;
  vm.options.on_fatal(vm, exit_code, message);
  vm.halt(exit_code);
}

int64_t Vm::now_us() {
  int64_t now = clock->system_ns() / 1000, before = last_now.load(), mine;
  do {
    mine = std::max(now, before + 1);
  } while (!last_now.compare_exchange_weak(before, mine));
  return mine;
}

uint64_t Vm::next_ref_number() {
  Worker* const here = scheduler->own_worker();
  if (WB_UNLIKELY(!here)) return ref_numbers_.take();
  return ref_numbers_.take(static_cast<Exec*>(here->context)->ref_numbers);
}
Term Vm::new_ref(Heap& h) { return make_ref(h, next_ref_number()); }

Term Vm::new_magic_ref(Heap& h, OffHeapObject* object, size_t bytes) {
  Term* p = h.alloc(5);
  p[0] = make_header(Kind::magic_ref, 4, owned_kib(bytes));
  p[1] = reinterpret_cast<Word>(object);
  p[3] = next_ref_number() | kMagicNumber;
  p[4] = 0;
  h.link_off_heap(p, bytes);
  return make_boxed(p);
}

uint64_t Vm::shown_address(const void* address) {
  if (!oracle->simulates()) return reinterpret_cast<uintptr_t>(address);
  constexpr uint64_t kApart = 16;
  std::lock_guard lock(shown_lock_);
  return shown_.try_emplace(address, kApart * (shown_.size() + 1)).first->second;
}

bool Vm::send(Term to, Term message, Process*) { return send_message(*this, to, message); }
bool Vm::is_alive(Term pid) {
  Reading reading(*scheduler);
  const Process* const p = processes->find(pid);
  return p && !p->exiting.load(std::memory_order_relaxed);
}

}  // namespace wb
