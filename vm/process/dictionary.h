// The process dictionary: open addressing with linear probing over {Key, Value} tuples.
//
// The table is a power of two, at most three quarters full; removing moves later entries of the run
// back, so there are no tombstones and a miss stops at the first free slot (kNone). The tuples are
// never changed: a new value is a new tuple, so old ones may live in the old heap. A byte of each
// key's hash stands behind the slots: other keys of a run are passed without a look at their
// tuples, which in a large dictionary are somewhere else each. One block holds all of it, as most
// processes that have a dictionary have two or three entries.
#pragma once

#include <span>

#include "vm/process/process.h"

namespace wb {

/// ProcessExtra::dictionary. Its slots are roots.
class Dictionary {
 public:
  Dictionary() = default;
  ~Dictionary() { clear(); }
  Dictionary(const Dictionary&) = delete;
  Dictionary& operator=(const Dictionary&) = delete;

  /// All of them, free ones (kNone) too.
  std::span<Term> slots() const { return {table_ ? table_->slots : nullptr, capacity()}; }
  size_t count() const { return table_ ? table_->count : 0; }
  size_t bytes() const { return table_ ? bytes_of(capacity()) : 0; }

  /// The value, or kNone.
  Term get(Term key) const;
  /// What was there before, or kNone.
  Term put(Heap& h, Term key, Term value);
  Term erase(Term key);
  void clear();

 private:
  struct Table {
    uint32_t capacity, count;
    Term slots[1];  ///< `capacity` of them, then as many bytes of hashes
    uint8_t* hashes() { return reinterpret_cast<uint8_t*>(slots + capacity); }
  };
  static constexpr uint32_t kFirst = 4;
  static constexpr size_t bytes_of(size_t capacity) {
    return offsetof(Table, slots) + capacity * (sizeof(Term) + 1);
  }
  size_t capacity() const { return table_ ? table_->capacity : 0; }
  size_t slot_of(Term key, size_t hash) const;
  size_t slot_in_large(Term key, size_t hash) const;
  void grow();

  Table* table_ = nullptr;
};

/// What was there before, or undefined.
Term dictionary_put(Process& p, Term key, Term value);
Term dictionary_get(const Process& p, Term key);
Term dictionary_erase(Process& p, Term key);
void dictionary_clear(Process& p);
/// [{Key, Value}]
Term dictionary_list(const Process& p, Heap& h);
/// Keys with this value; kNone: every key.
Term dictionary_keys(const Process& p, Heap& h, Term value);

}  // namespace wb
