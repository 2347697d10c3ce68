// The door between C++ and the handlers, and the table of handlers.
#include "vm/interp/interpreter.h"

#include <vector>

#include "vm/interp/handler.h"

namespace wb {

static std::vector<Word> build_table(bool stress) {
  std::vector<Word> t(kHandlerCount, 0);
  for (auto install : {install_moves,        install_control,          install_tests,
                       install_arithmetic,   install_integers,         install_guards,
                       install_checks,       install_exceptions,       install_messages,
                       install_maps,         install_bit_matching,     install_bit_building,
                       install_bit_reading,  install_map_reading,      install_looking,
                       install_lowered_bifs, install_lowered_building, install_lowered_matching,
                       install_warm_up,      install_tracing,          install_nif_slot,
                       install_check_state,  install_records}) {
    install(t.data(), stress);
  }
  for (Word w : t) WB_CHECK(w != 0);  // every instruction of instructions.def has a handler
  return t;
}

const Word* make_handler_table(bool stress) {
  // Made at first use and the same for every Vm: handlers are code, not state.
  static const std::vector<Word> usual = build_table(false);
  if (!stress) return usual.data();
  static const std::vector<Word> stressed = build_table(true);
  return stressed.data();
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
