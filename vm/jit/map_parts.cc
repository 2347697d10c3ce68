// Instructions of maps, as parts: each key looked up by a get_map_element of its own, pairs put by
// a call of C++ with everything in the scratch registers.
#include "vm/interp/map_parts.h"
#include "term/map.h"
#include "vm/jit/baseline.h"

namespace wb {

bool Baseline::map_in_parts(Instr i, const Word* at, const Item& whole) {
  switch (i) {
    case Instr::put_map_assoc:
      return put_in_parts(reinterpret_cast<Word>(&put_map_assoc), at + 1, whole);
    case Instr::put_map_exact:
      return put_in_parts(reinterpret_cast<Word>(&put_map_exact), at + 2, whole);
    case Instr::has_map_fields:  // fail src n keys
      for (Word k = 0; k < at[3]; ++k) {
        if (!get_in_parts(at[1], at[2], at[4 + k], make_x_ref(kScratch), whole)) return false;
      }
      return at[3] > 0;
    case Instr::get_map_elements:  // fail src n (key dst)...
      for (Word k = 0; k < at[3]; k += 2) {
        Word dst = at[5 + k];
        // The interpreter may begin again in the middle: what it reads must still be there.
        for (Word later = k; later < at[3]; later += 2) {
          bool reads = dst == at[2] || dst == at[4 + later];
          if (reads) return false;
        }
        if (!get_in_parts(at[1], at[2], at[4 + k], dst, whole)) return false;
      }
      return at[3] > 0;
    default:
      return false;
  }
}

/// src dst live n (key value)...
bool Baseline::put_in_parts(Word function, const Word* at, const Item& whole) {
  Word n = at[3];
  if (n > 2 * kMaxFlatMap) return false;
  static_assert(1 + 2 * kMaxFlatMap <= kScratchRegisters);
  if (!add_part(whole, Instr::bif_room, {})) return false;
  for (Word k = 0; k <= n; ++k) {
    Word operand = k == 0 ? at[0] : at[3 + k];
    if (!add_move(whole, operand, OperandKind::x, (kScratch + k) * sizeof(Term))) return false;
  }
  return add_part_of(whole, Instr::map_put, at[1], {function, n});
}

bool Baseline::get_in_parts(Word fail, Word map, Word key, Word dst, const Item& whole) {
  OperandKind kinds[3] = {resolve_operand(&map), resolve_operand(&key), resolve_operand(&dst)};
  return add_part(whole, handler_index(Instr::get_map_element, kinds), {map, key, dst, fail});
}

}  // namespace wb
