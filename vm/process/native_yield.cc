#include "vm/process/native_yield.h"

#include <sched.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>

#include "bytecode/instructions.h"
#include "loader/code_table.h"
#include "scheduler/spin_lock.h"
#include "vm/core/settings.h"
#include "vm/core/vm.h"
#include "vm/process/exec.h"
#include "vm/process/extra.h"
#include "vm/process/info.h"
#include "vm/process/interrupt.h"
#include "vm/process/run.h"
#include "vm/process/signal.h"
#include "vm/process/slices.h"

namespace wb {
namespace {

constexpr size_t kMaxFibers = 1024;  // a worker
constexpr size_t kMaxIdle = 32;      // a boot reads as many files at once

/// How long native work runs before it gives way, whatever it has been charged.
constexpr uint64_t kNativeSliceNs = 100'000;

/// Work that takes less is worth waiting for, so long: about what it takes to wake a thread. If
/// that was in vain so often it is only tried now and then.
constexpr uint64_t kBriefNs = 5'000, kAwhileNs = 60'000;
constexpr uint32_t kTries = 4, kNowAndThen = 256;

/// The native code goes on although the machine stops: it must come to its end at once.
constexpr int64_t kNoReductions = INT64_MIN / 2;

}  // namespace

// --- stacks --------------------------------------------------------------------------------------
Fibers::~Fibers() {
  while (Fiber* f = idle_) {
    idle_ = f->next;
    if (f != &own_) delete f;
  }
}

void Fibers::switch_fiber(Fiber& to) { std::exchange(current_, &to)->switch_to(to); }

void Fibers::main(void* self) {
  auto& fibers = *static_cast<Fibers*>(self);
  fibers.worker_.serve_on_new_stack();
  fibers.put_idle(*fibers.current_);
  fibers.switch_fiber(fibers.own_);
}

void Fibers::put_idle(Fiber& fiber) {
  fiber.next = idle_;
  idle_ = &fiber;
  ++idle_count_;
}

Fiber* Fibers::take_fiber() {
  if (Fiber* f = idle_) {
    idle_ = f->next;
    --idle_count_;
    return f;
  }
  if (made_ >= kMaxFibers) return nullptr;
  Fiber* f = Fiber::make(main, this);
  made_ += f != nullptr;
  return f;
}

void Fibers::yield_to(YieldedCall& call, Fiber& next) {
  call.fiber = current_;
  call.link = &yielded_;
  call.next = yielded_;
  if (yielded_) yielded_->link = &call.next;
  yielded_ = &call;
  switch_fiber(next);
  *call.link = call.next;
  if (call.next) call.next->link = call.link;
}

void Fibers::resume_call(YieldedCall& call) {
  // One that is idle too long is given back, but not the one we are on.
  if (idle_count_ >= kMaxIdle && idle_ != &own_) {
    delete take_fiber();
    --made_;
  }
  put_idle(*current_);
  switch_fiber(*call.fiber);
}

void Fibers::unwind() {
  while (yielded_) switch_fiber(*yielded_->fiber);
}

// --- yielding ------------------------------------------------------------------------------------
namespace {

struct DirtyWork : DirtyJob {
  enum class State : uint8_t {
    awaited,  ///< its process waits where it stands
    left,     ///< its process has yielded, and wants a signal
    finished
  };
  void (*work)(void*);
  void* argument;
  Process* process;
  DirtyKind kind;
  WorkHistory* history;
  Interrupt* interrupt;
  const DirtyTurn* turn;
  std::optional<FunctionName> traced_at;  ///< `turn` is traced: what the process has called
  std::atomic<bool> abandoned{false};     ///< its process has ended
  std::atomic<State> state{State::left};
  std::atomic<bool> over{false};

