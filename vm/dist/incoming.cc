#include "vm/dist/incoming.h"

#include <algorithm>
#include <utility>

#include "term/dist_atoms.h"
#include "term/number.h"
#include "term/print.h"
#include "vm/core/vm.h"
#include "vm/dist/child.h"
#include "vm/dist/distribution.h"
#include "vm/process/report.h"
#include "vm/process/route.h"
#include "vm/process/sequential.h"
#include "vm/process/undecoded.h"

namespace wb {

// --- packets -------------------------------------------------------------------------------------
namespace {
constexpr uint8_t kVersion = 131, kPassThrough = 112;
constexpr uint8_t kNormal = 68, kFirstFragment = 69, kNextFragment = 70;

uint64_t number_at(const uint8_t* p) { return read_bits(p, 0, 64); }
}  // namespace

bool Connection::receive(const uint8_t* p, size_t n) {
  if (!is_up()) return true;
  packets_in_.fetch_add(1, std::memory_order_relaxed);
  bytes_in_.fetch_add(n, std::memory_order_relaxed);
  return n == 0 || read_packet(p, n);  // 0: a tick
}
bool Connection::put_data(const uint8_t* packet, size_t n) {
  std::lock_guard lock(input_lock_);
  return receive(packet, n);
}

bool Connection::read_packet(const uint8_t* p, size_t n) {
  // Both sides have headers, or none has.
  const bool plain = !(flags_ & dist_flag::atom_cache);
  if (p[0] != (plain ? kPassThrough : kVersion)) {
    report_text(dist_.vm(), true,
                "** Got message from incompatible erlang on channel " +
                    std::to_string(atom_index(node)) + "\n");
    return false;
  }
  if (plain) return read_message(p + 1, n - 1, {}, true);
  switch (n < 2 ? 0 : p[1]) {
    case kNormal: {
      ListedAtoms listed;
      const size_t used = in_atoms_.read(p + 2, n - 2, &listed);
      if (used) return read_message(p + 2 + used, n - 2 - used, listed.all(), false);
      break;
    }
    case kFirstFragment:
      return read_first_fragment(p + 2, n - 2);
    case kNextFragment:
      return read_fragment(p + 2, n - 2);
    default:
      break;
  }
  report_corrupted("distribution header", p, n);
  return false;
}

/// As OTP says it.
void Connection::report_corrupted(const char* what, const uint8_t* p, size_t n) {
  constexpr size_t kShown = kReportedBytes;
  std::string text = to_text(local_node().name) + " got a corrupted " + what + " from " +
                     to_text(node) + " on distribution channel " +
                     std::to_string(atom_index(node)) + "\n<<";
  for (size_t k = 0; k < std::min(n, kShown); ++k) {
    text += (k ? "," : "") + std::to_string(p[k]);
  }
  report_text(dist_.vm(), false, text + (n > kShown ? "...>>" : ">>"));
}

bool Connection::read_first_fragment(const uint8_t* p, size_t n) {
  if (n < 17 || !(flags_ & dist_flag::fragments)) return false;
  const uint64_t number = number_at(p), left = number_at(p + 8);
  ListedAtoms listed;
  const size_t used = in_atoms_.read(p + 16, n - 16, &listed);
  if (!used || left == 0) return false;
  p += 16 + used, n -= 16 + used;
  if (left == 1) return read_message(p, n, listed.all(), false);
  return incomplete_.begin(number, left - 1, listed.all(), p, n) || report_fragment(number);
}
bool Connection::read_fragment(const uint8_t* p, size_t n) {
  if (n < 16) return false;
  const uint64_t number = number_at(p);
  Assemblies::Whole whole;
  switch (incomplete_.add(number, number_at(p + 8), p + 16, n - 16, &whole)) {
    case Assemblies::Added::more:
      return true;
    case Assemblies::Added::refused:
      return report_fragment(number);
    case Assemblies::Added::whole:
      break;
  }
  return read_message(whole.bytes->data, whole.bytes->size, whole.atoms, false, whole.bytes);
}
/// One that does not fit.
bool Connection::report_fragment(uint64_t number) {
  report_text(dist_.vm(), true,
              "Invalid fragment of message " + std::to_string(number) + " on channel " +
                  std::to_string(atom_index(node)) + "\n");
  return false;
}

/// `plain`: each term begins with the version.
bool Connection::read_message(const uint8_t* p, size_t n, std::span<const Term> atoms, bool plain,
                              Binary* whole) {
  if (plain && (n == 0 || p[0] != kVersion)) return false;
  p += plain, n -= plain;
  FragmentHeap h(64);
  UnlimitedBudget budget;
  size_t used;
  const Term control = decode_dist_term(h, p, n, atoms, &used, budget);
  if (is_fault(control)) return false;
  p += used, n -= used;
  if (plain && n > 0 && p[0] == kVersion) ++p, --n;
  Incoming message(*this);
  if (message.handle(control, p, n, atoms, whole)) return true;
  if (message.corrupted())
    report_corrupted("external term", p, n);
  else
    report_text(dist_.vm(), true, "Invalid distribution message: " + to_text(control));
  return false;
}

// --- control messages ----------------------------------------------------------------------------
bool Incoming::handle(Term control, const uint8_t* rest, size_t size, std::span<const Term> atoms,
                      Binary* whole) {
  rest_ = rest, size_ = size, atoms_ = atoms, whole_ = whole;
  if (!is_tuple(control)) return false;
  const size_t n = tuple_arity(control);
  const Term* e = tuple_elements(control);
  if (n == 0 || !is_small(e[0])) return false;
  switch (small_value(e[0])) {
#define DIST_OP(name, number, elements, has_payload)               \
  case number:                                                     \
    if (n != elements || has_payload != (size != 0)) return false; \
    break;
#include "vm/dist/dist_ops.def"
    default:
      return false;
  }
  switch (static_cast<DistOp>(small_value(e[0]))) {
    case DistOp::send:
    case DistOp::send_sender:
      return send(e[2], kNone);
    case DistOp::send_tt:
    case DistOp::send_sender_tt:
      return send(e[2], e[3]);
    case DistOp::reg_send:
      return is_pid(e[1]) && send_to_name(e[3], kNone);
    case DistOp::reg_send_tt:
      return is_pid(e[1]) && send_to_name(e[3], e[4]);
    case DistOp::alias_send:
      return is_pid(e[1]) && send_to_alias(e[2], kNone);
    case DistOp::alias_send_tt:
      return is_pid(e[1]) && send_to_alias(e[2], e[3]);
    case DistOp::link:
      return link(e[1], e[2]);
    case DistOp::unlink:
      return unlink(make_small(0), e[1], e[2]);
    case DistOp::unlink_id:
      return unlink(e[1], e[2], e[3]);
    case DistOp::unlink_id_ack:
      return unlink_ack(e[1], e[2], e[3]);
    case DistOp::exit:
      return exit(e[1], e[2], e[3], kNone);
    case DistOp::exit_tt:
      return exit(e[1], e[2], e[4], e[3]);
    case DistOp::payload_exit:
      return exit(e[1], e[2], kNone, kNone);
    case DistOp::payload_exit_tt:
      return exit(e[1], e[2], kNone, e[3]);
    case DistOp::exit2:
      return exit2(e[1], e[2], e[3], kNone);
    case DistOp::exit2_tt:
      return exit2(e[1], e[2], e[4], e[3]);
    case DistOp::payload_exit2:
      return exit2(e[1], e[2], kNone, kNone);
    case DistOp::payload_exit2_tt:
      return exit2(e[1], e[2], kNone, e[3]);
    case DistOp::monitor_p:
      return monitor(e[1], e[2], e[3]);
    case DistOp::demonitor_p:
      return demonitor(e[3]);
    case DistOp::monitor_p_exit:
      return monitor_exit(e[1], e[2], e[3], e[4]);
    case DistOp::payload_monitor_p_exit:
      return monitor_exit(e[1], e[2], e[3], kNone);
    case DistOp::group_leader:
      return group_leader(e[1], e[2]);
    case DistOp::spawn_request:
      return spawn_request(e, kNone);
    case DistOp::spawn_request_tt:
      return spawn_request(e, e[6]);
    case DistOp::spawn_reply:
      return spawn_reply(e, kNone);
    case DistOp::spawn_reply_tt:
      return spawn_reply(e, e[5]);
    case DistOp::node_link:
      return true;
  }
  return false;
}

Incoming::Incoming(Connection& c) : c_(c), vm_(c.dist_.vm()) {}

bool Incoming::from_there(Term pid) const { return is_kind(pid, Kind::ext_pid); }
Term Incoming::here(Term t) { return is_local_pid(t) ? t : kNone; }

Signal* Incoming::with_payload(SignalKind kind) {
  FragmentHeap h(size_ < 4096 ? size_ / 2 + 4 : 2048);
  UnlimitedBudget budget;
  size_t used;
  const Term t = decode_dist_term(h, rest_, size_, atoms_, &used, budget, whole_);
  if ((corrupted_ = is_fault(t))) return nullptr;
  Signal* s = new_signal(kind);
  s->term = t;
  s->fragment = h.take_fragments();
  return s;
}
Signal* Incoming::with_reason(SignalKind kind, Term reason) {
  return is_value(reason) ? new_signal(kind, reason) : with_payload(kind);
}

/// False: its token is none, and it was freed.
bool Incoming::mark_message(Signal* s, Term token) {
  s->from = Address::of_local(c_.node);
  if (token == kNone || is_nil(token) || attach_token(vm_, *s, token)) return true;
  free_signal(s);
  return false;
}

/// The same of an exit signal.
bool Incoming::mark_exit(Signal* s, Term token) {
  s->request = Request::token_stays;
  if (token == kNone || is_nil(token) || attach_token(vm_, *s, token)) return true;
  free_signal(s);
  return false;
}

// --- messages ------------------------------------------------------------------------------------
/// The payload is no term: the receiver finds that out. False: there is none.
bool Incoming::send_corrupted(Address to, uint64_t alias) {
  struct Source final : UndecodedSource {
    void break_off() override {
      connection->report_corrupted("external term", bytes.data(), bytes.size());
      connection->break_off();
    }
    std::shared_ptr<Connection> connection;
    std::vector<uint8_t> bytes;
  };
  auto source = std::make_shared<Source>();
  source->connection = c_.shared_from_this();
  source->bytes.assign(rest_, rest_ + std::min(size_, Connection::kReportedBytes + 1));
  return deliver_undecoded(vm_, to, alias, std::move(source));
}
bool Incoming::send(Term to, Term token) {
  if (!is_pid(to)) return false;
  Signal* s = with_payload(SignalKind::message);
  if (!s) return is_value(here(to)) && send_corrupted(Address::of_local(to), 0);
  if (!mark_message(s, token)) return false;
  if (is_value(here(to)))
    route(vm_, to, s);
  else
    free_signal(s);
  return true;
}
bool Incoming::send_to_name(Term name, Term token) {
  if (!is_atom(name)) return false;
  const Term who = vm_.processes->whereis(name);
  Signal* s = with_payload(SignalKind::message);
  if (!s) return is_value(who) && send_corrupted(Address::of_local(who), 0);
  if (!mark_message(s, token)) return false;
  if (is_value(who) && is_local_pid(who))
    route(vm_, who, s);
  else
    free_signal(s);
  return true;
}
bool Incoming::send_to_alias(Term ref, Term token) {
  if (!is_ref(ref)) return false;
  Signal* s = with_payload(SignalKind::alias_message);
  if (!s) {
    return is_kind(ref, Kind::pid_ref) &&
           send_corrupted(Address::of_local(boxed_ptr(ref)[3]), ref_number(ref));
  }
  s->ref = is_kind(ref, Kind::pid_ref) ? ref_number(ref) : 0;
  if (!mark_message(s, token)) return false;
  if (is_kind(ref, Kind::pid_ref)) {
    route(vm_, boxed_ptr(ref)[3], s);
  } else {
    free_signal(s);
  }
  return true;
}

// --- links ---------------------------------------------------------------------------------------
bool Incoming::link(Term from, Term to) {
  if (!from_there(from) || !is_pid(to)) return false;
  const Term us = here(to);
  HeldAddress them = address_of(from);
  if (is_value(us)) {
    {
      std::lock_guard lock(c_.lock_);
      c_.relations_.link(Address::of_local(us), them);
    }
    Signal* s = new_signal(SignalKind::link);
    them->retain();
    s->from = them;
    if (route(vm_, us, s)) return true;
    std::lock_guard lock(c_.lock_);
    c_.relations_.erase_link(Address::of_local(us), them);
  }
  c_.say({.op = DistOp::payload_exit, .from = to, .to = from, .payload = am::noproc}, to);
  return true;
}
bool Incoming::unlink(Term id, Term from, Term to) {
  uint64_t number;
  if (!from_there(from) || !is_pid(to) || !to_uint64(id, &number)) return false;
  HeldAddress them = address_of(from);
  const Term us = here(to);
  if (is_value(us)) {
    {
      std::lock_guard lock(c_.lock_);
      c_.relations_.unlinked_there(Address::of_local(us), them, false);
    }
    Signal* s = new_signal(SignalKind::unlink);
    them->retain();
    s->from = them;
    s->ref = number;
    if (route(vm_, us, s)) return true;
  }
  c_.say({.op = DistOp::unlink_id_ack, .from = to, .to = from, .ref = id}, to);
  return true;
}
bool Incoming::unlink_ack(Term id, Term from, Term to) {
  uint64_t number;
  if (!from_there(from) || !is_pid(to) || !to_uint64(id, &number)) return false;
  const Term us = here(to);
  if (is_fault(us)) return true;
  HeldAddress them = address_of(from);
  {
    std::lock_guard lock(c_.lock_);
    c_.relations_.unlinked_there(Address::of_local(us), them, true);
  }
  Signal* s = new_signal(SignalKind::unlink_ack);
  s->from = them.take();
  s->ref = number;
  route(vm_, us, s);
  return true;
}
bool Incoming::exit(Term from, Term to, Term reason, Term token) {
  if (!is_pid(from) || !is_pid(to)) return false;
  Signal* s = with_reason(SignalKind::link_exit, reason);
  if (!s) return false;
  const Term us = here(to);
  s->from = address_of(from).take();
  if (!mark_exit(s, token)) return false;
  if (is_fault(us)) {
    free_signal(s);
    return true;
  }
  {
    std::lock_guard lock(c_.lock_);
    c_.relations_.erase_link(Address::of_local(us), s->from);
  }
  route(vm_, us, s);
  return true;
}
bool Incoming::exit2(Term from, Term to, Term reason, Term token) {
  if (!is_pid(from) || !is_pid(to)) return false;
  Signal* s = with_reason(SignalKind::exit, reason);
  if (!s) return false;
  s->from = address_of(from).take();
  if (!mark_exit(s, token)) return false;
  if (is_value(here(to)))
    route(vm_, to, s);
  else
    free_signal(s);
  return true;
}

// --- monitors ------------------------------------------------------------------------------------
bool Incoming::monitor(Term from, Term to, Term ref) {
  if (!from_there(from) || !is_ref(ref) || !(is_pid(to) || is_atom(to))) return false;
  const Term who = is_atom(to) ? vm_.processes->whereis(to) : here(to);
  if (is_value(who) && is_local_pid(who)) {
    const uint64_t number = vm_.next_ref_number();
    const Term name = is_atom(to) ? to : kNil;
    HeldAddress watcher = address_of(from);
    {
      std::lock_guard lock(c_.lock_);
      c_.relations_.add_watched(number, {Address::of_local(who), watcher, name, RefKey::of(ref)});
    }
    Signal* s = new_signal(SignalKind::monitor);
    s->from = watcher.take();
    s->ref = number;
    s->term = name;
    if (route(vm_, who, s)) return true;
    std::lock_guard lock(c_.lock_);
    RelationsOver::Watched gone;
    c_.relations_.take_watched(number, &gone);
  }
  c_.say({.op = DistOp::payload_monitor_p_exit,
          .from = to,
          .to = from,
          .ref = ref,
          .payload = am::noproc},
         to);
  return true;
}
bool Incoming::demonitor(Term ref) {
  if (!is_ref(ref)) return false;
  RelationsOver::Watched w;
  uint64_t number;
  {
    std::lock_guard lock(c_.lock_);
    auto at = c_.relations_.numbers.find(RefKey::of(ref));
    if (at == c_.relations_.numbers.end()) return true;
    number = at->second;
    c_.relations_.take_watched(number, &w);
  }
  Signal* s = new_signal(SignalKind::demonitor);
  s->ref = number;
  route(vm_, w.target, s);
  return true;
}
bool Incoming::monitor_exit(Term from, Term to, Term ref, Term reason) {
  if (!(is_pid(from) || is_atom(from)) || !is_pid(to) || !is_ref(ref)) return false;
  Signal* s = with_reason(SignalKind::down, reason);
  if (!s) return false;
  if (is_fault(here(to)) || !is_local_ref(ref)) {
    free_signal(s);
    return true;
  }
  s->ref = ref_number(ref);
  {
    std::lock_guard lock(c_.lock_);
    c_.relations_.monitors.erase(s->ref);
  }
  route(vm_, to, s);
  return true;
}

bool Incoming::group_leader(Term leader, Term to) {
  if (!is_pid(leader) || !is_pid(to)) return false;
  if (is_value(here(to))) route(vm_, to, new_signal(SignalKind::group_leader, leader));
  return true;
}

// --- children ------------------------------------------------------------------------------------
bool Incoming::spawn_request(const Term* e, Term token) {
  const Term ref = e[1], parent = e[2], leader = e[3], mfa = e[4], options = e[5];
  if (!is_ref(ref) || !from_there(parent) || !is_pid(leader) || !is_tuple_of(mfa, 3)) return false;
  FragmentHeap h(size_ < 4096 ? size_ / 2 + 4 : 2048);
  UnlimitedBudget budget;
  size_t used;
  const Term args = decode_dist_term(h, rest_, size_, atoms_, &used, budget, whole_);
  if ((corrupted_ = is_fault(args))) return false;
  return start_child_of({c_, vm_, ref, parent, leader, mfa, options, args, token});
}
bool Incoming::spawn_reply(const Term* e, Term token) {
  const Term ref = e[1], to = e[2], flags = e[3], result = e[4];
  if (!is_ref(ref) || !is_pid(to) || !is_small(flags) || !(is_pid(result) || is_atom(result))) {
    return false;
  }
  if (is_fault(here(to)) || !is_local_ref(ref)) return true;
  take_child(c_, vm_, ref, result, token);
  return true;
}

}  // namespace wb
