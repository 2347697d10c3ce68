// Instructions of maps, lowered: each key looked up by a get_map_element of its own, pairs put by a
// call of C++ with everything in the scratch registers.
#include "term/map.h"
#include "vm/interp/lowered_maps.h"
#include "vm/jit/baseline.h"

namespace wb {

bool Baseline::lower(const instr::put_map_assoc& in, const Item& whole) {
  return put_pairs(in, reinterpret_cast<Word>(&put_map_assoc), whole);
}
bool Baseline::lower(const instr::put_map_exact& in, const Item& whole) {
  return put_pairs(in, reinterpret_cast<Word>(&put_map_exact), whole);
}
template <class I>
bool Baseline::put_pairs(const I& in, Word function, const Item& whole) {
  const Word n = in.count();
  if (n > 2 * kMaxFlatMap) return false;
  static_assert(1 + 2 * kMaxFlatMap <= kScratchRegisters);
  if (!add_op(whole, Instr::bif_room, {}) || !add_to_scratch(whole, in.map())) return false;
  for (unsigned k = 0; k < n; ++k) {
    if (!add_to_scratch(whole, in.pairs()[k], 1 + k)) return false;
  }
  return add_op_of(whole, Instr::map_put, in.dst(), {function, n});
}

bool Baseline::lower(const instr::has_map_fields& in, const Item& whole) {
  for (Word k = 0; k < in.count(); ++k) {
    if (!get_element(whole, in.fail(), in.map(), in.keys()[k], make_x_ref(kScratch))) return false;
  }
  return in.count() > 0;
}
bool Baseline::lower(const instr::get_map_elements& in, const Item& whole) {
  const Word *end = in.after(), *pair = in.pairs();
  for (; pair < end; pair += 2) {
    Word key = pair[0], dst = pair[1];
    // The interpreter may begin again in the middle: what it reads must still be there.
    for (const Word* later = pair; later < end; later += 2) {
      bool reads = dst == in.map() || dst == later[0];
      if (reads) return false;
    }
    if (!get_element(whole, in.fail(), in.map(), key, dst)) return false;
  }
  return in.count() > 0;
}
bool Baseline::get_element(const Item& whole, Word fail, Word map, Word key, Word dst) {
  OperandKind kinds[3] = {resolve_operand(&map), resolve_operand(&key), resolve_operand(&dst)};
  return add_op(whole, handler_index(Instr::get_map_element, kinds), {map, key, dst, fail});
}

}  // namespace wb
