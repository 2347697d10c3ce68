// Term order: an engine that compares pairs and remembers the rest on an explicit stack.
//
// The stack holds *ranges* (words still to compare pairwise while everything before was equal) and
// *map orders*. The first pair that differs decides the enclosing question: normally the whole
// comparison, but below a map order only which of two keys is smaller.
//
// A map order exists for two hash tries of equal size. By definition their keys, sorted, come
// first, then the values in key order. Sorting is not needed: let D be the keys that are in one of
// the maps only. If D is not empty its least key decides (all smaller keys are common). If it is
// empty the least key whose values differ decides. Finding a least key takes comparisons of keys,
// which may be tries again: so the search is a state on the stack, not a C++ call.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include "base/stack.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/instance.h"
#include "term/map.h"
#include "term/number.h"
#include "term/order.h"
#include "term/record.h"

namespace wb {
namespace {

enum class Rules : uint8_t { numeric, keys };  // 1 == 1.0, or integers before floats

enum Rank : uint8_t {
  number,
  atom,
  ref,
  fun,
  port,
  pid,
  tuple,
  record,
  map,
  nil,
  list,
  bitstring,
  none
};

constexpr Rank rank_of_kind(Kind kind) {
  switch (kind) {
    case Kind::tuple:
      return tuple;
    case Kind::record:
      return record;
    case Kind::big_pos:
    case Kind::big_neg:
    case Kind::flo:
      return number;
    case Kind::flatmap:
    case Kind::hashmap:
      return map;
    case Kind::heap_bin:
    case Kind::refc_bin:
    case Kind::sub_bin:
      return bitstring;
    case Kind::fun:
    case Kind::export_fun:
      return fun;
    case Kind::ref:
    case Kind::pid_ref:
    case Kind::magic_ref:
    case Kind::ext_ref:
      return ref;
    case Kind::ext_pid:
      return pid;
    case Kind::ext_port:
      return port;
    case Kind::hashnode:
    case Kind::match_ctx:
    case Kind::count:
      return none;  // no term that a program sees
  }
  return none;
}
constexpr auto kRanks = [] {
  std::array<Rank, 32> ranks{};
  for (unsigned k = 0; k < ranks.size(); ++k) ranks[k] = rank_of_kind(static_cast<Kind>(k));
  return ranks;
}();

WB_INLINE Rank rank_of(Term t) {
  if (is_small(t)) return number;
  if (is_cons(t)) return list;
  if (is_boxed(t)) {
    Rank rank = kRanks[static_cast<size_t>(header_kind(header_of(t)))];
    WB_CHECK(rank != none);
    return rank;
  }
  if (is_nil(t)) return nil;
  if (is_atom(t)) return atom;
  WB_CHECK(is_local_pid(t) || is_local_port(t));
  return is_local_pid(t) ? pid : port;
}

int compare_numbers_by(Term a, Term b, Rules rules) {
  if (are_small(a, b)) {
    int64_t x = static_cast<int64_t>(a), y = static_cast<int64_t>(b);
    return x < y ? -1 : x > y ? 1 : 0;
  }
  if (rules == Rules::keys && is_float(a) != is_float(b)) return is_float(a) ? 1 : -1;
  const int r = compare_numbers(a, b);
  if (r || rules != Rules::keys || !is_float(a) || zeros_match()) return r;
  return std::signbit(float_value(b)) - std::signbit(float_value(a));
}

// The search for the deciding key of two tries.
struct MapOrder {
  struct Candidate {
    Term key;
    Term a = kNone, b = kNone;  // its values; kNone: not in that map
  };
  std::vector<Candidate> candidates;
  size_t least = 0, next = 0;  // next: the candidate asked about last
  Rules rules;

