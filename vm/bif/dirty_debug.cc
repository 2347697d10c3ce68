// erts_debug:dirty_cpu/2, dirty_io/2 and dirty/3: native work of a known kind, for tests. The
// process rests (rest.h) while a thread of that pool does it; `normal` does it on the scheduler
// itself.
#include <chrono>
#include <thread>

#include "scheduler/thread_progress.h"
#include "term/copy.h"
#include "term/number.h"
#include "vm/bif/bif.h"
#include "vm/core/vm.h"
#include "vm/process/rest.h"
#include "vm/process/send.h"
#include "vm/process/table.h"

namespace wb {
namespace {

enum class Place : uint8_t { cpu, io, normal };

constexpr auto kNap = std::chrono::milliseconds(5);

/// Does `work` where it belongs; false: the process has ended meanwhile.
template <class F>
bool work_at(Process& p, Place place, F work) {
  if (place == Place::normal) return work(), true;
  return off_scheduler(p, work, place == Place::io ? DirtyKind::io : DirtyKind::cpu);
}

/// Sleeps, but no longer than the machine runs.
void nap(Vm& vm, std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (!vm.halting() && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(
        std::min<std::chrono::nanoseconds>(kNap, end - std::chrono::steady_clock::now()));
  }
}
bool is_gone(Vm& vm, Term pid) {
  ReaderGuard guard(vm.scheduler->progress());
  return !vm.processes->find(pid);
}

Term wait_some(Process& p, Place place, Term milliseconds) {
  uint64_t n;
  constexpr uint64_t kLongest = 1ULL << 40;
  if (!to_uint64(milliseconds, &n) || n > kLongest) return kBadarg;
  auto time = std::chrono::milliseconds(n);
  Vm& vm = p.vm();
  return work_at(p, place, [&vm, time] { nap(vm, time); }) ? am::ok : kCancelled;
}

/// Gives way and goes on so many times; like BEAM's it only arrives at even numbers.
Term go_again(Process& p, Place place, Term count) {
  uint64_t n;
  if (!to_uint64(count, &n) || n % 2) return kBadarg;
  for (uint64_t k = 0; k < n; ++k) {
    if (!(k % 2 ? p.rest() : work_at(p, place, [] {}))) return kCancelled;
  }
  return am::ok;
}

/// {What, Self} to `pid`, from the thread that does the work: whoever gets it knows that it has
/// begun.
void tell(Vm& vm, Term pid, Term what, Term self) {
  FragmentHeap h(8);
  ReaderGuard guard(vm.scheduler->progress());
  send_message(vm, pid, tuple(h, what, self));
}

/// Tells `pid` that it is alive, then works until it is not, and a second more.
Term outlive(Process& p, Place place, Term pid) {
  if (!is_local_pid(pid)) return kBadarg;
  Vm& vm = p.vm();
  const Term self = p.id;
  auto work = [&vm, self, pid] {
    tell(vm, pid, am::alive, self);
    while (!vm.halting() && !is_gone(vm, self)) std::this_thread::sleep_for(kNap);
    nap(vm, std::chrono::seconds(1));
  };
  return work_at(p, place, work) ? am::ok : kCancelled;
}

/// {ready, Self}, six seconds of work, {done, Self}.
Term ready_and_done(Process& p, Place place, Term pid) {
  if (!is_local_pid(pid)) return kBadarg;
  Vm& vm = p.vm();
  const Term self = p.id;
  auto work = [&vm, self, pid] {
    tell(vm, pid, am::ready, self);
    nap(vm, std::chrono::seconds(6));
  };
  if (!work_at(p, place, work)) return kCancelled;
  vm.send(pid, tuple(p.heap, am::done, p.id), &p);
  return am::ok;
}

Term fail_with(Process& p, Place place, Term reason) {
  if (!work_at(p, place, [] {})) return kCancelled;
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
Term copies_of(Process& p, Place place, Term t) {
  constexpr int kCopies = 1000;
  Term list = kNil;
  FragmentHeap h(16);
  auto work = [&] {
    for (int k = 0; k < kCopies; ++k) list = cons(h, copy_term_deep(h, t), list);
  };
  if (!work_at(p, place, work)) return kCancelled;
  if (HeapFragment* made = h.take()) p.heap.adopt(made);
  return list;
}

Term dirty(Process& p, Place place, Term what, Term detail) {
  switch (what) {
    case am::scheduler:
      if (detail != am::type) return kBadarg;
      if (!work_at(p, place, [] {})) return kCancelled;
      return place == Place::normal ? am::normal
             : place == Place::io   ? am::dirty_io
                                    : am::dirty_cpu;
    case am::error:
      return fail_with(p, place, detail);
    case am::copy:
      return copies_of(p, place, detail);
    case am::wait:
      return wait_some(p, place, detail);
    case am::reschedule:
      return go_again(p, place, detail);
    case am::alive_waitexiting:
      return outlive(p, place, detail);
    case am::ready_wait6_done:
      return ready_and_done(p, place, detail);
    default:
      return kBadarg;
  }
}

}  // namespace

BIF(erts_debug, dirty_cpu, 2)
{
  return dirty(p, Place::cpu, a[0], a[1]);
}
BIF(erts_debug, dirty_io, 2)
{
  return dirty(p, Place::io, a[0], a[1]);
}
BIF(erts_debug, dirty, 3)
{
  switch (a[0]) {
    case am::normal:
      return dirty(p, Place::normal, a[1], a[2]);
    case am::dirty_cpu:
      return dirty(p, Place::cpu, a[1], a[2]);
    case am::dirty_io:
      return dirty(p, Place::io, a[1], a[2]);
    default:
      return kBadarg;
  }
}

}  // namespace wb
