#include "vm/ets/search.h"

#include "term/order.h"
#include "vm/ets/hash_table.h"
#include "vm/ets/ordered_table.h"

namespace wb {

namespace {

/// Looks up the keys of a plan: can stop between two of them and go on behind `cursor.after`.
bool search_keys(OrderedTable& t, std::span<const Term> keys, const Cursor& cursor, Visitor& v,
                 bool write) {
  for (size_t i = 0; i < keys.size(); ++i) {
    Term key = keys[cursor.reverse ? keys.size() - 1 - i : i];
    if (cursor.after != kNone) {
      int c = compare(key, cursor.after);
      if (cursor.reverse ? c >= 0 : c <= 0) continue;
    }
    t.visit_key(key, v, write);
    if (v.full() && i + 1 < keys.size()) return true;
  }
  return false;
}

}  // namespace

bool search(Table& t, const SearchPlan& plan, Cursor& cursor, Visitor& v, bool write) {
  const bool by_keys = plan.kind() == SearchPlan::Kind::keys;
  if (t.is_ordered()) {
    auto& ordered = static_cast<OrderedTable&>(t);
    if (by_keys) return search_keys(ordered, plan.keys(), cursor, v, write);
    return ordered.traverse(cursor.after, plan.range(), cursor.reverse, v, write);
  }
  auto& hashed = static_cast<HashTable&>(t);
  if (by_keys) {  // cheap enough to be looked up at once
    hashed.visit_keys(plan.keys(), v, write);
    return false;
  }
  int64_t next = hashed.traverse(cursor.bucket, v, write, cursor.fixed);
  cursor.bucket = next < 0 ? 0 : static_cast<uint64_t>(next);
  return next >= 0;
}

namespace {

/// True if expression `e` always has the value that pattern `p` matched.
bool rebuilds(Term e, Term p) {
  struct Pair {
    Term e, p;
  };
  std::vector<Pair> todo{{e, p}};
  while (!todo.empty()) {
    auto [e, p] = todo.back();
    todo.pop_back();
    if (is_tuple_of(e, 2) && tuple_elements(e)[0] == am::const_) {
      if (!matches_only_itself(p) || !equal_exact(tuple_elements(e)[1], p)) return false;
    } else if (is_atom(p)) {
      if (e != p || p == am::underscore || p == am::dollar_underscore || p == am::dollar_dollar)
        return false;
    } else if (is_cons(p)) {
      if (!is_cons(e)) return false;
      todo.push_back({tail(e), tail(p)});
      todo.push_back({head(e), head(p)});
    } else if (is_tuple(p)) {
      if (!is_tuple_of(e, 1) || !is_tuple_of(tuple_elements(e)[0], tuple_arity(p))) return false;
      for (uint64_t i = 0; i < tuple_arity(p); ++i)
        todo.push_back({tuple_elements(tuple_elements(e)[0])[i], tuple_elements(p)[i]});
    } else if (is_map(p) || !equal_exact(e, p)) {
      return false;
    }
  }
  return true;
}

bool clause_keeps_key(Term head_term, Term body, uint32_t keypos) {
  if (!is_cons(body) || !is_nil(tail(body))) return false;
  if (head(body) == am::dollar_underscore) return true;
  if (!is_tuple(head_term) || tuple_arity(head_term) < keypos) return false;
  const Term key = tuple_elements(head_term)[keypos - 1];
  const Term e = head(body);
  if (is_tuple_of(e, 2) && tuple_elements(e)[0] == am::const_) {
    Term value = tuple_elements(e)[1];
    return is_tuple(value) && tuple_arity(value) >= keypos && matches_only_itself(key) &&
           equal_exact(tuple_elements(value)[keypos - 1], key);
  }
  if (!is_tuple_of(e, 1) || !is_tuple(tuple_elements(e)[0])) return false;
  const Term made = tuple_elements(e)[0];
  if (tuple_arity(made) < keypos) return false;
  const Term new_key = tuple_elements(made)[keypos - 1];
  if (is_tuple_of(new_key, 3)) {
    const Term* call = tuple_elements(new_key);
    if (call[0] == am::element && call[1] == make_small(keypos) && call[2] == am::dollar_underscore)
      return true;
  }
  return rebuilds(new_key, key);
}

}  // namespace

bool keeps_key(Term spec, uint32_t keypos) {
  for (; is_cons(spec); spec = tail(spec)) {
    const Term* part = tuple_elements(head(spec));
    if (!clause_keeps_key(part[0], part[2], keypos)) return false;
  }
  return true;
}

}  // namespace wb
