// Checks that the validator asks for where it could not prove a type (bytecode/validate.h).
//
// Honest code never fails one. If one fails, the file lies about its code, and the frame may not be
// fit to be searched for a handler: the process ends at once.
#include "vm/interp/handler.h"
#include "vm/process/exit.h"

namespace wb {

static const Word* lied(Exec& c) {
  exit_process(c, am::badfile);
  return leave_dead(c);
}
static const Word* op_check_cons(Exec& c, const Word* I) {
  return is_cons(load_operand(c, I[1])) ? I + 2 : lied(c);
}
static const Word* op_check_tuple(Exec& c, const Word* I) {
  Term t = load_operand(c, I[1]);
  return is_tuple(t) && tuple_arity(t) > I[2] ? I + 3 : lied(c);
}
static const Word* op_check_record(Exec& c, const Word* I) {
  return is_tuple_of(load_operand(c, I[1]), I[2]) ? I + 3 : lied(c);
}
/// A tuple that is to get another element, not itself.
static const Word* op_check_new_element(Exec& c, const Word* I) {  // tuple index value
  Term t = load_operand(c, I[1]);
  return is_tuple(t) && tuple_arity(t) > I[2] && t != load_operand(c, I[3]) ? I + 4 : lied(c);
}
static const Word* op_check_context(Exec& c, const Word* I) {
  return is_kind(load_operand(c, I[1]), Kind::match_ctx) ? I + 2 : lied(c);
}
static const Word* op_check_matchable(Exec& c, const Word* I) {
  Term t = load_operand(c, I[1]);
  return is_bitstring(t) || is_kind(t, Kind::match_ctx) ? I + 2 : lied(c);
}
static const Word* op_check_float(Exec& c, const Word* I) {
  return is_float(load_operand(c, I[1])) ? I + 2 : lied(c);
}
static const Word* op_unreachable(Exec& c, const Word*) { return lied(c); }

void install_checks(Word* t, bool) {
#define INSTALL(name) set_slow(t, Instr::name, &slow_handler<op_##name>);
  INSTALL(check_cons)
  INSTALL(check_tuple)
  INSTALL(check_record)
  INSTALL(check_new_element)
  INSTALL(check_context)
  INSTALL(check_matchable)
  INSTALL(check_float)
  INSTALL(unreachable)
}

}  // namespace wb