  MapOrder(Term x, Term y, Rules by) : rules(by) {
    Term key, value;
    for (MapIterator i(x); i.next(&key, &value);) {
      if (map_get(y, key) == kNone) candidates.push_back({key, value, kNone});
    }
    for (MapIterator i(y); i.next(&key, &value);) {
      if (map_get(x, key) == kNone) candidates.push_back({key, kNone, value});
    }
    if (!candidates.empty()) return;
    for (MapIterator i(x); i.next(&key, &value);) {
      Term other = map_get(y, key);
      bool same = rules == Rules::keys ? equal_exact(value, other) : equal(value, other);
      if (!same) candidates.push_back({key, value, other});
    }
  }
};

class Comparison {
 public:
  int run(Term a, Term b, Rules rules) {
    int result = pair(a, b, rules);
    for (;;) {
      if (result != 0) {
        while (!todo_.empty() && !todo_.top().order) todo_.pop();
      }
      if (todo_.empty()) return result;
      Item& item = todo_.top();
      if (item.order) {
        result = advance(item.order, result);
        continue;
      }
      a = *item.a++;
      b = *item.b++;
      rules = item.rules;
      if (--item.n == 0) todo_.pop();
      result = a == b ? 0 : pair(a, b, rules);
    }
  }

 private:
  struct Item {
    const Term* a;
    const Term* b;
    size_t n;
    MapOrder* order;  // if set the item is a map order, owned
    Rules rules;
  };

  // Not 0 if decided; else what remains was pushed.
  int pair(Term a, Term b, Rules rules) {
    if (a == b) return 0;
    if (are_small(a, b)) return compare_numbers_by(a, b, rules);
    Rank rank = rank_of(a), other = rank_of(b);
    if (rank != other) return rank < other ? -1 : 1;
    switch (rank) {
      case number:
        return compare_numbers_by(a, b, rules);
      case tuple:
        return tuples(boxed_ptr(a), boxed_ptr(b), rules);
      case record:
        return records(a, b, rules);
      case map:
        return maps(a, b, rules);
      case list:
        return lists(a, b, rules);
      case fun:
        return funs(a, b, rules);
      case atom:
      case ref:
      case port:
      case pid:
      case nil:
      case bitstring:
      case none:
        return compare_atomic(a, b);
    }
  }

  int lists(Term a, Term b, Rules rules) {
    while (is_cons(a) && is_cons(b)) {
      if (a == b) return 0;
      Term x = head(a), y = head(b);
      if (x != y) {
        if (is_immediate(x) && is_immediate(y)) return pair(x, y, rules);
        push(cons_ptr(a) + 1, cons_ptr(b) + 1, 1, rules);
        push(cons_ptr(a), cons_ptr(b), 1, rules);
        return 0;
      }
      a = tail(a);
      b = tail(b);
    }
    return pair(a, b, rules);
  }

  int tuples(const Term* a, const Term* b, Rules rules) {
    uint64_t n = header_size(*a), m = header_size(*b);
    if (n != m) return n < m ? -1 : 1;
    push(a + 1, b + 1, n, rules);
    return 0;
  }

  /// By module, name, whether it is exported, number of fields, their names, and values.
  int records(Term a, Term b, Rules rules) {
    const Term *x = boxed_ptr(definition_term(a)) + 1, *y = boxed_ptr(definition_term(b)) + 1;
    const size_t n = definition_of(a).size(), m = definition_of(b).size();
    for (size_t k = 0; k < RecordDefinition::kHead; ++k) {
      if (const int c = compare_atoms(x[k], y[k])) return c;
    }
    if (n != m) return n < m ? -1 : 1;
    push(record_values(a), record_values(b), n, rules);
    if (x != y) push(x + RecordDefinition::kHead, y + RecordDefinition::kHead, n, rules);
    return 0;
  }

  int funs(Term a, Term b, Rules rules) {
    int c = compare_atomic(a, b);
    if (c == 0 && is_kind(a, Kind::fun)) {
      push(boxed_ptr(a) + 4, boxed_ptr(b) + 4, header_size(header_of(a)) - 3, rules);
    }
    return c;
  }

