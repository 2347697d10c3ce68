// driver_async: work of a driver's on another thread, `ready_async` when it is done.
//
// It is a job of the dirty I/O pool. Those with the same key go one after the other, in the order
// in which they were given, as they would on one thread of a pool of BEAM's: a key chooses a lane,
// which has at most one job in the pool. Without a key the lanes take turns.
#include <array>
#include <deque>

#include "base/ranked_lock.h"
#include "vm/core/vm.h"
#include "vm/driver/drivers.h"
#include "vm/nif/environment.h"
#include "vm/port/ports.h"

namespace wb {
namespace {

struct AsyncJob : DirtyJob {
  std::shared_ptr<Port> port;
  std::shared_ptr<LoadedDriver> driver;
  void (*invoke)(void*);
  void* data;
  void (*free_data)(void*);
  size_t lane;
};

}  // namespace

struct AsyncLanes {
  static constexpr size_t kLanes = 16;
  RankedLock<LockRank::async_jobs> lock;
  std::array<std::deque<AsyncJob*>, kLanes> jobs;  ///< the first of each is in the pool
  size_t turn = 0;

  static void invoke(DirtyJob& job) {
    auto& j = static_cast<AsyncJob&>(job);
    InstanceScope scope(j.port->vm().instance);
    j.invoke(j.data);
  }
  static void done(DirtyJob& job) {
    std::unique_ptr<AsyncJob> j(&static_cast<AsyncJob&>(job));
    Vm& vm = j->port->vm();
    InstanceScope scope(vm.instance);
    ReaderGuard reader(vm.scheduler->progress());
    Drivers& drivers = j->driver->table;
    bool told;
    {
      Port::Guard guard(*j->port);
      told = static_cast<LinkedPort*>(j->port->driver())->async_done(j->data);
    }
    if (!told && j->free_data) j->free_data(j->data);
    drivers.async().next(vm, j->lane);  // only now: they are done in their order, too
    drivers.job_ends(j->driver);
  }
  void add(Vm& vm, AsyncJob* job, const unsigned* key) {
    bool first;
    {
      std::lock_guard guard(lock);
      job->lane = (key ? *key : turn++) % kLanes;
      jobs[job->lane].push_back(job);
      first = jobs[job->lane].size() == 1;
    }
    if (first) vm.scheduler->submit_dirty(DirtyKind::io, *job);
  }
  void next(Vm& vm, size_t lane) {
    AsyncJob* job;
    {
      std::lock_guard guard(lock);
      jobs[lane].pop_front();
      job = jobs[lane].empty() ? nullptr : jobs[lane].front();
    }
    if (job) vm.scheduler->submit_dirty(DirtyKind::io, *job);
  }
};

AsyncLanes& Drivers::async() {
  std::lock_guard guard(lock_);
  if (!async_) async_ = std::make_shared<AsyncLanes>();
  return *async_;
}

}  // namespace wb

using namespace wb;

unsigned driver_async_port_key(ErlDrvPort ix) {
  return static_cast<unsigned>(reinterpret_cast<uintptr_t>(ix) >> 4);
}

long driver_async(ErlDrvPort ix, unsigned* key, void (*invoke)(void*), void* data,
                  void (*free_data)(void*)) {
  LinkedPort* p = linked_port(ix);
  if (!p || p->port().is_gone()) return -1;
  auto* job = new AsyncJob;
  job->run = AsyncLanes::invoke;
  job->done = AsyncLanes::done;
  job->port = p->port().shared_from_this();
  job->driver = p->driver();
  job->invoke = invoke;
  job->data = data;
  job->free_data = free_data;
  Drivers& drivers = job->driver->table;
  drivers.job_begins(*job->driver);
  drivers.async().add(p->vm(), job, key);
  return 0;
}
