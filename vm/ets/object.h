// An object of a table: one tuple, flat, in one malloc block that the table owns.
//
//   +------+-----------+----------+-------+------------------------------+
//   | next | hash/prev | off_heap | words | tuple header | elements | .. |
//   +------+-----------+----------+-------+------------------------------+
//
// Invariants
//  - Everything the tuple refers to lies inside the block: a copy to a process is one allocation,
//    one pass that shifts pointers, and a retain for each off-heap owner. That pass is why a lookup
//    is cheap, and it holds because nothing inside an object ever points out of it.
//  - Literals are copied too. A table outlives the module whose literal it was given.
//  - Readers hold the lock of the object's place; writers change an element in place only from one
//    immediate to another and otherwise put a new object in place of the old.
//
// Rejected: one heap a table (fragmentation needs a compacting collector of its own), sharing of
// subterms between objects (a delete would need counts).
#pragma once

#include <cstdlib>
#include <utility>

#include "base/work_budget.h"
#include "term/copy.h"
#include "term/fault.h"
#include "term/heap.h"

namespace wb {

struct TableObject {
  TableObject* next;
  union {
    uint64_t hash;      // hash tables
    TableObject* prev;  // ordered tables
  };
  Term* off_heap;
  uint32_t words;
  bool dead;  // deleted while the table was fixed; still a place for next/2
  /// In compressed tables; whoever is shown an object is shown a plain one.
  enum class Form : uint8_t { plain, packed, packed_owning } form;
  Term data[];

  Term tuple() const {
    WB_DCHECK(form == Form::plain);
    return make_boxed(data);
  }
  uint64_t arity() const { return header_size(data[0]); }
  Term& element(size_t position) { return data[position]; }  // 1-based
  Term key(uint32_t keypos) const { return data[keypos]; }
  size_t bytes() const { return sizeof(TableObject) + words * sizeof(Term); }
};

/// A copy of `tuple` as an object.
TableObject* new_object(Term tuple);
/// The same, where it is known how many words that takes.
TableObject* new_object(Term tuple, size_t words);
/// Has `o` room for a tuple of so many words in place of its own, and nothing to be released?
inline bool fits_over(const TableObject& o, size_t words) {
  return o.words == words && !o.off_heap && !o.dead && o.form == TableObject::Form::plain;
}
/// The same without its data.
TableObject* new_block(size_t words);
/// A copy of `t`, which takes so many words, in the data of an object that owns nothing yet.
Term copy_into(TableObject* o, size_t at, size_t words, Term t);
/// Copies words that point to nothing but themselves. What they own stays the other's, and is
/// linked in front of `owners`.
Term* borrow_words(Term* to, const Term* from, size_t words, Term* owners);
void free_object(TableObject* o);
/// Its memory only.
inline void free_block(TableObject* o) { free(o); }
/// A chain linked by `next`.
void free_objects(TableObject* first);
/// The same, a step an object. False: stopped, *first is what is left.
bool free_objects(TableObject** first, WorkBudget& budget);
/// The object's tuple in `h`.
Term copy_object(Heap& h, const TableObject* o);
/// The same, in front of a list.
Term cons_object(Heap& h, const TableObject* o, Term rest);

/// A term kept outside any process' heap (an heir's data, a table's own identifier).
class KeptTerm {
 public:
  KeptTerm() = default;
  explicit KeptTerm(Term t) { set(t); }
  ~KeptTerm() { clear(); }
  KeptTerm(const KeptTerm&) = delete;
  KeptTerm& operator=(const KeptTerm&) = delete;
  void set(Term t);
  void clear();
  void swap(KeptTerm& other) {
    std::swap(term_, other.term_);
    std::swap(box_, other.box_);
  }
  Term get() const { return term_; }
  bool is_set() const { return is_value(term_); }

 private:
  Term term_ = kNone;
  TableObject* box_ = nullptr;  // {t}, unless immediate
};

/// A heap of chunks that die together: temporaries of a match, constants of a match program.
class ScratchHeap final : public Heap {
 public:
  ScratchHeap() = default;
  /// Begins in its owner's memory.
  ScratchHeap(Term* first, size_t words) : first_(first), first_words_(words) { begin(); }
  ~ScratchHeap();
  ScratchHeap(const ScratchHeap&) = delete;
  ScratchHeap& operator=(const ScratchHeap&) = delete;
  /// Forgets every term; keeps the newest chunk for reuse.
  void reset() {
    if (top_) reset_slow();
  }

 private:
  struct Chunk {
    Chunk* next;
    size_t words;
    Term data[];
  };
  Term* alloc_slow(size_t n) override;
  void reset_slow();
  void begin() {
    top_ = first_;
    limit_ = first_ + first_words_;
  }
  Term* first_ = nullptr;
  size_t first_words_ = 0;
  Chunk* chunks_ = nullptr;
};

}  // namespace wb
