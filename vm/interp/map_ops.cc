// Maps: building, updating, looking up.
#include "term/map.h"

#include <algorithm>

#include "term/order.h"
#include "vm/interp/errors.h"
#include "vm/interp/handler.h"
#include "vm/interp/map_parts.h"

namespace wb {

static const Word* bad_map(Exec& c, const Word* I, Word fail, Term map) {
  if (fail) return reinterpret_cast<const Word*>(fail);
  return raise_error(c, I, tuple(c.p->heap, am::badmap, map));
}

/// `map` with the n operands at `w` (key, value, key ...) put into it, a buffer at a time: a file
/// may name any number of pairs.
static Term put_pairs(Exec& c, Term map, const Word* w, uint64_t n) {
  Term pairs[2 * kMaxFlatMap];
  for (uint64_t done = 0; done < n;) {
    uint64_t some = std::min<uint64_t>(n - done, 2 * kMaxFlatMap);
    for (uint64_t k = 0; k < some; ++k) pairs[k] = load_operand(c, w[done + k]);
    map = map_put_pairs(c.p->heap, map, pairs, some / 2);
    done += some;
  }
  return map;
}

static const Word* op_put_map_assoc(Exec& c, const Word* I) {  // src dst live n pairs
  uint64_t n = I[4];
  if (!safe_point(c, 0, static_cast<uint32_t>(I[3]))) return leave_dying(c);
  Term map = load_operand(c, I[1]);
  if (!is_map(map)) return bad_map(c, I, 0, map);
  map = put_pairs(c, map, I + 5, n);
  store_operand(c, I[2], map);
  return I + 5 + n;
}
/// Which of the n operands' keys is not in the map: the first in the order of keys, whatever the
/// order in the source; kNone: all are there.
static Term missing_key(Exec& c, Term map, const Word* w, uint64_t n) {
  Term missing = kNone;
  for (uint64_t k = 0; k < n; k += 2) {
    Term key = load_operand(c, w[k]);
    if (is_value(map_get(map, key))) continue;
    if (is_fault(missing) || compare_keys(key, missing) < 0) missing = key;
  }
  return missing;
}

static const Word* op_put_map_exact(Exec& c, const Word* I) {  // fail src dst live n pairs
  uint64_t n = I[5];
  if (!safe_point(c, 0, static_cast<uint32_t>(I[4]))) return leave_dying(c);
  Term map = load_operand(c, I[2]);
  if (!is_map(map)) return bad_map(c, I, I[1], map);
  Term missing = missing_key(c, map, I + 6, n);
  if (is_value(missing)) {
    if (I[1]) return reinterpret_cast<const Word*>(I[1]);
    return raise_error(c, I, tuple(c.p->heap, am::badkey, missing));
  }
  map = put_pairs(c, map, I + 6, n);
  store_operand(c, I[3], map);
  return I + 6 + n;
}
static const Word* op_has_map_fields(Exec& c, const Word* I) {  // fail src n keys
  Term map = load_operand(c, I[2]);
  if (!is_map(map)) return reinterpret_cast<const Word*>(I[1]);
  for (uint64_t k = 0; k < I[3]; ++k) {
    if (is_fault(map_get(map, load_operand(c, I[4 + k])))) {
      return reinterpret_cast<const Word*>(I[1]);
    }
  }
  return I + 4 + I[3];
}
static const Word* op_get_map_elements(Exec& c, const Word* I) {  // fail src n (key dst)...
  Term map = load_operand(c, I[2]);
  if (!is_map(map)) return reinterpret_cast<const Word*>(I[1]);
  for (uint64_t k = 0; k < I[3]; k += 2) {
    Term value = map_get(map, load_operand(c, I[4 + k]));
    if (is_fault(value)) return reinterpret_cast<const Word*>(I[1]);
    store_operand(c, I[5 + k], value);
  }
  return I + 4 + I[3];
}

// --- for native code (map_parts.h)
Term put_map_assoc(Exec& c, uint64_t n) {
  const Term* operands = c.x + kScratch;
  if (WB_UNLIKELY(!is_map(operands[0]))) return kBadarg;
  return map_put_pairs(c.p->heap, operands[0], operands + 1, n / 2);
}
Term put_map_exact(Exec& c, uint64_t n) {
  const Term* operands = c.x + kScratch;
  if (WB_UNLIKELY(!is_map(operands[0]))) return kBadarg;
  return map_update_pairs(c.p->heap, operands[0], operands + 1, n / 2);
}

void install_maps(Word* t, bool) {
  set_slow(t, Instr::put_map_assoc, &slow_handler<op_put_map_assoc>);
  set_slow(t, Instr::put_map_exact, &slow_handler<op_put_map_exact>);
  set_slow(t, Instr::has_map_fields, &slow_handler<op_has_map_fields>);
  set_slow(t, Instr::get_map_elements, &slow_handler<op_get_map_elements>);
}

}  // namespace wb
