// Walking and building lists.
#pragma once

#include <algorithm>

#include "base/base.h"
#include "base/work_budget.h"
#include "term/heap.h"
#include "term/term.h"

namespace wb {

/// Elements of a proper list, or -1 if improper or no list. (Of a list from a program: see
/// budgeted_length.)
inline int64_t list_length(Term list) {
  int64_t n = 0;
  for (; is_cons(list); list = tail(list)) ++n;
  return is_nil(list) ? n : -1;
}
/// is_cons in one machine instruction less: of short lists a processor then has more than one in
/// sight.
WB_INLINE bool is_cell(Term t) { return ((t - 1) & 3) == 0; }
/// Calls f(element) for the elements of a list, in order, a step each (what is left over of eight
/// is not counted), until it says false or the list ends. *list becomes what was not passed. False:
/// `budget` stopped it.
template <class F>
WB_INLINE bool each_element(Term* list, WorkBudget& budget, F f) {
  Term t = *list;
  do {
#pragma clang loop unroll(full)
    for (int k = 0; k < 8; ++k) {
      if (!is_cell(t) || !f(head(t))) return *list = t, true;
      t = tail(t);
    }
  } while (budget.steps(8));
  return *list = t, false;
}
/// The same as list_length, a step an element.
constexpr int64_t kLengthCancelled = -2;
WB_INLINE int64_t budgeted_length(Term list, WorkBudget& budget) {
  int64_t n = 0;
  if (!each_element(&list, budget, [&](Term) { return ++n, true; })) return kLengthCancelled;
  return is_nil(list) ? n : -1;
}
/// A list of a few terms, which lie in a row.
inline Term list_of(Heap& h, const Term* terms, size_t n) {
  if (n == 0) return kNil;
  Term* cells = h.alloc(2 * n);
  for (size_t i = 0; i < n; ++i) {
    cells[2 * i] = terms[i];
    cells[2 * i + 1] = make_cons(cells + 2 * i + 2);
  }
  cells[2 * n - 1] = kNil;
  return make_cons(cells);
}

/// Cells for a list whose length is not known. Where the heap has no words left at hand they come
/// by the dozen; give_back() returns those that were not needed.
class ListCells {
 public:
  explicit ListCells(Heap& h) : heap_(h) {}
  WB_INLINE Term* take() {
    if (WB_LIKELY(heap_.has_room(2))) return heap_.alloc(2);
    if (WB_UNLIKELY(spare_ == end_)) refill();
    Term* cell = spare_;
    spare_ += 2;
    return cell;
  }
  void give_back() {
    if (spare_ != end_) heap_.trim(end_ - words_, words_, spare_);
    spare_ = end_;
  }

 private:
  static constexpr size_t kFewest = 24, kMost = 384;  // words
  /// Whoever walks the heap while the list is being built finds terms in all of them.
  WB_COLD void refill() {
    words_ = words_ ? std::min(2 * words_, kMost) : kFewest;
    spare_ = heap_.alloc(words_);
    end_ = spare_ + words_;
    std::fill(spare_, end_, kNil);
  }

  Heap& heap_;
  Term *spare_ = nullptr, *end_ = nullptr;
  size_t words_ = 0;
};

/// Builds a list front to back.
class ListBuilder {
 public:
  explicit ListBuilder(Heap& h) : cells_(h) {}
  WB_INLINE void add(Term t) {
    Term* cell = cells_.take();
    cell[0] = t;
    cell[1] = kNil;
    *link_ = make_cons(cell);
    link_ = cell + 1;
  }
  Term finish(Term rest = kNil) {
    *link_ = rest;
    cells_.give_back();
    return first_;
  }

 private:
  ListCells cells_;
  Term first_ = kNil;
  Term* link_ = &first_;
};

}  // namespace wb
