// How to search a table for a match specification: which keys can match at all.
//
// Every head says something of the key at the table's key position. If all heads name their keys in
// full, the search is a few lookups. In an ordered table a single head that names the beginning of
// its key ({a,'_'}) bounds a range: keys that agree up to the first variable stand next to each
// other. Otherwise every object is looked at.
#pragma once

#include <vector>

#include "vm/ets/match_spec.h"
#include "vm/ets/table.h"

namespace wb {

class SearchPlan final : public KeyRange {
 public:
  SearchPlan(const MatchSpec& spec, const Table& table);
  enum class Kind : uint8_t { everything, range, keys };
  Kind kind() const { return kind_; }
  /// Distinct keys, ascending for an ordered table.
  const std::vector<Term>& keys() const { return keys_; }
  const KeyRange* range() const { return kind_ == Kind::range ? this : nullptr; }
  int compare_key(Term key) const override { return compare_to_pattern(key, pattern_); }

 private:
  static int compare_to_pattern(Term key, Term pattern);
  Kind kind_ = Kind::everything;
  std::vector<Term> keys_;
  Term pattern_ = kNone;
};

/// False if a pattern has a variable, '_', or a map (which matches more than itself) in it.
bool matches_only_itself(Term pattern);

}  // namespace wb
