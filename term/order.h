// Equality and order of any two terms.
// number < atom < reference < fun < port < pid < tuple < map < nil < list < bitstring
// (otp25/terms.md section 4). All are iterative: deep terms do not overflow the C stack.
#pragma once

#include "term/term.h"

namespace wb {

bool equal_exact_slow(Term a, Term b);
/// =:=
WB_INLINE bool equal_exact(Term a, Term b) {
  if (a == b) return true;
  if (is_immediate(a) || is_immediate(b)) return false;
  return equal_exact_slow(a, b);
}
/// Term order with 1 == 1.0: <0, 0, >0. `==` is compare(a, b) == 0.
int compare(Term a, Term b);
/// Order of map keys: like compare, but 1 < 1.0 and never equal unless =:=.
int compare_keys(Term a, Term b);
inline bool equal(Term a, Term b) { return a == b || compare(a, b) == 0; }

}  // namespace wb
