#include "term/copy.h"

#include "base/memory_limit.h"
#include "base/out_of_memory.h"
#include "base/stack.h"
#include "term/boxed_layout.h"
#include "term/owned_bytes.h"
#include "term/releasing_literals.h"

namespace wb {

namespace {

constexpr size_t kMaxCopiedBits = kMaxHeapBinBytes * 8;

enum class Literals { shared, copied };

template <Literals L>
WB_INLINE bool stays(Term t) {
  return !is_pointer(t) || (L == Literals::shared && is_shared_literal(pointer_of(t)));
}

/// A sub_bin or match_ctx as a window over its base. A match context shows what is still unmatched.
struct Window {
  size_t bits, offset;
  Term base;
};
Window window_of(Term* p) {
  if (header_kind(*p) == Kind::sub_bin)
    return {sub_bin::bits(p), sub_bin::offset(p), sub_bin::base(p)};
  auto* m = reinterpret_cast<MatchContext*>(p);
  return {m->end - m->position, m->position, m->base};
}

size_t heap_bin_words(size_t bits) { return 2 + words_for_bytes((bits + 7) / 8); }

/// Small windows become a heap_bin of what they show (with a sub_bin over it when that is not whole
/// bytes); others a sub_bin whose base is copied as any other term.
template <Literals L>
size_t window_words(Term* p, Term* rest) {
  Window w = window_of(p);
  if (w.bits <= kMaxCopiedBits) {
    *rest = kNil;
    return heap_bin_words(w.bits) + (w.bits & 7 ? sub_bin::kWords : 0);
  }
  *rest = w.base;
  return sub_bin::kWords;
}

bool is_window(Word header) {
  Kind k = header_kind(header);
  return k == Kind::sub_bin || k == Kind::match_ctx;
}

// --- how big -------------------------------------------------------------------------------------

/// Terms still to be measured: spans of them, so that the stack grows with depth and not width.
struct Span {
  const Term* at;
  const Term* end;
};

/// Shared parts count each time, so a term of a few hundred cells can have more words than there
/// are atoms in the universe: what does not fit into memory is not measured to its end.
constexpr size_t kSurelyFits = size_t{1} << 24;
WB_COLD void must_fit(size_t words) {
  if (words > memory_limit() / sizeof(Word)) out_of_memory("heap_frag", words * sizeof(Word));
}

/// With `limited` it ends soon after there are more than `most`.
template <Literals L, bool limited = false>
size_t measure(Term root, size_t most = 0) {
  size_t words = 0;
  Stack<Span, 32> todo;
  Span now{&root, &root + 1};
  for (;;) {
    if (limited && words > most) return words;
    if (now.at == now.end) {
      if (todo.empty()) return words;
      now = todo.pop();
      continue;
    }
    Term t = *now.at++;
    if (stays<L>(t)) continue;
    Span inner;
    if (is_cons(t)) {
      const Term* cell = cons_ptr(t);
      words += 2;
      while (is_immediate(cell[0]) && is_cons(cell[1]) && !stays<L>(cell[1])) {  // text, numbers
        cell = cons_ptr(cell[1]);
        words += 2;
        if (limited && words > most) return words;
      }
      inner = {cell, cell + 2};
    } else {
      Term* p = boxed_ptr(t);
      Word h = *p;
      if (WB_UNLIKELY(is_window(h))) {
        Term base;
        words += window_words<L>(p, &base);
        if (!stays<L>(base)) words += 1 + header_size(header_of(base));
        continue;
      }
      size_t size = header_size(h), raw = raw_size(h);
      words += 1 + size;
      if (raw == size) continue;
      inner = {p + 1 + raw, p + 1 + size};
    }
    if (now.at != now.end) {  // else nothing is left of a list whose tail comes now
      if (!limited && WB_UNLIKELY(words > kSurelyFits)) must_fit(words);
      todo.push(now);
    }
    now = inner;
  }
}

// --- copying -------------------------------------------------------------------------------------

template <Literals L>
class Copy {
 public:
  Copy(Term* to, Heap& owners) : start_(to), to_(to), owners_(owners) {}

