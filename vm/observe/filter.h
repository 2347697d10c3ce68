// A filter expression over the table of processes: `msgq>100 & fn=gen_server:loop/7 | name=logger`.
//
//   conditions   COLUMN OPERATOR VALUE, joined by & and | (& binds closer); empty: everything
//   numbers      of columns.def: < <= > >= = !=, with k, m, g for thousands ...
//   texts        of columns.def: = != (with * for anything), ~ (contains)
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "term/fault.h"
#include "vm/observe/columns.h"

namespace wb {

/// What can be asked of a process without asking it.
struct FilterRow {
  virtual int64_t number(ProcessColumn column) const = 0;
  virtual Term id() const = 0;
  /// Valid until the next call.
  virtual std::string_view text(ProcessColumn column) const = 0;
  /// Can it say? What it cannot may hold (Filter::may_match).
  virtual bool knows(ProcessColumn column) const { return true; }

 protected:
  ~FilterRow() = default;
};

class Filter {
 public:
  static constexpr size_t kMostConditions = 16;

  /// False, and why in *error.
  bool parse(std::string_view expression, std::string* error);
  bool empty() const { return any_of_.empty(); }
  bool matches(const FilterRow& row) const;
  /// False: it does not match, whatever `row` does not know.
  bool may_match(const FilterRow& row) const;
  /// Can `row` say of some that they do not match?
  bool is_narrowed(const FilterRow& row) const;
  /// Is there nothing in it that `row` does not know?
  bool is_known(const FilterRow& row) const;
  /// Names that it asks for one by one: `name=a | name=b`, whatever else it asks for.
  std::vector<std::string> names() const;
  /// A column of which `is(facts)`.
  template <class Is>
  bool uses(Is is) const {
    return std::any_of(any_of_.begin(), any_of_.end(), [&](const auto& list) {
      return std::any_of(list.begin(), list.end(),
                         [&](const Condition& c) { return std::invoke(is, facts_of(c.column)); });
    });
  }
  bool uses_changes() const { return uses(&ColumnFacts::is_change); }
  /// The one process that may match; kNone: several may.
  Term only() const;

 private:
  enum class Op : uint8_t { less, at_most, more, at_least, equal, differs, contains };
  struct Condition {
    ProcessColumn column;
    Op op;
    double number = 0;
    std::string text;
    bool exact_pid = false;  ///< compared as it is, not as text: there may be a million
    Term id = kNone;
  };
  static bool parse_condition(std::string_view s, Condition* c, std::string* error);
  static bool holds(const Condition& c, const FilterRow& row);
  std::vector<std::vector<Condition>> any_of_;  ///< of lists that hold as a whole
};

/// "<0.SLOT.SERIAL>"; kNone: it is none.
Term parse_pid(std::string_view s);
/// `*` in the pattern stands for any characters.
bool matches_pattern(std::string_view pattern, std::string_view text);

}  // namespace wb
