// catch, try, raise and the instructions that always fail.
#include "vm/interp/errors.h"
#include "vm/interp/handler.h"

namespace wb {

FAST_Z(catch_) {
  *reinterpret_cast<Term*>(reinterpret_cast<char*>(E) + WB_BYTES(slot)) =
      make_catch(reinterpret_cast<const Word*>(WB_ADDRESS(handler)));
  WB_NEXT();
}
FAST_Z(try_end) {
  *reinterpret_cast<Term*>(reinterpret_cast<char*>(E) + WB_BYTES(slot)) = kNil;
  WB_NEXT();
}
FAST_Z(try_case) {
  *reinterpret_cast<Term*>(reinterpret_cast<char*>(E) + WB_BYTES(slot)) = kNil;
  x0 = x1;
  x1 = x2;
  x2 = C->x[3];
  WB_NEXT();
}
static constexpr size_t kCaughtWords = 3 + 3;  ///< {'EXIT', {Reason, Trace}}
/// After an exception turns it into the value of `catch`.
static const Word* op_catch_end(Exec& c, const Word* I) {
  instr::catch_end in{I};
  c.e()[in.slot()] = kNil;
  if (c.x[0] != kNone) return in.after();
  Term error_class = c.x[1];
  c.x[0] = kNil;
  size_t need = error_class == am::error ? stacktrace_words(c.x[3]) : 0;
  if (!safe_point(c, need + kCaughtWords, 4)) return leave_dying(c);
  Term reason = c.x[2];
  Heap& h = c.p->heap;
  if (error_class == am::throw_) {
    c.x[0] = reason;
  } else {
    if (error_class == am::error) reason = tuple(h, reason, build_stacktrace(c, c.x[3]));
    c.x[0] = tuple(h, am::EXIT, reason);
  }
  return in.after();
}
static const Word* op_raise(Exec& c, const Word* I) {
  instr::raise in{I};
  Term raw = load_operand(c, in.trace()), reason = load_operand(c, in.reason());
  return continue_raise(c, raw_trace_class(raw), reason, raw);
}
static const Word* op_raw_raise(Exec& c, const Word* I) {
  instr::raw_raise in{I};
  Term error_class = c.x[0], reason = c.x[1], raw = c.x[2];
  if (error_class != am::error && error_class != am::exit && error_class != am::throw_) {
    c.x[0] = am::badarg;
    return in.after();
  }
  return continue_raise(c, error_class, reason, raw_trace_as(c, raw, error_class));
}
static const Word* op_build_stacktrace(Exec& c, const Word* I) {
  instr::build_stacktrace in{I};
  if (!safe_point(c, stacktrace_words(c.x[0]), 1)) return leave_dying(c);
  c.x[0] = build_stacktrace(c, c.x[0]);
  return in.after();
}
template <class V, Term reason>
static const Word* op_fail_with(Exec& c, const Word* I) {
  return raise_error(c, I, tuple(c.p->heap, reason, load_operand(c, V{I}.value())));
}
static const Word* op_if_end(Exec& c, const Word* I) { return raise_error(c, I, am::if_clause); }

void install_exceptions(Word* t, bool) {
  fill::zero<Instr::catch_, h_catch_>(t);
  fill::zero<Instr::try_end, h_try_end>(t);
  fill::zero<Instr::try_case, h_try_case>(t);
  set_slow(t, Instr::catch_end, &slow_handler<op_catch_end>);
  set_slow(t, Instr::raise, &slow_handler<op_raise>);
  set_slow(t, Instr::raw_raise, &slow_handler<op_raw_raise>);
  set_slow(t, Instr::build_stacktrace, &slow_handler<op_build_stacktrace>);
#define FAILURE(number, name, error, since) \
  set_slow(t, Instr::name, &slow_handler<op_fail_with<instr::name, am::error>>);
#include "bytecode/opcodes.def"
  set_slow(t, Instr::if_end, &slow_handler<op_if_end>);
}

}  // namespace wb
