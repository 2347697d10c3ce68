// erts_debug:dirty_cpu/2, dirty_io/2 and dirty/3: native work of a known kind, for tests. The
// process yields (native_yield.h) while a thread of that pool does it; `normal` does it on the
// scheduler itself.
#include <chrono>
#include <thread>

#include "scheduler/scheduler.h"
#include "scheduler/thread_progress.h"
#include "term/copy.h"
#include "term/number.h"
#include "vm/bif/bif.h"
#include "vm/core/vm.h"
#include "vm/process/native_yield.h"
#include "vm/process/send.h"
#include "vm/process/table.h"

namespace wb {
namespace {

enum class RunOn : uint8_t { cpu, io, normal };

constexpr auto kNap = std::chrono::milliseconds(5);

/// Does `work` where it belongs; false: the process has ended meanwhile.
template <class F>
bool do_work(Process& p, RunOn run_on, F work) {
  if (run_on == RunOn::normal) return work(), true;
  const DirtyTurn turn{"dirty_bif_result"};
  return off_scheduler(p, work, run_on == RunOn::io ? DirtyKind::io : DirtyKind::cpu, nullptr,
                       &turn);
}

/// Sleeps, but no longer than the machine runs.
void nap(Vm& vm, std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (!vm.halting() && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(
        std::min<std::chrono::nanoseconds>(kNap, end - std::chrono::steady_clock::now()));
  }
}

Term wait_some(Process& p, RunOn run_on, Term milliseconds) {
  uint64_t n;
  constexpr uint64_t kLongest = 1ULL << 40;
  if (!to_uint64(milliseconds, &n) || n > kLongest) return kBadarg;
  auto time = std::chrono::milliseconds(n);
  Vm& vm = p.vm();
  return do_work(p, run_on, [&vm, time] { nap(vm, time); }) ? am::ok : kCancelled;
}

/// Gives way and goes on so many times; like BEAM's it only arrives at even numbers.
Term go_again(Process& p, RunOn run_on, Term count) {
  uint64_t n;
  if (!to_uint64(count, &n) || n % 2) return kBadarg;
  for (uint64_t k = 0; k < n; ++k) {
    if (!(k % 2 ? p.yield_native() : do_work(p, run_on, [] {}))) return kCancelled;
  }
  return am::ok;
}

/// {What, Self} to `pid`, from the thread that does the work: whoever gets it knows that it has
/// begun.
void send_tagged(Vm& vm, Term pid, Term what, Term self) {
  FragmentHeap h(8);
  ReaderGuard guard(vm.scheduler->progress());
  send_message(vm, pid, tuple(h, what, self));
}

/// Tells `pid` that it is alive, then works until it is not, and a second more.
Term outlive(Process& p, RunOn run_on, Term pid) {
  if (!is_local_pid(pid)) return kBadarg;
  Vm& vm = p.vm();
  const Term self = p.id;
  auto work = [&vm, self, pid] {
    send_tagged(vm, pid, am::alive, self);
    while (!vm.halting() && vm.is_alive(self)) std::this_thread::sleep_for(kNap);
    nap(vm, std::chrono::seconds(1));
  };
  return do_work(p, run_on, work) ? am::ok : kCancelled;
}

/// {ready, Self}, six seconds of work, {done, Self}.
Term ready_and_done(Process& p, RunOn run_on, Term pid) {
  if (!is_local_pid(pid)) return kBadarg;
  Vm& vm = p.vm();
  const Term self = p.id;
  auto work = [&vm, self, pid] {
    send_tagged(vm, pid, am::ready, self);
    nap(vm, std::chrono::seconds(6));
  };
  if (!do_work(p, run_on, work)) return kCancelled;
  vm.send(pid, tuple(p.heap, am::done, p.id), &p);
  return am::ok;
}

Term fail_with(Process& p, RunOn run_on, Term reason) {
  if (!do_work(p, run_on, [] {})) return kCancelled;
  switch (reason) {
    case am::badarith:
    case am::undef:
    case am::system_limit:
    case am::noproc:
      return p.error(reason);
    default:
      return kBadarg;
  }
}

/// A thousand copies, made there.
Term copies_of(Process& p, RunOn run_on, Term t) {
  constexpr int kCopies = 1000;
  Term list = kNil;
  FragmentHeap h(16);
  auto work = [&] {
    for (int k = 0; k < kCopies; ++k) list = cons(h, copy_term_deep(h, t), list);
  };
  if (!do_work(p, run_on, work)) return kCancelled;
  if (HeapFragment* made = h.take_fragments()) p.heap.adopt(made);
  return list;
}

Term dirty(Process& p, RunOn run_on, Term what, Term detail) {
  switch (what) {
    case am::scheduler:
      if (detail != am::type) return kBadarg;
      if (!do_work(p, run_on, [] {})) return kCancelled;
      return run_on == RunOn::normal ? am::normal
             : run_on == RunOn::io   ? am::dirty_io
                                     : am::dirty_cpu;
    case am::error:
      return fail_with(p, run_on, detail);
    case am::copy:
      return copies_of(p, run_on, detail);
    case am::wait:
      return wait_some(p, run_on, detail);
    case am::reschedule:
      return go_again(p, run_on, detail);
    case am::alive_waitexiting:
      return outlive(p, run_on, detail);
    case am::ready_wait6_done:
      return ready_and_done(p, run_on, detail);
    default:
      return kBadarg;
  }
}

}  // namespace

BIF(erts_debug, dirty_cpu, 2)
{
  return dirty(p, RunOn::cpu, a[0], a[1]);
}
BIF(erts_debug, dirty_io, 2)
{
  return dirty(p, RunOn::io, a[0], a[1]);
}
BIF(erts_debug, dirty, 3)
{
  switch (a[0]) {
    case am::normal:
      return dirty(p, RunOn::normal, a[1], a[2]);
    case am::dirty_cpu:
      return dirty(p, RunOn::cpu, a[1], a[2]);
    case am::dirty_io:
      return dirty(p, RunOn::io, a[1], a[2]);
    default:
      return kBadarg;
  }
}

}  // namespace wb
