// =:= and == : walks both terms side by side.
//
// By recursion, in the order in which the parts stand; the last part of each is a loop, so a list's
// spine needs none. What is too deep for that is put on a stack of pairs and looked at when all
// else was equal: the answer is the same in any order. Hash tries are canonical (map.h), so equal
// maps have the same shape and their nodes compare like tuples; their leaves are cells [Key|Value].
// Keys are compared with =:= even under ==.
#include <optional>

#include "base/stack.h"
#include "term/bits.h"
#include "term/identifiers.h"
#include "term/instance.h"
#include "term/number.h"
#include "term/order.h"

namespace wb {
namespace {

template <class Word>
WB_INLINE bool same_at(const uint8_t* a, const uint8_t* b, size_t at) {
  Word x, y;
  memcpy(&x, a + at, sizeof x);
  memcpy(&y, b + at, sizeof y);
  return x == y;
}
/// Few are read as words, which may overlap.
WB_INLINE bool same_bytes(const uint8_t* a, const uint8_t* b, size_t n) {
  if (n > 64) return memcmp(a, b, n) == 0;
  if (n >= 8) {
    for (size_t at = 0; at < n - 8; at += 8)
      if (!same_at<uint64_t>(a, b, at)) return false;
    return same_at<uint64_t>(a, b, n - 8);
  }
  if (n >= 4) return same_at<uint32_t>(a, b, 0) && same_at<uint32_t>(a, b, n - 4);
  return n == 0 || (a[0] == b[0] && a[n / 2] == b[n / 2] && a[n - 1] == b[n - 1]);
}

WB_INLINE bool equal_bitstrings(Term a, Term b) {
  const Bits x = bits_in(a), y = bits_in(b);
  if (x.size != y.size) return false;
  if (WB_LIKELY((x.size & 7) == 0 && x.aligned() && y.aligned()))
    return same_bytes(x.bytes, y.bytes, x.size >> 3);
  return compare_bits(x, y) == 0;
}

/// Of references. A server that waits for its answer looks at each message in front of it.
WB_INLINE bool equal_refs(Term a, Term b) {
  if (!is_local_ref(a) || !is_local_ref(b)) return compare_atomic(a, b) == 0;
  const Word *x = ref_numbers(a).words, *y = ref_numbers(b).words;
  return x[0] == y[0] && x[1] == y[1];
}

/// Of bignums, the words behind their equal headers.
WB_INLINE bool same_words(const Term* x, const Term* y, size_t n) {
  for (size_t k = 0; k < n; ++k)
    if (x[k] != y[k]) return false;
  return true;
}

/// Of a kind that has no parts: `a`'s, which is `k`.
bool equal_atomic(Term a, Term b, Kind k) {
  switch (k) {
    case Kind::heap_bin:
    case Kind::refc_bin:
    case Kind::sub_bin:
      return is_bitstring(b) && equal_bitstrings(a, b);
    case Kind::export_fun:
      return is_kind(b, Kind::export_fun) && boxed_ptr(a)[1] == boxed_ptr(b)[1];
    case Kind::ref:
    case Kind::pid_ref:
    case Kind::magic_ref:
    case Kind::ext_ref:
      return is_ref(b) && equal_refs(a, b);
    case Kind::ext_pid:
    case Kind::ext_port:
      return is_kind(b, k) && boxed_ptr(a)[1] == boxed_ptr(b)[1] &&
             boxed_ptr(a)[3] == boxed_ptr(b)[3];
    default:
      return false;
  }
}

class Equality {
 public:
  template <bool numeric>
  bool run(Term a, Term b) {
    if (!same<numeric>(a, b, kDeepest)) return false;
    while (later_ && !later_->empty()) {
      const Pair p = later_->pop();
      if (!(p.numeric ? same<true>(p.a, p.b, kDeepest) : same<false>(p.a, p.b, kDeepest)))
        return false;
    }
    return true;
  }

 private:
  static constexpr int kDeepest = 100;  // levels of C++
  struct Pair {
    Term a, b;
    bool numeric;  // == rather than =:=
  };

  /// Two parts, whose words may be the same.
  template <bool numeric>
  WB_INLINE bool part(Term a, Term b, int depth) {
    if (a == b) return true;
    if (numeric ? is_immediate(a) && is_immediate(b) : is_immediate(a) || is_immediate(b))
      return false;
    if (WB_LIKELY(depth > 0)) return same<numeric>(a, b, depth - 1);
    if (!later_) later_.emplace();
    later_->push({a, b, numeric});
    return true;
  }
  /// All but the last of `n` parts.
  template <bool numeric>
  WB_INLINE bool parts(const Term* x, const Term* y, size_t n, int depth) {
    for (size_t k = 0; k + 1 < n; ++k)
      if (!part<numeric>(x[k], y[k], depth)) return false;
    return true;
  }
  /// Children of a hash trie's node: nodes, and leaves. At most 17 levels (map.h).
  template <bool numeric>
  bool nodes(const Term* x, const Term* y, size_t n, int depth) {
    for (size_t k = 0; k < n; ++k) {
      const Term a = x[k], b = y[k];
      if (a == b) continue;
      if (is_cons(a) != is_cons(b)) return false;
      if (is_cons(a)) {
        if (!part<false>(head(a), head(b), depth) || !part<numeric>(tail(a), tail(b), depth))
          return false;
      } else if (header_of(a) != header_of(b) ||
                 !nodes<numeric>(boxed_ptr(a) + 1, boxed_ptr(b) + 1, header_size(header_of(a)),
                                 depth)) {
        return false;
      }
    }
    return true;
  }

