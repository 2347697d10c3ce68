// Walking and building lists.
#pragma once

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
/// Calls f(element) for the elements of a list, in order, a step each (what is left over of eight
/// is not counted), until it says false or the list ends. *list becomes what was not passed. False:
/// `budget` stopped it.
template <class F>
WB_INLINE bool each_element(Term* list, WorkBudget& budget, F f) {
  Term t = *list;
  bool on = true;
  do {
#pragma clang loop unroll(full)
    for (int k = 0; k < 8; ++k) {
      if (!is_cons(t) || !f(head(t))) return *list = t, true;
      t = tail(t);
    }
    on = budget.steps(8);
  } while (on);
  return *list = t, false;
}
/// The same as list_length, a step an element.
constexpr int64_t kLengthCancelled = -2;
WB_INLINE int64_t budgeted_length(Term list, WorkBudget& budget) {
  int64_t n = 0;
  if (!each_element(&list, budget, [&](Term) { return ++n, true; })) return kLengthCancelled;
  return is_nil(list) ? n : -1;
}
/// Builds a list front to back.
class ListBuilder {
 public:
  explicit ListBuilder(Heap& h) : heap_(h) {}
  void add(Term t) {
    Term* cell = heap_.alloc(2);
    cell[0] = t;
    cell[1] = kNil;
    *link_ = make_cons(cell);
    link_ = cell + 1;
  }
  Term finish(Term rest = kNil) {
    *link_ = rest;
    return first_;
  }

 private:
  Heap& heap_;
  Term first_ = kNil;
  Term* link_ = &first_;
};

}  // namespace wb
