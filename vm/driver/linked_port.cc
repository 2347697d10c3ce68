#include "vm/driver/linked_port.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>

#include "vm/core/vm.h"
#include "vm/driver/drivers.h"
#include "vm/io/file_names.h"
#include "vm/nif/environment.h"
#include "vm/port/ports.h"
#include "vm/process/route.h"
#include "vm/process/signal.h"
#include "vm/process/trace_flags.h"

namespace wb {

// --- callbacks -----------------------------------------------------------------------------------
namespace {
constinit thread_local LinkedPort::Call* innermost = nullptr;
}
LinkedPort::Call* LinkedPort::current() { return innermost; }
LinkedPort::Call::Call(LinkedPort& p, Term c) : port(p), caller(c), outer(innermost) {
  innermost = this;
}
/// What a port that ends has waited for may be gone now.
LinkedPort::Call::~Call() {
  innermost = outer;
  Port& p = port.port_;
  if (p.is_closing() && !p.is_gone() && port.running_ && port.queued() == 0) p.drained();
}

LinkedPort* linked_port(ErlDrvPort name) {
  const auto id = reinterpret_cast<Term>(name);
  LinkedPort::Call* call = LinkedPort::current();
  if (!call) return nullptr;
  if (call->port.port().id == id) return &call->port;
  auto found = call->port.vm().ports->find(id);  // who holds its lock keeps it
  if (!found || found->is_gone()) return nullptr;
  auto* other = static_cast<LinkedPort*>(found->driver());
  return found->options().kind == PortOptions::Kind::linked ? other : nullptr;
}

ErlDrvPort LinkedPort::name() const { return reinterpret_cast<ErlDrvPort>(port_.id); }

LinkedPort::LinkedPort(Port& port, std::shared_ptr<LoadedDriver> driver)
    : port_(port), driver_(std::move(driver)), deadlines_(port, on_timeout, this) {}
LinkedPort::~LinkedPort() {
  if (data_lock_ && data_lock_->refs.fetch_sub(1) == 1) delete data_lock_;
}

Term LinkedPort::start() {
  ErlDrvData made = nullptr;
  errno = 0;
  if (auto* callback = driver_->entry->start) {
    Call call(*this, port_.owner());
    made = callback(name(), const_cast<char*>(port_.name().c_str()));
  }
  const int error = errno;
  if (made == ERL_DRV_ERROR_GENERAL) return am::einval;
  if (made == ERL_DRV_ERROR_ERRNO) return posix_atom(error);
  if (made == ERL_DRV_ERROR_BADARG) return am::badarg;
  if (!(driver_->flags() & ERL_DRV_FLAG_USE_INIT_ACK) || !data_) data_ = made;
  running_ = !port_.is_gone();
  return am::ok;
}

// --- what processes do ---------------------------------------------------------------------------
bool LinkedPort::control(Process& from, uint64_t operation, const std::string& in,
                         std::string* out) {
  auto* callback = driver_->entry->control;
  if (!callback || operation > UINT_MAX) return false;
  char few[64];
  char* answer = few;
  const bool was_binary = answers_binary();
  Call call(*this, from.id);
  const ErlDrvSSizeT n = callback(data_, static_cast<unsigned>(operation),
                                  const_cast<char*>(in.data()), in.size(), &answer, sizeof few);
  if (n < 0) return false;
  answered_nothing_ = !answer;
  if (!answer) return true;
  const bool binary = answers_binary() || was_binary;
  if (answer != few && binary) {
    auto* b = reinterpret_cast<ErlDrvBinary*>(answer);
    out->assign(b->orig_bytes, static_cast<size_t>(b->orig_size));
    driver_free_binary(b);
    return true;
  }
  out->assign(answer, static_cast<size_t>(n));
  if (answer != few) driver_free(answer);
  return true;
}

bool LinkedPort::call(Process& from, uint64_t operation, const std::vector<uint8_t>& in,
                      std::vector<uint8_t>* out) {
  auto* callback = driver_->entry->call;
  if (!callback || operation > UINT_MAX) return false;
  char few[256];
  char* answer = few;
  unsigned flags = 0;
  Call call(*this, from.id);
  auto* bytes = reinterpret_cast<char*>(const_cast<uint8_t*>(in.data()));
  const ErlDrvSSizeT n = callback(data_, static_cast<unsigned>(operation), bytes, in.size(),
                                  &answer, sizeof few, &flags);
  if (n > 0 && answer) out->assign(answer, answer + n);
  if (n >= 0 && answer && answer != few && !(flags & DRIVER_CALL_KEEP_BUFFER)) driver_free(answer);
  return n > 0;
}

void LinkedPort::output(Term from, IoVectors& vectors) {
  const ErlDrvEntry& entry = *driver_->entry;
  ErlIOVec v = vectors.view();
  Call call(*this, from);
  if (entry.outputv) return entry.outputv(data_, &v);
  if (!entry.output) return;
  std::vector<char> bytes(v.size + 1);
  driver_vec_to_buf(&v, bytes.data(), v.size);
  entry.output(data_, bytes.data(), v.size);
}
void LinkedPort::command(Term from, Term data, size_t) {
  IoVectors vectors;
  if (!vectors.read(data)) return port_.fail(ENOMEM);
  output(from, vectors);
}
void LinkedPort::traced(const uint8_t* external, size_t size) {
  FragmentHeap heap(size / 8 + 8);
  const Term bytes = make_binary(heap, external, size);
  if (is_value(bytes)) command(kNone, bytes, size);
  free_fragments(heap.take_fragments());
}
bool LinkedPort::takes_vectors() const { return driver_->entry->outputv; }
bool LinkedPort::takes_force() const { return driver_->flags() & ERL_DRV_FLAG_SOFT_BUSY; }
bool LinkedPort::shares_lock() const { return driver_->lock != nullptr; }

// --- the end -------------------------------------------------------------------------------------
void LinkedPort::stopped() {
  auto* callback = driver_->entry->flush;
  if (!running_ || queued() == 0) return;
  muted_ = true;
  if (!callback) return;
  Call call(*this);
  callback(data_);
}
void LinkedPort::finished() {
  if (!std::exchange(running_, false)) return;
  cancel_timer();
  for (auto& [number, pid] : std::exchange(monitors_, {})) {
    Signal* s = new_signal(SignalKind::demonitor);
    s->from = port_.address();
    s->ref = number;
    route(vm(), pid, s);
  }
  if (auto* callback = driver_->entry->stop) {
    Call call(*this);
    stopping_ = true;
    callback(data_);
    stopping_ = false;
  }
  for (auto& [fd, watch] : watches_) dropped_.push_back(std::move(watch));
  watches_.clear();
}
/// The machine ends; nothing else runs.
void LinkedPort::flush(uint64_t) {
  stopped();
  if (!std::exchange(running_, false)) return;
  if (auto* callback = driver_->entry->stop) {
    Call call(*this);
    callback(data_);
  }
}
void LinkedPort::release_after_lock(bool all) {
  std::vector<std::unique_ptr<Watch>> dropped;
  {
    Port::Guard guard(port_, Port::Guard::Looking{});
    if (all) {
      for (auto& [fd, watch] : watches_) dropped_.push_back(std::move(watch));
      watches_.clear();
    }
    dropped.swap(dropped_);
  }
  for (auto& w : dropped) {
    vm().scheduler->unwatch_fd(*w);
    auto* callback = driver_->entry->stop_select;
    const auto event = reinterpret_cast<ErlDrvEvent>(static_cast<intptr_t>(w->fd));
    if (w->stops && callback) callback(event, nullptr);
  }
  if (!all) return;
  deadlines_.cancel();
  if (!std::exchange(released_, true)) driver_->table.port_gone(driver_);
}

// --- looking -------------------------------------------------------------------------------------
size_t LinkedPort::queued() const {
  if (!data_lock_) return queue_.size();
  std::lock_guard guard(data_lock_->lock);
  return queue_.size();
}
void LinkedPort::drop_queue() {
  if (!data_lock_) {
    queue_.drop(queue_.size());
    return;
  }
  std::lock_guard guard(data_lock_->lock);
  queue_.drop(queue_.size());
}
size_t LinkedPort::memory() const { return sizeof *this + queue_.size(); }
std::string LinkedPort::about() const { return "driver " + driver_->name; }

ErlDrvPDL LinkedPort::make_data_lock() {
  if (data_lock_) return nullptr;
  data_lock_ = new erl_drv_port_data_lock;
  return data_lock_;
}

// --- descriptors ---------------------------------------------------------------------------------
bool LinkedPort::is_current(const Watch& w) const {
  auto it = watches_.find(w.fd);
  return it != watches_.end() && it->second.get() == &w;
}
/// Files that the poller cannot wait for are always ready: the driver is told by an alarm.
int LinkedPort::arm(Watch& w) {
  const int error = w.always_ready ? EPERM : vm().scheduler->watch_fd(w, w.wanted);
  if (error != EPERM) return error ? -1 : 0;
  w.always_ready = true;
  deadlines_.add(vm().scheduler->now_ns());
  return 0;
}

int LinkedPort::select(int fd, int mode, bool on) {
  if (fd < 0 || !running_or_starting()) return -1;
  const uint32_t events =
      (mode & ERL_DRV_READ ? EPOLLIN : 0u) | (mode & ERL_DRV_WRITE ? EPOLLOUT : 0u);
  auto& place = watches_[fd];
  if (!place) {
    place = std::make_unique<Watch>();
    place->fd = fd;
    place->ready = on_ready;
    place->port = this;
  }
  Watch& w = *place;
  if (on) {
    // It uses again what it has just done with: stop_select, if it is still to come, does not.
    if (mode & ERL_DRV_USE) {
      for (auto& d : dropped_) d->stops = d->stops && d->fd != fd;
    }
    w.wanted |= events;
    if (!events || arm(w) == 0) return 0;
    watches_.erase(fd);
    return -1;
  }
  w.wanted &= ~events;
  // ERL_DRV_USE_NO_CALLBACK has the bit of ERL_DRV_USE, but ends nothing that is still wanted.
  const bool ends = (mode & ERL_DRV_USE_NO_CALLBACK) == ERL_DRV_USE;
  w.stops = ends;
  if (ends || !w.wanted) {
    // The number may be another file's as soon as the driver has it back: it is unwatched when the
    // lock is free, by a watch that knows whether it is still its own.
    dropped_.push_back(std::move(place));
    watches_.erase(fd);
  }
  return 0;
}

void LinkedPort::on_ready(Worker&, FdWatch& watch, uint32_t events) {
  auto& w = static_cast<Watch&>(watch);
  Port::Guard guard(w.port->port_, events & EPOLLIN ? PortTask::input : PortTask::output);
  w.port->tell_ready(w, events);
}
void LinkedPort::tell_ready(Watch& w, uint32_t events) {
  const auto wants = [&](uint32_t kind) {
    return running_ && is_current(w) && w.wanted & kind && events & (kind | EPOLLERR | EPOLLHUP);
  };
  const ErlDrvEntry& entry = *driver_->entry;
  const auto event = reinterpret_cast<ErlDrvEvent>(static_cast<intptr_t>(w.fd));
  const auto tell = [&](uint32_t kind, void (*callback)(ErlDrvData, ErlDrvEvent)) {
    if (!wants(kind)) return;
    if (!callback) {
      w.wanted &= ~kind;
      return;
    }
    Call call(*this);
    callback(data_, event);
  };
  tell(EPOLLIN, entry.ready_input);
  tell(EPOLLOUT, entry.ready_output);
  if (running_ && is_current(w) && w.wanted) arm(w);
}
void LinkedPort::tell_always_ready() {
  std::vector<Watch*> ready;
  for (auto& [fd, w] : watches_) {
    if (w->always_ready && w->wanted) ready.push_back(w.get());
  }
  for (Watch* w : ready)
    tell_ready(*w, w->wanted);  // one that is dropped stays until the lock is free
}

// --- the timer -----------------------------------------------------------------------------------
void LinkedPort::set_timer(uint64_t ms) {
  timeout_at_ = vm().scheduler->now_ns() + ms * 1'000'000;
  deadlines_.add(timeout_at_);
}
uint64_t LinkedPort::timer_left_ms() {
  if (timeout_at_ == Deadlines::kNever) return ~uint64_t{0};
  const uint64_t now = vm().scheduler->now_ns();
  return timeout_at_ > now ? (timeout_at_ - now + 999'999) / 1'000'000 : 0;
}
void LinkedPort::on_timeout(void* self, uint64_t now) {
  auto& p = *static_cast<LinkedPort*>(self);
  if (p.running_) p.tell_always_ready();
  if (p.timeout_at_ == Deadlines::kNever || !p.running_) return;
  if (now < p.timeout_at_) return p.deadlines_.add(p.timeout_at_);
  p.timeout_at_ = Deadlines::kNever;
  p.port_.tell_tracer(traced::receive, am::receive, am::timeout);
  if (auto* callback = p.driver_->entry->timeout) {
    Call call(p);
    callback(p.data_);
  }
}

// --- monitors ------------------------------------------------------------------------------------
int LinkedPort::monitor(Term pid, uint64_t* number) {
  if (!driver_->entry->process_exit) return -1;
  if (!is_local_pid(pid) || !vm().is_alive(pid)) return 1;
  *number = vm().next_ref_number();
  monitors_[*number] = pid;
  Signal* s = new_signal(SignalKind::monitor);
  s->from = port_.address();
  s->ref = *number;
  if (route(vm(), pid, s)) return 0;
  monitors_.erase(*number);
  return 1;
}
bool LinkedPort::demonitor(uint64_t number) {
  auto it = monitors_.find(number);
  if (it == monitors_.end()) return false;
  Signal* s = new_signal(SignalKind::demonitor);
  s->from = port_.address();
  s->ref = number;
  route(vm(), it->second, s);
  monitors_.erase(it);
  return true;
}
Term LinkedPort::monitored_pid(uint64_t number) const {
  auto it = monitors_.find(number);
  return it == monitors_.end() ? kNil : it->second;
}
void LinkedPort::monitored(uint64_t number) {
  if (!running_ || !monitors_.erase(number)) return;
  ErlDrvMonitor monitor{};
  memcpy(monitor.data, &number, sizeof number);
  Call call(*this);
  driver_->entry->process_exit(data_, &monitor);
}
std::vector<Term> LinkedPort::monitors() const {
  std::vector<Term> pids;
  for (auto& [number, pid] : monitors_) pids.push_back(pid);
  return pids;
}

// --- driver_async --------------------------------------------------------------------------------
bool LinkedPort::async_done(void* data) {
  auto* callback = driver_->entry->ready_async;
  if (!running_ || !callback) return false;
  Call call(*this);
  callback(data_, static_cast<ErlDrvThreadData>(data));
  return true;
}

}  // namespace wb
