// erts_debug: what can be seen of terms beneath their values.
#include <unordered_set>

#include "base/stack.h"
#include "term/utf8.h"
#include "vm/bif/bif.h"

namespace wb {
namespace {

// Heap words of a term, literals included; with `shared`, each object once.
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
    if (!is_pointer(t) || (shared_ && !seen_.insert(t).second)) return;
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

}  // namespace wb
