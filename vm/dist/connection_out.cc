// What goes out.
#include <algorithm>
#include <utility>

#include "term/dist_atoms.h"
#include "term/number.h"
#include "vm/core/vm.h"
#include "vm/dist/connection.h"
#include "vm/dist/distribution.h"
#include "vm/port/ports.h"
#include "vm/process/extra.h"
#include "vm/process/native.h"
#include "vm/process/native_yield.h"
#include "vm/process/route.h"
#include "vm/process/run.h"
#include "vm/process/send.h"
#include "vm/process/sequential.h"

namespace wb {

namespace {
constexpr uint8_t kVersion = 131, kNormal = 68, kFirstFragment = 69, kNextFragment = 70;
constexpr size_t kLengthBytes = 4;
/// From so many bytes on it is not worth while to wait for more: the other side could be reading.
constexpr size_t kWorthAWrite = 16 * 1024;
/// From so many sequences on nobody begins one, until few are left.
constexpr size_t kManySequences = 32, kFewSequences = 16;
/// So many fragments at most leave at a time.
constexpr size_t kFragmentsAtOnce = 4;

void append_number(std::string* out, uint64_t n, unsigned bytes) {
  while (bytes-- > 0) *out += static_cast<char>(n >> 8 * bytes);
}
/// `n`: of the bytes that follow.
void append_length(std::string* out, size_t n) { append_number(out, n, kLengthBytes); }
}  // namespace

// --- a place among those that go out; under lock_ ------------------------------------------------
Connection::Sequence* Connection::sequence_of(Term sender) {
  if (WB_LIKELY(sequences_.empty()) || !is_local_pid(sender)) return nullptr;
  for (Sequence& s : sequences_) {
    if (s.sender == sender) return &s;
  }
  return nullptr;
}

/// `head` is what a header begins with; without one the packet is the next n bytes of `body`.
void Connection::append_packet(std::string_view head, std::span<const Term> atoms,
                               const SplicedBytes& body, SplicedBytes::Cursor* at, size_t n) {
  std::string& own = out_.own();
  const size_t length_at = own.size();
  append_length(&own, 0);
  own += head;
  if (!head.empty()) out_atoms_.write(atoms, &own);
  const size_t length = own.size() - length_at - kLengthBytes + n;
  for (unsigned k = 0; k < kLengthBytes; ++k) {
    own[length_at + k] = static_cast<char>(length >> 8 * (kLengthBytes - 1 - k));
  }
  out_.append_some(body, at, n);
  ++out_packets_;
}

void Connection::place(std::span<const Term> atoms, SplicedBytes body, bool plain, Term sender) {
  const size_t size = body.size();
  if (Sequence* s = sequence_of(sender)) {
    behind_bytes_ += size;
    s->behind.push_back({{atoms.begin(), atoms.end()}, std::move(body), plain});
    return;
  }
  SplicedBytes::Cursor at;
  if (plain) {
    append_packet({}, {}, body, &at, size);
  } else if (size <= kFragment || !(flags_ & dist_flag::fragments)) {
    constexpr char head[] = {static_cast<char>(kVersion), kNormal};
    append_packet({head, sizeof head}, atoms, body, &at, size);
  } else {
    const uint64_t number = next_sequence_++, left = (size - 1) / kFragment;
    std::string head{static_cast<char>(kVersion), kFirstFragment};
    append_number(&head, number, 8);
    append_number(&head, left + 1, 8);
    append_packet(head, atoms, body, &at, kFragment);
    sequence_bytes_ += size - at.done;
    sequences_.push_back({number, left, sender, std::move(body), at, {}});
  }
  if (out_.size() - out_at_.done >= dist_.busy_limit.load(std::memory_order_relaxed)) busy_ = true;
  if (WB_UNLIKELY(tell_of_data_)) tell_controller();
}

void Connection::append_fragment(Sequence& s, SplicedBytes* out) {
  constexpr size_t kHead = 18;
  const size_t n = std::min(kFragment, s.body.size() - s.at.done);
  append_length(&out->own(), kHead + n);
  out->own() += static_cast<char>(kVersion);
  out->own() += static_cast<char>(kNextFragment);
  append_number(&out->own(), s.number, 8);
  append_number(&out->own(), s.left--, 8);
  out->append_some(s.body, &s.at, n);
  sequence_bytes_ -= n;
}

/// The next fragment of the sequence whose turn it is.
bool Connection::next_fragment(SplicedBytes* out) {
  if (sequences_.empty()) return false;
  append_fragment(sequences_.front(), out);
  if (sequences_.front().left == 0) {
    finish_sequence(sequences_.begin());
  } else {
    sequences_.push_back(std::move(sequences_.front()));
    sequences_.pop_front();
  }
  return true;
}
void Connection::finish_sequence(std::deque<Sequence>::iterator at) {
  std::vector<Behind> behind = std::move(at->behind);
  const Term sender = at->sender;
  sequences_.erase(at);
  for (Behind& b : behind) {
    behind_bytes_ -= b.body.size();
    place(b.atoms, std::move(b.body), b.plain, sender);
  }
  resume_waiting();
}

size_t Connection::fetch(SplicedBytes* out) {
  std::lock_guard lock(lock_);
  if (state() != State::up) return 0;
  out->swap(out_);
  size_t packets = std::exchange(out_packets_, 0);
  for (size_t k = 0; k < kFragmentsAtOnce && next_fragment(out); ++k) ++packets;
  if (packets == 0) return 0;
  packets_out_ += packets;
  bytes_out_ += out->size();
  note_fetched();
  if (std::exchange(busy_, false)) resume_waiting();
  return packets;
}

bool Connection::take_packet(std::string* packet) {
  std::lock_guard lock(lock_);
  if (state() != State::up) return false;
  packet->clear();
  if (out_packets_ == 0) {
    if (!next_fragment(&out_)) return false;
    ++out_packets_;
  }
  out_.copy_some(&out_at_, kLengthBytes, packet);
  size_t n = 0;
  for (unsigned k = 0; k < kLengthBytes; ++k) n = n << 8 | static_cast<uint8_t>((*packet)[k]);
  packet->clear();
  packet->reserve(n);
  out_.copy_some(&out_at_, n, packet);
  if (--out_packets_ == 0) {
    out_.clear();
    out_at_ = {};
    if (next_fragment(&out_)) ++out_packets_;
  } else if (out_at_.done > out_.size() / 2 && out_at_.done > kFragment) {
    SplicedBytes rest;
    rest.append_some(out_, &out_at_, out_.size());
    out_ = std::move(rest);
    out_at_ = {};
  }
  ++packets_out_;
  bytes_out_ += packet->size();
  note_fetched();
  const size_t limit = dist_.busy_limit.load(std::memory_order_relaxed);
  if (busy_ && out_.size() - out_at_.done < limit / 2 + 1) busy_ = false, resume_waiting();
  return true;
}

// --- a controller that is a process --------------------------------------------------------------
void Connection::tell_controller() {
  tell_of_data_ = false;
  route(dist_.vm(), controller_, new_signal(SignalKind::message, am::dist_data));
}
void Connection::notify_of_data() {
  std::lock_guard lock(lock_);
  tell_of_data_ = true;
  if (out_packets_ || !sequences_.empty()) tell_controller();
}

void Connection::hold(const Outgoing& o) {
  held_.emplace_back(o);
  held_bytes_ += held_.back().bytes();
}
void Connection::drop_held() {
  held_.clear();
  held_bytes_ = 0;
}

// --- senders that wait ---------------------------------------------------------------------------
void Connection::resume_waiting() {
  if (is_crowded()) return;  // they would be suspended again
  for (Term pid : std::exchange(waiting_, {})) {
    route(dist_.vm(), pid, new_signal(SignalKind::resume));
  }
  for (Process* p : std::exchange(ending_, {})) dist_.vm().scheduler->enqueue(*p);
}
bool Connection::is_busy_for(Term sender) {
  if (WB_UNLIKELY(state() != State::up)) {
    return held_bytes_ >= dist_.busy_limit.load(std::memory_order_relaxed);
  }
  return WB_UNLIKELY(busy_) || sequence_of(sender) || is_crowded() || is_stalled();
}
bool Connection::is_crowded() {
  if (sequences_.size() >= kManySequences) crowded_ = true;
  if (sequences_.size() <= kFewSequences) crowded_ = false;
  return WB_UNLIKELY(crowded_);
}
/// True: who has found it so is resumed when something is fetched.
bool Connection::is_stalled() {
  if (WB_LIKELY(sequences_.empty())) return false;
  if (dist_.vm().scheduler->now_ns() - fetched_at_ns_ < kStalledNs) return false;
  return stalled_ = true;
}
void Connection::note_fetched() {
  fetched_at_ns_ = dist_.vm().scheduler->now_ns();
  if (WB_UNLIKELY(std::exchange(stalled_, false))) resume_waiting();
}
/// True: it is suspended, or refused.
bool Connection::suspend_if_busy(Process& from, bool nosuspend, bool* refused) {
  if (rare_of(from) && rare_of(from)->async_dist) return false;
  std::lock_guard lock(lock_);
  if (!is_busy_for(from.id)) return false;
  if ((*refused = nosuspend)) return true;
  waiting_.push_back(from.id);
  push_signal(from, new_signal(SignalKind::suspend));
  return true;
}

bool Connection::suspend_if_busy(Process& p) {
  bool refused;
  if (!suspend_if_busy(p, false, &refused)) return false;
  dist_.vm().hooks->suspended_by_port(p, controller_);
  return true;
}
bool Connection::is_busy_for(const Process& p) {
  std::lock_guard lock(lock_);
  return is_busy_for(p.id);
}

void Connection::await_room(Process& p) {
  {
    std::lock_guard lock(lock_);
    if (!is_busy_for(p.id)) return;
  }
  const std::shared_ptr<Connection> self = shared_from_this();
  dist_.vm().hooks->suspended_by_port(p, controller_);
  yield_until_woken(p, [&] {
    std::lock_guard lock(lock_);
    if (is_busy_for(p.id))
      ending_.push_back(&p);
    else
      dist_.vm().scheduler->enqueue(p);
  });
}

// --- messages, signals ---------------------------------------------------------------------------
bool Connection::commit(Encoded& e, Term sender) {
  bool much;
  {
    std::lock_guard lock(lock_);
    if (state() != State::up) return false;
    place(e.atoms.all(), std::move(e.body), e.plain, sender);
    much = out_.size() >= kWorthAWrite || !sequences_.empty();
  }
  flush(much);
  return true;
}
/// What a slice says goes when it is over, unless it is `much`.
void Connection::flush(bool much) {
  if (!port_) return;
  AfterSlice* left = much ? nullptr : dist_.vm().host->after_slice();
  if (!left || !left->add(port_, [](void* port) { static_cast<Port*>(port)->pull(); })) {
    port_->pull();
  }
}

static void add_token(Process& from, Term node, Outgoing* o) {
  Term to = o->op == DistOp::alias_send ? o->ref : o->to;
  if (o->op == DistOp::reg_send) to = tuple(from.heap, to, node);
  o->token = seq_sent_elsewhere(from, from.heap, to, o->payload);
}

Term Connection::send(Process& from, Outgoing o, bool nosuspend) {
  const bool is_message = o.op != DistOp::payload_exit2;
  bool refused = false;
  if (is_message && WB_UNLIKELY(suspend_if_busy(from, nosuspend, &refused))) {
    if (refused) return am::nosuspend;
    dist_.vm().hooks->suspended_by_port(from, controller_);
    return kYield;
  }
  if (WB_UNLIKELY(may_have_token(from)) && is_message) add_token(from, node, &o);
  if (WB_UNLIKELY(state() == State::pending)) {
    std::lock_guard lock(lock_);
    if (state() == State::pending) {
      hold(o);
      return am::ok;
    }
  }
  const std::shared_ptr<Connection> self = shared_from_this();  // others may run meanwhile
  Encoded e;
  BifBudget budget(from, 30);
  if (encode(o, flags_, &e, budget)) commit(e, from.id);
  if (WB_UNLIKELY(e.too_large)) return kSystemLimit;
  return budget.stopped() ? kCancelled : am::ok;
}

bool Connection::say(const Outgoing& o, Term sender) {
  {
    std::lock_guard lock(lock_);
    if (state() == State::down) return false;
    if (state() == State::pending) {
      hold(o);
      return true;
    }
  }
  Encoded e;
  UnlimitedBudget budget;
  return !encode(o, flags_, &e, budget) || commit(e, sender);
}

/// Somebody who is not known: the machine itself.
static Term sender_term(Address from) {
  return from.is_local_pid() ? from.local_term() : make_pid(0, 0);
}

bool Connection::send_signal(Address to, const Signal& s) {
  FragmentHeap h(48);
  Outgoing o{.op = DistOp::link, .from = sender_term(s.from), .to = term_of(to, h)};
  const bool named = to.remote().key.kind == Remote::Kind::name;
  if (named) o.to = tuple_elements(o.to)[0];
  const Address from = s.from;
  bool still = true;  // there is what the signal is about
  {
    std::lock_guard lock(lock_);
    if (state() == State::down) return false;
    switch (s.kind) {
      case SignalKind::message:
        o.op = named ? DistOp::reg_send : DistOp::send_sender;
        o.payload = s.term;
        break;
      case SignalKind::exit:
        o.op = DistOp::payload_exit2;
        o.payload = s.term;
        break;
      case SignalKind::link:
        relations_.link(from, to);
        break;
      case SignalKind::link_exit:
        still = relations_.erase_link(from, to);
        o.op = DistOp::payload_exit;
        o.payload = s.term;
        o.token = carried_token(s, h);
        break;
      case SignalKind::unlink:
        still = relations_.unlinking(from, to);
        if (still && !(flags_ & dist_flag::unlink_id) && is_up()) {
          relations_.erase_link(from, to);
          Signal* ack = new_signal(SignalKind::unlink_ack);
          to.retain();
          ack->from = to;
          ack->ref = s.ref;
          route(dist_.vm(), from, ack);
        }
        o.op = DistOp::unlink_id;
        o.ref = make_unsigned(h, s.ref);
        break;
      case SignalKind::unlink_ack:
        o.op = DistOp::unlink_id_ack;
        o.ref = make_unsigned(h, s.ref);
        break;
      case SignalKind::monitor:
        relations_.monitors[s.ref] = {from, HeldAddress(to)};
        o.op = DistOp::monitor_p;
        o.ref = make_ref(h, s.ref);
        break;
      case SignalKind::demonitor:
        still = relations_.monitors.erase(s.ref);
        o.op = DistOp::demonitor_p;
        o.ref = make_ref(h, s.ref);
        break;
      case SignalKind::down: {
        RelationsOver::Watched w;
        if (!(still = relations_.take_watched(s.ref, &w))) break;
        o.op = DistOp::payload_monitor_p_exit;
        if (!is_nil(w.name))
          o.from = w.name;
        else if (w.target)
          o.from = w.target.local_term();
        o.ref = w.ref.term(h);
        o.payload = s.term;
        break;
      }
      case SignalKind::group_leader:
        o.op = DistOp::group_leader;
        o.from = s.term;
        break;
      // Aliases are no addresses; the rest is for processes here.
      case SignalKind::alias_message:
      case SignalKind::priority_message:
      case SignalKind::alias_exit:
      case SignalKind::priority_exit:
      case SignalKind::timeout:
      case SignalKind::request:
      case SignalKind::reply:
      case SignalKind::suspend:
      case SignalKind::resume:
      case SignalKind::visit:
      case SignalKind::work_done:
        still = false;
        break;
    }
    if (!still) return true;
    if (state() == State::pending) {
      hold(o);
      return true;
    }
  }
  Encoded e;
  UnlimitedBudget budget;
  if (encode(o, flags_, &e, budget))
    commit(e, sender_term(from));
  else if (e.too_large)
    break_off();
  return true;
}

// --- children ------------------------------------------------------------------------------------
bool Connection::request_spawn(Process& from, uint64_t number, const PendingSpawn& spawn,
                               const Outgoing& o) {
  {
    std::lock_guard lock(lock_);
    if (state() == State::down || (is_up() && !(flags_ & dist_flag::spawn))) return false;
    spawns_.emplace(number, spawn);
    if (spawn.link) {
      awaited_links_.emplace(from.id, AwaitedLink{number, std::nullopt, HeldAddress()});
      dist_.mark(from.id);
    }
    if (state() == State::pending) {
      hold(o);
      return true;
    }
  }
  const std::shared_ptr<Connection> self = shared_from_this();
  Encoded e;
  BifBudget budget(from, 30);
  if (encode(o, flags_, &e, budget)) commit(e, from.id);
  return true;
}
bool Connection::abandon_spawn(uint64_t number, Term parent) {
  std::lock_guard lock(lock_);
  auto at = spawns_.find(number);
  return at != spawns_.end() && at->second.parent == parent &&
         !std::exchange(at->second.abandoned, true);
}

}  // namespace wb
