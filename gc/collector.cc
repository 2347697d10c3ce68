#include "gc/collector.h"

#include <algorithm>
#include <unordered_map>

#include "base/instance.h"
#include "base/work_budget.h"
#include "term/binary.h"
#include "term/boxed_layout.h"
#include "term/owned_bytes.h"
#include "term/releasing_literals.h"

namespace wb {

namespace {

enum class Pass { minor, major, evict };

constexpr size_t kWorthTrimming = 256;  // bytes
constexpr size_t kChunk = 8 * 1024;     // words, or owners
constexpr int kRun = 32;                // cells

void pause(WorkBudget* budget, size_t words) {
  if (budget) budget->steps(static_cast<int64_t>(words));
}

/// A writable binary that nobody has appended to since the last collection gives back the room for
/// appending; another append makes room again.
WB_NOINLINE void trim_writable(Term* owner) {
  Word& flags = refc_bin::flags(owner);
  Binary* b = refc_bin::object(owner);
  if (flags & refc_bin::appended) {
    flags &= ~Word{refc_bin::appended};
  } else if (b->capacity - b->size >= kWorthTrimming && b->capacity > b->size + b->size / 8 &&
             b->refs.load(std::memory_order_acquire) == 1) {
    if (Binary* trimmed = shrink_binary(b)) owner[1] = reinterpret_cast<Word>(trimmed);
  }
}

/// Owners found alive, on one side.
struct OwnerList {
  Term* first = nullptr;
  Term* last = nullptr;
  uint64_t words = 0;
  /// At the end: their order, which programs see, outlives collections.
  void link(Term* owner) {
    owner[2] = 0;
    if (last)
      last[2] = reinterpret_cast<Word>(owner);
    else
      first = owner;
    last = owner;
    words += owned_bytes(owner) / 8;
    if (header_kind(*owner) == Kind::refc_bin && WB_UNLIKELY(refc_bin::flags(owner))) {
      trim_writable(owner);
    }
  }
};

/// `more` comes behind `owners`, and is empty then.
void append_owners(Term*& owners, Term*& more) {
  Term* last = owners;
  while (last && last[2]) last = reinterpret_cast<Term*>(last[2]);
  if (last)
    last[2] = reinterpret_cast<Word>(more);
  else
    owners = more;
  more = nullptr;
}

/// Literals of an area being released that were copied. They cannot be marked in place, for other
/// processes still read them.
struct Evicted {
  const ReleasingLiterals& area;
  std::unordered_map<Term, Term> copies;
  OwnerList owners;
};

template <Pass P>
class Copier {
 public:
  Copier(Term* block, const Term* old_start, size_t old_words, const Term* mature,
         size_t mature_words, Term* old_to, Evicted* evicted = nullptr)
      : young_to_(block),
        young_scan_(block),
        old_to_(old_to),
        old_scan_(old_to),
        old_start_(old_start),
        old_words_(old_words),
        mature_(mature),
        mature_words_(mature_words),
        literals_(literal_range),
        evicted_(evicted) {}

  void visit_span(Term* p, size_t n) {
    for (size_t i = 0; i < n; ++i) visit(p + i);
  }
  /// In chunks, for a stack may be millions of frames deep.
  void visit_long_span(Term* p, size_t n, WorkBudget* budget) {
    while (WB_UNLIKELY(n > kChunk)) {
      visit_span(p, kChunk);
      pause(budget, kChunk);
      p += kChunk, n -= kChunk;
    }
    visit_span(p, n);
  }
  static void visit_one(void* self, Term* slot) { static_cast<Copier*>(self)->visit(slot); }

  void drain(WorkBudget* budget) {
    do {
      scan(young_scan_, young_to_, budget);
      if constexpr (P == Pass::minor) scan(old_scan_, old_to_, budget);
    } while (young_scan_ < young_to_);
  }

  Term* young_end() const { return young_to_; }
  Term* old_end() const { return old_to_; }
  bool is_promoted(const Term* p) const {
    return P == Pass::minor && static_cast<size_t>(p - old_start_) < old_words_;
  }

 private:
  /// Visiting adds to `end`.
  WB_INLINE void scan(Term*& from, Term*& end, WorkBudget* budget) {
    if (from == end) return;  // there may be no old block
    Term *p = from, *chunk = p + kChunk;
    while (p < end) {
      p = step(p);
      if (p >= end) break;
      p = step(p);
      if (WB_LIKELY(p < chunk)) continue;  // asked every second time
      pause(budget, kChunk);
      chunk = p + kChunk;
    }
    from = p;
  }

