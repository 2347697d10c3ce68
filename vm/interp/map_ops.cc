// Maps: building, updating, looking up.
#include "term/map.h"

#include <algorithm>

#include "term/order.h"
#include "vm/interp/errors.h"
#include "vm/interp/handler.h"
#include "vm/interp/lowered_maps.h"

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

static const Word* op_put_map_assoc(Exec& c, const Word* I) {
  instr::put_map_assoc in{I};
  if (!safe_point(c, 0, static_cast<uint32_t>(in.live()))) return leave_dying(c);
  Term map = load_operand(c, in.map());
  if (!is_map(map)) return bad_map(c, I, 0, map);
  map = put_pairs(c, map, in.pairs(), in.count());
  store_operand(c, in.dst(), map);
  return in.after();
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

static const Word* op_put_map_exact(Exec& c, const Word* I) {
  instr::put_map_exact in{I};
  if (!safe_point(c, 0, static_cast<uint32_t>(in.live()))) return leave_dying(c);
  Term map = load_operand(c, in.map());
  if (!is_map(map)) return bad_map(c, I, in.fail(), map);
  Term missing = missing_key(c, map, in.pairs(), in.count());
  if (is_value(missing)) {
    if (in.fail()) return reinterpret_cast<const Word*>(in.fail());
    return raise_error(c, I, tuple(c.p->heap, am::badkey, missing));
  }
  map = put_pairs(c, map, in.pairs(), in.count());
  store_operand(c, in.dst(), map);
  return in.after();
}
static const Word* op_has_map_fields(Exec& c, const Word* I) {
  instr::has_map_fields in{I};
  auto otherwise = reinterpret_cast<const Word*>(in.fail());
  Term map = load_operand(c, in.map());
  if (!is_map(map)) return otherwise;
  for (uint64_t k = 0; k < in.count(); ++k) {
    if (is_fault(map_get(map, load_operand(c, in.keys()[k])))) return otherwise;
  }
  return in.after();
}
static const Word* op_get_map_elements(Exec& c, const Word* I) {
  instr::get_map_elements in{I};
  auto otherwise = reinterpret_cast<const Word*>(in.fail());
  Term map = load_operand(c, in.map());
  if (!is_map(map)) return otherwise;
  for (const Word* pair = in.pairs(); pair < in.after(); pair += 2) {
    Term value = map_get(map, load_operand(c, pair[0]));
    if (is_fault(value)) return otherwise;
    store_operand(c, pair[1], value);
  }
  return in.after();
}

// --- for native code (lowered_maps.h)
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