  Term run(Term root) {
    Term* pending = &root;
    while (is_cons(*pending) && !stays<L>(*pending) && is_immediate(*cons_ptr(*pending))) {
      copy_cons(pending, cons_ptr(*pending));
      pending = to_ - 1;
    }
    Term* scan = to_;  // nothing before it points to what is not copied yet, but `pending`
    copy_into(pending);
    while (scan < to_) scan = step(scan);
    return root;
  }
  Term* end() const { return to_; }

 private:
  Term* step(Term* scan) {
    Word w = *scan;
    if (!is_header(w)) {
      copy_into(scan);
      return scan + 1;
    }
    if (header_kind(w) == Kind::sub_bin && is_mine(sub_bin::base(scan)))
      return scan + sub_bin::kWords;
    return scan + 1 + raw_size(w);
  }

  bool is_mine(Term t) const {
    const Term* p = pointer_of(t);
    return p >= start_ && p < to_;
  }

  WB_INLINE void copy_cons(Term* slot, const Term* from) {
    Term* to = to_;
    to[0] = from[0];
    to[1] = from[1];
    to_ = to + 2;
    *slot = make_cons(to);
  }

  WB_INLINE void copy_into(Term* slot) {
    Term t = *slot;
    if (stays<L>(t)) return;
    if (is_cons(t)) return copy_cons(slot, cons_ptr(t));
    Term* to = to_;
    Term* from = boxed_ptr(t);
    Word h = *from;
    *slot = make_boxed(to);
    if (WB_UNLIKELY(is_window(h))) return copy_window(from);
    size_t n = header_size(h) + 1;
    for (size_t i = 0; i < n; ++i) to[i] = from[i];
    to_ = to + n;
    if (WB_UNLIKELY(is_owner(h))) share_object(from, to);
  }

  void share_object(Term* from, Term* to) {
    reinterpret_cast<OffHeapObject*>(to[1])->retain();
    if (header_kind(*to) == Kind::refc_bin) {
      // Two heaps see these bytes from now on: nobody may append in place any more.
      if (refc_bin::flags(from) & refc_bin::writable) refc_bin::flags(from) = 0;
      refc_bin::flags(to) = 0;
    }
    owners_.link_off_heap(to, owned_bytes(to));
  }

  void copy_window(Term* from) {
    Window w = window_of(from);
    if (w.bits > kMaxCopiedBits) {
      write_sub_bin(w.bits, w.offset, w.base);
      return;
    }
    bool partial = w.bits & 7;
    if (partial) write_sub_bin(w.bits, 0, make_boxed(to_ + sub_bin::kWords));
    size_t bytes = (w.bits + 7) / 8, n = heap_bin_words(w.bits);
    to_[0] = make_header(Kind::heap_bin, n - 1);
    to_[1] = bytes;
    for (size_t i = 2; i < n; ++i) to_[i] = 0;
    copy_bits(reinterpret_cast<uint8_t*>(to_ + 2), 0, base_bytes(w.base), w.offset, w.bits);
    to_ += n;
  }

  void write_sub_bin(size_t bits, size_t offset, Term base) {
    to_[0] = make_header(Kind::sub_bin, sub_bin::kWords - 1);
    to_[1] = bits;
    to_[2] = offset;
    to_[3] = 0;
    to_[4] = base;
    to_ += sub_bin::kWords;
  }