  /// What comes to be scanned next.
  WB_INLINE Term* step(Term* scan) {
    const Word w = *scan;
    if (is_tagged(w, 1)) {
      const bool follows = w == make_cons(scan + 1);  // copied as a run
      return follows ? scan + 1 : visit_cons(scan, cons_ptr(w));
    }
    if (is_tagged(w, 2)) return visit_boxed(scan, boxed_ptr(w)), scan + 1;
    return is_header(w) ? scan + 1 + raw_size(w) : scan + 1;
  }
  WB_INLINE void visit(Term* slot) {
    const Term t = *slot;
    if (is_tagged(t, 1))
      visit_cons(slot, cons_ptr(t));
    else if (is_tagged(t, 2))
      visit_boxed(slot, boxed_ptr(t));
  }
  /// One machine instruction less than with a mask and a comparison.
  static bool is_tagged(Word w, Word tag) { return ((w - tag) & 3) == 0; }
  static bool has_parts(Term t) { return ((t - 1) & 2) == 0; }

  WB_INLINE Term* visit_cons(Term* slot, Term* from) {
    return WB_LIKELY(moves(slot, from)) ? move_cons(slot, from) : slot + 1;
  }
  WB_INLINE void visit_boxed(Term* slot, Term* from) {
    if (WB_LIKELY(moves(slot, from))) move_boxed(slot, from);
  }
  WB_INLINE bool moves(Term* slot, Term* from) {
    if (!is_literal(from)) return !is_old(from);
    if constexpr (P == Pass::evict)
      if (evicted_->area.contains(from)) evict(slot, from);
    return false;
  }

  WB_INLINE bool is_literal(const Term* p) const {
    return static_cast<size_t>(reinterpret_cast<const char*>(p) - literals_.base) < literals_.bytes;
  }
  WB_INLINE bool is_old(const Term* p) const {
    return P == Pass::minor && static_cast<size_t>(p - old_start_) < old_words_;
  }
  WB_INLINE bool is_mature(const Term* p) const {
    return P == Pass::minor && static_cast<size_t>(p - mature_) < mature_words_;
  }

  WB_INLINE Term* allocate_copy(const Term* from, size_t n) {
    Term*& to = is_mature(from) ? old_to_ : young_to_;
    Term* p = to;
    to = p + n;
    return p;
  }

  /// What comes behind `slot`, or behind what was copied to there and is scanned already.
  WB_INLINE Term* move_cons(Term* slot, Term* from) {
    Term hd = from[0];
    if (hd == kMoved) {
      *slot = from[1];
      return slot + 1;
    }
    const bool mature = is_mature(from);
    Term*& end = mature ? old_to_ : young_to_;
    Term* to = end;
    *slot = move_cell(to, from, hd);
    end = to + 2;
    if (has_parts(hd) || !is_tagged(to[1], 1)) return slot + 1;
    Term* link = copy_run(end, mature);
    return to == slot + 1 ? link : slot + 1;
  }
  WB_INLINE Term move_cell(Term* to, Term* from, Term hd) {
    to[0] = hd;
    to[1] = from[1];
    from[0] = kMoved;
    return from[1] = make_cons(to);
  }
  /// Copies the cells behind the one before `end` whose elements have no parts, and returns where
  /// the last one's tail is.
  WB_INLINE Term* copy_run(Term*& end, bool mature) {
    Term *to = end, *link = to - 1;
    for (int k = 0; k < kRun && is_tagged(*link, 1); ++k) {
      Term* from = cons_ptr(*link);
      if (is_literal(from) || is_old(from) || is_mature(from) != mature) break;
      const Term hd = from[0];
      if (has_parts(hd) || hd == kMoved) break;
      *link = move_cell(to, from, hd);
      link = to + 1;
      to += 2;
    }
    end = to;
    return link;
  }

  WB_INLINE void move_boxed(Term* slot, Term* from) {
    Word h = *from;
    if (is_boxed(h)) {
      *slot = h;
      return;
    }
    WB_DCHECK(is_header(h) && header_kind(h) < Kind::count);
    size_t n = header_size(h) + 1;
    Term* to = allocate_copy(from, n);
    *to = h;
    for (size_t i = 1; i < n; ++i) to[i] = from[i];
    *slot = *from = make_boxed(to);
  }

  WB_NOINLINE void evict(Term* slot, Term* from) {
    auto [it, is_new] = evicted_->copies.try_emplace(*slot, 0);
    if (is_new) {
      bool pair = is_cons(*slot);
      size_t n = pair ? 2 : header_size(*from) + 1;
      Term* to = young_to_;
      young_to_ += n;
      memcpy(to, from, n * sizeof(Term));
      it->second = pair ? make_cons(to) : make_boxed(to);
      if (!pair && is_owner(*to)) {
        reinterpret_cast<OffHeapObject*>(to[1])->retain();
        evicted_->owners.link(to);
      }
    }
    *slot = it->second;
  }

