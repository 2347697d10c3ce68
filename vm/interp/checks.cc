// Checks that the validator asks for where it could not prove a type (bytecode/validate.h).
//
// Honest code never fails one. If one fails, the file lies about its code, and the frame may not be
// fit to be searched for a handler: the process ends at once.
#include <string>

#include "loader/code_table.h"
#include "term/print.h"
#include "vm/core/vm.h"
#include "vm/interp/handler.h"
#include "vm/process/exit.h"

namespace wb {

static const Word* lied(Exec& c, const Word* I, const char* check) {
  CodeTable& code = *c.vm->code;
  const Module* m = code.module_at(I);
  if (const Module::Function* f = m ? m->function_at(I) : nullptr; f && code.hooks) {
    std::string who = to_text(m->name) + ":" + to_text(f->name) + "/" + std::to_string(f->arity);
    code.hooks->log(who + ": " + check + " at word " + std::to_string(I - (m->code + f->entry)) +
                    " failed: the file lies about its code");
  }
  exit_process(c, am::badfile, kNil);
  return leave_dead(c);
}

#define CHECK(name, holds)                                                                  \
  static const Word* op_failed_##name(Exec& c, const Word* I) { return lied(c, I, #name); } \
  FAST_1(name) {                                                                            \
    Term t = WB_LOAD(A, value);                                                             \
    if (WB_UNLIKELY(!(holds))) WB_SLOW(op_failed_##name);                                   \
    WB_NEXT();                                                                              \
  }
CHECK(check_cons, is_cons(t))
CHECK(check_tuple, is_tuple(t) && tuple_arity(t) > WB_NUMBER(size))
CHECK(check_record, is_tuple(t) && tuple_arity(t) == WB_NUMBER(size))
CHECK(check_context, is_kind(t, Kind::match_ctx))
CHECK(check_matchable, is_bitstring(t) || is_kind(t, Kind::match_ctx))
CHECK(check_float, is_float(t))

/// A tuple that is to get another element, not itself.
static const Word* op_check_new_element(Exec& c, const Word* I) {
  instr::check_new_element in{I};
  Term t = load_operand(c, in.tuple());
  return is_tuple(t) && tuple_arity(t) > in.index() && t != load_operand(c, in.value())
             ? in.after()
             : lied(c, I, "check_new_element");
}
static const Word* op_unreachable(Exec& c, const Word* I) { return lied(c, I, "unreachable"); }

void install_checks(Word* t, bool) {
#define INSTALL(name) fill::one<Instr::name, h_##name, 6>(t);
  INSTALL(check_cons)
  INSTALL(check_tuple)
  INSTALL(check_record)
  INSTALL(check_context)
  INSTALL(check_matchable)
  INSTALL(check_float)
  set_slow(t, Instr::check_new_element, &slow_handler<op_check_new_element>);
  set_slow(t, Instr::unreachable, &slow_handler<op_unreachable>);
}

}  // namespace wb