  int maps(Term a, Term b, Rules rules) {
    size_t n = map_size(a), m = map_size(b);
    if (n != m) return n < m ? -1 : 1;
    if (is_flatmap(a)) {
      const Term *x = boxed_ptr(a), *y = boxed_ptr(b);
      push(x + 3, y + 3, n, rules);
      if (x[2] != y[2]) push(boxed_ptr(x[2]) + 1, boxed_ptr(y[2]) + 1, n, Rules::keys);
      return 0;
    }
    auto order = std::make_unique<MapOrder>(a, b, rules);
    if (order->candidates.empty()) return 0;
    todo_.push({nullptr, nullptr, 0, order.get(), rules});
    return advance(order.release(), 0);
  }

  // `result` answers the search's last question: candidate `least` against `next`.
  int advance(MapOrder* o, int result) {
    if (result > 0) o->least = o->next;
    if (++o->next < o->candidates.size()) {
      return pair(o->candidates[o->least].key, o->candidates[o->next].key, Rules::keys);
    }
    std::unique_ptr<MapOrder> done(o);
    todo_.pop();
    const MapOrder::Candidate& c = o->candidates[o->least];
    if (c.a == kNone) return 1;
    if (c.b == kNone) return -1;
    return pair(c.a, c.b, o->rules);
  }

  void push(const Term* a, const Term* b, size_t n, Rules rules) {
    if (n != 0) todo_.push({a, b, n, nullptr, rules});
  }

  Stack<Item, 32> todo_;
};

}  // namespace

/// Two different words: can the terms not be equal?
template <Rules rules>
static WB_INLINE bool surely_differ(Term a, Term b) {
  if (!is_immediate(a) && !is_immediate(b)) {
    return is_float(a) && is_float(b) && float_value(a) != float_value(b);
  }
  return rules == Rules::keys || (!is_float(a) && !is_float(b));
}
/// Follows both to parts that decide: where the first difference is, if nothing behind it matters.
template <Rules rules>
static WB_INLINE bool follow(Term* a, Term* b) {
  if (is_cons(*a) && is_cons(*b)) {
    Term x = *a, y = *b;
    for (; is_cons(x) && is_cons(y) && x != y; x = tail(x), y = tail(y)) {
      if (head(x) == head(y)) continue;
      if (!surely_differ<rules>(head(x), head(y))) return false;
      return *a = head(x), *b = head(y), true;
    }
    return *a = x, *b = y, true;
  }
  if (!is_tuple(*a) || !is_boxed(*b) || header_of(*a) != header_of(*b)) return false;
  const Term *p = boxed_ptr(*a), *q = boxed_ptr(*b);
  size_t k = 1, size = header_size(*p);
  while (k < size && p[k] == q[k]) ++k;
  if (k < size && !surely_differ<rules>(p[k], q[k])) return false;
  if (size == 0) return *b = *a, true;
  return *a = p[k], *b = q[k], true;
}

template <Rules rules>
static WB_INLINE int compare_by(Term a, Term b) {
  do {
    if (a == b) return 0;
    if (are_small(a, b)) return static_cast<int64_t>(a) < static_cast<int64_t>(b) ? -1 : 1;
    if (is_atom(a) && is_atom(b)) return compare_atoms(a, b);
  } while (follow<rules>(&a, &b));
  if (is_boxed(a) && is_boxed(b)) {
    const Term *p = boxed_ptr(a), *q = boxed_ptr(b);
    if (header_kind(*p) == Kind::heap_bin && header_kind(*q) == Kind::heap_bin) {
      const size_t common = std::min(p[1], q[1]);
      auto bytes = [](const Term* bin) { return reinterpret_cast<const uint8_t*>(bin + 2); };
      const int c = common ? compare_bytes(bytes(p), bytes(q), common) : 0;
      return c != 0 ? c : p[1] < q[1] ? -1 : p[1] > q[1];
    }
  }
  if (Rank x = rank_of(a), y = rank_of(b); x != y) {
    return x < y ? -1 : 1;
  } else if (x == number) {
    return compare_numbers_by(a, b, rules);
  } else if (x == bitstring) {
    return compare_bits(bits_in(a), bits_in(b));
  }
  Comparison c;
  return c.run(a, b, rules);
}

int compare(Term a, Term b) { return compare_by<Rules::numeric>(a, b); }
int compare_keys(Term a, Term b) { return compare_by<Rules::keys>(a, b); }

}  // namespace wb
