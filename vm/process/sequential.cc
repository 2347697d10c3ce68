#include "vm/process/sequential.h"

#include "term/identifiers.h"
#include "term/order.h"
#include "vm/core/settings.h"
#include "vm/core/vm.h"
#include "vm/process/extra.h"
#include "vm/process/route.h"
#include "vm/process/time_stamp.h"

namespace wb {
using seq::State;
using seq::Token;

seq::Label::Label(Term t) : term(t) {
  if (!is_pointer(t)) return;
  FragmentHeap h(flat_size_deep(t));
  term = copy_term_deep(h, t);
  fragment = h.take_fragments();
}
seq::Label::~Label() {
  if (fragment) free_fragments(fragment);
}

// --- the state of a process ----------------------------------------------------------------------
static uint32_t count_now(Vm& vm) { return vm.token_count.load(std::memory_order_relaxed); }

/// Of `p`; nullptr: it never had a token since the last reset.
static State* find_state(Process& p) {
  State* s = rare_of(p) ? rare_of(p)->sequential.get() : nullptr;
  if (!s || s->count == count_now(p.vm())) return s;
  p.extra->rare->sequential = nullptr;
  p.vm().hooks->mark(p, traced::sequential, false);
  return nullptr;
}
static State& state_of(Process& p) {
  if (State* s = find_state(p)) return *s;
  p.rare().sequential = std::make_unique<State>();
  p.extra->rare->sequential->count = count_now(p.vm());
  return *p.extra->rare->sequential;
}
/// Its state, if it has a token.
static State* with_token(Process& p) {
  if (!may_have_token(p)) return nullptr;
  State* s = find_state(p);
  return s && s->has_token ? s : nullptr;
}
static void set_token(Process& p, State& s, Token token) {
  s.token = std::move(token);
  s.token.count = s.count;
  s.has_token = true;
  if (!may_have_token(p)) p.vm().hooks->mark(p, traced::sequential, true);
}
static void drop(Process& p, State& s) {
  s.token = {};
  s.has_token = false;
  p.vm().hooks->mark(p, traced::sequential, false);
}
/// With a fresh token if it had none.
static State& make_token(Process& p) {
  State& s = state_of(p);
  if (!s.has_token) {
    Token fresh;
    fresh.sender = HeldAddress(p.address());
    fresh.last = s.last;
    set_token(p, s, std::move(fresh));
  }
  return s;
}
/// Who receives with serial `n` counts on from there.
static void catch_up(State& s, int64_t n) {
  s.last = n;
  s.clock = std::max(s.clock, n);
}
/// The next serial. What the tracer itself does is no event.
static void count_event(Process& p, State& s) {
  if (seq_tracer(p.vm()) == p.address()) return;
  s.token.sender = HeldAddress(p.address());
  s.token.serial = ++s.clock;
  s.token.last = s.last;
}

// --- the tracer ----------------------------------------------------------------------------------
Address seq_tracer(Vm& vm) {
  Address tracer = vm.settings->sequential_tracer.load(std::memory_order_relaxed);
  if (!tracer) return tracer;
  const TracerModules& others = *vm.settings->tracer_modules;
  const bool is_there = tracer.is_resource()     ? others.is_there(tracer)
                        : tracer.is_local_port() ? others.is_tracer_port(tracer)
                                                 : vm.is_alive(tracer.local_term());
  if (is_there) return tracer;
  vm.settings->sequential_tracer.compare_exchange_strong(tracer, Address());
  return {};
}

Term sequential_tracer_term(Vm& vm, Heap& h, Address tracer) {
  if (!tracer) return am::false_;
  return tracer.is_resource() ? vm.settings->tracer_modules->term_of(h, tracer)
                              : tracer.local_term();
}

static uint32_t stamp_flags(uint32_t flags) {
  return (flags & seq::timestamp ? traced::timestamp : 0) |
         (flags & seq::strict_monotonic_timestamp ? traced::strict_monotonic_timestamp : 0) |
         (flags & seq::monotonic_timestamp ? traced::monotonic_timestamp : 0);
}

/// {seq_trace, Label, {Kind, {Last, Serial}, From, To, Message}[, Timestamp]}, if `t` asks for it.
/// Nothing of what happens to `about` is reported if it is sensitive, or the tracer.
static void notify_seq_tracer(Vm& vm, Address about, const Token& t, uint32_t kind, Term to,
                              Term message) {
  if (!(t.flags & kind)) return;
  const Address tracer = seq_tracer(vm);
  if (!tracer || tracer == about) return;
  FragmentHeap h(flat_size(message) + flat_size(t.label_term()) + flat_size(to) + 32);
  Term name = kind == seq::send ? am::send : kind == seq::print ? am::print : am::receive;
  Term numbers = tuple(h, make_small(t.last), make_small(t.serial));
  Term what =
      tuple(h, name, numbers, term_of(t.sender, h), copy_term(h, to), copy_term(h, message));
  if (tracer.is_resource()) {
    return vm.settings->tracer_modules->tell_sequential(tracer, about.local_term(), t.label_term(),
                                                        what, stamp_flags(t.flags));
  }
  Term label = copy_term(h, t.label_term());
  Term stamp = trace_timestamp(vm, h, stamp_flags(t.flags));
  const Term told = is_value(stamp) ? tuple(h, am::seq_trace, label, what, stamp)
                                    : tuple(h, am::seq_trace, label, what);
  if (tracer.is_local_port()) return vm.settings->tracer_modules->tell_port(tracer, told);
  Signal* s = new_signal(SignalKind::message);
  s->term = told;
  s->fragment = h.take_fragments();
  route(vm, tracer, s);
}

static void notify_seq_tracer(Process& about, const Token& t, uint32_t kind, Term to,
                              Term message) {
  if (about.trace_flags.load(std::memory_order_relaxed) & traced::sensitive) return;
  notify_seq_tracer(about.vm(), about.address(), t, kind, to, message);
}

// --- what programs ask and set -------------------------------------------------------------------
static uint32_t flag_of(Term item) {
  switch (item) {
    case am::send:
      return seq::send;
    case am::receive:
      return seq::receive;
    case am::print:
      return seq::print;
    case am::timestamp:
      return seq::timestamp;
    case am::strict_monotonic_timestamp:
      return seq::strict_monotonic_timestamp;
    case am::monotonic_timestamp:
      return seq::monotonic_timestamp;
    default:
      return 0;
  }
}

static Term token_term(const Token& t, Heap& h) {
  return tuple(h, make_small(t.flags), copy_term(h, t.label_term()), make_small(t.serial),
               term_of(t.sender, h), make_small(t.last));
}
Term seq_token(Process& p, Heap& h) {
  State* s = with_token(p);
  if (!s) return kNil;
  return token_term(s->token, h);
}

Term seq_component(Process& p, Heap& h, Term item) {
  State* s = with_token(p);
  if (uint32_t flag = flag_of(item)) {
    return tuple(h, item, make_bool(s && s->token.flags & flag));
  }
  if (item == am::label) return s ? tuple(h, item, copy_term(h, s->token.label_term())) : kNil;
  if (item == am::serial) {
    if (!s) return kNil;
    return tuple(h, item, tuple(h, make_small(s->token.last), make_small(s->token.serial)));
  }
  return item == am::spawn && !s ? tuple(h, item, am::false_) : kBadarg;
}

static Term set_flag(Process& p, uint32_t flag, Term value) {
  if (value != am::true_ && value != am::false_) return kBadarg;
  uint32_t& flags = make_token(p).token.flags;
  Term before = make_bool(flags & flag);
  flags = value == am::true_ ? flags | flag : flags & ~flag;
  return before;
}
static Term set_serial(Process& p, Heap& h, Term value) {
  if (!is_tuple_of(value, 2)) return kBadarg;
  const Term* e = tuple_elements(value);
  if (!is_small(e[0]) || !is_small(e[1])) return kBadarg;
  State& s = make_token(p);
  Term before = tuple(h, make_small(s.token.last), make_small(s.token.serial));
  s.token.last = s.last = small_value(e[0]);
  s.token.serial = s.clock = small_value(e[1]);
  return before;
}
Term set_seq_component(Process& p, Heap& h, Term item, Term value) {
  if (uint32_t flag = flag_of(item)) return set_flag(p, flag, value);
  if (item == am::serial) return set_serial(p, h, value);
  if (item == am::label) {
    Token& t = make_token(p).token;
    Term before = copy_term(h, t.label_term());
    t.label = std::make_shared<const seq::Label>(value);
    return before;
  }
  if (item != am::sequential_trace_token || !is_nil(value)) return kBadarg;
  Term before = seq_token(p, h);
  if (State* s = with_token(p)) drop(p, *s);
  return before;
}

bool seq_print(Process& p, Term message, Term label) {
  State* s = with_token(p);
  if (!s || (is_value(label) && !equal_exact(label, s->token.label_term()))) return false;
  count_event(p, *s);
  notify_seq_tracer(p, s->token, seq::print, kNil, message);
  return true;
}

void reset_seq_trace(Vm& vm) { vm.token_count.fetch_add(1, std::memory_order_relaxed); }

// --- messages ------------------------------------------------------------------------------------
static void attach(Signal& s, const Token& t) {
  auto* copy = new Token(t);
  if (is_to_alias(s.kind)) copy->alias = s.ref;
  s.request = Request::token;
  s.ref = reinterpret_cast<uint64_t>(copy);
}
static std::unique_ptr<Token> detach(Signal& s) {
  auto* t = reinterpret_cast<Token*>(s.ref);
  s.request = Request::none;
  return std::unique_ptr<Token>(t);
}
void free_token(Signal& s) { detach(s); }

void send_token(Process& from, Signal& s, Term to, Term message) {
  State* st = with_token(from);
  if (!st) return;
  seq_sent(from, to, message);
  attach(s, st->token);
}
void seq_sent(Process& from, Term to, Term message) {
  State* st = with_token(from);
  if (!st) return;
  count_event(from, *st);
  notify_seq_tracer(from, st->token, seq::send, to, message);
}
Term seq_sent_elsewhere(Process& from, Heap& h, Term to, Term message) {
  if (!with_token(from)) return kNone;
  seq_sent(from, to, message);
  return seq_token(from, h);
}
/// Of the term that has come. The sender is a pid, or a node that has no child to answer for it.
static bool read_token(Vm& vm, Term token, Token* t) {
  if (!is_tuple_of(token, 5)) return false;
  const Term* e = tuple_elements(token);
  const bool sent = is_pid(e[3]) || is_atom(e[3]);
  if (!is_small(e[0]) || !is_small(e[2]) || !sent || !is_small(e[4])) return false;
  t->flags = static_cast<uint32_t>(small_value(e[0]));
  if (e[1] != make_small(0)) t->label = std::make_shared<const seq::Label>(e[1]);
  t->serial = small_value(e[2]);
  t->sender = is_pid(e[3]) ? address_of(e[3]) : HeldAddress(Address::of_local(e[3]));
  t->last = small_value(e[4]);
  t->count = count_now(vm);
  return true;
}
bool attach_token(Vm& vm, Signal& s, Term token) {
  Token t;
  if (!read_token(vm, token, &t)) return false;
  attach(s, t);
  return true;
}
Term carried_token(const Signal& s, Heap& h) {
  if (s.request != Request::token) return kNone;
  return token_term(*reinterpret_cast<const Token*>(s.ref), h);
}
void send_exit_token(Process& from, Signal& s, Address to) {
  State* st = with_token(from);
  if (!st) return;
  count_event(from, *st);
  if (Process* q = to.is_remote() ? &from : from.vm().processes->find(to)) {
    FragmentHeap h(16);
    Term receiver = term_of(to, h);
    notify_seq_tracer(*q, st->token, seq::send, receiver, tuple(h, am::EXIT, from.id, s.term));
  }
  attach(s, st->token);
}

/// Does a message without a token take the receiver's away? One from a process does, or an exit.
static bool clears_token(const Signal& s) {
  if (s.request == Request::token_stays || !s.from) return false;
  const bool from_process = s.from.is_local_pid() || s.from.is_name();  // here, on a node
  return from_process || (is_tuple_of(s.term, 3) && tuple_elements(s.term)[0] == am::EXIT);
}

/// The token that came with `s`, if it counts.
WB_COLD static bool take_token(Process& p, Signal& s) {
  std::unique_ptr<Token> token = detach(s);
  if (token->count != count_now(p.vm())) return false;
  State& st = state_of(p);
  set_token(p, st, std::move(*token));
  catch_up(st, st.token.serial);
  notify_seq_tracer(p, st.token, seq::receive, p.id, s.term);
  return true;
}
void receive_token(Process& p, Signal& s) {
  if (WB_UNLIKELY(s.request == Request::token)) {
    if (take_token(p, s)) return;
  }
  if (!clears_token(s)) return;
  if (State* st = with_token(p)) drop(p, *st);
}

// --- spawn: as if a request were sent, and answered ----------------------------------------------
void inherit_token(Process& parent, Process& child, Term request) {
  State* from = with_token(parent);
  if (!from) return;
  seq_sent(parent, child.id, request);
  State& s = state_of(child);
  set_token(child, s, from->token);
  s.last = s.clock = s.token.serial;
  notify_seq_tracer(parent, s.token, seq::receive, child.id, request);
}
void count_answer(Process& child) {
  if (State* s = with_token(child)) count_event(child, *s);
}
void answer_spawn(Process& parent, Process& child, Term answer, Signal* signal) {
  State* s = with_token(child);
  if (!s) return;
  notify_seq_tracer(parent, s->token, seq::send, parent.id, answer);
  if (signal) return attach(*signal, s->token);
  // Where OTP 25 counts on from is the serial as a tagged word of its own.
  State& back = state_of(parent);
  back.last = back.clock = s->token.serial * 16 + 15;
  notify_seq_tracer(parent, s->token, seq::receive, parent.id, answer);
}

// --- the same over nodes -------------------------------------------------------------------------
Term seq_asked_elsewhere(Process& parent, Heap& h, Term node, Term request, Term args) {
  if (!with_token(parent)) return kNone;
  seq_sent(parent, node, request);
  return seq_sent_elsewhere(parent, h, node, args);
}
Term seq_answered(Vm& vm, Heap& h, Term token, Process* child, Term request, Term answer) {
  Token t;
  if (!read_token(vm, token, &t)) return kNone;
  const Term parent = term_of(t.sender, h), who = child ? child->id : local_node().name;
  const Address address = Address::of_local(who);
  --t.serial;  // the token is that of the arguments
  notify_seq_tracer(vm, address, t, seq::receive, who, request);
  t.last = t.serial++;
  t.sender = HeldAddress(address);
  notify_seq_tracer(vm, address, t, seq::send, parent, answer);
  return token_term(t, h);
}
void seq_got_arguments(Process& child, Term token, Term args) {
  Token t;
  if (!read_token(child.vm(), token, &t)) return;
  State& s = state_of(child);
  catch_up(s, t.serial);
  set_token(child, s, std::move(t));
  notify_seq_tracer(child, s.token, seq::receive, child.id, args);
}

}  // namespace wb