  Term* const start_;
  Term* to_;
  Heap& owners_;
};

template <Literals L>
Term copy_to(Term t, Term** hp, Heap& owners) {
  Copy<L> copy(*hp, owners);
  t = copy.run(t);
  *hp = copy.end();
  return t;
}

template <Literals L>
Term copy_measured(Heap& h, Term t, size_t n) {
  Term *start = h.alloc(n), *p = start;
  t = copy_to<L>(t, &p, h);
  WB_DCHECK(p == start + n);
  return t;
}

// --- small terms ---------------------------------------------------------------------------------

/// Most messages and many objects of tables are a tuple or two. They are walked by recursion, which
/// kSmall bounds, and the walk is given up where that is exceeded.
constexpr size_t kSmall = 32;

/// `words` and those of `t`, no immediate; above kSmall: too many, or it owns something or is a
/// window.
size_t small_words(Term t, size_t words) {
  while (is_cons(t)) {
    const Term* cell = cons_ptr(t);
    words += 2;
    if (words > kSmall) return words;
    if (!stays<Literals::shared>(cell[0])) words = small_words(cell[0], words);
    t = cell[1];
    if (stays<Literals::shared>(t)) return words;
  }
  const Term* p = boxed_ptr(t);
  const Word h = *p;
  if (WB_UNLIKELY(is_owner(h) || is_window(h))) return kSmall + 1;
  const size_t size = header_size(h);
  words += 1 + size;
  if (words > kSmall) return words;
  for (const Term *at = p + 1 + raw_size(h), *end = p + 1 + size; at != end; ++at) {
    if (stays<Literals::shared>(*at)) continue;
    words = small_words(*at, words);
    if (words > kSmall) return words;
  }
  return words;
}

/// A copy of what small_words() has measured, at *to and behind it.
Term write_small(Term t, Term*& to) {
  auto part = [&to](Term inner) {
    return stays<Literals::shared>(inner) ? inner : write_small(inner, to);
  };
  if (is_cons(t)) {
    const Term* cell = cons_ptr(t);
    Term *first = to, *copy = to;
    for (;;) {
      to = copy + 2;
      copy[0] = part(cell[0]);
      const Term tail = cell[1];
      if (!is_cons(tail) || stays<Literals::shared>(tail)) {
        copy[1] = part(tail);
        return make_cons(first);
      }
      copy[1] = make_cons(to);
      copy = to;
      cell = cons_ptr(tail);
    }
  }
  const Term* from = boxed_ptr(t);
  Term* copy = to;
  const size_t n = 1 + header_size(*from), raw = 1 + raw_size(*from);
  to += n;
  for (size_t i = 0; i < raw; ++i) copy[i] = from[i];
  for (size_t i = raw; i < n; ++i) copy[i] = part(from[i]);
  return make_boxed(copy);
}

template <Literals L>
Term copy_whole(Heap& h, Term t) {
  if (stays<L>(t)) return t;
  if (L == Literals::shared) {
    if (const size_t words = small_words(t, 0); words <= kSmall) {
      Term* to = h.alloc(words);
      return write_small(t, to);
    }
  }
  return copy_measured<L>(h, t, measure<L>(t));
}

}  // namespace

size_t small_size(Term t) {
  if (stays<Literals::shared>(t)) return 0;
  const size_t words = small_words(t, 0);
  return words <= kSmall ? words : 0;
}
Term copy_small_to(Term t, Term* to) { return write_small(t, to); }

size_t flat_size_up_to(Term t, size_t most) { return measure<Literals::shared, true>(t, most); }
size_t flat_size(Term t) { return stays<Literals::shared>(t) ? 0 : measure<Literals::shared>(t); }
size_t flat_size_deep(Term t) { return is_pointer(t) ? measure<Literals::copied>(t) : 0; }
size_t flat_size_deep_up_to(Term t, size_t most) {
  return measure<Literals::copied, true>(t, most);
}

Term copy_term(Heap& h, Term t) { return copy_whole<Literals::shared>(h, t); }
Term copy_term_deep(Heap& h, Term t) { return copy_whole<Literals::copied>(h, t); }
Term copy_term_deep(Heap& h, Term t, size_t words) {
  return is_pointer(t) ? copy_measured<Literals::copied>(h, t, words) : t;
}
Term copy_term_to(Term t, Term** hp, Heap& owners) {
  return copy_to<Literals::shared>(t, hp, owners);
}

}  // namespace wb