  Term *young_to_, *young_scan_;
  Term *old_to_, *old_scan_;
  const Term* const old_start_;
  const size_t old_words_;
  const Term* const mature_;
  const size_t mature_words_;
  const LiteralRange literals_;
  Evicted* const evicted_;
};

/// Sorts the owners of `list` by where they are now; releases what the dead ones own.
template <class IsPromoted>
void sweep(Term* list, OwnerList* young, OwnerList* old, WorkBudget* budget,
           IsPromoted is_promoted) {
  for (size_t n = 1; Term* p = list; ++n) {
    if (n % kChunk == 0) pause(budget, kChunk);
    list = reinterpret_cast<Term*>(p[2]);
    bool unmoved = is_header(*p);
    Term* now = unmoved ? p : boxed_ptr(*p);
    if (is_promoted(now))
      old->link(now);
    else if (!unmoved)
      young->link(now);
    else
      reinterpret_cast<OffHeapObject*>(p[1])->release();
  }
}

}  // namespace

template <class Copier>
size_t Collector::run(ProcessHeap& heap, Term* block, size_t words, const Roots& roots,
                      Copier& copier) {
  size_t frames = heap.stack_words();
  Term *end = block + words, *stack = end - frames;
  memcpy(stack, heap.stack(), frames * sizeof(Term));
  copier.visit_long_span(stack, frames, roots.budget);
  for (size_t i = 0; i < roots.count; ++i)
    copier.visit_long_span(roots.spans[i].terms, roots.spans[i].count, roots.budget);
  if (roots.each) roots.each(roots.context, Copier::visit_one, &copier);
  copier.drain(roots.budget);

  OwnerList young, old;
  old.words = heap.old_vheap_words();
  Term* owners = heap.off_heap_;
  sweep(owners, &young, &old, roots.budget, [&](const Term* p) { return copier.is_promoted(p); });
  heap.off_heap_ = young.first;
  heap.off_heap_words_ = young.words;
  if (OldGeneration* const o = heap.old_) {
    append_owners(old.first, o->off_heap);
    o->off_heap = old.first;
    o->vheap_words = old.words;
  }

  if (heap.start_ != heap.old_start()) heap.free_block(heap.start_, heap.young_words());
  while (HeapFragment* f = heap.fragments_) {
    heap.fragments_ = f->next;
    free_fragment_memory(f);
  }
  heap.fragment_words_ = 0;
  heap.full_ = false;
  heap.start_ = block;
  heap.end_ = end;
  heap.set_stack(stack);
  heap.top_ = heap.high_water_ = copier.young_end();
  WB_CHECK(heap.top_ <= heap.stack());
  return static_cast<size_t>(heap.top_ - block);
}

size_t Collector::minor(ProcessHeap& heap, Term* block, size_t words, const Roots& roots) {
  OldGeneration* const old = heap.old_;
  Term* const old_top = old ? old->top : nullptr;
  Copier<Pass::minor> copier(block, heap.old_start(), heap.old_words(), heap.start_,
                             heap.recent_words(), old_top);
  size_t copied = run(heap, block, words, roots, copier);
  if (!old) return copied;
  old->top = copier.old_end();
  WB_CHECK(old->top <= old->end);
  return copied + static_cast<size_t>(old->top - old_top);
}

size_t Collector::promote_block(ProcessHeap& heap, Term* block, size_t words, const Roots& roots) {
  // The old block is what lies below the mark while the pass runs, and all of it afterwards.
  OldGeneration& old = *heap.old_;
  Term* end = heap.end_;
  old.top = old.end;
  Copier<Pass::minor> copier(block, old.start, old.words(), nullptr, 0, nullptr);
  size_t copied = run(heap, block, words, roots, copier);
  old.end = end;
  if (poisons_freed) memset(old.top, 0xee, old.free_words() * 8);
  return copied;
}

void Collector::join_owners(ProcessHeap& heap) {
  OldGeneration* const old = heap.old_;
  if (!old) return;
  append_owners(heap.off_heap_, old->off_heap);
  old->off_heap = nullptr;
  old->vheap_words = 0;
}

size_t Collector::major(ProcessHeap& heap, Term* block, size_t words, const Roots& roots) {
  join_owners(heap);
  Copier<Pass::major> copier(block, nullptr, 0, nullptr, 0, nullptr);
  size_t copied = run(heap, block, words, roots, copier);
  heap.free_old();
  return copied;
}

size_t Collector::evict(ProcessHeap& heap, Term* block, size_t words, const Roots& roots,
                        const ReleasingLiterals& releasing) {
  join_owners(heap);
  Evicted evicted{releasing, {}, {}};
  Copier<Pass::evict> copier(block, nullptr, 0, nullptr, 0, nullptr, &evicted);
  size_t copied = run(heap, block, words, roots, copier);
  append_owners(heap.off_heap_, evicted.owners.first);
  heap.off_heap_words_ += evicted.owners.words;
  heap.free_old();
  return copied;
}

}  // namespace wb
