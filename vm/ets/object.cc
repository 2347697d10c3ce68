#include "vm/ets/object.h"

#include <cstdlib>
#include <vector>

#include "base/out_of_memory.h"
#include "gc/fragment.h"
#include "term/binary.h"
#include "term/owned_bytes.h"

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

size_t raw_words_of(Word header) {
  uint8_t raw = raw_words(header_kind(header));
  return raw == 255 ? header_size(header) : raw;
}

void take_share(Term* boxed, Heap& owners) {
  reinterpret_cast<OffHeapObject*>(boxed[1])->retain();
  owners.link_off_heap(boxed, owned_bytes(boxed));
}

}  // namespace

// --- objects ----------------------------------------------------------------------------------
TableObject* new_object(Term tuple, unsigned tower) {
  size_t words = flat_size_deep(tuple);
  WB_CHECK(words <= UINT32_MAX);
  char* block = static_cast<char*>(
      must_malloc(tower * sizeof(void*) + sizeof(TableObject) + words * sizeof(Term), "ets_term"));
  auto* o = reinterpret_cast<TableObject*>(block + tower * sizeof(void*));
  ObjectHeap heap(o->data, words);
  copy_term_deep(heap, tuple);
  o->next = nullptr;
  o->hash = 0;
  o->off_heap = heap.off_heap();
  o->words = static_cast<uint32_t>(words);
  o->dead = false;
  o->tower = static_cast<uint8_t>(tower);
  return o;
}

void free_object(TableObject* o) {
  release_owners(o->off_heap);
  free(reinterpret_cast<char*>(o) - o->tower * sizeof(void*));
}

void free_objects(TableObject* first) {
  while (first) {
    TableObject* next = first->next;
    free_object(first);
    first = next;
  }
}

bool free_objects(TableObject** first, Pace& pace) {
  while (TableObject* o = *first) {
    *first = o->next;
    free_object(o);
    if (!pace.step()) return false;
  }
  return true;
}

Term copy_object(Heap& h, const TableObject* o) {
  Term* to = h.alloc(o->words);
  const Word shift = reinterpret_cast<Word>(to) - reinterpret_cast<Word>(o->data);
  for (size_t i = 0; i < o->words;) {
    Word w = o->data[i];
    if (!is_header(w)) {
      to[i++] = is_pointer(w) ? w + shift : w;
      continue;
    }
    size_t raw = 1 + raw_words_of(w);
    memcpy(to + i, o->data + i, raw * sizeof(Word));
    if (owns_off_heap(header_kind(w))) take_share(to + i, h);
    i += raw;
  }
  return make_boxed(to);
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
  while (Chunk* older = chunks_->next) {
    chunks_->next = older->next;
    free(older);
  }
  top_ = chunks_->data;
  limit_ = chunks_->data + chunks_->words;
}

}  // namespace wb
