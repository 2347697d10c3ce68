#include "vm/ets/plan.h"

#include <algorithm>

#include "base/stack.h"
#include "term/instance.h"
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
  Stack<Pair, 16> todo;
  todo.push({key, pattern});
  while (!todo.empty()) {
    auto [k, p] = todo.pop();
    if (is_wildcard(p) || is_map(p)) return 0;
    if (is_cons(k) && is_cons(p)) {
      todo.push({tail(k), tail(p)});
      todo.push({head(k), head(p)});
    } else if (is_tuple(k) && is_tuple(p) && tuple_arity(k) == tuple_arity(p)) {
      for (uint64_t i = tuple_arity(k); i-- > 0;)
        todo.push({tuple_elements(k)[i], tuple_elements(p)[i]});
    } else if (int c = compare(k, p)) {
      return c;
    }
  }
  return 0;
}

int SearchPlan::compare_key(Term key) const {
  if (low_.key != kNone) {
    const int c = compare(key, low_.key);
    if (c < 0 || (c == 0 && !low_.included)) return -1;
  }
  if (high_.key != kNone) {
    const int c = compare(key, high_.key);
    if (c > 0 || (c == 0 && !high_.included)) return 1;
  }
  return pattern_ == kNone ? 0 : compare_to_pattern(key, pattern_);
}

/// `direction`: 1 if a later bound is narrower, -1 if an earlier one is.
void SearchPlan::narrow(Bound& bound, Bound by, int direction) {
  const int c = bound.key == kNone ? 1 : compare(by.key, bound.key) * direction;
  if (c > 0 || (c == 0 && !by.included)) bound = by;
}

/// What must hold for all guards to be true, of those that compare the key with a constant.
void SearchPlan::bound_by(Term guards, Term variable) {
  Stack<Term, 16> todo;
  for (; is_cons(guards); guards = tail(guards)) todo.push(head(guards));
  while (!todo.empty()) {
    const Term guard = todo.pop();
    if (!is_tuple(guard) || tuple_arity(guard) < 2) continue;
    const Term op = tuple_elements(guard)[0];
    if (op == am::and_ || op == am::andalso)
      for (uint64_t i = 1; i < tuple_arity(guard); ++i) todo.push(tuple_elements(guard)[i]);
    Term compared, constant;
    const Term order = match_comparison(guard, &compared, &constant);
    if (order == kNone || compared != variable) continue;
    const bool equal = order == am::eq || order == am::eq_exact;
    const bool included = equal || order == am::le || order == am::ge;
    if (equal || order == am::gt || order == am::ge) narrow(low_, {constant, included}, 1);
    if (equal || order == am::lt || order == am::le) narrow(high_, {constant, included}, -1);
  }
  if (low_.key != kNone || high_.key != kNone) kind_ = Kind::range;
}

SearchPlan::SearchPlan(const MatchSpec& spec, const Table& table) {
  for (Term head : spec.heads()) {
    Term pattern = key_pattern(head, table.options.keypos);
    if (pattern == kNone) continue;
    // A map without variables matches more than itself; before OTP 26 not in a key: one that was
    // named in full was looked up.
    if (is_open(pattern, otp_release() >= 26)) {
      keys_.shrink(0);
      if (!table.is_ordered() || spec.heads().size() != 1) return;
      if (is_wildcard(pattern)) {
        bound_by(spec.clauses()[0].guard_terms, pattern);
      } else {
        pattern_ = pattern;
        kind_ = Kind::range;
      }
      return;
    }
    bool known = false;
    for (Term k : keys_)
      known = known || (table.is_ordered() ? equal(k, pattern) : equal_exact(k, pattern));
    if (!known) keys_.push(pattern);
    if (keys_.size() > 100) {
      keys_.shrink(0);
      return;
    }
  }
  kind_ = Kind::keys;
  if (table.is_ordered())
    std::sort(keys_.begin(), keys_.end(), [](Term a, Term b) { return compare(a, b) < 0; });
}

}  // namespace wb
