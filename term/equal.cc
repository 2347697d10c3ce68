// =:= and == : walks both terms side by side.
//
// Pending work is ranges of words to compare pairwise, on an explicit stack. Hash tries are
// canonical (map.h), so equal maps have the same shape and their nodes compare like tuples; their
// leaves are cells [Key|Value]. Keys are compared with =:= even under ==.
#include "base/stack.h"
#include "term/bits.h"
#include "term/identifiers.h"
#include "term/instance.h"
#include "term/number.h"
#include "term/order.h"

namespace wb {
namespace {

struct Range {
  const Term* a;
  const Term* b;
  size_t n;
  bool numeric;  // == rather than =:=
};

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

class Equality {
 public:
  bool run(Term a, Term b, bool numeric) {
    if (!pair(a, b, numeric)) return false;
    while (!todo_.empty()) {
      Range& r = todo_.top();
      a = *r.a++;
      b = *r.b++;
      numeric = r.numeric;
      if (--r.n == 0) todo_.pop();
      if (a != b && !pair(a, b, numeric)) return false;
    }
    return true;
  }

 private:
  // False if certainly different; pushes what remains to be compared.
  bool pair(Term a, Term b, bool numeric) {
    if (is_cons(a)) return is_cons(b) && lists(a, b, numeric);
    if (a == b) return true;
    if (!is_boxed(a) || !is_boxed(b)) {
      return numeric && is_number(a) && is_number(b) && compare_numbers(a, b) == 0;
    }
    return boxed(a, b, numeric);
  }

  // Runs along the spine; stops at the first pair of heads that needs a descent.
  bool lists(Term a, Term b, bool numeric) {
    while (is_cons(a) && is_cons(b)) {
      if (a == b) return true;
      Term x = head(a), y = head(b);
      if (x != y) {
        if (is_immediate(x) && is_immediate(y)) return false;
        push(cons_ptr(a) + 1, cons_ptr(b) + 1, 1, numeric);
        push(cons_ptr(a), cons_ptr(b), 1, numeric);
        return true;
      }
      a = tail(a);
      b = tail(b);
    }
    if (a == b) return true;
    if (is_cons(a) || is_cons(b)) return false;
    return pair(a, b, numeric);
  }

  bool boxed(Term a, Term b, bool numeric) {
    const Term *x = boxed_ptr(a), *y = boxed_ptr(b);
    Kind k = header_kind(*x);
    switch (k) {
      case Kind::tuple:
      case Kind::record:
      case Kind::hashnode:
        if (*x != *y) return false;
        push(x + 1, y + 1, header_size(*x), numeric && k != Kind::hashnode);
        return true;
      case Kind::flatmap:
        if (*x != *y || x[1] != y[1]) return false;
        push(x + 3, y + 3, header_size(*x) - 2, numeric);
        if (x[2] != y[2]) push(boxed_ptr(x[2]) + 1, boxed_ptr(y[2]) + 1, small_value(x[1]), false);
        return true;
      case Kind::hashmap:
        if (*x != *y || x[1] != y[1]) return false;
        return numeric ? tries(x + 2, y + 2, header_size(*x) - 1)
                       : (push(x + 2, y + 2, header_size(*x) - 1, false), true);
      case Kind::fun:
        if (*x != *y || x[1] != y[1] || x[2] != y[2]) return false;
        push(x + 4, y + 4, header_size(*x) - 3, numeric);
        return true;
      case Kind::big_pos:
      case Kind::big_neg:
        if (*x == *y) return memcmp(x + 1, y + 1, header_size(*x) * 8) == 0;
        return numeric && is_float(b) && compare_numbers(a, b) == 0;
      case Kind::flo:
        if (is_float(b)) {
          return float_value(a) == float_value(b) && (numeric || x[1] == y[1] || zeros_match());
        }
        return numeric && is_big(b) && compare_numbers(a, b) == 0;
      default:
        return atomic(a, b, k);
    }
  }

  // Under == the leaves' keys and values are compared by different rules, so nodes are walked here:
  // at most 17 levels (map.h).
  bool tries(const Term* x, const Term* y, size_t n) {
    struct Level {
      const Term *x, *y;
      size_t n;
    };
    Stack<Level, 20> levels;
    levels.push({x, y, n});
    while (!levels.empty()) {
      Level& l = levels.top();
      Term a = *l.x++, b = *l.y++;
      if (--l.n == 0) levels.pop();
      if (a == b) continue;
      if (is_cons(a) != is_cons(b)) return false;
      if (is_cons(a)) {
        push(cons_ptr(a) + 1, cons_ptr(b) + 1, 1, true);
        push(cons_ptr(a), cons_ptr(b), 1, false);
      } else {
        if (header_of(a) != header_of(b)) return false;
        levels.push({boxed_ptr(a) + 1, boxed_ptr(b) + 1, header_size(header_of(a))});
      }
    }
    return true;
  }

  static bool atomic(Term a, Term b, Kind k) {
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

  void push(const Term* a, const Term* b, size_t n, bool numeric) {
    if (n != 0) todo_.push({a, b, n, numeric});
  }

  Stack<Range> todo_;
};

}  // namespace

bool equal_exact_slow(Term a, Term b) {
  // Parts of tuples, as long as nothing is left behind them: without the stack below.
  while (is_tuple(a) && is_boxed(b)) {
    const Term *p = boxed_ptr(a), *q = boxed_ptr(b);
    if (*p != *q) return false;
    size_t k = 1, size = header_size(*p);
    while (k <= size && p[k] == q[k]) ++k;
    if (k > size) return true;
    bool last = k == size;
    a = p[k], b = q[k];
    for (; k <= size; ++k) {
      if (p[k] != q[k] && (is_immediate(p[k]) || is_immediate(q[k]))) return false;
    }
    if (last) continue;
    a = make_boxed(p), b = make_boxed(q);
    break;
  }
  if (is_bitstring(a)) return is_bitstring(b) && equal_bitstrings(a, b);
  if (is_ref(a)) return is_ref(b) && equal_refs(a, b);
  Equality e;
  return e.run(a, b, false);
}

bool equal_slow(Term a, Term b) {
  if (is_bitstring(a)) return is_bitstring(b) && equal_bitstrings(a, b);
  Equality e;
  return e.run(a, b, true);
}

}  // namespace wb
