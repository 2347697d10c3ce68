// Dynamic operands (a term, or a reference to a register) read and written without spilling.
#pragma once

#include "vm/interp/handler.h"

namespace wb {

#define DYN_LOAD(w) dyn_load(C, E, x0, x1, x2, w)
WB_INLINE Term dyn_load(const Exec* C, const Term* E, Term x0, Term x1, Term x2, Word w) {
  Word at = w >> 8;
  if (WB_LIKELY(is_x_ref(w))) {
    return at == 0 ? x0 : at == 1 ? x1 : at == 2 ? x2 : C->x[at];
  }
  return is_y_ref(w) ? E[at] : w;
}
#define DYN_STORE(w, value)         \
  do {                              \
    Word w_ = (w), at_ = w_ >> 8;   \
    Term v_ = (value);              \
    if (WB_UNLIKELY(!is_x_ref(w_))) \
      E[at_] = v_;                  \
    else if (at_ == 0)              \
      x0 = v_;                      \
    else if (at_ == 1)              \
      x1 = v_;                      \
    else if (at_ == 2)              \
      x2 = v_;                      \
    else                            \
      C->x[at_] = v_;               \
  } while (0)

}  // namespace wb
