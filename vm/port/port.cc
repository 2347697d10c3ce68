#include "vm/port/port.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/recording.h"
#include "term/binary.h"
#include "term/external.h"
#include "term/number.h"
#include "term/utf8.h"
#include "vm/core/settings.h"
#include "vm/core/vm.h"
#include "vm/io/file_names.h"
#include "vm/io/iolist.h"
#include "vm/port/port_tracer.h"
#include "vm/port/ports.h"
#include "vm/port/tcp_socket.h"
#include "vm/port/trace_file.h"
#include "vm/port/udp_socket.h"
#include "vm/process/profiled.h"
#include "vm/process/report.h"
#include "vm/process/route.h"
#include "vm/process/trace_flags.h"

namespace wb {

Port::Port(Ports& ports, Term id, const PortOptions& options, std::string name, Term owner,
           int input, int output, int pid, std::shared_ptr<Lock> lock)
    : id(id),
      ports_(ports),
      vm_(ports.vm()),
      options_(options),
      name_(std::move(name)),
      pid_(pid),
      shared_(options.kind == PortOptions::Kind::descriptors ||
              options.kind == PortOptions::Kind::terminal),
      lock_(lock ? std::move(lock) : std::make_shared<Lock>()),
      owner_(owner),
      deframer_(options.framing, deliver_frame, this),
      input_open_(input >= 0) {
  in_.fd = input, in_.ready = readable, in_.port = this;
  out_.fd = output, out_.ready = writable, out_.port = this;
  if (!is_own()) links_.try_emplace(Address::of_local(owner), 0);
  if (options.kind == PortOptions::Kind::linked) {
    front_ = std::make_unique<PortFront>(options.front_low, options.front_high);
  }
  if (options.kind == PortOptions::Kind::ram_file) ram_ = std::make_unique<RamFile>();
  if (options.kind == PortOptions::Kind::terminal) {
    terminal_ = std::make_unique<Terminal>(options.command);
  }
  if (options.kind == PortOptions::Kind::trace_file) {
    driver_ = std::make_unique<TraceFile>(*this, options.fd_out);
  }
  if (options.kind == PortOptions::Kind::tcp) driver_ = std::make_unique<TcpSocket>(*this);
  if (options.kind == PortOptions::Kind::udp) driver_ = std::make_unique<UdpSocket>(*this);
}
Port::~Port() {
  if (in_.fd >= 0) close_descriptor(in_.fd);
  if (out_.fd >= 0) close_descriptor(out_.fd);
  if (data_fragment_) free_fragments(data_fragment_);
}

Port::Guard::Guard(Port& p, Looking)
    : time_(Scheduler::current(), Account::port),
      port_(p.shared_from_this()),
      mode_(Mode::looking) {
  port_->lock_->lock();
}
Port::Guard::Guard(Port& p, Term what, Mode mode)
    : time_(Scheduler::current(), Account::port), port_(p.shared_from_this()), mode_(mode) {
  if (mode != Mode::usual) return;
  if (WB_UNLIKELY(p.vm_.profiled.load(std::memory_order_relaxed) & profiled::ports)) {
    notified_ = true;
    p.vm_.hooks->port_active(p.id, true);
  }
  if (WB_UNLIKELY(p.front_ && !p.front_->is_empty())) p.take_from_front();
  what_ = p.tell_running(what);
}
static Port& locked(Port& p, PortLock& lock) {
  lock.lock();
  return p;
}
Port::Guard::Guard(Port& p, Term what) : Guard(locked(p, *p.lock_), what, Mode::usual) {}
Port::Guard::Guard(Port& p, PortTask task) : Guard(p) {
  if (WB_LIKELY(!p.vm_.settings->limits.long_schedule_ms.load(std::memory_order_relaxed))) return;
  task_ = task;
  since_ = p.vm_.scheduler->now_ns();
}
Port::Guard::~Guard() {
  Port& p = *port_;
  if (WB_UNLIKELY(is_value(what_))) p.tell_ran(what_);
  if (WB_UNLIKELY(task_ != PortTask::none)) p.ports_.tracer->took(p, task_, since_);
  if (mode_ != Mode::looking && p.front_ && !p.front_->is_empty()) p.take_from_front();
  if (WB_UNLIKELY(notified_)) p.vm_.hooks->port_active(p.id, false);
  bool release = p.state_ == State::closed && !std::exchange(p.released_, true);
  bool garbage = p.driver_ && p.driver_->has_garbage();
  const bool pull = mode_ != Mode::pulling && (p.channel_ || p.front_);
  std::shared_ptr<PortChannel> done;  // which may own the port in its turn
  if (release) done = std::move(p.channel_);
  p.lock_->unlock();
  if (WB_UNLIKELY(pull)) p.pull_if_wanted();
  if (pull && p.front_) p.serve_crowd();
  if (release)
    p.release();
  else if (garbage)
    p.driver_->release_after_lock(false);
}

// --- its channel ---------------------------------------------------------------------------------
bool Port::take_over(Process& from, std::shared_ptr<PortChannel> channel) {
  Guard guard(*this, Guard::Looking{});
  if (state_ != State::open || channel_ || !driver_ || owner() != from.id) return false;
  channel_ = std::move(channel);
  if (driver_->pull()) return true;
  channel_ = nullptr;
  return false;
}
void Port::break_off(Term reason) { terminate(reason); }

/// Nobody uses the descriptors any more: the port is closed, and whoever was in a callback is out.
void Port::release() {
  if (driver_) driver_->release_after_lock(true);
  for (Watch* w : {&in_, &out_}) {
    if (w->fd < 0) continue;
    unwatch(*w);
    close_descriptor(std::exchange(w->fd, -1));
  }
}

// --- what it tells -------------------------------------------------------------------------------
void Port::post(FragmentHeap& h, Term message) { post_to(owner(), h, message); }
void Port::post_to(Term pid, FragmentHeap& h, Term message) {
  tell_sent(message, pid);
  send_signal(pid, h, message);
}
void Port::send_signal(Term pid, FragmentHeap& h, Term message) {
  Signal* s = new_signal(SignalKind::message);
  s->from = address();
  s->term = message;
  s->fragment = h.take_fragments();
  route(vm_, pid, s);
}
void Port::post_word(Term word) {
  FragmentHeap h(8);
  post(h, tuple(h, id, word));
}

// --- tracing -------------------------------------------------------------------------------------
void Port::tell_tracer_now(Term tag, Term what, Term extra) {
  ports_.tracer->happened(*this, tag, what, extra);
}
void Port::tell_opened() {
  const Term told = tell_running(intern("open"));
  tell_opened_now();
  tell_ran(told);
}
void Port::tell_opened_now() {
  if (!is_traced(traced::ports)) return;
  const Term name = intern(name_);
  tell_tracer_now(intern("open"), owner(), is_value(name) ? name : am::undefined);
}
void Port::tell_linked() { tell_tracer(traced::ports, am::getting_linked, owner()); }
void Port::tell_sent(Term message, Term to) {
  if (!is_traced(traced::send)) return;
  const bool exists = vm_.is_alive(to);
  tell_tracer_now(exists ? am::send : am::send_to_non_existing_process, message, to);
}
void Port::tell_received(Term from, Term what) {
  if (!is_traced(traced::receive)) return;
  FragmentHeap h(8);
  tell_tracer_now(am::receive, tuple(h, from, what), kNone);
}
void Port::tell_received(Term from, Term key, Term value) {
  if (!is_traced(traced::receive)) return;
  FragmentHeap h(8);
  tell_received(from, tuple(h, key, value));
}
/// As its driver gets them: in their pieces, or in one.
void Port::tell_command(Term from, Term data) {
  if (!is_traced(traced::receive)) return;
  if (driver_ && driver_->takes_vectors()) return tell_received(from, am::command, data);
  UnlimitedBudget budget;
  size_t bits = 0;
  if (!iolist_bits(data, true, &bits, budget)) return;
  std::string bytes(bits / 8, '\0');
  write_iolist(data, reinterpret_cast<uint8_t*>(bytes.data()), budget);
  FragmentHeap h(16);
  const Term whole = make_binary(h, bytes.data(), bytes.size());
  if (is_value(whole)) tell_received(from, am::command, whole);
}

void Port::notify_relations(Term reason) {
  for (auto& [who, unused] : links_) {
    Signal* s = new_signal(SignalKind::link_exit, reason);
    s->from = address();
    route(vm_, who, s);
  }
  while (!links_.empty()) links_.erase(links_.end() - 1);
  watchers_.sort();
  for (auto& [number, watcher] : watchers_) {
    Signal* s = new_signal(SignalKind::down, reason);
    s->from = address();
    s->ref = number;
    route(vm_, watcher.who, s);
  }
  while (!watchers_.empty()) watchers_.erase(watchers_.end() - 1);
}

/// The end. What is queued still goes out, unless that is what failed (then nothing is queued).
void Port::terminate(Term reason, bool reply_closed, Term told) {
  if (state_ != State::open || is_own()) return;
  const Term name = is_traced(traced::ports) ? vm_.processes->name_of(id) : kNone;
  if (told == am::kill) drop_queue();
  if (driver_) driver_->stopped();
  if (channel_) channel_->ended(reason);
  bool at_once = queued() == 0;
  state_ = at_once ? State::closed : State::closing;
  input_open_ = false;
  reply_closed_ = reply_closed;
  if (at_once) ports_.remove(id);
  vm_.processes->forget_name(id);
  tell_tracer(traced::ports, am::closed, is_value(told) ? told : reason);
  if (is_value(name)) tell_tracer(traced::ports, am::unregister, name);
  notify_relations(reason);
  if (at_once) finish();
}
void Port::drop_queue() {
  if (driver_) return driver_->drop_queue();
  queue_.clear();
  queue_done_ = 0;
}
void Port::finish() {
  if (state_ == State::closing) ports_.remove(id);
  state_ = State::closed;
  if (driver_) driver_->finished();
  if (reply_closed_) post_closed();
  busy_ = false;
  if (front_) drop_front();
  resume_waiting();
}
/// {Port, closed}, of which tracers are told as `closed`.
void Port::post_closed() {
  FragmentHeap h(8);
  tell_sent(am::closed, owner());
  send_signal(owner(), h, tuple(h, id, am::closed));
}
void Port::fail(int error) {
  queue_.clear();
  queue_done_ = 0;
  if (state_ == State::closing) return finish();
  terminate(posix_atom(error));
}
/// Somebody sent what a port does not understand, or is not its owner: its owner is notified.
void Port::bad_signal() {
  Signal* s = new_signal(SignalKind::exit, am::badsig);
  s->from = address();
  route(vm_, owner(), s);
}

// --- what processes do ---------------------------------------------------------------------------
bool Port::suspend_if_busy(Process& from) {
  if (!busy_) return false;
  waiting_.push_back(from.id);
  vm_.hooks->suspended_by_port(from, id);
  push_signal(from, new_signal(SignalKind::suspend));
  return true;
}
void Port::resume_waiting() {
  for (Term pid : std::exchange(waiting_, {})) route(vm_, pid, new_signal(SignalKind::resume));
  if (front_) resume_front();
}

/// True: `data` are bytes, and *bytes is what is to be written, header first; empty if the header
/// cannot say how many there are.
bool Port::frame(Term data, std::string* bytes) {
  size_t bits;
  UnlimitedBudget budget;
  if (!is_list(data) && !is_bitstring(data)) return false;
  if (!iolist_bits(data, true, &bits, budget)) return false;
  size_t n = bits / 8;
  if (!add_frame_header(options_.framing, n, bytes)) return true;
  size_t header = bytes->size();
  bytes->resize(header + n);
  write_iolist(data, reinterpret_cast<uint8_t*>(bytes->data()) + header, budget);
  return true;
}

/// Its driver takes the data as they are, and notifies `from` of what has become of them.
Term Port::command_driver(Process& from, Term data, CommandFlags flags, Term sender) {
  size_t bits = 0;
  UnlimitedBudget budget;
  bool good = (is_list(data) || is_bitstring(data)) && iolist_bits(data, true, &bits, budget);
  if (front_ && good && !flags.force) {
    return send_linked(from, PortFront::Kind::data, data, bits / 8, flags.nosuspend);
  }
  Guard guard(*this, am::command);
  if (state_ != State::open) return am::badarg;
  if (!good) {
    report_bad_port_data(from, name_);
    return am::badarg;
  }
  if (busy_ && flags.nosuspend && !flags.force) return am::false_;
  if (!flags.force && suspend_if_busy(from)) return kYield;
  from.charge(static_cast<int64_t>(bits / 8000));
  bytes_out_ += bits / 8;
  tell_command(sender, data);
  driver_->command(from.id, data, bits / 8);
  return am::true_;
}
bool Port::takes_traces() const { return driver_ && driver_->takes_traces(); }
void Port::traced(const uint8_t* external, size_t size) {
  Guard guard(*this);
  if (state_ != State::open || !driver_) return;
  bytes_out_ += size;
  driver_->traced(external, size);
}
/// {From, {control, {Operation, Data}}} and {Port, {control, Answer}}; the same of `call`.
void Port::tell_control(Term from, uint64_t operation, std::string_view data, Term key) {
  if (!is_traced(traced::receive)) return;
  FragmentHeap h(16);
  const Term bytes = make_binary(h, data.data(), data.size());
  if (is_value(bytes)) tell_received(from, key, tuple(h, make_unsigned(h, operation), bytes));
}
void Port::tell_answer(Term to, Term key, const void* data, size_t n) {
  if (!is_traced(traced::send)) return;
  FragmentHeap h(16);
  const Term bytes = make_binary(h, data, n);
  if (is_value(bytes)) tell_sent(tuple(h, id, tuple(h, key, bytes)), to);
}

/// What OTP's old shell asks a port of descriptors: columns and rows, if one is a terminal.
bool Port::window_size(uint64_t operation, std::string* out) {
  if (operation != Terminal::kWindowSize) return false;
  winsize size = {};
  if ((out_.fd < 0 || ioctl(out_.fd, TIOCGWINSZ, &size) != 0) &&
      (in_.fd < 0 || ioctl(in_.fd, TIOCGWINSZ, &size) != 0))
    return false;
  *out = Terminal::columns_and_rows(size);
  return true;
}

Term Port::control(Process& from, uint64_t operation, Term data) {
  std::string in, out;
  size_t bits;
  UnlimitedBudget budget;
  if (!(is_list(data) || is_bitstring(data))) return am::badarg;
  if (!iolist_bits(data, true, &bits, budget)) return am::badarg;
  in.resize(bits / 8);
  write_iolist(data, reinterpret_cast<uint8_t*>(in.data()), budget);
  {
    Guard guard(*this, is_traced(traced::running_ports) ? intern("control") : kNone);
    if (state_ != State::open) return am::badarg;
    if (is_traced(traced::receive)) tell_control(from.id, operation, in, intern("control"));
    if (!driver_ && !terminal_) {
      if (!window_size(operation, &out)) return am::badarg;
    } else if (terminal_) {
      auto answer = terminal_->control(operation, in);
      if (!answer) return am::badarg;
      out = std::move(*answer);
    } else if (!driver_->control(from, operation, in, &out)) {
      return am::badarg;
    }
    if (is_traced(traced::send)) {
      tell_answer(from.id, intern("control"), out.data(), out.size());
    }
    if (driver_ && driver_->answers_binary()) {
      return make_binary(from.heap, out.data(), out.size());
    }
  }
  return bytes_to_list(from.heap, reinterpret_cast<const uint8_t*>(out.data()), out.size());
}
Term Port::call(Process& from, uint64_t operation, Term data) {
  if (!driver_) return am::badarg;
  std::vector<uint8_t> in, out;
  if (!encode_term(data, {}, &in)) return am::badarg;
  {
    Guard guard(*this, am::call);
    if (state_ != State::open) return am::badarg;
    tell_control(from.id, operation, {reinterpret_cast<const char*>(in.data()), in.size()},
                 am::call);
    if (!driver_->call(from, operation, in, &out)) return am::badarg;
    tell_answer(from.id, am::call, out.data(), out.size());
  }
  const Term answer = decode_term(from.heap, out.data(), out.size());
  return is_fault(answer) ? am::badarg : tuple(from.heap, am::ok, answer);
}
bool Port::takes_force() const { return driver_ ? driver_->takes_force() : options_.is_driver(); }
void Port::set_busy(bool busy) {
  busy_ = busy;
  if (!busy) resume_waiting();
}
void Port::end(Term reason) {
  if (links_.erase(Address::of_local(owner()))) {
    Signal* s = new_signal(SignalKind::unlink);
    s->from = address();
    route(vm_, owner(), s);
  }
  terminate(reason);
}
void Port::drained() {
  if (state_ == State::closing) finish();
}

Term Port::command(Process& from, Term data, CommandFlags flags) {
  if (driver_) return command_driver(from, data, flags, from.id);
  std::string bytes;
  bool framed = frame(data, &bytes);
  Guard guard(*this, am::command);
  if (state_ != State::open) return am::badarg;
  if (!framed) {
    report_bad_port_data(from, name_);
    return am::badarg;
  }
  if (is_own()) return am::true_;
  if (busy_ && flags.nosuspend) return am::false_;
  if (suspend_if_busy(from)) return kYield;
  from.charge(static_cast<int64_t>(bytes.size() / 1000));
  tell_command(from.id, data);
  write(std::move(bytes));
  return am::true_;
}

bool Port::command_anyway(Term from, Term data) {
  size_t bits = 0;
  UnlimitedBudget budget;
  if (!(is_list(data) || is_bitstring(data)) || !iolist_bits(data, true, &bits, budget)) {
    return false;
  }
  std::string bytes;
  if (!driver_ && !frame(data, &bytes)) return false;
  Guard guard(*this, am::command);
  if (state_ != State::open) return false;
  tell_command(is_value(from) ? from : am::undefined, data);
  if (!driver_) {
    if (!is_own()) write(std::move(bytes));
    return true;
  }
  bytes_out_ += bits / 8;
  driver_->command(from, data, bits / 8);
  return true;
}

namespace {
/// {From, {Key, Value}} or {From, Key}.
struct PortMessage {
  explicit PortMessage(Term message) {
    if (!is_tuple_of(message, 2)) return;
    from = tuple_elements(message)[0];
    key = tuple_elements(message)[1];
    if (!is_tuple_of(key, 2)) return;
    value = tuple_elements(key)[1];
    key = tuple_elements(key)[0];
  }
  bool is_command() const { return key == am::command && is_value(value); }
  bool is_connect() const { return key == am::connect && is_value(value) && is_local_pid(value); }
  bool is_close() const { return key == am::close && !is_value(value); }
  /// What the port does, for tracers; what is no message for a port is a command.
  Term what(Term owner) const {
    if (from != owner) return am::command;
    return is_connect() ? am::connect : is_close() ? am::close : am::command;
  }
  Term from = kNone, key = kNone, value = kNone;
};
}  // namespace

Term Port::receive(Process& from, Term message, bool nosuspend) {
  const PortMessage m(message);
  size_t bits = 0;
  UnlimitedBudget budget;
  const bool good = m.is_command() && (is_list(m.value) || is_bitstring(m.value)) &&
                    iolist_bits(m.value, true, &bits, budget);
  if (front_ && (good || !m.is_command())) {
    const auto kind = good ? PortFront::Kind::command : PortFront::Kind::message;
    const Term done = send_linked(from, kind, message, bits / 8, nosuspend);
    return done == kYield ? kYield : done == am::false_ ? am::nosuspend : am::ok;
  }
  if (driver_ && m.is_command() && m.from == owner()) {
    Term done = command_driver(from, m.value, {.nosuspend = nosuspend}, m.from);
    if (done == kYield || done == am::true_) return done == kYield ? kYield : am::ok;
    if (done == am::false_) return am::nosuspend;
    Guard guard(*this, am::command);
    bad_signal();
    return am::ok;
  }
  std::string bytes;
  bool framed = good && frame(m.value, &bytes);
  Guard guard(*this, m.what(owner()));
  if (state_ != State::open || is_own()) return am::ok;
  if (!m.is_command() || m.from != owner()) {
    take_message(from.address(), message);
  } else if (framed) {
    if (busy_ && nosuspend) return am::nosuspend;
    if (suspend_if_busy(from)) return kYield;
    from.charge(static_cast<int64_t>(bytes.size() / 1000));
    tell_command(m.from, m.value);
    write(std::move(bytes));
  } else {
    report_bad_port_data(from, name_);
    bad_signal();
  }
  return am::ok;
}

/// What no sender waits for; data are those of a driver.
void Port::take_message(Address from, Term message) {
  const PortMessage m(message);
  if (m.from != owner()) {
    bad_signal();
  } else if (m.is_command()) {
    if (!take_data(from, m.from, m.value)) bad_signal();
  } else if (m.is_connect()) {
    tell_received(m.from, am::connect, m.value);
    post_word(am::connected);
    owner_ = m.value;
  } else if (m.is_close()) {
    tell_received(m.from, am::close);
    terminate(am::normal, true);
  } else {
    bad_signal();
  }
}
Term Port::named_in(Term message) const { return PortMessage(message).what(owner()); }

bool Port::close(Term from) {
  Guard guard(*this, am::close);
  if (state_ != State::open || is_own()) return false;
  tell_received(from, am::close);
  terminate(am::normal);
  return true;
}

bool Port::connect(Term from, Term owner) {
  Guard guard(*this, am::connect);
  if (state_ != State::open) return false;
  if (is_own()) return true;
  const Address who = Address::of_local(owner);
  if (links_.find(who) == links_.end()) {
    Signal* s = new_signal(SignalKind::link);
    s->from = address();
    if (!route(vm_, who, s)) return false;
    links_.try_emplace(who, 0);
    tell_tracer(traced::ports, am::getting_linked, owner);
  }
  if (is_traced(traced::receive | traced::send)) {
    FragmentHeap h(8);
    tell_received(from, am::connect, owner);
    tell_sent(tuple(h, id, am::connected), from);
  }
  owner_ = owner;
  return true;
}

ProcessTable::Registered Port::register_name(Term name) {
  Guard guard(*this, Guard::Looking{});
  if (state_ != State::open) return ProcessTable::Registered::gone;
  const auto done = vm_.processes->register_name(name, id);
  if (done == ProcessTable::Registered::done) {
    tell_tracer(traced::ports, am::register_, name);
  }
  return done;
}

void Port::abandon() {
  Guard guard(*this, Guard::Looking{});
  state_ = State::closed;
}

void Port::tell_of_link(Term tag, Address who) {
  if (who.is_local_pid()) tell_tracer(traced::ports, tag, who.local_term());
}
/// What tracers are told that the port does.
static Term name_of(SignalKind kind) {
  switch (kind) {
    case SignalKind::link:
      return am::link;
    case SignalKind::unlink:
      return am::unlink;
    case SignalKind::monitor:
      return am::monitor;
    case SignalKind::demonitor:
      return am::demonitor;
    case SignalKind::exit:
      return am::close;
    default:
      return make_small(0);
  }
}
bool Port::signal(Signal* s) {
  if (queue_behind_own(s)) {
    pull();
    return true;
  }
  Guard guard(*this, kNone);
  if (state_ != State::open) return false;
  signal_now(s);
  return true;
}
void Port::signal_now(Signal* s) {
  const Term told = tell_running(name_of(s->kind));
  switch (s->kind) {
    case SignalKind::link:
      links_.try_emplace(s->from, 0);
      tell_of_link(am::getting_linked, s->from);
      break;
    case SignalKind::unlink: {
      if (links_.erase(s->from)) tell_of_link(am::getting_unlinked, s->from);
      Signal* ack = new_signal(SignalKind::unlink_ack);
      ack->from = address();
      ack->ref = s->ref;
      route(vm_, s->from, ack);
      break;
    }
    case SignalKind::link_exit:
      if (!links_.erase(s->from)) break;
      tell_received(s->from.local_term(), am::close);
      if (s->term != am::normal || s->from == Address::of_local(owner())) terminate(s->term);
      break;
    case SignalKind::exit:
      tell_received(s->from.local_term(), am::close);
      terminate(s->term == am::kill ? am::killed : s->term, false, s->term);
      break;
    case SignalKind::monitor:
      watchers_.try_emplace(s->ref, Watcher{s->from});
      break;
    case SignalKind::demonitor:
      watchers_.erase(s->ref);
      break;
    case SignalKind::down:
      if (driver_) driver_->monitored(s->ref);
      break;
    case SignalKind::message:
    case SignalKind::alias_message:
    case SignalKind::priority_message:
    case SignalKind::alias_exit:
    case SignalKind::priority_exit:
    case SignalKind::unlink_ack:
    case SignalKind::timeout:
    case SignalKind::group_leader:
    case SignalKind::request:
    case SignalKind::reply:
    case SignalKind::suspend:
    case SignalKind::resume:
    case SignalKind::visit:
    case SignalKind::work_done:
      break;  // of processes only
  }
  free_signal(s);
  tell_ran(told);
}
Term Port::tell_running(Term what) {
  if (WB_LIKELY(!is_traced(traced::running_ports)) || !is_value(what)) return kNone;
  tell_tracer_now(am::in, what, kNone);
  return what;
}
void Port::tell_ran(Term what) {
  if (is_value(what) && state_ == State::open) tell_tracer(traced::running_ports, am::out, what);
}

// --- looking -------------------------------------------------------------------------------------
Term Port::data(Heap& h) {
  Guard guard(*this, Guard::Looking{});
  return is_fault(data_) ? am::undefined : copy_term(h, data_);
}
bool Port::set_data(Term data) {
  Guard guard(*this, Guard::Looking{});
  if (state_ != State::open) return false;
  if (data_fragment_) free_fragments(data_fragment_);
  FragmentHeap h(flat_size(data));
  data_ = copy_term(h, data);
  data_fragment_ = h.take_fragments();
  return true;
}

static Term number(uint64_t n) { return make_small(static_cast<int64_t>(n)); }

std::string Port::about() {
  Guard guard(*this, Guard::Looking{});
  return driver_ ? driver_->about() : std::string();
}

Term Port::info(Heap& h, Term item) {
  Guard guard(*this, Guard::Looking{});
  Term list = kNil;
  switch (item) {
    case am::registered_name: {
      Term name = vm_.processes->name_of(id);
      return is_value(name) ? name : kNil;
    }
    case am::name:
      return list_of_text(h, name_);
    case am::links:
      for (auto& [who, unused] : links_) list = cons(h, who.local_term(), list);
      return list;
    case am::monitored_by:
      for (auto& [ref, watcher] : watchers_) list = cons(h, watcher.who.local_term(), list);
      return list;
    case am::monitors:
      if (!driver_) return kNil;
      for (Term pid : driver_->monitors()) list = cons(h, tuple(h, am::process, pid), list);
      return list;
    case am::id:
      return number(port_number(id) * 8);
    case am::connected:
      return owner();
    case am::input:
      return number(bytes_in_);
    case am::output:
      return number(bytes_out_);
    case am::os_pid:
      if (driver_ && driver_->os_pid()) return make_small(driver_->os_pid());
      return pid_ ? make_small(pid_) : am::undefined;
    case am::parallelism:
      return make_bool(options_.parallelism);
    case am::queue_size:
      return number(queued());
    case am::memory:
      return number(sizeof(Port) + queue_.capacity() + name_.capacity() +
                    (ram_ ? ram_->memory() : 0) + (driver_ ? driver_->memory() : 0));
    case am::locking:
      return driver_ && driver_->shares_lock() ? intern("driver_level") : am::port_level;
    default:
      return kNone;
  }
}

}  // namespace wb
