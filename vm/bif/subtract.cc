// erlang:'--'/2: removes from A, for each element of B, its first occurrence (by =:=).
//
// B becomes a multiset; one pass over A drops what it still holds. Few elements are looked for one
// after the other, many in a hash table, so the work is |A| + |B|. What follows the last dropped
// element is shared with A.
#include <vector>

#include "term/hash.h"
#include "term/order.h"
#include "vm/bif/bif.h"

namespace wb {
namespace {

constexpr size_t kFew = 8;
constexpr int64_t kSteps = 10;  // a reduction

class Multiset {
 public:
  Multiset(Term list, size_t n, WorkBudget& budget) : left_(n), table_(n > kFew) {
    if (!table_) {
      for (; is_cons(list); list = tail(list)) entries_.push_back({0, head(list), 1});
      return;
    }
    size_t size = 16;
    while (size < n * 2) size *= 2;
    entries_.reserve(size);
    while (entries_.size() < size && budget.step())
      entries_.insert(entries_.end(), 8, {0, kNone, 0});
    if (entries_.size() < size) return;  // stopped
    for (; is_cons(list) && budget.step(); list = tail(list)) {
      uint64_t hash = map_hash(head(list));
      Entry& e = slot(hash, head(list));
      e = {hash, head(list), e.count + 1};
    }
  }

  bool empty() const { return left_ == 0; }

  /// Takes one `t` out; false if there is none.
  bool remove_term(Term t) {
    Entry* e = find(t);
    if (!e || e->count == 0) return false;
    --e->count;
    --left_;
    return true;
  }

 private:
  struct Entry {
    uint64_t hash;
    Term term;
    size_t count;
  };

  Entry* find(Term t) {
    if (table_) return &slot(map_hash(t), t);
    for (Entry& e : entries_) {
      if (e.count != 0 && equal_exact(e.term, t)) return &e;
    }
    return nullptr;
  }

  // The entry of `t`, or the empty one where it belongs.
  Entry& slot(uint64_t hash, Term t) {
    size_t mask = entries_.size() - 1;
    for (size_t i = hash & mask;; i = (i + 1) & mask) {
      Entry& e = entries_[i];
      if (e.term == kNone || (e.hash == hash && equal_exact(e.term, t))) return e;
    }
  }

  size_t left_;
  bool table_;
  std::vector<Entry> entries_;
};

Term subtract(Process& p, Term from, Term what) {
  BifBudget budget(p, kSteps);
  int64_t n = budgeted_length(from, budget), m = budgeted_length(what, budget);
  if (budget.stopped()) return kCancelled;
  if (n < 0 || m < 0) return kBadarg;
  if (n == 0 || m == 0) return from;
  Multiset drop(what, static_cast<size_t>(m), budget);
  if (budget.stopped()) return kCancelled;
  ListBuilder kept(p.heap);
  bool on = each_element(&from, budget, [&](Term t) {
    if (drop.empty()) return false;
    if (!drop.remove_term(t)) kept.add(t);
    return true;
  });
  return on ? kept.finish(from) : kCancelled;
}

}  // namespace

BIF(erlang, minus_minus, 2)
{
  return subtract(p, a[0], a[1]);
}
BIF(erlang, subtract, 2)
{
  return subtract(p, a[0], a[1]);
}

}  // namespace wb
