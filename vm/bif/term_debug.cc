// erts_debug: what can be seen of terms beneath their values.
#include <unordered_map>
#include <unordered_set>

#include "base/stack.h"
#include "term/copy.h"
#include "vm/bif/bif.h"

namespace wb {
namespace {

// Heap words of a term: as if nothing was shared, literals included; or with `shared` those of this
// heap, each object once.
class WordCount {
 public:
  explicit WordCount(bool shared) : shared_(shared) {}

  size_t run(Term t) {
    visit(t);
    while (!todo_.empty()) {
      Range& r = todo_.top();
      t = *r.words++;
      if (--r.n == 0) todo_.pop();
      visit(t);
    }
    return words_;
  }

 private:
  struct Range {
    const Term* words;
    size_t n;
  };

  void visit(Term t) {
    if (!is_pointer(t) || (shared_ && (is_literal(t) || !seen_.insert(t).second))) return;
    if (is_cons(t)) {
      words_ += 2;
      todo_.push({cons_ptr(t), 2});
      return;
    }
    const Term* p = boxed_ptr(t);
    size_t size = header_size(*p), raw = raw_words(header_kind(*p));
    words_ += 1 + size;
    if (raw < size) todo_.push({p + 1 + raw, size - raw});
  }

  bool shared_;
  size_t words_ = 0;
  std::unordered_set<Term> seen_;
  Stack<Range> todo_;
};

Term count_words(Process& p, Term t, bool shared) {
  WordCount count(shared);
  size_t words = count.run(t);
  p.charge(static_cast<int64_t>(words / 20));
  return make_small(static_cast<int64_t>(words));
}

/// A copy that shares within itself what the original shares.
class SharedCopy {
 public:
  SharedCopy(Heap& h, bool literals) : heap_(h), literals_(literals) {}

  Term run(Term t) {
    Term result = t;
    place(&result);
    while (!todo_.empty()) {
      Range& r = todo_.top();
      Term* word = r.words++;
      if (--r.n == 0) todo_.pop();
      place(word);
    }
    return result;
  }
  size_t words() const { return words_; }

 private:
  struct Range {
    Term* words;
    size_t n;
  };

  /// Puts the copy of the term in `*word` there; its parts are still to be copied.
  void place(Term* word) {
    const Term t = *word;
    if (!is_pointer(t) || (!literals_ && is_literal(t))) return;
    auto [it, is_new] = copies_.emplace(t, kNone);
    if (is_new) it->second = copy_one(t);
    *word = it->second;
  }
  Term copy_one(Term t) {
    if (is_cons(t)) {
      Term* cell = raw_copy(cons_ptr(t), 2);
      todo_.push({cell, 2});
      return make_cons(cell);
    }
    const Term* p = boxed_ptr(t);
    if (is_bitstring(t) || owns_off_heap(header_kind(*p))) return copy_term_deep(heap_, t);
    size_t size = header_size(*p), raw = raw_words(header_kind(*p));
    Term* copy = raw_copy(p, 1 + size);
    if (raw < size) todo_.push({copy + 1 + raw, size - raw});
    return make_boxed(copy);
  }
  Term* raw_copy(const Term* from, size_t n) {
    Term* to = heap_.alloc(n);
    memcpy(to, from, n * sizeof(Term));
    words_ += n;
    return to;
  }

  Heap& heap_;
  const bool literals_;
  size_t words_ = 0;
  std::unordered_map<Term, Term> copies_;
  Stack<Range> todo_;
};

}  // namespace

BIF(erts_debug, same, 2)
{
  return make_bool(a[0] == a[1]);
}
BIF(erts_debug, flat_size, 1)
{
  return count_words(p, a[0], false);
}
BIF(erts_debug, size_shared, 1)
{
  return count_words(p, a[0], true);
}
BIF(erts_debug, copy_shared, 2)
{
  if (a[1] != am::true_ && a[1] != am::false_) return kBadarg;
  SharedCopy copy(p.heap, a[1] == am::true_);
  Term t = copy.run(a[0]);
  p.charge(static_cast<int64_t>(copy.words() / 20));
  return t;
}

}  // namespace wb
