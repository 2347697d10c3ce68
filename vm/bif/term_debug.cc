// erts_debug: what can be seen of terms beneath their values.
#include "base/stack.h"
#include "term/sharing.h"
#include "vm/bif/bif.h"

namespace wb {
namespace {

// Heap words of a term as if nothing was shared, literals included.
class WordCount {
 public:
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
    if (!is_pointer(t)) return;
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

  size_t words_ = 0;
  Stack<Range> todo_;
};

Term counted(Process& p, size_t words) {
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
  return counted(p, WordCount().run(a[0]));
}
BIF(erts_debug, size_shared, 1)
{
  return counted(p, shared_size(a[0], false));
}
BIF(erts_debug, copy_shared, 2)
{
  if (a[1] != am::true_ && a[1] != am::false_) return kBadarg;
  size_t words;
  Term t = copy_sharing(p.heap, a[0], a[1] == am::true_, &words);
  p.charge(static_cast<int64_t>(words / 20));
  return t;
}

}  // namespace wb
