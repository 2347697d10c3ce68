// Equality and order of any two terms.
// number < atom < reference < fun < port < pid < tuple < map < nil < list < bitstring
// (docs/terms.md, Outside the machine). All are iterative: deep terms do not overflow the C stack.
#pragma once

#include "term/term.h"

namespace wb {

bool equal_exact_slow(Term a, Term b);
bool equal_slow(Term a, Term b);

/// =:=
WB_INLINE bool equal_exact(Term a, Term b) {
  if (a == b) return true;
  if (is_immediate(a) || is_immediate(b)) return false;
  return equal_exact_slow(a, b);
}
/// ==
WB_INLINE bool equal(Term a, Term b) {
  if (a == b) return true;
  if (is_immediate(a) && is_immediate(b)) return false;
  return equal_slow(a, b);
}
/// Term order with 1 == 1.0: <0, 0, >0.
int compare(Term a, Term b);
/// Order of map keys: like compare, but every integer before every float (at any depth), so that
/// 0 means =:=.
int compare_keys(Term a, Term b);

/// Order of two values without parts to descend into, of the same type: atoms, bitstrings,
/// references, ports, pids, and funs by all but their free variables.
int compare_atomic(Term a, Term b);

}  // namespace wb