  static void work_now(DirtyJob& job) {
    auto& self = static_cast<DirtyWork&>(job);
    if (WB_UNLIKELY(self.traced_at.has_value())) return self.work_traced();
    if (!self.history) return self.work(self.argument);
    Scheduler& scheduler = *self.process->vm().scheduler;
    const uint64_t since = scheduler.now_ns();
    self.work(self.argument);
    self.history->took(scheduler.now_ns() - since);
  }
  void work_traced() {
    VmHooks& hooks = *process->vm().hooks;
    hooks.scheduled_elsewhere(*process, am::in, *traced_at);
    work(argument);
    if (!abandoned.load(std::memory_order_acquire))
      hooks.scheduled_elsewhere(*process, am::out, way_back());
  }
  FunctionName way_back() const { return {am::erts_internal, intern(turn->function), turn->arity}; }
  /// The process learns it by a signal, if it does not look itself; if it has ended, it is only run
  /// to free what it holds.
  static void report(DirtyJob& job) {
    auto& self = static_cast<DirtyWork&>(job);
    if (self.state.exchange(State::finished, std::memory_order_acq_rel) == State::left)
      self.signal();
  }
  void signal() {
    Process& p = *process;
    Scheduler& scheduler = *p.vm().scheduler;
    bool delivered = push_signal(p, new_signal(SignalKind::work_done));
    if (!delivered) scheduler.enqueue(p);
    over.store(true, std::memory_order_release);  // last: the job may be gone from here on
    over.notify_all();
  }
  bool is_done() const { return state.load(std::memory_order_acquire) == State::finished; }
  /// True: it was done meanwhile.
  bool wait_awhile() {
    Scheduler& scheduler = *process->vm().scheduler;
    const uint64_t until = scheduler.now_ns() + kAwhileNs;
    for (int round = 0; !is_done() && scheduler.now_ns() < until; ++round) {
      for (int k = 0; k < 16 && !is_done(); ++k) cpu_relax();
      if (round > 32) sched_yield();  // somebody else may need the processor, perhaps that thread
    }
    history->waited(!is_done());
    return is_done();
  }
  /// The process cannot yield: waits for it if a dirty thread has it, or will have.
  void without_yielding() {
    if (state != State::left && !process->vm().scheduler->withdraw_dirty(kind, *this)) {
      while (!is_done()) cpu_relax();
    } else {
      work_now(*this);
    }
  }
  /// The process has yielded.
  void leave() {
    State before = State::awaited;
    if (!state.compare_exchange_strong(before, State::left) && before == State::finished) signal();
  }
};

/// What other slices will overwrite in the Exec. A function's call keeps no register but its
/// arguments.
struct Registers {
  Registers(Exec& c, size_t arguments)
      : live(arguments),
        pc(c.pc),
        in_instruction(std::exchange(c.in_instruction, false)),
        writer(c.writer),
        build_result(c.build_result),
        build_bits(c.build_bits),
        build_group(c.build_group),
        build_at(c.build_at) {
    std::copy_n(c.x, live, x);
    if (live == kAll) std::copy(std::begin(c.f), std::end(c.f), f);
  }
  void restore(Exec& c) const {
    std::copy_n(x, live, c.x);
    if (live == kAll) std::copy(std::begin(f), std::end(f), c.f);
    c.pc = pc;
    c.in_instruction = in_instruction;
    c.writer = writer;
    c.build_result = build_result;
    c.build_bits = build_bits, c.build_group = build_group;
    c.build_at = build_at;
  }

