// erlang:system_monitor, trace:system/3 and system_profile: who wants to hear what. What they are
// sent: vm/trace/system_monitor.h, vm/trace/system_profile.h.
#include <algorithm>

#include "term/number.h"
#include "vm/bif/bif.h"
#include "vm/core/settings.h"
#include "vm/core/vm.h"
#include "vm/process/table.h"
#include "vm/process/trace_flags.h"
#include "vm/trace/system_monitor.h"
#include "vm/trace/system_profile.h"
#include "vm/trace/tracing.h"

namespace wb {
namespace {

using Watch = Settings::Watch;
using Wish = Settings::Wish;

bool takes_number(Term key) {
  return key == am::large_heap || key == am::long_schedule || key == am::long_gc;
}
/// With a pair of lengths, since OTP 27.
bool takes_lengths(Term key) { return key == am::long_message_queue && otp_release() >= 27; }
Term describe(Heap& h, const Wish& w) {
  if (takes_lengths(w.key)) {
    return tuple(h, w.key, tuple(h, make_unsigned(h, w.until), make_unsigned(h, w.number)));
  }
  return takes_number(w.key) ? tuple(h, w.key, make_unsigned(h, w.number)) : w.key;
}
Term wish_list(Heap& h, const Watch& w) {
  ListBuilder wishes(h);
  for (const Wish& i : w.wishes) wishes.add(describe(h, i));
  return wishes.finish();
}
Term describe(Heap& h, const Watch& w) {
  return w.who == kNone ? am::undefined : tuple(h, w.who, wish_list(h, w));
}

/// Where options stand in what OTP answers. The last ones carry a number.
constexpr Term kMonitorOrder[] = {am::busy_dist_port, am::busy_port, am::large_heap,
                                  am::long_schedule,  am::long_gc,   am::long_message_queue};
constexpr Term kProfileOrder[] = {am::exclusive, am::scheduler, am::runnable_procs,
                                  am::runnable_ports};
/// The trace flag of that name; 0: it is none.
uint32_t to_time_stamp(Term t) {
  return t == am::all ? 0 : to_trace_flag(t) & traced::any_timestamp;
}
bool is_time_stamp(const Wish& w) { return to_time_stamp(w.key); }

/// {Until, From}, of the lengths of a queue.
bool to_lengths(Term t, Wish* wish) {
  if (!is_tuple_of(t, 2)) return false;
  const Term* e = tuple_elements(t);
  return to_uint64(e[0], &wish->until) && to_uint64(e[1], &wish->number) &&
         wish->until < wish->number && wish->number <= UINT32_MAX;
}
/// One option of system_monitor: false if there is none such.
bool to_monitor_wish(Term option, Wish* wish) {
  *wish = {option};
  if (option == am::busy_port || option == am::busy_dist_port) return true;
  if (!is_tuple_of(option, 2)) return false;
  wish->key = tuple_elements(option)[0];
  if (takes_lengths(wish->key)) return to_lengths(tuple_elements(option)[1], wish);
  if (!takes_number(wish->key) || !to_uint64(tuple_elements(option)[1], &wish->number))
    return false;
  // A large heap is one of the sizes there are; a time of 0 would be no limit.
  wish->number = std::max<uint64_t>(wish->number, wish->key == am::large_heap ? 16384 : 1);
  return true;
}
bool to_profile_wish(Term option, Wish* wish) {
  *wish = {option};
  return std::find(std::begin(kProfileOrder), std::end(kProfileOrder), option) !=
             std::end(kProfileOrder) ||
         to_time_stamp(option);
}

/// profiled::...
uint32_t to_profiled(Term key) {
  switch (key) {
    case am::runnable_procs:
      return profiled::processes;
    case am::runnable_ports:
      return profiled::ports;
    case am::scheduler:
      return profiled::schedulers;
    default:
      return profiled::exclusive;
  }
}

bool take_wishes(Term list, bool (*take)(Term, Wish*), std::vector<Wish>* out) {
  for (; is_cons(list); list = tail(list)) {
    Wish wish;
    if (!take(head(list), &wish)) return false;
    auto same = [&](const Wish& i) { return i.key == wish.key; };
    std::erase_if(*out, same);
    out->push_back(wish);
  }
  return is_nil(list);
}
template <size_t N>
void put_in_order(std::vector<Wish>* wishes, const Term (&order)[N]) {
  auto place = [&](const Wish& w) { return std::find(order, order + N, w.key); };
  std::sort(wishes->begin(), wishes->end(),
            [&](const Wish& a, const Wish& b) { return place(a) < place(b); });
}

bool is_alive(Process& p, Term pid) { return pid == p.id || p.vm().is_alive(pid); }

/// What stands in `w`, but nobody once the watcher is dead.
Term current(Process& p, Watch& w) {
  if (w.who != kNone && is_local_pid(w.who) && !is_alive(p, w.who)) w = {};
  return describe(p.heap, w);
}
/// The old settings; then `next` stands.
Term exchange_monitor(Process& p, Watch next) {
  Settings& settings = *p.vm().settings;
  std::lock_guard lock(settings.lock);
  Watch& usual = settings.monitors[kUsualSession];
  Term old = current(p, usual);
  usual = std::move(next);
  monitor_changed(p.vm());
  return old;
}
/// The same, with a time stamp in each message.
Term exchange_profile(Process& p, Watch next, uint32_t stamp) {
  Settings& settings = *p.vm().settings;
  std::lock_guard lock(settings.lock);
  Term old = current(p, settings.profile);
  uint32_t wanted = 0;
  for (const Wish& w : next.wishes) wanted |= to_profiled(w.key);
  p.vm().profile->set(next.who, wanted, stamp);
  settings.profile = std::move(next);
  return old;
}

/// {Key, false}
bool is_end_of_wish(Term option, Term* key) {
  if (!is_tuple_of(option, 2) || tuple_elements(option)[1] != am::false_) return false;
  *key = tuple_elements(option)[0];
  return std::ranges::find(kMonitorOrder, *key) != std::end(kMonitorOrder);
}
/// {Key, true} of those that are written without it, too.
Term wish_of_session(Term option) {
  if (!is_tuple_of(option, 2)) return option;
  const Term* e = tuple_elements(option);
  return e[1] == am::true_ && !takes_number(e[0]) && !takes_lengths(e[0]) ? e[0] : option;
}
/// What a session's monitor wants changes; its tracer, a process, is who hears it.
Term change_session(Process& p, SessionId session, Address tracer, Term changes) {
  Settings& settings = *p.vm().settings;
  std::lock_guard lock(settings.lock);
  auto found = settings.monitors.find(session);
  std::vector<Wish> wishes =
      found == settings.monitors.end() ? std::vector<Wish>() : found->second.wishes;
  for (; is_cons(changes); changes = tail(changes)) {
    Wish wish;
    const bool ends = is_end_of_wish(head(changes), &wish.key);
    if (!ends && !to_monitor_wish(wish_of_session(head(changes)), &wish)) return kBadarg;
    std::erase_if(wishes, [&](const Wish& i) { return i.key == wish.key; });
    if (!ends) wishes.push_back(wish);
  }
  if (!is_nil(changes)) return kBadarg;
  put_in_order(&wishes, kMonitorOrder);
  settings.monitors[session] = {tracer.local_term(), std::move(wishes)};
  monitor_changed(p.vm());
  return am::ok;
}
/// What a session's monitor wants; nullptr: nothing.
const Watch* session_watch(Settings& settings, SessionId session) {
  auto found = settings.monitors.find(session);
  return found == settings.monitors.end() || found->second.wishes.empty() ? nullptr
                                                                          : &found->second;
}

Term set_monitor(Process& p, Term who, Term options) {
  std::vector<Wish> wishes;
  if (!take_wishes(options, to_monitor_wish, &wishes)) return kBadarg;
  if (who == am::undefined || wishes.empty()) return exchange_monitor(p, {});
  if (!is_local_pid(who) || !is_alive(p, who)) return kBadarg;
  put_in_order(&wishes, kMonitorOrder);
  return exchange_monitor(p, {who, std::move(wishes)});
}

/// The last one asked for; without any it is `timestamp`.
uint32_t last_time_stamp(const std::vector<Wish>& wishes) {
  auto last = std::find_if(wishes.rbegin(), wishes.rend(), is_time_stamp);
  return last == wishes.rend() ? traced::timestamp : to_time_stamp(last->key);
}

}  // namespace

Term monitor_items(Process& p, SessionId session) {
  Settings& settings = *p.vm().settings;
  std::lock_guard lock(settings.lock);
  const Watch* w = session_watch(settings, session);
  return w ? wish_list(p.heap, *w) : kNil;
}

static Term usual_monitor(Process& p) {
  std::lock_guard lock(p.vm().settings->lock);
  return current(p, p.vm().settings->monitors[kUsualSession]);
}
BIF(erlang, system_monitor, 0)
{
  return usual_monitor(p);
}
/// What is monitored in a session of tracing, or (legacy) by erlang:system_monitor/2.
BIF(erts_internal, system_monitor, 1)
{
  if (a[0] == am::legacy) return usual_monitor(p);
  SessionId session;
  if (!p.vm().tracing->find_session(a[0], &session)) return kBadarg;
  Settings& settings = *p.vm().settings;
  std::lock_guard lock(settings.lock);
  const Watch* w = session_watch(settings, session);
  return w ? describe(p.heap, *w) : am::undefined;
}
/// system_monitor(legacy, Pid, Options), system_monitor(Session, session, Changes)
BIF(erts_internal, system_monitor, 3)
{
  if (a[0] == am::legacy) return set_monitor(p, a[1], a[2]);
  SessionId session;
  if (!p.vm().tracing->find_session(a[0], &session) || a[1] != am::session) return kBadarg;
  const Address tracer = p.vm().tracing->session_owner(session);
  if (!tracer || !is_local_pid(tracer.local_term())) return kBadarg;
  return change_session(p, session, tracer, a[2]);
}
BIF(erlang, system_monitor, 1)
{
  if (a[0] == am::undefined) return exchange_monitor(p, {});
  if (!is_tuple_of(a[0], 2)) return kBadarg;
  return set_monitor(p, tuple_elements(a[0])[0], tuple_elements(a[0])[1]);
}
BIF(erlang, system_monitor, 2)
{
  return set_monitor(p, a[0], a[1]);
}
BIF(erlang, system_profile, 0)
{
  std::lock_guard lock(p.vm().settings->lock);
  return current(p, p.vm().settings->profile);
}
BIF(erlang, system_profile, 2)
{
  if (a[0] == am::undefined) return exchange_profile(p, {}, 0);
  std::vector<Wish> wishes;
  if (!take_wishes(a[1], to_profile_wish, &wishes)) return kBadarg;
  if (wishes.empty()) return exchange_profile(p, {}, 0);
  if (!is_local_pid(a[0]) || !is_alive(p, a[0])) return kBadarg;
  uint32_t stamp = last_time_stamp(wishes);
  std::erase_if(wishes, is_time_stamp);
  put_in_order(&wishes, kProfileOrder);
  return exchange_profile(p, {a[0], std::move(wishes)}, stamp);
}

}  // namespace wb