  /// Where the parts of a boxed term begin, and how many there are, once all else is equal.
  struct Parts {
    size_t first, count;
  };
  enum class Answer : uint8_t { no, yes, parts };

  /// Two boxed terms, but for parts that are compared by the same rule.
  template <bool numeric>
  WB_INLINE Answer boxed(Term a, Term b, int depth, Parts* left) {
    const auto answer = [](bool yes) { return yes ? Answer::yes : Answer::no; };
    const Term *x = boxed_ptr(a), *y = boxed_ptr(b);
    const Kind kind = header_kind(*x);
    switch (kind) {
      case Kind::tuple:
      case Kind::record:
        *left = {1, header_size(*x)};
        return *x == *y ? Answer::parts : Answer::no;
      case Kind::flatmap:
        if (*x != *y || x[1] != y[1] || !part<false>(x[2], y[2], depth)) return Answer::no;
        *left = {3, header_size(*x) - 2};
        return Answer::parts;
      case Kind::hashmap:
        return answer(*x == *y && x[1] == y[1] &&
                      nodes<numeric>(x + 2, y + 2, header_size(*x) - 1, depth));
      case Kind::fun:
        *left = {4, header_size(*x) - 3};
        return *x == *y && x[1] == y[1] && x[2] == y[2] ? Answer::parts : Answer::no;
      case Kind::big_pos:
      case Kind::big_neg:
        if (*x == *y) return answer(same_words(x + 1, y + 1, header_size(*x)));
        return answer(numeric && is_float(b) && compare_numbers(a, b) == 0);
      case Kind::flo:
        if (is_float(b))
          return answer(float_value(a) == float_value(b) &&
                        (numeric || x[1] == y[1] || zeros_match()));
        return answer(numeric && is_number(b) && compare_numbers(a, b) == 0);
      default:
        return answer(equal_atomic(a, b, kind));
    }
  }

  /// Along the spines of two lists, to tails that are no cells. False: they differ.
  template <bool numeric>
  WB_INLINE bool cells(Term* a, Term* b, int depth) {
    do {
      if (!is_cons(*b)) return false;
      const Term *x = cons_ptr(*a), *y = cons_ptr(*b);
      if (x[0] != y[0] && !part<numeric>(x[0], y[0], depth)) return false;
      *a = x[1], *b = y[1];
    } while (*a != *b && is_cons(*a));
    return true;
  }

  /// Two words that differ.
  template <bool numeric>
  WB_NOINLINE bool same(Term a, Term b, int depth) {
    do {
      if (is_cons(a)) {
        if (!cells<numeric>(&a, &b, depth)) return false;
      } else if (is_boxed(a) && is_boxed(b)) {
        Parts left;
        const Answer answer = boxed<numeric>(a, b, depth, &left);
        if (answer != Answer::parts) return answer == Answer::yes;
        if (!left.count) return true;
        const Term *x = boxed_ptr(a) + left.first, *y = boxed_ptr(b) + left.first;
        if (!parts<numeric>(x, y, left.count, depth)) return false;
        a = x[left.count - 1], b = y[left.count - 1];
      } else {
        return numeric && is_number(a) && is_number(b) && compare_numbers(a, b) == 0;
      }
    } while (a != b);
    return true;
  }

  std::optional<Stack<Pair>> later_;
};

}  // namespace

bool equal_exact_slow(Term a, Term b) {
  // Parts of tuples, as long as nothing is left behind them: no frame is needed.
  while (is_tuple(a) && is_boxed(b)) {
    const Term *p = boxed_ptr(a), *q = boxed_ptr(b);
    if (*p != *q) return false;
    size_t k = 1, size = header_size(*p);
    while (k <= size && p[k] == q[k]) ++k;
    if (k > size) return true;
    a = p[k], b = q[k];
    if (is_immediate(a) || is_immediate(b)) return false;
    if (k == size) continue;
    a = make_boxed(p), b = make_boxed(q);
    break;
  }
  if (is_bitstring(a)) return is_bitstring(b) && equal_bitstrings(a, b);
  if (is_ref(a)) return is_ref(b) && equal_refs(a, b);
  Equality e;
  return e.run<false>(a, b);
}
bool equal_slow(Term a, Term b) {
  if (is_bitstring(a)) return is_bitstring(b) && equal_bitstrings(a, b);
  Equality e;
  return e.run<true>(a, b);
}

}  // namespace wb