  static constexpr size_t kAll = std::extent_v<decltype(Exec::x)>;
  const size_t live;
  Term x[kAll];
  double f[std::extent_v<decltype(Exec::f)>];
  const Word* pc;
  bool in_instruction;
  BitWriter writer;
  Term build_result;
  uint64_t build_bits, build_group;
  uint8_t* build_at;
};

void suspend_native(Process& p, Exec& c, YieldedCall& call) {
  adopt_peeked(p);  // the message may go before its terms are let go
  p.extras().yielded_call = &call;
  p.special |= Process::kNativeYield;
  p.resume = c.pc;
  p.live = 0;
  p.pinned = 1;
  p.home = static_cast<uint16_t>(c.worker->index());
  p.reductions += static_cast<uint64_t>(c.slice - c.fc);
  c.worker->reductions_used = static_cast<int32_t>(c.slice - c.fc);
  p.state.store(ProcessState::runnable, std::memory_order_relaxed);
  if (!p.exiting) {
    trace_end_of_slice(p);
    c.vm->host->slice_over(c);
  }
  ProcessHost::after_slice(c).end(After::yielded_native, c.after);
  p.exec = nullptr;
  if (call.work) p.waiting_for = WaitFor::work;
}

/// Where a process that has yielded seems to be.
std::optional<FunctionName> function_of(Process& p) {
  FragmentHeap h(4);
  const Term at = tuple_elements(process_info_items(p, h, am::current_function, false))[1];
  if (!is_tuple(at)) return {};
  const Term* e = tuple_elements(at);
  return FunctionName{e[0], e[1], static_cast<uint32_t>(small_value(e[2]))};
}

/// `from`: what it comes back by.
void resume_native(Process& p, Exec& c, uint8_t pinned, const FunctionName* from) {
  if (!p.exiting && is_traced(p, kSchedulingFlags)) p.vm().hooks->scheduled_in(p, from);
  p.extra->yielded_call = nullptr;
  p.special &= static_cast<uint8_t>(~Process::kNativeYield);
  p.pinned = pinned;
  p.waiting_for = WaitFor::nothing;
  p.exec = &c;
  c.p = &p;
}

/// Is `work` so short that the process need not yield? Nobody may be told that it has.
bool waits_for(const Process& p, DirtyWork& work) {
  Scheduler& scheduler = *p.vm().scheduler;
  return work.history && scheduler.online() > 1 && !scheduler.oracle().simulates() &&
         !is_traced(p, kSchedulingFlags) && work.history->worth_waiting();
}

/// Who will have a process scheduled again, unless that is to be at once, or work is done for it.
struct Waking {
  void (*arrange)(void*) = nullptr;
  void* argument = nullptr;
};

/// True: the process may go on.
bool yield_native(Process& p, DirtyWork* work, bool collecting = false, Waking waking = {}) {
  if (p.exiting && !collecting) return false;
  Exec& c = *p.exec;
  Fiber* next = nullptr;
  if (c.fibers) {  // else it is called by a test
    if (c.vm->scheduler->stopping()) return false;
    const bool here = work && p.vm().settings->multi_scheduling.alone();
    if (!here && work && waits_for(p, *work)) {
      work->state.store(DirtyWork::State::awaited, std::memory_order_relaxed);
      c.vm->scheduler->submit_dirty(work->kind, *work);
      if (work->wait_awhile()) return true;
    }
    if (!here) next = c.fibers->take_fiber();
  }
  if (!next) {
    if (work) work->without_yielding();
    return true;
  }
  Scheduler& scheduler = *c.vm->scheduler;
  const bool submitted = work && work->state != DirtyWork::State::left;
  const bool at_entry = work && work->history;  // of a function
  const Registers registers(c, at_entry ? entry_arity(c.pc) : Registers::kAll);
  const uint8_t pinned = p.pinned;
  YieldedCall call{};
  call.worker = c.worker;
  call.work = work;
  if (work) call.kind = work->kind, call.interrupt = work->interrupt;
  call.collecting = collecting;
  if (!collecting && !registers.in_instruction) {
    call.bif = reinterpret_cast<const Export*>(instr::call_bif{c.pc}.function());
  }
  call.is_elsewhere = work && work->turn;
  suspend_native(p, c, call);
  if (WB_UNLIKELY(call.is_elsewhere && !submitted && is_traced(p, kWhereItRuns)))
    work->traced_at = function_of(p);
  if (submitted) {
    work->leave();
  } else if (work) {
    scheduler.submit_dirty(work->kind, *work);
  }
  if (waking.arrange) {
    waking.arrange(waking.argument);
  } else if (!work || !park(p)) {
    scheduler.enqueue(p);
  }
  c.fibers->yield_to(call, *next);

  const bool cancelled = p.exiting || scheduler.stopping();
  if (call.work && !(cancelled && withdraw_work(scheduler, call))) {
    scheduler.await_recorded(*work);
    work->over.wait(false, std::memory_order_acquire);  // the job lies on this stack
  }
  if (call.pins_code) c.vm->code->unpin_code();
  const bool from_elsewhere = call.work && work->traced_at;
  const FunctionName from = from_elsewhere ? work->way_back() : FunctionName{};
  resume_native(p, c, pinned, from_elsewhere ? &from : nullptr);
  registers.restore(c);
  if (!from_elsewhere) c.after_bif |= Exec::kEndSlice;  // tracers would see another turn
  if (WB_LIKELY(!cancelled)) return true;
  c.fc = p.exiting ? -1 : kNoReductions;  // no Erlang code may follow
  return false;
}

}  // namespace

bool withdraw_work(Scheduler& scheduler, YieldedCall& call) {
  if (!scheduler.withdraw_dirty(call.kind, *call.work)) {
    if (call.interrupt) call.interrupt->request();
    static_cast<DirtyWork*>(call.work)->abandoned.store(true, std::memory_order_release);
    return false;
  }
  call.work = nullptr;
  return true;
}

bool Exec::is_late() {
  if (!fibers || vm->scheduler->oracle().simulates()) return false;
  uint64_t now = vm->scheduler->now_ns();
  if (native_since == 0) native_since = now;
  return now - native_since >= kNativeSliceNs;
}

bool Process::yield_native() { return wb::yield_native(*this, nullptr); }

void yield_within_collection(Process& p) {
  const Word* resume = p.resume;  // a collection may come before the process' code goes on
  uint16_t live = p.live;
  WaitFor waiting_for = p.waiting_for;
  yield_native(p, nullptr, true);
  p.resume = resume;
  p.live = live;
  p.waiting_for = waiting_for;
  p.state.store(ProcessState::garbage_collecting, std::memory_order_relaxed);
}

static void yield_as_it_ends(Process& p, Waking waking) {
  if (is_traced(p, traced::exiting)) p.vm().hooks->trace_exiting(p, am::out_exiting);
  yield_native(p, nullptr, true, waking);
  if (is_traced(p, traced::exiting)) p.vm().hooks->trace_exiting(p, am::in_exiting);
  p.exec->fc = p.exec->slice;
  p.state.store(ProcessState::exiting, std::memory_order_relaxed);
}

/// A process that ends yields only if it does nothing else: native code of its own that has yielded
/// is resumed when it is gone.
bool ExitBudget::refill() {
  Process& p = process_;
  left_ = kRefill;
  if (!p.exec) return true;  // called by a test
  Exec& c = *p.exec;
  c.fc -= kRefill / rate_;
  if (p.in_native_yield() || (c.fc >= 0 && !c.is_late())) return true;
  yield_as_it_ends(p, {});
  return true;
}
void yield_until_woken(Process& p, void (*arrange)(void*), void* argument) {
  if (p.exec && !p.in_native_yield()) yield_as_it_ends(p, {arrange, argument});
}

void WorkHistory::waited(bool in_vain) {
  const uint32_t misses = misses_.load(std::memory_order_relaxed);
  misses_.store(in_vain ? misses + 1 : 0, std::memory_order_relaxed);
}
void WorkHistory::took(uint64_t ns) { long_.store(ns > kBriefNs, std::memory_order_relaxed); }
bool WorkHistory::worth_waiting() {
  if (long_.load(std::memory_order_relaxed)) return false;
  if (misses_.load(std::memory_order_relaxed) < kTries) return true;
  return calls_.fetch_add(1, std::memory_order_relaxed) % kNowAndThen == 0;
}

bool off_scheduler(Process& p, void (*work)(void*), void* argument, DirtyKind kind,
                   WorkHistory* history, Interrupt* interrupt, const DirtyTurn* turn,
                   Touches touches) {
  DirtyWork job;
  job.run = DirtyWork::work_now;
  job.done = DirtyWork::report;
  job.priority = p.effective_priority();
  job.touches = touches;
  job.work = work;
  job.argument = argument;
  job.process = &p;
  job.kind = kind;
  job.history = history;
  job.interrupt = interrupt;
  job.turn = turn;
  return yield_native(p, &job);
}

}  // namespace wb
