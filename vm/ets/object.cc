#include "vm/ets/object.h"

#include <vector>

#include "base/out_of_memory.h"
#include "gc/fragment.h"
#include "term/binary.h"
#include "term/boxed_layout.h"
#include "term/owned_bytes.h"
#include "vm/ets/packed.h"

namespace wb {
namespace {

/// The block of one object, to be filled by one copy of exactly its size.
class ObjectHeap final : public Heap {
 public:
  ObjectHeap(Term* start, size_t words) {
    top_ = start;
    limit_ = start + words;
  }

 private:
  Term* alloc_slow(size_t) override {
    WB_CHECK(!"an object needs what was measured");
    return nullptr;
  }
};

void take_share(Term* boxed, Heap& owners) {
  reinterpret_cast<OffHeapObject*>(boxed[1])->retain();
  owners.link_off_heap(boxed, owned_bytes(boxed));
}

}  // namespace

// --- objects ----------------------------------------------------------------------------------
TableObject* new_block(size_t words) {
  WB_CHECK(words <= UINT32_MAX);
  auto* o = static_cast<TableObject*>(
      must_malloc(sizeof(TableObject) + words * sizeof(Term), "ets_term"));
  o->next = nullptr;
  o->hash = 0;
  o->off_heap = nullptr;
  o->words = static_cast<uint32_t>(words);
  o->dead = false;
  o->form = TableObject::Form::plain;
  return o;
}

Term copy_into(TableObject* o, size_t at, size_t words, Term t) {
  ObjectHeap heap(o->data + at, words);
  Term copy = copy_term_deep(heap, t, words);
  o->off_heap = heap.off_heap();
  return copy;
}

TableObject* new_object(Term tuple) { return new_object(tuple, flat_size_deep(tuple)); }

TableObject* new_object(Term tuple, size_t words) {
  TableObject* o = new_block(words);
  copy_into(o, 0, words, tuple);
  return o;
}

void free_object(TableObject* o) {
  release_owners(o->off_heap);
  if (WB_UNLIKELY(o->form == TableObject::Form::packed_owning)) release_packed(*o);
  free_block(o);
}

void free_objects(TableObject* first) {
  while (first) {
    TableObject* next = first->next;
    free_object(first);
    first = next;
  }
}

bool free_objects(TableObject** first, WorkBudget& budget) {
  while (TableObject* o = *first) {
    *first = o->next;
    free_object(o);
    if (!budget.step()) return false;
  }
  return true;
}

namespace {

/// Copies words that point to nothing but themselves; `owned` sees the owners' copies.
template <class Owned>
WB_INLINE void copy_words(Term* to, const Term* from, size_t words, Owned owned) {
  const Word shift = reinterpret_cast<Word>(to) - reinterpret_cast<Word>(from);
  for (size_t i = 0; i < words;) {
    Word w = from[i];
    if (!is_header(w)) {
      to[i++] = is_pointer(w) ? w + shift : w;
      continue;
    }
    if (WB_LIKELY(header_kind(w) == Kind::tuple)) {  // nothing raw, nothing owned
      to[i++] = w;
      continue;
    }
    size_t raw = 1 + raw_size(w);
    if (WB_LIKELY(raw <= 4))
      for (size_t k = 0; k < raw; ++k) to[i + k] = from[i + k];
    else
      memcpy(to + i, from + i, raw * sizeof(Word));
    if (owns_off_heap(header_kind(w))) owned(to + i);
    i += raw;
  }
}

}  // namespace

/// In words of `h`, so many as the object has.
static WB_INLINE Term copy_object_to(Term* to, Heap& h, const TableObject* o) {
  WB_DCHECK(o->form == TableObject::Form::plain);
  copy_words(to, o->data, o->words, [&](Term* boxed) { take_share(boxed, h); });
  return make_boxed(to);
}

Term copy_object(Heap& h, const TableObject* o) { return copy_object_to(h.alloc(o->words), h, o); }

Term cons_object(Heap& h, const TableObject* o, Term rest) {
  Term* cell = h.alloc(2 + o->words);
  cell[0] = copy_object_to(cell + 2, h, o);
  cell[1] = rest;
  return make_cons(cell);
}

Term* borrow_words(Term* to, const Term* from, size_t words, Term* owners) {
  copy_words(to, from, words, [&](Term* boxed) {
    boxed[2] = reinterpret_cast<Word>(owners);
    owners = boxed;
  });
  return owners;
}

// --- terms that no heap holds -----------------------------------------------------------------
void KeptTerm::set(Term t) {
  clear();
  if (!is_pointer(t)) {
    term_ = t;
    return;
  }
  Term box[2] = {make_header(Kind::tuple, 1), t};
  box_ = new_object(make_boxed(box));
  term_ = box_->element(1);
}

void KeptTerm::clear() {
  // What is dropped may own the object this belongs to: nothing of it is touched afterwards.
  TableObject* box = std::exchange(box_, nullptr);
  term_ = kNone;
  if (box) free_object(box);
}

ScratchHeap::~ScratchHeap() {
  release_owners(off_heap_);
  while (chunks_) {
    Chunk* next = chunks_->next;
    free(chunks_);
    chunks_ = next;
  }
}

Term* ScratchHeap::alloc_slow(size_t n) {
  size_t words = chunks_ ? chunks_->words * 2 : 60;
  if (words < n) words = n;
  auto* chunk = static_cast<Chunk*>(must_malloc(sizeof(Chunk) + words * sizeof(Term), "scratch"));
  chunk->next = chunks_;
  chunk->words = words;
  chunks_ = chunk;
  top_ = chunk->data + n;
  limit_ = chunk->data + words;
  return chunk->data;
}

void ScratchHeap::reset_slow() {
  release_owners(off_heap_);
  off_heap_ = nullptr;
  off_heap_words_ = 0;
  if (!chunks_) return begin();
  while (Chunk* older = chunks_->next) {
    chunks_->next = older->next;
    free(older);
  }
  top_ = chunks_->data;
  limit_ = chunks_->data + chunks_->words;
}

}  // namespace wb
