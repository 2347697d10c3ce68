// A filter expression over the table of processes: `msgq>100 & fn=gen_server:loop/7 | name=logger`.
//
//   conditions   COLUMN OPERATOR VALUE, joined by & and | (& binds closer); empty: everything
//   numbers      msgq reds memory dreds dmsgq wait wait50 migrations gc dgc: < <= > >= = !=, with
//                k, m, g for thousands ...
//   texts        pid name fn initial state priority: = != (with * for anything), ~ (contains)
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "term/fault.h"

namespace wb {

/// What can be asked of a process without asking it.
struct FilterRow {
  virtual int64_t number(uint8_t column) const = 0;
  virtual Term id() const = 0;
  /// Valid until the next call.
  virtual std::string_view text(uint8_t column) const = 0;
  /// Can it say? What it cannot may hold (Filter::may_match).
  virtual bool knows(bool is_text, uint8_t column) const { return true; }

 protected:
  ~FilterRow() = default;
};

class Filter {
 public:
  enum Number : uint8_t {
    msgq,
    reds,
    memory,
    dreds,
    dmsgq,
    wait,
    migrations,
    gc,
    dgc,
    wait50,
    numbers
  };
  enum Text : uint8_t { pid, name, fn, initial, state, priority, texts };

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
  bool uses_deltas() const;
  bool uses(Number column) const;
  bool uses_text(Text column) const;
  /// The one process that may match; kNone: several may.
  Term only() const;

 private:
  enum class Op : uint8_t { less, at_most, more, at_least, equal, differs, contains };
  struct Condition {
    bool is_text;
    uint8_t column;
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
/// The number of a column's name; -1: there is none.
int number_column(std::string_view name);
int text_column(std::string_view name);

}  // namespace wb
