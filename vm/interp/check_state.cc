// Nothing else may stand in this file: a program that is linked with tests/checking/ has another
// install_check_state(), as it has another believe() (loader/beliefs.h).
#include "vm/interp/handler.h"

namespace wb {

static const Word* op_check_state(Exec&, const Word* I) { return instr::check_state{I}.after(); }

void install_check_state(Word* t, bool) {
  set_slow(t, Instr::check_state, &slow_handler<op_check_state>);
}

}  // namespace wb
