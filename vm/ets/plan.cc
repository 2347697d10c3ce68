#include "vm/ets/plan.h"

#include <algorithm>

#include "base/stack.h"
#include "term/map.h"
#include "term/order.h"

namespace wb {
namespace {

bool is_wildcard(Term t) { return t == am::underscore || match_variable(t) >= 0; }

/// The key pattern of a head; a wildcard if the head says nothing about it, kNone if no object of
/// the table can match.
Term key_pattern(Term head, uint32_t keypos) {
  if (is_wildcard(head)) return am::underscore;
  if (!is_tuple(head) || tuple_arity(head) < keypos) return kNone;
  return tuple_elements(head)[keypos - 1];
}

/// `maps`: what a map at any depth makes of it.
bool is_open(Term pattern, bool maps) {
  Stack<Term, 16> todo;
  todo.push(pattern);
  while (!todo.empty()) {
    Term t = todo.pop();
    for (; is_cons(t); t = tail(t)) {
      if (is_atom(head(t)) && is_wildcard(head(t))) return true;
      if (is_pointer(head(t))) todo.push(head(t));
    }
    if (is_atom(t) && is_wildcard(t)) return true;
    if (is_map(t)) {
      if (maps) return true;
      Term key, value;
      for (MapIterator i(t); i.next(&key, &value);) todo.push(key), todo.push(value);
    }
    if (is_tuple(t))
      for (uint64_t i = 0; i < tuple_arity(t); ++i) todo.push(tuple_elements(t)[i]);
  }
  return false;
}

}  // namespace

bool matches_only_itself(Term pattern) { return !is_open(pattern, true); }

/// Order of `key` against everything that fits `pattern`: 0 when they agree up to the pattern's
/// first variable. Goes through both in the order that decides term order.
int SearchPlan::compare_to_pattern(Term key, Term pattern) {
  struct Pair {
    Term key, pattern;
  };
  std::vector<Pair> todo{{key, pattern}};
  while (!todo.empty()) {
    auto [k, p] = todo.back();
    todo.pop_back();
    if (is_wildcard(p) || is_map(p)) return 0;
    if (is_cons(k) && is_cons(p)) {
      todo.push_back({tail(k), tail(p)});
      todo.push_back({head(k), head(p)});
    } else if (is_tuple(k) && is_tuple(p) && tuple_arity(k) == tuple_arity(p)) {
      for (uint64_t i = tuple_arity(k); i-- > 0;)
        todo.push_back({tuple_elements(k)[i], tuple_elements(p)[i]});
    } else if (int c = compare(k, p)) {
      return c;
    }
  }
  return 0;
}

SearchPlan::SearchPlan(const MatchSpec& spec, const Table& table) {
  for (Term head : spec.heads()) {
    Term pattern = key_pattern(head, table.options.keypos);
    if (pattern == kNone) continue;
    // A map without variables matches more than itself, but as in OTP not in a key: one that is
    // named in full is looked up.
    if (is_open(pattern, false)) {
      keys_.clear();
      if (!table.is_ordered() || spec.heads().size() != 1 || is_wildcard(pattern)) return;
      pattern_ = pattern;
      kind_ = Kind::range;
      return;
    }
    bool known = false;
    for (Term k : keys_)
      known = known || (table.is_ordered() ? equal(k, pattern) : equal_exact(k, pattern));
    if (!known) keys_.push_back(pattern);
    if (keys_.size() > 100) {
      keys_.clear();
      return;
    }
  }
  kind_ = Kind::keys;
  if (table.is_ordered())
    std::sort(keys_.begin(), keys_.end(), [](Term a, Term b) { return compare(a, b) < 0; });
}

}  // namespace wb
