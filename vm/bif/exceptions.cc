// Raising exceptions, signalling exits, ending the VM.
#include <cstdio>
#include <cstdlib>

#include "base/exit_codes.h"
#include "base/instance.h"
#include "term/identifiers.h"
#include "term/map.h"
#include "term/number.h"
#include "vm/bif/bif.h"
#include "vm/core/settings.h"
#include "vm/core/vm.h"
#include "vm/dist/distribution.h"
#include "vm/io/services.h"
#include "vm/port/ports.h"
#include "vm/process/exec.h"
#include "vm/process/handle_signals.h"
#include "vm/process/options.h"
#include "vm/process/route.h"

namespace wb {

static Term raise_own(Process& p, Term error_class, Term reason) {
  p.exec->fail_by_program = true;
  return p.raise(error_class, reason);
}
BIF(erlang, error, 1)
{
  return raise_own(p, am::error, a[0]);
}
BIF(erlang, exit, 1)
{
  return raise_own(p, am::exit, a[0]);
}
BIF(erlang, throw, 1)
{
  return raise_own(p, am::throw_, a[0]);
}

/// What is no list of arguments is as if there were none.
static void show_arguments(Process& p, Term args) {
  if (is_list(args)) p.exec->fail_args = args;
}
BIF(erlang, error, 2)
{
  show_arguments(p, a[1]);
  return raise_own(p, am::error, a[0]);
}
/// The error_info of a right option list, else kNone: wrong options are ignored.
static Term error_info_option(Term options) {
  Term info = kNone;
  for (; is_cons(options); options = tail(options)) {
    Term o = head(options);
    if (!is_tuple_of(o, 2) || tuple_elements(o)[0] != am::error_info) return kNone;
    info = tuple_elements(o)[1];
    if (!is_map(info)) return kNone;
  }
  return is_nil(options) ? info : kNone;
}
BIF(erlang, error, 3)
{
  show_arguments(p, a[1]);
  p.exec->fail_info = error_info_option(a[2]);
  return raise_own(p, am::error, a[0]);
}
BIF(erlang, nif_error, 1)
{
  return p.error(a[0]);
}
BIF(erlang, nif_error, 2)
{
  return p.error(a[0]);
}

// --- raise/3 -------------------------------------------------------------------------------------
/// {M,F,A} {M,F,A,Info} {Fun,A} {Fun,A,Info}, with an empty Info where there is none; kNone:
/// neither.
static Term checked_frame(Heap& h, Term t) {
  if (!is_tuple(t)) return kNone;
  const Term* e = tuple_elements(t);
  uint64_t n = tuple_arity(t);
  if (n < 2 || n > 4) return kNone;
  if (is_fun(e[0])) {
    if (n == 2) return tuple(h, e[0], e[1], kNil);
    return n == 3 && is_list(e[2]) ? t : kNone;
  }
  if (n < 3 || !is_atom(e[0]) || !is_atom(e[1])) return kNone;
  if (n == 3) return tuple(h, e[0], e[1], e[2], kNil);
  return is_list(e[3]) ? t : kNone;
}
/// The first frames of a right stack trace, or kNone.
static Term checked_trace(Heap& h, Term list, uint32_t depth) {
  ListBuilder trace(h);
  for (uint32_t n = 0; is_cons(list); list = tail(list), ++n) {
    Term frame = checked_frame(h, head(list));
    if (is_fault(frame)) return kNone;
    if (n < depth) trace.add(frame);
  }
  return is_nil(list) ? trace.finish() : kNone;
}
BIF(erlang, raise, 3)
{
  if (a[0] != am::error && a[0] != am::exit && a[0] != am::throw_) return am::badarg;
  Term trace = checked_trace(p.heap, a[2], p.vm().settings->exception_depth());
  if (is_fault(trace)) return am::badarg;
  p.exec->fail_trace = trace;
  return raise_own(p, a[0], a[1]);
}

// --- exit/2, exit/3 ------------------------------------------------------------------------------
/// To a reference, from OTP 28 on: it counts if it is an alias.
static void exit_alias(Process& p, Term alias, Term reason, bool priority) {
  if (!is_kind(alias, Kind::pid_ref)) return;
  Signal* s = new_signal(priority ? SignalKind::priority_exit : SignalKind::alias_exit, reason);
  s->ref = ref_number(alias);
  s->from = p.address();
  route(p.vm(), boxed_ptr(alias)[3], s);
}
static Term send_exit(Process& p, const Term* a, bool priority) {
  const bool is_alias = is_ref(a[0]) && otp_release() >= 28;
  if (!is_pid(a[0]) && !is_port_of_ours(a[0]) && !is_alias) return kBadarg;
  p.charge(1);
  if (is_alias) {
    exit_alias(p, a[0], a[1], priority);
  } else if (is_external(a[0]) && !is_of_old_incarnation(a[0])) {
    const Term done = p.vm().ports->distribution->exit(p, a[0], a[1]);
    if (done != am::ok) return done;
    return p.vm().ports->distribution->after_signal(p, address_of(a[0]), am::true_);
  } else {
    Signal* s = new_signal(SignalKind::exit, a[1]);
    s->from = p.address();
    route(p.vm(), address_of(a[0]), s);
  }
  // What hits oneself counts before the next expression.
  p.resume = p.exec->pc;
  if (a[0] == p.id && !handle_signals(*p.exec)) return kRaised;
  return am::true_;
}
BIF(erlang, exit, 2)
{
  return send_exit(p, a, false);
}
BIF(erlang, exit_signal, 2)
{
  return send_exit(p, a, false);
}
static Term send_exit_with_options(Process& p, const Term* a) {
  bool priority = false;
  if (!to_priority_option(a[2], &priority)) return p.badarg(am::badopt);
  return send_exit(p, a, priority);
}
BIF(erlang, exit, 3)
{
  return send_exit_with_options(p, a);
}
BIF(erlang, exit_signal, 3)
{
  return send_exit_with_options(p, a);
}

// --- halt/2 --------------------------------------------------------------------------------------
static bool to_flush(Term options, bool* flush) {
  for (; is_cons(options); options = tail(options)) {
    if (!is_tuple_of(head(options), 2)) return false;
    const Term* o = tuple_elements(head(options));
    if (o[0] != am::flush || (o[1] != am::true_ && o[1] != am::false_)) return false;
    *flush = o[1] == am::true_;
  }
  return is_nil(options);
}
/// With `flush` once what was printed is out; the caller waits for that without going on.
static Term end_vm(Process& p, int code, bool flush) {
  fflush(nullptr);
  if (flush && p.vm().services)
    p.vm().services->halt(code);
  else
    p.vm().halt(code);
  ++p.suspend_count;
  p.charge(p.reductions_left() + 1);
  return kYield;  // this slice is the last
}
BIF(erlang, halt, 2)
{
  bool flush = true;
  if (!to_flush(a[1], &flush)) return p.badarg(am::badopt);
  if (is_small(a[0]) && small_value(a[0]) >= 0) {
    return end_vm(p, static_cast<int>(small_value(a[0]) & 0xff), flush);
  }
  if (is_big(a[0]) && !big_negative(a[0]))
    return end_vm(p, static_cast<int>(*big_limbs(a[0]) & 0xff), flush);
  if (a[0] == am::abort) end_instance(kExitAborted, "");
  constexpr size_t kSlogan = 1023;  // characters
  std::string slogan;
  if (!list_to_utf8(a[0], &slogan, kSlogan)) return kBadarg;
  p.vm().dump_at_end(std::move(slogan), p.id);
  return end_vm(p, 1, flush);
}

}  // namespace wb
