#include "term/sharing.h"

#include <unordered_map>
#include <unordered_set>

#include "base/stack.h"
#include "term/copy.h"
#include "term/dying_literals.h"
#include "term/fault.h"

namespace wb {
namespace {

class SizeOf {
 public:
  SizeOf(bool literals, bool once) : literals_(literals), once_(once) {}

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
    if (!is_pointer(t) || (!literals_ && is_shared_literal(pointer_of(t)))) return;
    if (once_ && !seen_.insert(t).second) return;
    if (is_cons(t)) {
      words_ += 2;
      todo_.push({cons_ptr(t), 2});
      return;
    }
    const Term* p = boxed_ptr(t);
    size_t size = header_size(*p), raw = raw_words(header_kind(*p));
    if (size == 0) return;  // {}: one for all
    words_ += 1 + size;
    if (raw < size) todo_.push({p + 1 + raw, size - raw});
  }

  const bool literals_, once_;
  size_t words_ = 0;
  std::unordered_set<Term> seen_;  // if once_
  Stack<Range> todo_;
};

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
    if (!is_pointer(t) || (!literals_ && is_shared_literal(pointer_of(t)))) return;
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
    if (is_bitstring(t) || owns_off_heap(header_kind(*p))) {
      words_ += flat_size_deep(t);
      return copy_term_deep(heap_, t);
    }
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

size_t shared_size(Term t, bool literals) { return SizeOf(literals, true).run(t); }
size_t unshared_size(Term t) { return SizeOf(true, false).run(t); }

Term copy_sharing(Heap& h, Term t, bool literals, size_t* words) {
  SharedCopy copy(h, literals);
  Term result = copy.run(t);
  *words = copy.words();
  return result;
}

}  // namespace wb
