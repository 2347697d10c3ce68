#include "vm/process/dictionary.h"

#include <algorithm>
#include <bit>

#include "gc/block_pool.h"
#include "term/hash.h"
#include "term/order.h"
#include "vm/process/extra.h"

namespace wb {

static Term key_of(Term entry) { return tuple_elements(entry)[0]; }
static Term value_of(Term entry) { return tuple_elements(entry)[1]; }

/// Atoms by their number, as on BEAM: looking for the hash of their text would take as long as the
/// rest.
static size_t hash_of(Term key) {
  return is_immediate(key) ? hash_step(0, key) : map_hash_slow(key);
}

constexpr size_t kSmall = 512;

/// Of bits that say nothing about the slot.
static uint8_t byte_of(size_t hash) { return static_cast<uint8_t>(hash >> 56); }

/// The slot of `key`, or the free one where it belongs. What is small is in the cache anyway.
WB_INLINE size_t Dictionary::slot_of(Term key, size_t hash) const {
  const size_t mask = table_->capacity - 1;
  if (mask > kSmall) return slot_in_large(key, hash);
  size_t i = hash & mask;
  while (is_value(table_->slots[i]) && !equal_exact(key_of(table_->slots[i]), key))
    i = (i + 1) & mask;
  return i;
}
WB_NOINLINE size_t Dictionary::slot_in_large(Term key, size_t hash) const {
  const size_t mask = table_->capacity - 1;
  const uint8_t* const hashes = table_->hashes();
  size_t i = hash & mask;
  for (; is_value(table_->slots[i]); i = (i + 1) & mask) {
    if (hashes[i] == byte_of(hash) && equal_exact(key_of(table_->slots[i]), key)) break;
  }
  return i;
}

void Dictionary::grow() {
  Table* const before = table_;
  const uint32_t capacity = before ? before->capacity * 2 : kFirst;
  table_ = static_cast<Table*>(must_pool_alloc(bytes_of(capacity), "proc_dict"));
  table_->capacity = capacity;
  table_->count = 0;
  std::fill_n(table_->slots, capacity, kNone);
  if (!before) return;
  table_->count = before->count;
  for (uint32_t i = 0; i < before->capacity; ++i) {
    const Term entry = before->slots[i];
    if (is_fault(entry)) continue;
    const size_t hash = hash_of(key_of(entry)), slot = slot_of(key_of(entry), hash);
    table_->slots[slot] = entry;
    table_->hashes()[slot] = byte_of(hash);
  }
  pool_free(before, bytes_of(before->capacity));
}

Term Dictionary::get(Term key) const {
  const Term entry = table_ ? table_->slots[slot_of(key, hash_of(key))] : kNone;
  return is_value(entry) ? value_of(entry) : kNone;
}

Term Dictionary::put(Heap& h, Term key, Term value) {
  if (count() * 4 >= capacity() * 3) grow();
  const size_t hash = hash_of(key), at = slot_of(key, hash);
  Term& slot = table_->slots[at];
  Term before = kNone;
  if (is_value(slot)) {
    before = value_of(slot);
    key = key_of(slot);  // of 0.0 and -0.0 the first stays
  } else {
    ++table_->count;
    table_->hashes()[at] = byte_of(hash);
  }
  slot = tuple(h, key, value);
  return before;
}

Term Dictionary::erase(Term key) {
  if (!table_) return kNone;
  Term* const slots = table_->slots;
  size_t i = slot_of(key, hash_of(key));
  if (is_fault(slots[i])) return kNone;
  const Term value = value_of(slots[i]);
  // Later ones that would not be found any more move back.
  const size_t mask = table_->capacity - 1;
  for (size_t k = (i + 1) & mask; is_value(slots[k]); k = (k + 1) & mask) {
    size_t wanted = hash_of(key_of(slots[k])) & mask;
    if (((k - wanted) & mask) < ((k - i) & mask)) continue;
    slots[i] = slots[k];
    table_->hashes()[i] = table_->hashes()[k];
    i = k;
  }
  slots[i] = kNone;
  --table_->count;
  return value;
}

void Dictionary::clear() {
  if (table_) pool_free(table_, bytes());
  table_ = nullptr;
}

static Term or_undefined(Term value) { return is_value(value) ? value : am::undefined; }

Term dictionary_get(const Process& p, Term key) {
  return or_undefined(p.extra ? p.extra->dictionary.get(key) : kNone);
}
Term dictionary_put(Process& p, Term key, Term value) {
  return or_undefined(p.extras().dictionary.put(p.heap, key, value));
}
Term dictionary_erase(Process& p, Term key) {
  return or_undefined(p.extra ? p.extra->dictionary.erase(key) : kNone);
}

void dictionary_clear(Process& p) {
  if (p.extra) p.extra->dictionary.clear();
}

/// Calls f(entry). Which slots are free looks like chance to a branch, so they are found by eights.
template <class F>
static void each_entry(std::span<const Term> slots, F f) {
  for (size_t at = 0; at < slots.size(); at += 8) {
    const size_t n = std::min<size_t>(8, slots.size() - at);
    uint32_t taken = 0;
    for (size_t k = 0; k < n; ++k) taken |= uint32_t{slots[at + k] != kNone} << k;
    for (; taken; taken &= taken - 1) f(slots[at + static_cast<size_t>(std::countr_zero(taken))]);
  }
}

Term dictionary_list(const Process& p, Heap& h) {
  Term list = kNil;
  if (!p.extra || !p.extra->dictionary.count()) return list;
  Term* cell = h.alloc(2 * p.extra->dictionary.count());
  each_entry(p.extra->dictionary.slots(), [&](Term entry) {
    cell[0] = entry;
    cell[1] = list;
    list = make_cons(cell);
    cell += 2;
  });
  return list;
}

Term dictionary_keys(const Process& p, Heap& h, Term value) {
  Term list = kNil;
  if (!p.extra || !p.extra->dictionary.count()) return list;
  const size_t most = 2 * p.extra->dictionary.count();
  Term *const cells = h.alloc(most), *cell = cells;
  each_entry(p.extra->dictionary.slots(), [&](Term entry) {
    if (is_value(value) && !equal_exact(value_of(entry), value)) return;
    cell[0] = key_of(entry);
    cell[1] = list;
    list = make_cons(cell);
    cell += 2;
  });
  h.trim(cells, most, cell);
  return list;
}

}  // namespace wb
