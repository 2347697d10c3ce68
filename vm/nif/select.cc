// enif_select: messages when a descriptor is ready.
//
// A selected descriptor has one watch at the scheduler's poller, armed for what is wanted. Every
// event is wanted by one process, once; its message is made when it is asked for, so that whoever
// finds the descriptor ready only pushes it. The resource is kept from the first call until
// ERL_NIF_SELECT_STOP, which unwatches the descriptor (that waits for a report that is just being
// handled) and calls `stop` at once.
//
// Locks: the table's (Nifs::selected), then a descriptor's own.
#include <fcntl.h>
#include <unistd.h>

#include <climits>

#include "base/ranked_lock.h"
#include "scheduler/io_poller.h"
#include "scheduler/scheduler.h"
#include "term/copy.h"
#include "vm/nif/checker.h"
#include "vm/nif/library.h"
#include "vm/nif/nifs.h"
#include "vm/nif/selected_fds.h"
#include "vm/process/route.h"
#include "vm/process/signal.h"

namespace wb {

namespace {
struct EventKind {
  int flag;       ///< of enif_select
  int cancelled;  ///< in its answer
  uint32_t polled;
  Term atom;
};
constexpr EventKind kKinds[] = {
    {ERL_NIF_SELECT_READ, ERL_NIF_SELECT_READ_CANCELLED, EPOLLIN, am::ready_input},
    {ERL_NIF_SELECT_WRITE, ERL_NIF_SELECT_WRITE_CANCELLED, EPOLLOUT, am::ready_output},
    {ERL_NIF_SELECT_ERROR, ERL_NIF_SELECT_ERROR_CANCELLED, EPOLLERR, am::ready_error}};
constexpr size_t kKindCount = std::size(kKinds);
constexpr int failed(int why) { return INT_MIN | why; }
}  // namespace

class SelectedFd : public FdWatch {
 public:
  SelectedFd(Vm& vm, int descriptor, Resource& r) : vm_(vm), resource(r) {
    fd = descriptor;
    ready = is_ready;
    r.retain();
  }
  ~SelectedFd() {
    for (Want& w : wants_) cancel(w);
  }
  /// 0 or errno.
  int want(size_t kind, Term pid, Signal* message) {
    std::lock_guard guard(lock_);
    cancel(wants_[kind]);
    wants_[kind] = {pid, message};
    const int error = vm_.scheduler->watch_fd(*this, polled());
    if (error != EPERM) return error;
    route(vm_, pid, std::exchange(wants_[kind].message, nullptr));  // a file: always ready
    return 0;
  }
  int cancel_kinds(int flags) {
    std::lock_guard guard(lock_);
    int answer = 0;
    for (size_t k = 0; k < kKindCount; ++k) {
      if ((flags & kKinds[k].flag) && cancel(wants_[k])) answer |= kKinds[k].cancelled;
    }
    return answer;
  }
  void unwatch() { vm_.scheduler->unwatch_fd(*this); }

 private:
  struct Want {
    Term pid = kNone;
    Signal* message = nullptr;
  };
  static bool cancel(Want& w) {
    if (!w.message) return false;
    free_signal(std::exchange(w.message, nullptr));
    return true;
  }
  uint32_t polled() const {
    uint32_t all = 0;
    for (size_t k = 0; k < kKindCount; ++k) {
      if (wants_[k].message) all |= kKinds[k].polled;
    }
    return all;
  }
  /// Hang-ups and errors are for whoever waits for anything.
  static void is_ready(Worker&, FdWatch& watch, uint32_t events) {
    auto& self = static_cast<SelectedFd&>(watch);
    std::lock_guard guard(self.lock_);
    const bool broken = events & (EPOLLHUP | EPOLLERR);
    for (size_t k = 0; k < kKindCount; ++k) {
      Want& w = self.wants_[k];
      if (!w.message || !(broken || (events & kKinds[k].polled))) continue;
      route(self.vm_, w.pid, std::exchange(w.message, nullptr));
    }
    if (uint32_t left = self.polled()) self.vm_.scheduler->watch_fd(self, left);
  }

  Vm& vm_;
  RankedLock<LockRank::selected_fd> lock_;
  Want wants_[kKindCount];

