// The process dictionary: open addressing with linear probing over {Key, Value} tuples.
//
// The table is a power of two, at most three quarters full; removing moves later entries of the run
// back, so there are no tombstones and a miss stops at the first free slot (kNone). The tuples are
// never changed: a new value is a new tuple, so old ones may live in the old heap.
#include "vm/process/dictionary.h"

#include "term/hash.h"
#include "term/order.h"
#include "vm/process/extra.h"

namespace wb {

using Slots = std::vector<Term>;

static Term key_of(Term entry) { return tuple_elements(entry)[0]; }
static Term value_of(Term entry) { return tuple_elements(entry)[1]; }

/// Atoms by their number, as on BEAM: looking for the hash of their text would take as long as the
/// rest.
static size_t hash_of(Term key) {
  return is_immediate(key) ? hash_step(0, key) : map_hash_slow(key);
}
/// The slot of `key`, or the free one where it belongs.
static WB_INLINE size_t slot_of(const Slots& slots, Term key) {
  size_t mask = slots.size() - 1;
  size_t i = hash_of(key) & mask;
  while (is_value(slots[i]) && !equal_exact(key_of(slots[i]), key)) i = (i + 1) & mask;
  return i;
}

static void grow(Slots& slots) {
  Slots bigger(slots.empty() ? 8 : slots.size() * 2, kNone);
  for (Term entry : slots) {
    if (is_value(entry)) bigger[slot_of(bigger, key_of(entry))] = entry;
  }
  slots = std::move(bigger);
}

Term dictionary_get(const Process& p, Term key) {
  if (!p.extra || p.extra->dictionary.empty()) return am::undefined;
  const Slots& slots = p.extra->dictionary;
  Term entry = slots[slot_of(slots, key)];
  return is_value(entry) ? value_of(entry) : am::undefined;
}

Term dictionary_put(Process& p, Term key, Term value) {
  ProcessExtra& extra = p.rare();
  if (extra.dictionary_count * 4 >= extra.dictionary.size() * 3) grow(extra.dictionary);
  Term& slot = extra.dictionary[slot_of(extra.dictionary, key)];
  Term before = am::undefined;
  if (is_value(slot)) {
    before = value_of(slot);
    key = key_of(slot);  // of 0.0 and -0.0 the first stays
  } else {
    ++extra.dictionary_count;
  }
  slot = tuple(p.heap, key, value);
  return before;
}

/// Frees slot `i` and moves back what would not be found any more.
static void close_gap(Slots& slots, size_t i) {
  size_t mask = slots.size() - 1;
  for (size_t k = (i + 1) & mask; is_value(slots[k]); k = (k + 1) & mask) {
    size_t wanted = hash_of(key_of(slots[k])) & mask;
    if (((k - wanted) & mask) < ((k - i) & mask)) continue;
    slots[i] = slots[k];
    i = k;
  }
  slots[i] = kNone;
}

Term dictionary_erase(Process& p, Term key) {
  if (!p.extra || p.extra->dictionary.empty()) return am::undefined;
  Slots& slots = p.extra->dictionary;
  size_t i = slot_of(slots, key);
  if (is_fault(slots[i])) return am::undefined;
  Term value = value_of(slots[i]);
  close_gap(slots, i);
  --p.extra->dictionary_count;
  return value;
}

void dictionary_clear(Process& p) {
  if (!p.extra) return;
  p.extra->dictionary = {};
  p.extra->dictionary_count = 0;
}

Term dictionary_list(const Process& p, Heap& h) {
  Term list = kNil;
  if (!p.extra || !p.extra->dictionary_count) return list;
  Term* cell = h.alloc(2 * p.extra->dictionary_count);
  for (Term entry : p.extra->dictionary) {
    if (is_fault(entry)) continue;
    cell[0] = entry;
    cell[1] = list;
    list = make_cons(cell);
    cell += 2;
  }
  return list;
}

Term dictionary_keys(const Process& p, Heap& h, Term value) {
  Term list = kNil;
  if (!p.extra || !p.extra->dictionary_count) return list;
  const size_t most = 2 * p.extra->dictionary_count;
  Term *const cells = h.alloc(most), *cell = cells;
  for (Term entry : p.extra->dictionary) {
    if (is_fault(entry)) continue;
    if (is_value(value) && !equal_exact(value_of(entry), value)) continue;
    cell[0] = key_of(entry);
    cell[1] = list;
    list = make_cons(cell);
    cell += 2;
  }
  h.trim(cells, most, cell);
  return list;
}

}  // namespace wb
