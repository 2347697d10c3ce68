#include "vm/socket/native_socket.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "base/recording.h"
#include "scheduler/scheduler.h"
#include "term/copy.h"
#include "term/magic_registry.h"
#include "term/order.h"
#include "term/owned_bytes.h"
#include "vm/core/vm.h"
#include "vm/io/network.h"
#include "vm/port/inet_address.h"
#include "vm/process/route.h"
#include "vm/socket/native_sockets.h"

namespace wb {

HeldTerm::HeldTerm(Term t) {
  FragmentHeap h(flat_size(t) + 1);
  value_ = copy_term(h, t);
  fragment_ = h.take_fragments();
}
HeldTerm::~HeldTerm() {
  if (fragment_) free_fragments(fragment_);
}

bool Waiters::has(Term pid) const {
  return std::any_of(all.begin(), all.end(), [&](const Waiter& w) { return w.pid == pid; });
}

// --- the object ----------------------------------------------------------------------------------
NativeSocket::NativeSocket(NativeSockets& table, int fd, const Kind& k)
    : kind(k), table_(&table), number_(table.vm().next_ref_number()) {
  destroy = destroyed;
  watch_.fd = fd;
  watch_.ready = on_ready;
  watch_.socket = this;
  table.add(*this);
}

NativeSocket* NativeSocket::of(Term ref) {
  if (!is_kind(ref, wb::Kind::magic_ref)) return nullptr;
  OffHeapObject* o = magic_object(ref);
  return o->destroy == destroyed ? static_cast<NativeSocket*>(o) : nullptr;
}

Vm& NativeSocket::vm() const { return table_->vm(); }
Network& NativeSocket::network() const { return *vm().network; }

Term NativeSocket::ref(Heap& h) {
  retain();
  Term* p = h.alloc(5);  // as Vm::new_magic_ref, one number for all of them
  p[0] = make_header(wb::Kind::magic_ref, 4, owned_kib(sizeof *this));
  p[1] = reinterpret_cast<Word>(static_cast<OffHeapObject*>(this));
  p[3] = number_ | kMagicNumber;
  p[4] = 0;
  h.link_off_heap(p, sizeof *this);
  return make_boxed(p);
}
Term NativeSocket::term(Heap& h) { return tuple(h, am::socket_tag, ref(h)); }

void NativeSocket::destroyed(OffHeapObject* o) {
  auto* s = static_cast<NativeSocket*>(o);
  if (s->table_) {
    s->table_->remove(*s);
    if (s->watched_) s->network().unwatch(s->watch_);
    if (s->owner != kNone) s->table_->forget(s->owner, *s);
    for (const Waiters* w : {&s->readers, &s->writers, &s->acceptors, &s->connectors}) {
      for (const Waiters::Waiter& x : w->all) s->table_->forget(x.pid, *s);
    }
    close_descriptor(s->network(), s->watch_.fd, false);
  }
  if (s->file >= 0) close_descriptor(s->file);
  delete s;
}

bool NativeSocket::try_retain() {
  int64_t n = refs.load(std::memory_order_relaxed);
  do {
    if ((n & ~kNoted) == 0) return false;
  } while (!refs.compare_exchange_weak(n, n + 1, std::memory_order_relaxed));
  return true;
}

void NativeSocket::detach() {
  if (watched_) network().unwatch(watch_);
  close_descriptor(network(), std::exchange(watch_.fd, -1), false);
  table_ = nullptr;
  if (std::exchange(armed_, 0)) release();
}

// --- messages ------------------------------------------------------------------------------------
static void post(Vm& vm, Term to, FragmentHeap& h, Term message) {
  Signal* s = new_signal(SignalKind::message);
  s->term = message;
  s->fragment = h.take_fragments();
  route(vm, to, s);
}

void NativeSocket::notify(Waiters& w) {
  Waiters::Waiter& current = w.all.front();
  current.notified = true;
  FragmentHeap h(24);
  Term handle = copy_term(h, current.handle.get());
  post(vm(), current.pid, h, tuple(h, am::socket_tag, term(h), am::select, handle));
}
void NativeSocket::send_abort(const Waiters::Waiter& w, Term reason) {
  FragmentHeap h(32);
  Term about = tuple(h, copy_term(h, w.known_by().get()), reason);
  post(vm(), w.pid, h, tuple(h, am::socket_tag, term(h), am::abort, about));
}

void NativeSocket::tell_registry(Term what) {
  Term to = table_->registry_pid();
  if (!is_value(to)) return;
  FragmentHeap h(16);
  post(vm(), to, h, tuple(h, am::socket_tag, what, term(h)));
}
void NativeSocket::enter_registry() {
  {
    Guard guard(lock);
    if (registered) return;
    registered = true;
  }
  tell_registry(am::add);
}

// --- waiting -------------------------------------------------------------------------------------
NativeSocket::Turn NativeSocket::turn(const Waiters& w, Term pid) const {
  if (!w.any() || w.is_current(pid)) return Turn::now;
  return w.has(pid) ? Turn::queued : Turn::queue;
}

void NativeSocket::wait(Waiters& w, Term pid, Term handle, Replaced replaced) {
  if (w.is_current(pid)) {
    Waiters::Waiter& current = w.all.front();
    if (replaced == Replaced::is_aborted) send_abort(current, am::cancelled);
    if (replaced == Replaced::stays_known && !current.first)
      current.first.emplace(std::move(current.handle));
    current.handle = HeldTerm(handle);
    current.notified = false;
  } else {
    Waiters::Waiter& last = w.all.emplace_back();
    last.pid = pid;
    last.handle = HeldTerm(handle);
    table_->waits.fetch_add(1, std::memory_order_relaxed);
    table_->note(pid, *this);  // it runs just now
  }
  arm();
}

void NativeSocket::done(Waiters& w, Term pid) {
  if (!w.is_current(pid)) return;
  table_->forget(pid, *this);
  w.all.pop_front();
  if (w.any()) arm();
}

void NativeSocket::abort(Waiters& w, Term reason, Term except) {
  for (const Waiters::Waiter& waiter : w.all) {
    if (waiter.pid != except) send_abort(waiter, reason);
    table_->forget(waiter.pid, *this);
  }
  w.all.clear();
}

Term NativeSocket::cancel(Waiters& w, Term pid, Term handle) {
  for (auto it = w.all.begin(); it != w.all.end(); ++it) {
    if (it->pid != pid || !equal_exact(it->known_by().get(), handle)) continue;
    const bool current = it == w.all.begin();
    const Term answer = current && it->notified ? am::select_sent : am::ok;
    table_->forget(pid, *this);
    w.all.erase(it);
    if (current && w.any()) arm();
    return answer;
  }
  return am::not_found;
}

int NativeSocket::arm() {
  uint32_t wanted = 0;
  if (readers.armed() || acceptors.armed()) wanted |= EPOLLIN, read_state |= kSelected;
  if (writers.armed() || connectors.armed()) wanted |= EPOLLOUT, write_state |= kSelected;
  if (!is_open() || watch_.fd < 0 || !(wanted & ~armed_)) return 0;
  if (!armed_) retain();
  watched_ = true;
  const int failed = network().watch(watch_, wanted);
  armed_ = failed ? 0 : wanted;
  if (failed) refs.fetch_sub(1, std::memory_order_relaxed);  // the caller has another share
  return failed;
}

void NativeSocket::on_ready(Worker&, FdWatch& watch, uint32_t events) {
  NativeSocket& s = *static_cast<Watch&>(watch).socket;
  {
    Guard guard(s.lock);
    // Who closed it has taken the share of the poller if `armed_` is no more.
    if (!s.armed_) return;
    s.armed_ = 0;
    if (events & (EPOLLERR | EPOLLHUP)) events |= EPOLLIN | EPOLLOUT;
    if (events & EPOLLIN) {
      if (s.readers.armed()) s.notify(s.readers);
      if (s.acceptors.armed()) s.notify(s.acceptors);
    }
    if (events & EPOLLOUT) {
      if (s.writers.armed()) s.notify(s.writers);
      if (s.connectors.armed()) s.notify(s.connectors);
    }
    s.arm();
  }
  s.release();
}

// --- the end -------------------------------------------------------------------------------------
bool NativeSocket::close(Term closer) {
  bool armed;
  {
    Guard guard(lock);
    if (!is_open()) return false;
    read_state |= kClosing;
    write_state |= kClosing;
    abort(writers, am::closed, closer);
    abort(connectors, am::closed, closer);
    abort(readers, am::closed, closer);
    abort(acceptors, am::closed, closer);
    armed = std::exchange(armed_, 0) != 0;
  }
  if (watched_) network().unwatch(watch_);
  if (armed) release();
  return true;
}

bool lingers(int fd) {
  linger l = {};
  socklen_t size = sizeof l;
  return ask_option(fd, SOL_SOCKET, SO_LINGER, &l, &size) == 0 && l.l_onoff && l.l_linger;
}
void close_descriptor(Network& network, int fd, bool may_wait) {
  if (fd < 0) return;
  if (lingers(fd)) {
    constexpr linger kOff = {};
    if (may_wait)
      change_flags(fd, 0, O_NONBLOCK);
    else
      set_option(fd, SOL_SOCKET, SO_LINGER, &kOff, sizeof kOff);
  }
  network.close(fd);
}

std::optional<int> NativeSocket::finalize() {
  int descriptor, sending;
  Term was_owner;
  bool tell;
  {
    Guard guard(lock);
    if (!(read_state & kClosing) || (read_state & kClosed)) return std::nullopt;
    read_state |= kClosed;
    write_state |= kClosed;
    descriptor = std::exchange(watch_.fd, -1);
    sending = std::exchange(file, -1);
    was_owner = std::exchange(owner, kNone);
    tell = std::exchange(registered, false);
  }
  if (was_owner != kNone) table_->forget(was_owner, *this);
  if (tell) tell_registry(am::del);
  table_->note_closed(*this);
  if (sending >= 0) close_descriptor(sending);
  return descriptor;
}

void NativeSocket::forget_process(Waiters& w, Term pid) {
  const bool current = w.is_current(pid);
  std::erase_if(w.all, [&](const Waiters::Waiter& x) { return x.pid == pid; });
  if (current && w.any()) arm();
}

void NativeSocket::process_ended(Term pid) {
  bool owned;
  {
    Guard guard(lock);
    for (Waiters* w : {&readers, &writers, &acceptors, &connectors}) forget_process(*w, pid);
    owned = owner == pid;
  }
  if (!owned) return;
  close(pid);
  if (auto descriptor = finalize()) close_descriptor(network(), *descriptor, false);
}

/// "tcp listens at 127.0.0.1:80", "udp 127.0.0.1:53, 2 wait" ...
std::string NativeSocket::about() {
  Guard guard(lock);
  std::string text = kind.protocol == IPPROTO_TCP   ? "tcp"
                     : kind.protocol == IPPROTO_UDP ? "udp"
                     : kind.domain == AF_LOCAL      ? "local"
                                                    : "other";
  if (!is_open()) return text + " closed";
  if (read_state & kListening) text += " listens at";
  SocketAddress here, there;
  if (network().name(fd(), &here.any, &here.size) == 0) text += " " + here.text();
  if (network().peer(fd(), &there.any, &there.size) == 0) text += " to " + there.text();
  const size_t waiting =
      readers.all.size() + writers.all.size() + acceptors.all.size() + connectors.all.size();
  if (waiting) text += ", " + std::to_string(waiting) + " wait";
  return text;
}

void NativeSocket::give_to(Term pid) {
  Term before;
  {
    Guard guard(lock);
    before = std::exchange(owner, pid);
  }
  const bool alive = table_->note(pid, *this);
  if (before != kNone) table_->forget(before, *this);
  if (!alive) process_ended(pid);
}

}  // namespace wb
