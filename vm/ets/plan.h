// How to search a table for a match specification: which keys can match at all.
//
// Every head says something of the key at the table's key position. If all heads name their keys in
// full, the search is a few lookups. In an ordered table a single head that names the beginning of
// its key ({a,'_'}) bounds a range: keys that agree up to the first variable stand next to each
// other. So do guards that compare a key which is a variable with constants. Otherwise every object
// is looked at.
#pragma once

#include <span>

#include "vm/ets/match_spec.h"
#include "vm/ets/table.h"

namespace wb {

class SearchPlan final : public KeyRange {
 public:
  SearchPlan(const MatchSpec& spec, const Table& table);
  enum class Kind : uint8_t { everything, range, keys };
  Kind kind() const { return kind_; }
  /// Distinct keys, ascending for an ordered table.
  std::span<const Term> keys() const { return {keys_.begin(), keys_.end()}; }
  const KeyRange* range() const { return kind_ == Kind::range ? this : nullptr; }
  int compare_key(Term key) const override;

 private:
  /// Keys behind it (a lower bound) or before it; perhaps it itself.
  struct Bound {
    Term key = kNone;
    bool included = false;
  };
  static int compare_to_pattern(Term key, Term pattern);
  void bound_by(Term guards, Term variable);
  void narrow(Bound& bound, Bound by, int direction);
  Kind kind_ = Kind::everything;
  Stack<Term, 4> keys_;
  Term pattern_ = kNone;
  Bound low_, high_;
};

/// False if a pattern has a variable, '_', or a map (which matches more than itself) in it.
bool matches_only_itself(Term pattern);

}  // namespace wb
