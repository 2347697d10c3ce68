#include "term/sharing.h"

#include <unordered_map>

#include "base/stack.h"
#include "term/boxed_layout.h"
#include "term/copy.h"
#include "term/fault.h"
#include "term/releasing_literals.h"

namespace wb {
namespace {

/// What of a term is counted, and how: all that a copy takes, noting what is met again, or just
/// once.
enum class Counted { once, copies };

struct Range {
  const Term* at;
  const Term* end;
};

constexpr uint32_t kinds_without_parts() {
  uint32_t bits = 0;
  for (unsigned k = 0; k < static_cast<unsigned>(Kind::count); ++k)
    bits |= uint32_t{boxed_layout::kRaw[k] == 255} << k;
  return bits;
}

/// Adds up words.
template <Counted counted>
class SizeOf {
 public:
  SizeOf(bool literals, Sharing& sharing) : literals_(literals), sharing_(sharing) {}

  void run(Term root) {
    Range now{&root, &root + 1};
    for (;;) {
      if (now.at == now.end) {
        if (todo_.empty()) return;
        now = todo_.pop();
        continue;
      }
      const Range inner = visit(*now.at++);
      if (inner.at == inner.end) continue;
      if (now.at != now.end) todo_.push(now);
      now = inner;
    }
  }

 private:
  /// Counts one object: its words that are still to be visited.
  WB_INLINE Range visit(Term t) {
    if (!is_pointer(t) || (!literals_ && is_shared_literal(pointer_of(t)))) return {};
    const Term* p = pointer_of(t);
    if (!seen_.insert(p)) {
      if (counted == Counted::copies) sharing_.shared.insert(p);
      return {};
    }
    if (is_cons(t)) {
      sharing_.words += 2;
      return {p, p + 2};
    }
    if (counted == Counted::copies && is_copied_whole(t)) {
      sharing_.words += flat_size_deep(t);
      return {};
    }
    const size_t size = header_size(*p), raw = raw_size(*p);
    if (size == 0 && counted != Counted::copies) return {};  // {}: one for all
    sharing_.words += 1 + size;
    return raw < size ? expected(p + 1 + raw, p + 1 + size) : Range{};
  }

  /// The children of a large map's nodes lie anywhere.
  static Range expected(const Term* at, const Term* end) {
    if (end - at <= 16)
      for (const Term* word = at; word < end; ++word) __builtin_prefetch(pointer_of(*word));
    return {at, end};
  }

 public:
  static bool is_copied_whole(Term boxed) {
    return is_bitstring(boxed) || owns_off_heap(header_kind(header_of(boxed)));
  }

 private:
  const bool literals_;
  Sharing& sharing_;
  AddressSet seen_;
  Stack<Range> todo_;
};

class SharedCopy {
 public:
  SharedCopy(Heap& h, bool literals, const AddressSet& shared)
      : heap_(h), literals_(literals), shared_(shared) {}

  Term run(Term t) {
    Term result = t;
    put_copy(&result);
    while (!todo_.empty()) {
      Range& r = todo_.top();
      Term* word = r.words++;
      if (--r.n == 0) todo_.pop();
      put_copy(word);
    }
    return result;
  }

 private:
  struct Range {
    Term* words;
    size_t n;
  };

  /// Puts the copy of the term in `*word` there; its parts are still to be copied.
  void put_copy(Term* word) {
    const Term t = *word;
    if (!is_pointer(t) || (!literals_ && is_shared_literal(pointer_of(t)))) return;
    if (!shared_.contains(pointer_of(t))) {
      *word = copy_one(t);
      return;
    }
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
    if (SizeOf<Counted::copies>::is_copied_whole(t)) return copy_term_deep(heap_, t);
    size_t size = header_size(*p), raw = raw_size(*p);
    Term* copy = raw_copy(p, 1 + size);
    if (raw < size) todo_.push({copy + 1 + raw, size - raw});
    return make_boxed(copy);
  }
  Term* raw_copy(const Term* from, size_t n) {
    Term* to = heap_.alloc(n);
    memcpy(to, from, n * sizeof(Term));
    return to;
  }

  Heap& heap_;
  const bool literals_;
  const AddressSet& shared_;
  std::unordered_map<Term, Term> copies_;
  Stack<Range> todo_;
};

}  // namespace

size_t shared_size(Term t, bool literals) {
  Sharing sharing;
  SizeOf<Counted::once>(literals, sharing).run(t);
  return sharing.words;
}

/// A loop of its own, which need not remember anything.
size_t unshared_size(Term root) {
  constexpr uint32_t kNoParts = kinds_without_parts();
  size_t words = 0;
  Stack<Range> todo;
  const Term *at = &root, *end = at + 1;
  for (;;) {
    while (at != end) {
      const Term t = *at++;
      if (is_immediate(t)) continue;
      const Term *p = pointer_of(t), *parts, *parts_end;
      if (is_cons(t)) {
        words += 2;
        // Most lists have many elements without parts, and each cell is counted.
        for (; is_immediate(p[0]) && is_cons(p[1]); words += 2) p = cons_ptr(p[1]);
        parts = p, parts_end = p + 2;
      } else {
        const size_t size = header_size(*p);
        const auto kind = static_cast<unsigned>(header_kind(*p));
        if (size == 0) continue;  // {}: one for all
        words += 1 + size;
        if (kNoParts >> kind & 1) continue;
        parts = p + 1 + boxed_layout::kRaw[kind], parts_end = p + 1 + size;
      }
      if (at != end) todo.push({at, end});
      at = parts, end = parts_end;
    }
    if (todo.empty()) return words;
    const Range rest = todo.pop();
    at = rest.at, end = rest.end;
  }
}

Sharing sharing_of(Term t, bool literals) {
  Sharing sharing;
  SizeOf<Counted::copies>(literals, sharing).run(t);
  return sharing;
}

Term copy_sharing(Heap& h, Term t, bool literals, const Sharing& sharing) {
  if (sharing.shared.empty())
    return literals ? copy_term_deep(h, t, sharing.words) : copy_term(h, t);
  return SharedCopy(h, literals, sharing.shared).run(t);
}

}  // namespace wb
