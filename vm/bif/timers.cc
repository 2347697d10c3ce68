// start_timer, send_after, cancel_timer, read_timer.
#include "vm/process/timers.h"

#include "term/copy.h"
#include "term/number.h"
#include "vm/bif/bif.h"
#include "vm/core/clock.h"
#include "vm/core/vm.h"
#include "vm/process/signal.h"

namespace wb {

/// Options {Key, Bool}, each key one of `keys`; false if one is wrong.
static bool take_switches(Term list, std::initializer_list<std::pair<Term, bool*>> keys) {
  for (; is_cons(list); list = tail(list)) {
    if (!is_tuple_of(head(list), 2)) return false;
    const Term* o = tuple_elements(head(list));
    bool known = false;
    for (auto& [key, value] : keys) {
      if (o[0] != key) continue;
      if (o[1] != am::true_ && o[1] != am::false_) return false;
      *value = o[1] == am::true_;
      known = true;
    }
    if (!known) return false;
  }
  return is_nil(list);
}

/// When `time` (milliseconds, relative or absolute) is, by the oracle's clock.
static bool to_deadline(const Clock& clock, Term time, bool absolute, uint64_t* deadline) {
  if (!is_small(time)) return false;
  __int128 ns = static_cast<__int128>(small_value(time)) * 1'000'000;
  if (!absolute) {
    if (ns < 0) return false;
    ns += clock.monotonic_ns();
  }
  if (ns > Clock::kEnd || ns < Clock::kStart) return false;
  *deadline = clock.to_oracle(static_cast<int64_t>(ns));
  return true;
}

/// `wrap`: the message is {timeout, Ref, Message}.
static Term start(Process& p, const Term* a, Term options, bool wrap) {
  bool absolute = false;
  if (!take_switches(options, {{am::abs, &absolute}})) return p.badarg(am::badopt);
  uint64_t deadline;
  if (!to_deadline(*p.vm().clock, a[0], absolute, &deadline)) return p.badarg(am::time);
  if (!is_local_pid(a[1]) && !is_atom(a[1])) return kBadarg;
  uint64_t number = p.vm().next_ref_number();
  Term ref = make_ref(p.heap, number);
  FragmentHeap h(flat_size_deep(a[2]) + 8);
  Term message = copy_term_deep(h, a[2]);
  if (wrap) message = tuple(h, am::timeout, copy_term(h, ref), message);
  p.vm().timers->start(number, Address::of_local(a[1]), message, h.take_fragments(), deadline,
                       raw_call_site(p));
  return ref;
}
BIF(erlang, start_timer, 3)
{
  return start(p, a, kNil, true);
}
BIF(erlang, start_timer, 4)
{
  return start(p, a, a[3], true);
}
BIF(erlang, send_after, 3)
{
  return start(p, a, kNil, false);
}
BIF(erlang, send_after, 4)
{
  return start(p, a, a[3], false);
}

/// Milliseconds or false; as a message if asked for so.
static Term send_timer_answer(Process& p, Term what, Term ref, int64_t ms, bool async, bool info) {
  Term result = ms < 0 ? am::false_ : make_small(ms);
  if (!async) return info ? result : am::ok;
  if (info) push_signal(p, new_signal(SignalKind::message, tuple(p.heap, what, ref, result)));
  return am::ok;
}
/// A reference of another node is no timer's: no number is 0.
static uint64_t timer_number(Term ref) { return is_local_ref(ref) ? ref_number(ref) : 0; }
static Term cancel(Process& p, Term ref, Term options) {
  bool async = false, info = true;
  if (!is_ref(ref)) return kBadarg;
  if (!take_switches(options, {{am::async, &async}, {am::info, &info}})) return kBadarg;
  info |= !async && !is_local_ref(ref);  // as BEAM
  return send_timer_answer(p, am::cancel_timer, ref, p.vm().timers->cancel(timer_number(ref)),
                           async, info);
}
static Term read(Process& p, Term ref, Term options) {
  bool async = false;
  if (!is_ref(ref) || !take_switches(options, {{am::async, &async}})) return kBadarg;
  return send_timer_answer(p, am::read_timer, ref, p.vm().timers->read(timer_number(ref)), async,
                           true);
}
BIF(erlang, cancel_timer, 1)
{
  return cancel(p, a[0], kNil);
}
BIF(erlang, cancel_timer, 2)
{
  return cancel(p, a[0], a[1]);
}
BIF(erlang, read_timer, 1)
{
  return read(p, a[0], kNil);
}
BIF(erlang, read_timer, 2)
{
  return read(p, a[0], a[1]);
}

}  // namespace wb
