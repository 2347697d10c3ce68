// Looking one key up in a map. Flat maps are searched in line for keys that are equal only to
// themselves; everything else goes to term/map.h.
#include "term/map.h"

#include "term/order.h"
#include "vm/interp/handler.h"

namespace wb {

/// map and key are in the scratch registers; so is the value, unless a label is returned.
static WB_NOINLINE const Word* look_up(Exec& c, const Word* I) {
  Term* operands = c.x + kScratch;
  Term value = is_map(operands[0]) ? map_get(operands[0], operands[1]) : kNone;
  if (is_fault(value)) return reinterpret_cast<const Word*>(instr::get_map_element{I}.fail());
  operands[2] = value;
  return nullptr;
}
template <K D>
WB_PRESERVE_NONE static void finish_map_element(WB_UNCUT_ARGS) {
  using At = instr::place::get_map_element;
  WB_SPILL();
  const Word* next = look_up(*C, I);
  WB_RELOAD();
  if (next) WB_JUMP(next);
  WB_STORE(D, dst, C->x[kScratch + 2]);
  WB_NEXT();
}
template <K A, K B, K D>
WB_PRESERVE_NONE static void slow_map_element(WB_UNCUT_ARGS) {
  using At = instr::place::get_map_element;
  C->x[kScratch] = WB_LOAD(A, map);
  C->x[kScratch + 1] = WB_LOAD(B, key);
  WB_TAIL finish_map_element<D>(WB_PASS);
}

// map key dst fail
FAST_3(get_map_element) {
  Term map = WB_LOAD(A, map), key = WB_LOAD(B, key);
  if (WB_UNLIKELY(!is_flatmap(map))) WB_OTHERWISE((slow_map_element<A, B, D>));
  if (!(WB_CONSTANTS_ARE_IMMEDIATE && B == K::c) && WB_UNLIKELY(!is_immediate(key))) {
    WB_OTHERWISE((slow_map_element<A, B, D>));
  }
  const Term* p = boxed_ptr(map);
  const Term* keys = boxed_ptr(p[2]);
  for (size_t k = static_cast<size_t>(small_value(p[1])); k > 0; --k) {
    if (keys[k] == key) {
      WB_STORE(D, dst, p[2 + k]);
      WB_NEXT();
    }
  }
  WB_BRANCH(fail);
}

void install_map_reading(Word* t, bool) {
  fill::three<Instr::get_map_element, h_get_map_element, 6, 6, 5>(t);
}

}  // namespace wb