 public:
  Resource& resource;
};

SelectedFds::SelectedFds() = default;
SelectedFds::~SelectedFds() = default;

void SelectedFds::clear() {
  for (auto& [fd, selected] : std::exchange(by_fd, {})) {
    Resource& r = selected->resource;
    selected.reset();
    r.release();
  }
}

static Signal* message_signal(OwnEnv& env, Term message) {
  Signal* s = new_signal(SignalKind::message);
  s->term = message;
  s->fragment = env.terms.take_fragments();
  return s;
}
/// {select, Object, Ref, Kind}
static Signal* select_message(Vm& vm, Resource& r, Term ref, size_t kind) {
  OwnEnv env(vm, NifEnv::Kind::own, nullptr);
  r.retain();
  const Term object = r.term(env.terms);
  const Term copy = copy_term(env.terms, ref);
  return message_signal(env, tuple(env.terms, am::select, object, copy, kKinds[kind].atom));
}
static Signal* custom_message(Vm& vm, Term message, ErlNifEnv* from) {
  if (from) return message_signal(*static_cast<OwnEnv*>(from), message);
  return new_signal(SignalKind::message, message);
}

/// Takes the descriptor out. What was wanted is not wanted any more: `*cancelled`.
static std::unique_ptr<SelectedFd> take(Nifs& nifs, int fd, int* cancelled) {
  std::unique_ptr<SelectedFd> selected;
  {
    std::lock_guard lock(nifs.selected.lock);
    auto it = nifs.selected.by_fd.find(fd);
    if (it == nifs.selected.by_fd.end()) return nullptr;
    selected = std::move(it->second);
    nifs.selected.by_fd.erase(it);
  }
  constexpr int kAll = ERL_NIF_SELECT_READ | ERL_NIF_SELECT_WRITE | ERL_NIF_SELECT_ERROR;
  *cancelled = selected->cancel_kinds(kAll);
  selected->unwatch();  // nothing is wanted, so nobody arms it again
  return selected;
}

/// The callback of whoever has selected it, or of `r` if nobody has.
static int stop(Resource& r, int fd) {
  Nifs& nifs = r.nifs();
  int cancelled = 0;
  const std::unique_ptr<SelectedFd> selected = take(nifs, fd, &cancelled);
  Resource& stopped = selected ? selected->resource : r;
  OwnEnv env(nifs.vm(), NifEnv::Kind::callback, stopped.type->owner);
  CheckedCall call(env, {.library = stopped.type->owner, .callback = "stop"});
  if (stopped.type->callbacks.stop) stopped.type->callbacks.stop(&env, stopped.data(), fd, 1);
  if (selected) stopped.release();
  return cancelled | ERL_NIF_SELECT_STOP_CALLED;
}

/// Another resource selects the descriptor: the one before is told nothing, as on BEAM.
static void give_up(Nifs& nifs, int fd) {
  int cancelled = 0;
  if (const std::unique_ptr<SelectedFd> before = take(nifs, fd, &cancelled)) {
    before->resource.release();
  }
}

static int select(ErlNifEnv* env, int fd, int flags, void* obj, const ErlNifPid* pid, Term term,
                  ErlNifEnv* message_env) {
  Resource& r = *Resource::of(obj);
  Nifs& nifs = r.nifs();
  Vm& vm = nifs.vm();
  if (!this_instance) vm_of_thread();
  if (fd < 0) return failed(ERL_NIF_SELECT_INVALID_EVENT);
  if (flags & ERL_NIF_SELECT_STOP) return stop(r, fd);
  std::unique_lock lock(nifs.selected.lock);
  auto it = nifs.selected.by_fd.find(fd);
  if (flags & ERL_NIF_SELECT_CANCEL) {
    if (it == nifs.selected.by_fd.end()) return 0;
    return it->second->cancel_kinds(flags);
  }
  if (fcntl(fd, F_GETFD) < 0) return failed(ERL_NIF_SELECT_INVALID_EVENT);
  while (it != nifs.selected.by_fd.end() && &it->second->resource != &r) {
    lock.unlock();
    give_up(nifs, fd);
    lock.lock();
    it = nifs.selected.by_fd.find(fd);
  }
  if (!r.type->callbacks.stop) return failed(ERL_NIF_SELECT_FAILED);
  const Term to = pid ? pid->pid : env && env->process ? env->process->id : kNone;
  if (is_fault(to)) return failed(ERL_NIF_SELECT_FAILED);
  if (it == nifs.selected.by_fd.end()) {
    it = nifs.selected.by_fd.emplace(fd, std::make_unique<SelectedFd>(vm, fd, r)).first;
  }
  Reading reading(*vm.scheduler);
  for (size_t k = 0; k < kKindCount; ++k) {
    if (!(flags & kKinds[k].flag)) continue;
    Signal* s = flags & ERL_NIF_SELECT_CUSTOM_MSG ? custom_message(vm, term, message_env)
                                                  : select_message(vm, r, term, k);
    if (it->second->want(k, to, s)) return failed(ERL_NIF_SELECT_FAILED);
  }
  return 0;
}

}  // namespace wb

using namespace wb;

int enif_select(ErlNifEnv* env, ErlNifEvent event, enum ErlNifSelectFlags flags, void* obj,
                const ErlNifPid* pid, ERL_NIF_TERM ref) {
  return select(env, event, flags, obj, pid, from_library(ref), nullptr);
}
int enif_select_x(ErlNifEnv* env, ErlNifEvent event, enum ErlNifSelectFlags flags, void* obj,
                  const ErlNifPid* pid, ERL_NIF_TERM message, ErlNifEnv* message_env) {
  return select(env, event, flags, obj, pid, from_library(message), message_env);
}
