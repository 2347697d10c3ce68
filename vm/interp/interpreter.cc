// The door between C++ and the handlers, and the table of handlers.
#include "vm/interp/interpreter.h"

#include <vector>

#include "vm/interp/handler.h"

namespace wb {

const Word* make_handler_table(bool stress) {
  // One table each, made at first use and the same for every Vm: handlers are code, not state.
  static const auto build = [](bool s) {
    auto* t = new std::vector<Word>(kHandlerCount, 0);
    install_moves(t->data(), s);
    install_control(t->data(), s);
    install_tests(t->data(), s);
    install_arithmetic(t->data(), s);
    install_checks(t->data(), s);
    install_exceptions(t->data(), s);
    install_messages(t->data(), s);
    install_maps(t->data(), s);
    install_bit_matching(t->data(), s);
    install_bit_building(t->data(), s);
    for (Word w : *t) WB_CHECK(w != 0);  // every instruction of instructions.def has a handler
    return t->data();
  };
  if (stress) {
    static const Word* const table = build(true);
    return table;
  }
  static const Word* const table = build(false);
  return table;
}

// Not inlined and not instrumented: the caller's frame must not share registers with preserve_none
// code that keeps none of them.
__attribute__((noinline, no_sanitize("address", "undefined", "thread"))) void enter_interpreter(
    const Word* I, Exec* C) {
  Term *HP, *E;
  int64_t FC;
  Term x0, x1, x2;
  WB_RELOAD();
  reinterpret_cast<Handler>(*I)(WB_PASS);
}

}  // namespace wb
